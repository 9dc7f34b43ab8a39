# SPDX-License-Identifier: Apache-2.0
"""Receive path: every segment is delivered correctly, or dropped and counted."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from tcp_rx_path_bench import (
    ADDRESS,
    DELETE,
    FIND,
    INSERT,
    PEER,
    PORT,
    SECRET,
    WIDTHS,
    Front,
    number,
    seal,
    segment,
    siphash,
    some_options,
    tuple_hash,
)

pytestmark = pytest.mark.long  # all data widths, the largest queue

SMALL = {"PAYLOAD_BUF_BYTES": 4096, "HIT_DEPTH": 16}
STAMP: list[tuple[str, Any]] = [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))]


def with_sessions(width: int, **params: int) -> Front:
    """A bench with two sessions and an open port."""
    front = Front(width, **params)
    front.insert(PEER, 1000, 80, 5)
    front.insert("192.168.255.1", 1000, 80, 9)
    front.listen(443)
    return front


def any_segment(rng: random.Random, length: int) -> tuple[bytes, str]:
    """A good segment as scapy makes it, to a session, an open port or nowhere."""
    peer, sport, dport = rng.choice(
        [(PEER, 1000, 80), ("192.168.255.1", 1000, 80), (PEER, 1000, 443), (PEER, 80, 1000)]
    )
    data = segment(
        peer=peer,
        sport=sport,
        dport=dport,
        seq=rng.getrandbits(32),
        ack=rng.getrandbits(32),
        window=rng.randrange(65536),
        flags=rng.randrange(256),
        urgptr=rng.randrange(65536),
        options=some_options(rng),
        payload=rng.randbytes(length),
    )
    return data, peer


@pytest.mark.parametrize("width", WIDTHS)
def test_lengths(width: int) -> None:
    """Payload lengths to 200, boundary lengths to 8,960; header length and the rest random."""
    rng = random.Random(width)
    front = with_sessions(width)
    for stalls in (0.0, 0.3):
        front.dut.stall_all(stalls, stalls, seed=width)
        for start in range(0, 200, 20):
            for length in range(start, start + 20):
                front.send(*any_segment(rng, length))
            front.check()
    for length in (536, 1024, 1448, 1460, 4095, 4096, 8948, 8960):
        front.send(*any_segment(rng, length))
        front.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_each_option_anywhere(width: int) -> None:
    """Each known option and an unknown one at each place of the header, after padding."""
    rng = random.Random(width)
    front = with_sessions(width)
    sizes = {2: (4,), 3: (3,), 4: (2,), 5: (10, 18, 26, 34), 8: (10,), 77: (2, 3, 4, 5, 6)}
    for kind, lengths in sizes.items():
        for size in lengths:
            for at in range(41 - size):
                before = b"\1" * at if rng.random() < 0.5 or at < 2 else bytes([99, at])
                before += rng.randbytes(at - len(before))
                options = before + bytes([kind, size]) + rng.randbytes(size - 2)
                options += b"\1" * (-len(options) % 4)
                front.send(with_options(rng, options, b"x" * rng.randrange(3)))
        front.check()


def with_options(rng: random.Random, options: bytes, payload: bytes) -> bytes:
    """A segment of the first session with these bytes as options."""
    head = bytearray(segment(sport=1000, dport=80, seq=rng.getrandbits(32)))
    head[12] = (5 + len(options) // 4) << 4
    return seal(bytes(head) + options + payload)


def garbage(rng: random.Random) -> bytes:
    """Options: some valid, some truncated, of length zero, or noise."""
    out = b""
    size = 4 * rng.randint(0, 10)
    while len(out) < size:
        chance = rng.random()
        if chance < 0.2:
            out += b"\1"
        elif chance < 0.8:
            kind = rng.choice((2, 3, 4, 5, 8, 9))
            length = {2: 4, 3: 3, 4: 2, 5: rng.choice((10, 18, 26, 34)), 8: 10}.get(kind, 5)
            if rng.random() < 0.1:
                length = rng.choice((0, 1, 2, 3, 4, 5, 10, 18, 255, rng.randrange(256)))
            out += bytes([kind, length]) + rng.randbytes(max(0, length - 2))
        elif chance < 0.9:
            out += bytes([rng.randrange(256)])
        elif chance < 0.93:
            out += b"\0"
        else:
            out += bytes([rng.choice((2, 3, 4, 5, 8)), rng.choice((0, 1, 2, 3, 4, 10, 18))])
    return out[:size]


@pytest.mark.parametrize("width", WIDTHS)
def test_fuzz(width: int) -> None:
    """25,000 segments per width: random options and offsets, truncated, damaged, bad length."""
    rng = random.Random(width)
    front = with_sessions(width)
    front.dut.stall_all(0.1, 0.1, seed=width)
    noise = rng.randbytes(4096)
    for i in range(25_000):
        options = garbage(rng)
        head = bytearray(noise[i % 3000 : i % 3000 + 20])
        head[:4] = b"\x03\xe8\0\x50" if rng.random() < 0.9 else head[:4]
        head[12] = (5 + len(options) // 4) << 4
        chance = rng.random()
        if chance < 0.05:
            head[12] = rng.randrange(256)
        data = seal(bytes(head) + options + noise[: int(chance * 1000) % 90])
        bad = False
        length = None
        if chance > 0.99:
            data = data[: rng.randrange(len(data))]
        elif chance > 0.98:
            at = rng.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        elif chance > 0.97:
            length = max(1, len(data) + rng.choice((-9, -1, 1, 8, 100)))
        elif chance > 0.965:
            bad = True
        proto = 17 if chance < 0.005 else 6
        front.send(data, bad=bad, length=length, proto=proto)
        if i % 100 == 99:
            front.check()
    front.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_corners(width: int) -> None:
    """All carry cases of the checksum; every flipped bit is detected."""
    rng = random.Random(width)
    front = with_sessions(width)
    for fill in (b"\xff", b"\0", b"\xff\xfe", b"\0\1", b"\x80\0"):
        for length in (0, 1, 2, 7, 64, 65, 1459, 1460, 8960):
            payload = (fill * (length + 1))[:length]
            data = segment(sport=1000, dport=80, seq=0xFFFFFFFF, ack=0xFFFFFFFF, payload=payload)
            front.send(data)
            # The other zero of one's complement is as right (RFC 1071), one more is not.
            if data[16:18] == b"\0\0":
                front.send(data[:16] + b"\xff\xff" + data[18:])
            wrong = (int.from_bytes(data[16:18], "big") + 1) % 65535
            front.send(data[:16] + wrong.to_bytes(2, "big") + data[18:])
        front.check()
    # A payload that makes the sum of everything else zero.
    data = segment(sport=1000, dport=80, chksum=0)
    for word in range(65536 - 40, 65536):
        front.send(seal(data + word.to_bytes(2, "big")))
    front.check()
    data = segment(sport=1000, dport=80, options=STAMP, payload=rng.randbytes(99))
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        front.send(bytes(flipped))
    front.check()
    assert "hit" in front.counts and front.counts["drop_checksum"] > 8 * 90


@pytest.mark.parametrize("width", WIDTHS)
def test_drops(width: int) -> None:
    """Each reason to drop a packet, with good segments between."""
    front = with_sessions(width)
    good = segment(sport=1000, dport=80, payload=b"good")
    for length in range(20):
        assert front.send(good[:length]) == "drop_short"
        front.send(good)
    for words in range(16):
        data = bytearray(good)
        data[12] = words << 4
        expected = "drop_offset" if not 5 <= words <= 6 else "hit"
        assert front.send(seal(bytes(data))) == expected
    assert front.send(good, proto=17) == "drop_proto"
    assert front.send(b"", proto=17) == "drop_proto"
    assert front.send(good, bad=True) == "drop_bad"
    assert front.send(bytes(3000), bad=True) == "drop_bad"
    for length in (1, 19, 20, 23, 25, 100, 65515):
        assert front.send(good, length=length) == "drop_bad"
        assert front.send(good * 40, length=length) == "drop_bad"
        front.send(good)
    front.check()

    front.dut.set("enable", 0)
    for data in (good, good * 100, b"", good[:3]):
        front.dut.send("s_hdr", front.ip_hdr.pack(proto=6, length=len(data)))
        if data:
            front.dut.send("s_axis", data)
        front.count("drop_disabled")
    front.check()
    front.dut.set("enable", 1)
    front.send(good)
    front.check()


@pytest.mark.parametrize("width", [64, 512])
def test_store_full(width: int) -> None:
    """Payload stalls: whole segments are dropped, buffered ones are intact."""
    rng = random.Random(width)
    front = with_sessions(width, **SMALL)
    front.dut.stall("m_axis", 1.0)
    sent = []
    for i in range(60):
        data = segment(sport=1000, dport=80, seq=i, payload=rng.randbytes(rng.randrange(1, 900)))
        front.send(data)
        front.send(segment(sport=7, dport=7, payload=bytes(50)))
        sent.append(front.hits.pop())
    front.send(segment(sport=1000, dport=80, payload=bytes(5000)))  # never fits
    front.hits.pop()
    front.dut.drain(100_000, 100)
    have = front.records("hit")
    front.records("miss")
    kept = [w for w in sent if w.record in have]
    assert [w.record for w in kept] == have and 3 < len(kept) < 18
    front.dut.stall("m_axis", 0.0)
    assert front.dut.recv_data("m_axis", len(kept)) == [w.payload for w in kept]
    seen = front.dut.counts("ev")
    assert sum(seen.values()) == 121 and seen["hit"] == len(kept) and seen["miss"] > 0
    assert seen["drop_buffer_full"] + seen["drop_miss_full"] + seen["miss"] + seen["hit"] == 121
    # All room is free again: the largest segment that fits goes through.
    front.dut.watch("ev")
    before = front.dut.counts("ev")
    front.send(segment(sport=1000, dport=80, payload=bytes(4096)))
    assert len(front.dut.recv_data("m_axis", 1)[0]) == 4096
    assert front.dut.counts("ev")["hit"] == before["hit"] + 1


def test_stall_instead() -> None:
    """DROP_FULL = 0: nothing is lost however slow the core, except what can never fit."""
    rng = random.Random(4)
    front = with_sessions(512, DROP_FULL=0, **SMALL)
    front.dut.stall_all(0.0, 0.9, seed=3)
    for _ in range(80):
        front.send(segment(sport=1000, dport=80, payload=rng.randbytes(rng.randrange(900))))
    front.send(segment(sport=1000, dport=80, payload=bytes(4097)))
    front.hits.pop()
    front.counts["hit"] -= 1
    front.count("drop_buffer_full")
    for _ in range(80):
        front.send(segment(sport=1000, dport=80, payload=rng.randbytes(rng.randrange(9))))
    front.check()


def test_queue_full() -> None:
    """The core stalls: hits beyond the queue are dropped and counted, the rest waits."""
    front = with_sessions(512, **SMALL)
    for name in ("hit", "hit_high"):
        front.dut.stall(name, 1.0)
    for i in range(40):
        front.send(segment(sport=1000, dport=80, seq=i, payload=b"z" * (i % 3)))
    front.dut.drain(10_000, 100)
    for name in ("hit", "hit_high"):
        front.dut.stall(name, 0.0)
    kept = front.dut.counts("ev")["hit"]
    assert kept + front.dut.counts("ev")["drop_hit_full"] == 40 and 16 <= kept <= 18
    front.hits = front.hits[:kept]
    front.counts = {"hit": kept, "drop_hit_full": 40 - kept}
    front.check()
    front.send(segment(sport=1000, dport=80, payload=b"again"))
    front.check()


def flood(front: Front, rng: random.Random, count: int, mac: int = 1) -> None:
    """SYNs from random peers at line rate, through one neighbor."""
    options = [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (1, 0)), ("NOP", None), ("WScale", 7)]
    for _ in range(count):
        peer = ".".join(str(rng.randrange(1, 224)) for _ in range(4))
        data = segment(peer=peer, sport=rng.randrange(65536), dport=443, flags="S", options=options)
        hdr = front.ip_hdr.pack(peer_mac=mac, peer_ip=number(peer), proto=6, length=len(data))
        front.dut.send("s_hdr", hdr)
        front.dut.send("s_axis", data)


@pytest.mark.parametrize("width", [64, 512])
def test_flood_leaves_room_for_others(width: int) -> None:
    """A queue full of SYNs still accepts ACKs, such as those of cookies, up to its limit."""
    rng = random.Random(width)
    front = with_sessions(width)
    front.dut.stall("miss", 1.0)
    flood(front, rng, 60)
    front.dut.drain(10_000, 200)
    full = front.dut.counts("ev")
    assert full["drop_miss_full"] > 40
    for port in range(3):
        front.send(segment(sport=5000 + port, dport=80, flags="A", seq=7))
    flood(front, rng, 4)
    front.dut.drain(10_000, 200)
    seen = front.dut.counts("ev")
    assert seen["miss"] - full["miss"] == 3 and seen["drop_miss_full"] - full["drop_miss_full"] == 4
    front.dut.stall("miss", 0.0)
    front.dut.drain(10_000, 200)
    ports = [r >> front.places["seg.tuple.peer_port"] & 0xFFFF for r in front.records("miss")]
    assert ports[-3:] == [5000, 5001, 5002]


@pytest.mark.parametrize("mac", [0x02, 0x05_0000_0000, 0x6000_0000_0000])
def test_flood_leaves_room_for_neighbors(mac: int) -> None:
    """While SYNs from one neighbor fill the queue, one from another finds space, and only one."""
    rng = random.Random(mac)
    front = with_sessions(64)
    front.dut.stall("miss", 1.0)
    flood(front, rng, 60)
    front.dut.drain(10_000, 200)
    full = front.dut.counts("ev")
    flood(front, rng, 3, mac)
    front.dut.drain(10_000, 200)
    seen = front.dut.counts("ev")
    assert seen["miss"] - full["miss"] == 1 and seen["drop_miss_full"] - full["drop_miss_full"] == 2
    front.dut.stall("miss", 0.0)
    front.dut.drain(10_000, 200)
    before = front.dut.counts("ev")["miss"]
    front.dut.stall("miss", 1.0)
    flood(front, rng, 60, mac)  # the queue is empty again, and now this one has the most in it
    flood(front, rng, 1, 1)
    front.dut.drain(10_000, 200)
    counts = front.dut.counts("ev")
    assert counts["miss"] - before == full["miss"] + 1


@pytest.mark.parametrize(("depth", "syns"), by_size([(128, 96)], [(128, 96), (1024, 992)]))
def test_many_at_once(depth: int, syns: int) -> None:
    """With the queues of engines of 64 and 1,024 sessions, 96 and 992 SYNs in a row find space.

    Two SYNs of another neighbor and ACKs find some behind them; all come out in order, each with
    its own hash.
    """
    front = with_sessions(64, MISS_DEPTH=depth)
    front.dut.stall("miss", 1.0)
    flood(front, random.Random(1), syns)
    front.dut.drain(100_000, 200)
    assert front.dut.counts("ev")["miss"] == syns
    flood(front, random.Random(2), 10)
    front.dut.drain(10_000, 200)
    seen = front.dut.counts("ev")
    assert 0 < seen["drop_miss_full"] <= 10 and seen["miss"] + seen["drop_miss_full"] == syns + 10
    flood(front, random.Random(3), 4, 0x20)
    front.dut.drain(10_000, 200)
    more = front.dut.counts("ev")
    assert more["miss"] == seen["miss"] + 2 and more["drop_miss_full"] == seen["drop_miss_full"] + 2
    seen = more
    for port in range(20):
        front.send(segment(sport=5000 + port, dport=80, flags="A", seq=7))
    front.dut.drain(10_000, 200)
    assert front.dut.counts("ev")["miss"] == seen["miss"] + 20
    front.dut.stall("miss", 0.0)
    front.dut.run(20 * depth)  # two hashes in a unit take 34 cycles
    keys = []
    for record in front.records("miss"):
        tuple_ = record >> front.places["seg.tuple.local_port"] & (1 << 64) - 1
        key = (tuple_ >> 32, tuple_ >> 16 & 0xFFFF, tuple_ & 0xFFFF)
        assert record >> front.places["hash"] & 0xFFFFFFFF == tuple_hash(key)
        keys.append(key)
    assert len(keys) == seen["miss"] + 20
    assert [port for _, port, _ in keys[-20:]] == list(range(5000, 5020))


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("blocked", [False, True])
def test_flood(width: int, blocked: bool) -> None:
    """A flood of SYNs without pause delays no hit, whether the core accepts misses or not.

    The core's own questions are answered, too.
    """
    rng = random.Random(width)
    front = with_sessions(width)
    alone = []
    for _ in range(4):
        front.send(segment(sport=1000, dport=80, options=STAMP, payload=b"x"))
        front.dut.drain(1000, 100)
        alone.append(front.dut.recv("hit")[0].cycle - front.dut.sent("s_axis")[0][0])
    front.dut.recv("hit_high")
    front.dut.recv("m_axis")
    before = front.dut.counts("ev")
    if blocked:
        front.dut.stall("miss", 1.0)
    hits = 60
    for _ in range(hits):
        flood(front, rng, 20)
        front.send(segment(sport=1000, dport=80, options=STAMP, payload=b"x"))
    asked = front.ask(FIND, (number(PEER), 1000, 80))
    assert asked["ok"] == 1 and front.dut.cycle < 10_000
    front.dut.drain(100_000, 300)
    taken = front.dut.sent("s_axis")
    waits = [
        record.cycle - taken[21 * i + 20][0] for i, record in enumerate(front.dut.recv("hit", hits))
    ]
    seen = front.dut.counts("ev")
    assert seen["hit"] - before["hit"] == hits
    assert seen["miss"] + seen["drop_miss_full"] == 20 * hits
    assert (seen["miss"] < 30) == blocked
    # A slot more or less: the options of the SYN before may still be read.
    assert max(waits) <= max(alone) + 5, (max(waits), alone)


def test_stale() -> None:
    """A record that waited while its entry changed is stale; one of another tuple is not."""
    front = with_sessions(512)
    key = (number(PEER), 1000, 80)
    stale = 1 << front.places["stale"]

    def pair() -> tuple[int, int]:
        """One record of each session, taken after what happened meanwhile."""
        for name in ("hit", "hit_high", "miss", "miss_high"):
            front.dut.stall(name, 0.0)
        front.dut.run(200)
        a, b = front.records("hit")
        return a & stale, b & stale

    def hold() -> None:
        for name in ("hit", "hit_high", "miss", "miss_high"):
            front.dut.stall(name, 1.0)
        front.send(segment(sport=1000, dport=80))
        front.send(segment(peer="192.168.255.1", sport=1000, dport=80), peer="192.168.255.1")
        front.dut.drain(2000, 100)

    hold()
    assert pair() == (0, 0)
    hold()
    assert front.ask(FIND, key)["ok"] == 1
    assert pair() == (0, 0)
    hold()
    assert front.ask(DELETE, key)["ok"] == 1
    assert pair() == (stale, 0)
    hold()
    assert front.ask(PORT, (0, 0, 80), 1)["ok"] == 0
    for name in ("hit", "hit_high", "miss", "miss_high"):
        front.dut.stall(name, 0.0)
    front.dut.run(200)
    assert front.records("hit")[0] & stale
    assert front.records("miss")[0] & stale
    # More changes than are remembered: everything is.
    assert front.ask(INSERT, key, 5)["ok"] == 1
    hold()
    for i in range(9):
        assert front.ask(INSERT, (1, 1, i), 1)["ok"] == 1
    assert pair() == (stale, stale)
    hold()
    for i in range(8):
        assert front.ask(DELETE, (1, 1, i))["ok"] == 1
    assert pair() == (0, 0)


def test_ready() -> None:
    """Until the tables are clear, segments are dropped and requests wait."""
    front = with_sessions(512)
    dut = front.dut
    dut.restart(3)
    for pin, value in (("enable", 1), ("ip", number(ADDRESS)), ("secret", SECRET)):
        dut.set(pin, value)
    dut.watch("ev")
    data = segment(sport=1000, dport=80, payload=b"early")
    dut.send("s_hdr", front.ip_hdr.pack(peer_ip=number(PEER), proto=6, length=len(data)))
    dut.send("s_axis", data)
    assert front.ask(FIND, (number(PEER), 1000, 80))["ok"] == 0
    assert dut.cycle > 2000 and dut.counts("ev")["drop_disabled"] == 1
    assert front.ask(PORT, (0, 0, 443), 0)["ok"] == 0


# First beat to m_hit, to m_axis; to m_miss for a SYN as Linux sends it.
FIGURES = {64: (12, 16, 53), 128: (10, 14, 51), 256: (10, 14, 50), 512: (9, 13, 49)}


@pytest.mark.parametrize("width", WIDTHS)
def test_figures(width: int) -> None:
    """Latency and rate that docs/blocks/tcp-path.md states."""
    front = with_sessions(width)
    dut = front.dut
    syn = [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (1, 0)), ("NOP", None), ("WScale", 7)]
    one = segment(sport=1000, dport=80, options=STAMP, payload=b"x")
    front.send(one)
    front.send(segment(sport=1000, dport=443, options=syn))
    dut.run(200)
    taken = dut.sent("s_axis")
    got = (
        dut.recv("hit", 1)[0].cycle - taken[0][0],
        dut.recv("m_axis", 1)[0].cycle - taken[0][0],
        dut.recv("miss", 1)[0].cycle - taken[1][0],
    )
    assert got == FIGURES[width]
    beats = width // 8
    for length in (1460, 8960):
        data = segment(sport=1000, dport=80, payload=bytes(length))
        for _ in range(12):
            front.send(data)
        frames = dut.recv("m_axis", 12)
        cycles = (frames[-1].last_cycle - frames[1].last_cycle) / 10
        assert cycles <= -(-len(data) // beats), length
    assert not dut.counts("ev")["drop_buffer_full"]


def test_published_vectors() -> None:
    """SipHash-2-4: the vectors of its authors; the core, and the reference that tests use."""
    key = bytes(range(16))
    published = (
        "310e0edd47db6f72 fd67dc93c539f874 5a4fa9d909806c0d 2d7efbd796666785 b7877127e09427cf "
        "8da699cd64557618 cee3fe586e46c9cb 37d1018bf50002ab 6224939a79f5f593 b0e4a90bdf82009e "
        "f3b9dd94c5bb5d7a a7ad6b22462fb3f4 fbe50e86bc8f1e75 903d84c02756ea14 eef27a8e90ca23f7 "
        "e545be4961ca29a1"
    )
    for length, text in enumerate(published.split()):
        value = siphash(key, bytes(range(length)))
        assert value.to_bytes(8, "little").hex() == text
    dut = Dut.of_module("kumi_siphash")
    dut.restart(1)
    rng = random.Random(1)
    messages = [bytes(range(12))] + [rng.randbytes(12) for _ in range(50)]
    for i, message in enumerate(messages):
        if i:
            key = rng.randbytes(16)
        dut.set("key", int.from_bytes(key, "little"))
        dut.set("message", int.from_bytes(message, "little"))
        dut.set("start", 1)
        dut.run(1)
        dut.set("start", 0)
        begin = dut.cycle
        assert dut.run_until(lambda: dut.get("done"), 40) - begin == 33
        assert dut.get("hash") == siphash(key, message)


def test_two_hashes_at_a_time() -> None:
    """Offered all the time, then at random: each has its hash, in order, two in 34 cycles."""
    dut = Dut.of_module("kumi_siphash")
    dut.restart(1)
    rng = random.Random(2)
    key = rng.randbytes(16)
    dut.set("key", int.from_bytes(key, "little"))
    for often in (1.0, 0.1):
        wanted: list[int] = []
        seen: list[int] = []
        begin = dut.cycle
        while len(seen) < 40:
            message = rng.randbytes(12)
            start = len(wanted) < 40 and rng.random() < often
            dut.set("message", int.from_bytes(message, "little"))
            dut.set("start", start)
            dut.run(1)
            if start and dut.get("ready"):
                wanted.append(siphash(key, message))
            if dut.get("done"):
                seen.append(dut.get("hash"))
            assert dut.cycle - begin < 5000
        assert seen == wanted
        assert often < 1 or dut.cycle - begin <= 20 * 34 + 2
