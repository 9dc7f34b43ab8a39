# SPDX-License-Identifier: Apache-2.0
"""Tables of the TCP engine: sessions by tuple, open ports."""

from __future__ import annotations

import random

import pytest
from tcp_rx_path_bench import (
    ADDRESS,
    DELETE,
    FIND,
    INSERT,
    PORT,
    SECRET,
    Front,
    dotted,
    number,
    segment,
    tuple_hash,
)

Tuple = tuple[int, int, int]
MATRIX = 0x8F1BBCDC_5A827999_CA62C1D6_6ED9EBA1


def buckets(key: Tuple, sessions: int) -> tuple[int, int]:
    """The two buckets of a tuple, as the table computes them."""
    value = key[0] << 32 | key[1] << 16 | key[2]
    matrix = SECRET ^ MATRIX
    bits = max(2, sessions // 4).bit_length() - 1
    return (
        sum(((value & matrix >> i).bit_count() & 1) << i for i in range(bits)),
        sum(((value & matrix >> i + 48).bit_count() & 1) << i for i in range(bits)),
    )


def many(front: Front, op: int, keys: list[Tuple], first: int = 0) -> list[dict[str, int]]:
    """One operation after the other on all of these, session numbers counting up."""
    for i, key in enumerate(keys):
        fields = {
            "op": op,
            "tuple.peer_ip": key[0],
            "tuple.peer_port": key[1],
            "tuple.local_port": key[2],
            "sid": first + i,
        }
        front.dut.send("s_table", front.req_t.pack(fields))
    answers = front.dut.recv("m_table", len(keys), 100 * len(keys) + 5000)
    return [front.rsp_t.unpack(a.value) for a in answers]


def test_against_a_dictionary() -> None:
    """Random requests on few tuples, interleaved with segments: never lost, never duplicated."""
    rng = random.Random(7)
    front = Front(512)
    keys = [(number("10.0.0.1") + rng.randrange(3), p, 80 + p % 2) for p in range(90)]
    model: dict[Tuple, int] = {}
    ports: set[int] = set()
    free = set(range(64))
    for _ in range(1500):
        key = rng.choice(keys)
        op = rng.choice((FIND, INSERT, INSERT, DELETE, PORT))
        if op == INSERT and key not in model and not free:
            op = DELETE
        if op == INSERT:
            sid = rng.choice(sorted(free)) if free else model[key]
            assert front.ask(INSERT, key, sid)["ok"] == 1
            free |= {model[key]} if key in model else set()
            free.discard(sid)
            model[key] = sid
        elif op == DELETE:
            assert front.ask(DELETE, key)["ok"] == int(key in model)
            if key in model:
                free.add(model.pop(key))
        elif op == PORT:
            on = rng.randrange(2)
            assert front.ask(PORT, key, on)["ok"] == int(key[2] in ports)
            ports = ports | {key[2]} if on else ports - {key[2]}
        else:
            have = front.ask(FIND, key)
            assert have["ok"] == int(key in model) and have["hash"] == tuple_hash(key)
            assert have["listen"] == int(key[2] in ports)
            assert have["sid"] == model.get(key, 0)
        front.sessions, front.ports = model, ports
        if rng.random() < 0.3:
            key = rng.choice(keys)
            data = segment(peer=dotted(key[0]), sport=key[1], dport=key[2])
            front.send(data, peer=dotted(key[0]))
            front.check()


@pytest.mark.parametrize("sessions", [4, 64, 16384])
def test_filled(sessions: int) -> None:
    """As many entries as sessions, in the patterns of real peers: all are inserted and found."""
    rng = random.Random(sessions)
    front = Front(64, SESSIONS=sessions)
    host = number("192.168.1.77")
    patterns = {
        "one peer, ports in a row": [(host, 32768 + i, 5001) for i in range(sessions)],
        "many peers, one port": [(host + 256 * i, 40000, 80) for i in range(sessions)],
        "many own ports": [(host, 5, i) for i in range(sessions)],
        "any": [
            (rng.getrandbits(32), rng.randrange(65536), rng.randrange(65536))
            for _ in range(sessions)
        ],
    }
    if sessions > 1000:
        patterns.pop("many own ports")
    for name, keys in patterns.items():
        assert len(set(keys)) == sessions
        assert all(a["ok"] for a in many(front, INSERT, keys)), name
        some = range(sessions) if sessions < 1000 else rng.sample(range(sessions), 400)
        found = many(front, FIND, [keys[i] for i in some])
        assert [a["sid"] for a in found] == list(some), name
        assert all(a["ok"] for a in found), name
        gone = many(front, DELETE, keys)
        assert all(a["ok"] for a in gone), name
    assert not any(a["ok"] for a in many(front, FIND, patterns["any"][:50]))


def test_overfull() -> None:
    """Tuples that all want the same two buckets: refused when stash is full too, nothing lost."""
    sessions = 64
    front = Front(512)
    rng = random.Random(1)
    keys: list[Tuple] = []
    while len(keys) < 20:
        key = (rng.getrandbits(32), rng.randrange(65536), 80)
        if buckets(key, sessions) == (3, 9):
            keys.append(key)
    answers = many(front, INSERT, keys)
    assert [a["ok"] for a in answers] == [1] * 12 + [0] * 8  # 4 + 4 and 4 in the stash
    found = many(front, FIND, keys)
    assert [a["ok"] for a in found] == [1] * 12 + [0] * 8
    assert [a["sid"] for a in found[:12]] == list(range(12))
    # Segments find those of the stash, too.
    front.sessions = {key: i for i, key in enumerate(keys[:12])}
    for key in keys:
        front.send(
            segment(peer=dotted(key[0]), sport=key[1], dport=80, payload=b"x"), peer=dotted(key[0])
        )
    front.check()
    # One is deleted, another one takes its place; a third is still refused.
    for gone, new in ((0, 12), (11, 13), (5, 14)):
        assert front.ask(DELETE, keys[gone])["ok"] == 1
        assert front.ask(INSERT, keys[new], 40 + new)["ok"] == 1
        assert front.ask(INSERT, keys[15], 1)["ok"] == 0
        assert front.ask(FIND, keys[new])["sid"] == 40 + new
        assert front.ask(FIND, keys[gone])["ok"] == 0
    # What is there can be given another session though nothing is free.
    assert front.ask(INSERT, keys[10], 33)["ok"] == 1
    assert front.ask(FIND, keys[10])["sid"] == 33


def test_ports() -> None:
    """All 65,536 ports are closed after reset; each one opens and closes by itself."""
    rng = random.Random(5)
    front = Front(64)
    edges = [0, 1, 31, 32, 32767, 32768, 65534, 65535]
    probes = edges + rng.sample(range(65536), 300)
    assert not any(a["listen"] for a in many(front, FIND, [(1, 1, p) for p in probes]))
    chosen = set(edges) | set(rng.sample(range(65536), 200))
    for port in chosen:
        assert front.ask(PORT, (0, 0, port), 1)["ok"] == 0
    asked = sorted(chosen | set(probes) | {(p + 1) % 65536 for p in chosen})
    found = many(front, FIND, [(1, 1, p) for p in asked])
    assert [a["listen"] for a in found] == [int(p in chosen) for p in asked]
    for port in chosen:
        front.ports.add(port)
    for port in edges:
        front.send(segment(sport=9, dport=port))
        front.send(segment(sport=9, dport=(port + 2) % 65536))
        front.check()
    for port in chosen:
        assert front.ask(PORT, (0, 0, port), 0)["ok"] == 1
    assert not any(a["listen"] for a in many(front, FIND, [(1, 1, p) for p in asked]))


def test_secret() -> None:
    """Another secret, another hash: of the own address too."""
    front = Front(512)
    key = (number("10.0.0.1"), 1, 2)
    first = front.ask(FIND, key)["hash"]
    assert first == tuple_hash(key)
    front.dut.set("secret", SECRET ^ 1 << 77)
    second = front.ask(FIND, key)["hash"]
    front.dut.set("ip", number(ADDRESS) + 1)
    third = front.ask(FIND, key)["hash"]
    assert len({first, second, third}) == 3
