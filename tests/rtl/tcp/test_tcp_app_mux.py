# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_app_mux: owners, arbitration, and kernels that never block each other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.testing import Dut, Frame
from tcp_app_bench import HDRS
from tcp_app_model import (
    CLOSE,
    CLOSED,
    DISABLED,
    IN_USE,
    LISTEN,
    LISTENED,
    NO_ROOM,
    NO_SPACE,
    NOTE,
    OK,
    OPEN,
    OPENED,
    READ,
    READ_RSP,
    RESET,
    UNREACHABLE,
    WRITE,
    WRITE_RSP,
    Engine,
    Session,
    pack,
    unpack,
)

HERE = Path(__file__).parent
CLIENTS = 3


def engine_shape(width: int) -> dict[str, dict[str, int]]:
    shape = {f"{n[:2]}eng_{n[2:]}": {"W": w} for n, w in HDRS.items()}
    shape["*"] = {"DATA_W": width, "ID_W": 16}
    return shape


@pytest.fixture(scope="module", params=[64, 512])
def built(request: pytest.FixtureRequest) -> Dut:
    shape = engine_shape(request.param)
    for name, width in HDRS.items():
        shape[("s" if name[0] == "m" else "m") + name[1:]] = {"W": width}
    params = {"DATA_W": request.param, "CLIENTS": CLIENTS, "SESSIONS": 16, "PORTS": 4}
    return Dut.of_module("kumi_tcp_app_mux", params, shape)


@pytest.fixture
def dut(built: Dut) -> Iterator[Dut]:
    built.restart()
    built.run(20)  # it clears its memory
    yield built


def listen(dut: Dut, client: int, port: int, off: int = 0, answer: int = OK) -> int:
    """Request a port, respond as the engine would, and return the response to the client."""
    dut.send(f"s_listen[{client}]", [pack(LISTEN, port=port, off=off)])
    dut.run(8)
    for f in dut.recv("m_eng_listen"):
        assert unpack(LISTEN, f.value) == {"port": port, "off": off}
        dut.send("s_eng_listen_rsp", [pack(LISTENED, port=port, reason=answer)])
    told = unpack(LISTENED, dut.recv(f"m_listen_rsp[{client}]", 1)[0].value)
    assert told["port"] == port
    return told["reason"]


def test_ports(dut: Dut) -> None:
    assert listen(dut, 0, 7) == OK
    assert listen(dut, 1, 7) == IN_USE
    assert listen(dut, 1, 7, off=1) == IN_USE
    assert listen(dut, 1, 80, answer=DISABLED) == DISABLED
    assert listen(dut, 2, 80) == OK
    assert listen(dut, 2, 81) == OK
    assert listen(dut, 2, 82) == OK
    assert listen(dut, 1, 83) == NO_ROOM
    assert listen(dut, 2, 82, off=1) == OK
    assert listen(dut, 1, 83) == OK
    assert listen(dut, 0, 7, off=1) == OK
    assert listen(dut, 1, 7) == OK
    notes = ((3, 7, 1), (4, 80, 2), (5, 83, 1), (6, 81, 2))
    for sid, port, _ in notes:
        dut.send("s_eng_notify", [pack(NOTE, sid=sid, opened=1, local_port=port)])
        dut.send("s_eng_notify", [pack(NOTE, sid=sid, length=sid)])
    for _, port, client in notes:
        heard = [unpack(NOTE, f.value) for f in dut.recv(f"m_notify[{client}]", 2)]
        assert (heard[0]["opened"], heard[0]["local_port"]) == (1, port)
        assert heard[1]["length"] == heard[0]["sid"]


def test_session_without_owner_is_ended(dut: Dut) -> None:
    dut.send("s_eng_notify", [pack(NOTE, sid=9, opened=1, local_port=1234)])
    dut.send("s_eng_notify", [pack(NOTE, sid=9, length=5)])
    dut.send("s_eng_notify", [pack(NOTE, sid=9, ended=1, reason=CLOSED)])
    assert unpack(CLOSE, dut.recv("m_eng_close", 1)[0].value) == {"sid": 9, "abort": 1}
    dut.run(50)
    assert not any(dut.recv(f"m_notify[{i}]") for i in range(CLIENTS))
    assert not dut.get("busy")


def test_opens(dut: Dut) -> None:
    """Responses in any order reach their requester; notifications follow them."""
    rnd = random.Random(1)
    asked: list[tuple[int, int, int]] = []
    for i in range(24):
        client, ip, port = i % CLIENTS, rnd.randrange(1 << 32), rnd.randrange(1 << 16)
        dut.send(f"s_open[{client}]", [pack(OPEN, ip=ip, port=port)])
        asked.append((client, ip, port))
    waiting: list[tuple[int, int]] = []
    sid = 0
    owners: dict[int, list[int]] = {i: [] for i in range(CLIENTS)}
    answered = 0
    while answered < len(asked):
        dut.run(7)
        for f in dut.recv("m_eng_open"):
            q = unpack(OPEN, f.value)
            waiting.append((q["ip"], q["port"]))
        assert len(waiting) <= 4 * CLIENTS
        if not waiting:
            continue
        ip, port = waiting.pop(rnd.randrange(len(waiting)))
        client = next(c for c, i, p in asked if (i, p) == (ip, port))
        good = rnd.random() < 0.6 and sid < 16
        answer = pack(OPENED, sid=sid, ip=ip, port=port, reason=OK if good else UNREACHABLE)
        dut.send("s_eng_open_rsp", [answer])
        if good:
            dut.send("s_eng_notify", [pack(NOTE, sid=sid, length=1)])
            owners[client].append(sid)
            sid += 1
        answered += 1
    dut.run(60)
    for client in range(CLIENTS):
        told = dut.recv(f"m_open_rsp[{client}]")
        assert len(told) == 8
        sids = [q["sid"] for f in told for q in [unpack(OPENED, f.value)] if q["reason"] == OK]
        assert sids == owners[client]
        notes = dut.recv(f"m_notify[{client}]")
        assert [unpack(NOTE, f.value)["sid"] for f in notes] == sids
        when = {unpack(OPENED, f.value)["sid"]: f.cycle for f in told}
        for f in notes:
            assert f.cycle >= when[unpack(NOTE, f.value)["sid"]]


def test_reads_and_closes(dut: Dut) -> None:
    """Random requests of all; responses and frames return to the requester, in order."""
    dut.stall_all(rx=0.2, tx=0.3, seed=3)
    rnd = random.Random(2)
    want: dict[int, list[bytes]] = {i: [] for i in range(CLIENTS)}
    lengths: dict[int, list[int]] = {i: [] for i in range(CLIENTS)}
    for i in range(60):
        client = rnd.randrange(CLIENTS)
        dut.send(f"s_read[{client}]", [pack(READ, sid=client, length=i + 1)])
        dut.send(f"s_close[{client}]", [pack(CLOSE, sid=client, abort=i % 2)])
    served = 0
    while served < 60:
        dut.run(5)
        for f in dut.recv("m_eng_read"):
            q = unpack(READ, f.value)
            n = rnd.choice((0, q["length"]))
            data = rnd.randbytes(n)
            client = q["sid"]
            dut.send("s_eng_read", [pack(READ_RSP, sid=client, length=n)])
            if n:
                dut.send("s_eng_axis", [Frame(data, id=client)])
                want[client].append(data)
            lengths[client].append(n)
            served += 1
    dut.drain()
    dut.run(500)
    for client in range(CLIENTS):
        frames = dut.recv(f"m_axis[{client}]")
        assert [f.data for f in frames] == want[client] and all(f.id == client for f in frames)
        told = [unpack(READ_RSP, f.value)["length"] for f in dut.recv(f"m_read[{client}]")]
        assert told == lengths[client]
    assert len(dut.recv("m_eng_close")) == 60
    assert not dut.get("busy")


def test_writes(dut: Dut) -> None:
    """Accepted frames pass in the order in which they were accepted; nobody starves."""
    dut.stall_all(rx=0.1, tx=0.2, seed=4)
    rnd = random.Random(5)
    asked = [0] * CLIENTS
    for client in range(CLIENTS):
        todo = [rnd.randint(1, 300) for _ in range(50)]
        dut.send(f"s_write[{client}]", [pack(WRITE, sid=client, length=n) for n in todo])
        asked[client] = len(todo)
    order: list[tuple[int, int]] = []
    told = 0
    longest = 0
    while told < sum(asked):
        dut.run(3)
        for f in dut.recv("m_eng_write"):
            q = unpack(WRITE, f.value)
            good = rnd.random() < 0.7
            reason = OK if good else NO_SPACE
            if good:
                order.append((q["sid"], q["length"]))
            rsp = pack(WRITE_RSP, sid=q["sid"], length=q["length"], reason=reason)
            dut.send("s_eng_write", [rsp])
        for client in range(CLIENTS):
            for f in dut.recv(f"m_write[{client}]"):
                told += 1
                q = unpack(WRITE_RSP, f.value)
                assert q["sid"] == client
                if q["reason"] == OK:
                    dut.send(f"s_axis[{client}]", [bytes([client]) * q["length"]])
    dut.drain()
    dut.run(500)
    frames = dut.recv("m_eng_axis")
    assert [(f.data[0], len(f)) for f in frames] == order
    run, last = 0, -1
    for client, _ in order[: len(order) * 3 // 4]:
        run = run + 1 if client == last else 1
        last = client
        longest = max(longest, run)
    assert longest <= 16


class Shared(Engine):
    """The model at the engine side of the multiplexer."""

    def __init__(self, dut: Dut, **more: int) -> None:
        super().__init__(dut, mirror=True, **more)


@pytest.fixture(scope="module", params=[64, 256])
def kernels(request: pytest.FixtureRequest) -> Dut:
    shape = engine_shape(request.param)
    return Dut.of_module(
        HERE / "kumi_t_tcp_apps.sv", {"DATA_W": request.param, "CHUNK": 512}, shape
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_four_kernels(kernels: Dut, seed: int) -> None:
    """Two echoes, discard and character generator at once, short sessions, slow readers."""
    kernels.restart()
    kernels.stall_all(rx=0.1, tx=0.2, seed=seed)
    engine = Shared(kernels, seed=seed, ring=4096, rest=1500)
    engine.until(lambda: engine.ports == {7, 8, 9, 19}, 1000)
    rnd = random.Random(seed)
    alive: list[tuple[Session, bytearray]] = []
    over: list[tuple[Session, bytearray]] = []
    for _ in range(5000):
        if rnd.random() < 0.02 and len(alive) < 10:
            s = engine.connect(rnd.choice((7, 8, 9, 19)))
            if s:
                s.drain = rnd.choice((0, 20, 1 << 20))
                alive.append((s, bytearray()))
        for pair in list(alive):
            s, sent = pair
            if s.ended:
                alive.remove(pair)
                over.append(pair)
            elif rnd.random() < 0.002:
                engine.kill(s, RESET, discard=rnd.random() < 0.5)
            elif not s.peer_fin:
                if rnd.random() < 0.05 and len(s.unread) < 4096:
                    data = rnd.randbytes(rnd.choice((1, 64, 1000, 3000)))
                    sent += data
                    engine.feed(s, data)
                if rnd.random() < 0.005:
                    engine.fin(s)
            if s.drain == 0 and rnd.random() < 0.01:
                s.drain = 300
        engine.step()
    for s, _ in alive:
        s.drain = 1 << 20
        engine.fin(s)
    engine.until(lambda: not engine.sessions, 8000, "the end of all sessions")
    line = bytes(range(33, 95)) + b"\r\n"
    checked = dict.fromkeys((7, 8, 9, 19), 0)
    for s, sent in over + alive:
        got = bytes(s.to_peer)
        checked[s.local_port] += len(sent) + len(got)
        if s.local_port == 9:
            assert not got
        elif s.local_port == 19:
            assert got == (line * (len(got) // 64 + 1))[: len(got)]
        elif s.reason == CLOSED:
            assert got == bytes(sent)
        else:
            assert bytes(sent).startswith(got)
    assert min(checked.values()) > 5000
    engine.until(lambda: not kernels.get("busy"), 2000, "rest")


def test_two_streams_share_the_rate(kernels: Dut) -> None:
    """Two echoes under load get half of the beats each, nearly all of them together."""
    beat = max(p.tx.bits for p in kernels.info.ports if p.tx and p.kind == "axis") // 8
    kernels.restart()
    engine = Shared(kernels, ring=1 << 20, step=1)
    engine.until(lambda: engine.ports == {7, 8, 9, 19}, 2000)
    a, b = engine.connect(7), engine.connect(8)
    assert a and b
    size = 100_000
    engine.feed(a, bytes(size))
    engine.feed(b, bytes(size))
    engine.until(lambda: len(a.to_peer) >= 10_000 and len(b.to_peer) >= 10_000, 20000)
    start, had = kernels.cycle, len(a.to_peer) + len(b.to_peer)
    engine.until(lambda: len(a.to_peer) >= 60_000 and len(b.to_peer) >= 60_000, 40000)
    moved = len(a.to_peer) + len(b.to_peer) - had
    assert moved / beat > 0.9 * (kernels.cycle - start)
    assert abs(len(a.to_peer) - len(b.to_peer)) < 40_000
