# SPDX-License-Identifier: Apache-2.0
"""The compatibility profile: an application that knows only its twelve channels."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from kumihimo.testing import Dut
from tcp_app_model import (
    CLOSED,
    OK,
    REFUSED,
    RESET,
    STREAMS,
    TIMEOUT,
    Engine,
    Session,
)

NAMES = {n: f"{n[:2]}hdr_{n[2:]}" for n in STREAMS} | {
    "s_axis": "s_axis_eng",
    "m_axis": "m_axis_eng",
}


@pytest.fixture(scope="module", params=[(64, 0), (512, 1)], ids=["64", "512-kernel"])
def built(request: pytest.FixtureRequest) -> Dut:
    width, kernel = request.param
    params = {"DATA_W": width, "SESSIONS": 16, "KERNEL": kernel}
    return Dut("kumi_tcp_toe_flat", params)


@pytest.fixture
def dut(built: Dut) -> Iterator[Dut]:
    built.restart()
    built.run(20)  # it clears its memory
    yield built


def little(*fields: tuple[int, int]) -> bytes:
    """Fields, least significant first: (value, bits)."""
    out, at = 0, 0
    for value, bits in fields:
        out |= value << at
        at += bits
    return out.to_bytes((at + 7) // 8, "little")


class App:
    """What a kernel of the profile sees; it echoes what it reads when `echo`."""

    def __init__(self, dut: Dut, engine: Engine, seed: int = 1) -> None:
        self.dut, self.engine, self.rnd = dut, engine, random.Random(seed)
        self.notes: list[tuple[int, int, int, int, int]] = []
        self.status: list[int] = []
        self.opened: list[tuple[int, int, int, int]] = []
        self.got: dict[int, bytearray] = {}
        self.reads: list[tuple[int, int]] = []
        self.pending: list[tuple[int, bytes]] = []  # to write
        self.asked: list[tuple[int, bytes]] = []
        self.errors: list[int] = []
        self.echo = True

    def read(self, sid: int, length: int) -> None:
        self.dut.send("s_axis_read_package", [little((sid, 16), (length, 16))])
        if length:
            self.reads.append((sid, length))

    def write(self, sid: int, data: bytes) -> None:
        self.pending.append((sid, data))

    def step(self) -> None:
        self.engine.step()
        dut = self.dut
        self.status += [f.value for f in dut.recv("m_axis_listen_port_status")]
        for f in dut.recv("m_axis_open_status"):
            v = f.value
            assert v >> 72 == 0
            fields = (v & 0xFFFF, v >> 16 & 0xFF, v >> 24 & 0xFFFFFFFF, v >> 56 & 0xFFFF)
            self.opened.append(fields)
        for f in dut.recv("m_axis_notifications"):
            v = f.value
            assert v >> 81 == 0
            sid, length = v & 0xFFFF, v >> 16 & 0xFFFF
            self.notes.append((sid, length, v >> 32 & 0xFFFFFFFF, v >> 64 & 0xFFFF, v >> 80))
            if length:
                first = self.rnd.randint(1, length)
                self.read(sid, first)
                self.read(sid, length - first)
        for f in dut.recv("m_axis_rx_data"):
            (meta,) = dut.recv("m_axis_rx_metadata", 1)
            sid, length = self.reads.pop(0)
            assert meta.value == sid and len(f) == length
            self.got.setdefault(sid, bytearray())
            self.got[sid] += f.data
            if self.echo:
                self.write(sid, f.data)
        for f in dut.recv("m_axis_tx_status"):
            v = f.value
            sid, data = self.asked.pop()
            assert (v & 0xFFFF, v >> 16 & 0xFFFF) == (sid, len(data))
            error = v >> 62
            self.errors.append(error)
            if error == 0:
                dut.send("s_axis_tx_data", [data])
            elif error == 2:
                self.pending.insert(0, (sid, data))
        # One at a time, so that a refused one is not overtaken.
        if self.pending and not self.asked:
            self.asked.append(self.pending.pop(0))
            sid, data = self.asked[0]
            dut.send("s_axis_tx_metadata", [little((sid, 16), (len(data), 16))])

    def until(self, condition: object, steps: int = 5000) -> None:
        assert callable(condition)
        for _ in range(steps):
            if condition():
                return
            self.step()
        raise AssertionError("it did not come true")


def listening(dut: Dut, port: int = 7, **more: int) -> App:
    app = App(dut, Engine(dut, names=NAMES, **more))
    dut.send("s_axis_listen_port", [little((port, 16))])
    app.until(lambda: app.status)
    assert app.status == [1]
    return app


def test_listen(dut: Dut) -> None:
    """Any port, also above 32767; refused twice, then taken."""
    app = App(dut, Engine(dut, names=NAMES))
    app.engine.refuse_listen = 2
    dut.send("s_axis_listen_port", [little((port, 16)) for port in (80, 80, 65535, 65535)])
    app.until(lambda: len(app.status) == 4)
    assert app.status == [0, 0, 1, 0] and app.engine.ports == {65535}


def test_echo_and_ends(dut: Dut) -> None:
    """Sessions come, send, and end in each way; each is notified once."""
    dut.stall_all(rx=0.2, tx=0.2, seed=1)
    app = listening(dut, ring=70000)
    rnd = random.Random(2)
    alive: list[tuple[Session, bytes]] = []
    for i in range(6):
        s = app.engine.connect(7, ip=0x0A000000 + i)
        assert s
        data = rnd.randbytes(rnd.choice((1, 100, 3000, 20000)))
        app.engine.feed(s, data)
        alive.append((s, data))
    app.until(lambda: all(len(s.to_peer) == len(d) for s, d in alive))
    assert dut.get("session_count") == 6
    for s, data in alive:
        assert bytes(s.to_peer) == data == bytes(app.got[s.sid])
    app.echo = False
    app.engine.fin(alive[0][0])
    app.engine.feed(alive[1][0], b"last")
    app.engine.fin(alive[1][0])
    app.engine.kill(alive[2][0], RESET)
    app.engine.kill(alive[3][0], TIMEOUT)
    for i in (4, 4, 5):
        dut.send("s_axis_close_connection", [little((alive[i][0].sid, 16))])
    app.until(lambda: alive[4][0].closed and alive[5][0].closed)
    for i in (4, 5):
        app.engine.fin(alive[i][0])
    app.until(lambda: not app.engine.sessions)
    for _ in range(100):
        app.step()
    assert bytes(app.got[alive[1][0].sid]).endswith(b"last")
    assert dut.get("session_count") == 0
    for i, (s, data) in enumerate(alive):
        mine = [n for n in app.notes if n[0] == s.sid]
        assert all(n[2:4] == (0x0A000000 + i, 7) for n in mine)
        assert mine[0][1] == 0 and mine[0][4] == 0  # announced
        assert [n[4] for n in mine].count(1) == 1 and mine[-1][4] == 1
        assert sum(n[1] for n in mine) == len(data) + (4 if i == 1 else 0)
        assert s.reason == (RESET if i == 2 else TIMEOUT if i == 3 else CLOSED)


def test_no_space_and_no_connection(dut: Dut) -> None:
    app = listening(dut, ring=9000)
    s = app.engine.connect(7)
    assert s
    s.drain = 10
    app.engine.feed(s, bytes(range(256)) * 64)
    app.until(lambda: len(s.to_peer) == 16384, 4000)
    assert bytes(s.to_peer) == bytes(range(256)) * 64
    assert 2 in app.errors and 1 not in app.errors
    app.write(9, b"nobody")
    app.until(lambda: app.errors[-1] == 1)
    before = app.engine.steps
    app.read(s.sid, 0)  # ignored
    while app.engine.steps < before + 50:
        app.step()
    assert not app.reads


def test_opens(dut: Dut) -> None:
    app = App(dut, Engine(dut, names=NAMES))
    app.engine.accept_open = lambda ip, port: OK if port & 1 else REFUSED
    pad = [(0, 16)] if "512" in str(dut.info.all_params.get("DATA_W", "")) else []
    asked = [(0x0A000000 + i, 1000 + i) for i in range(6)]
    dut.send("s_axis_open_connection", [little((ip, 32), (port, 16), *pad) for ip, port in asked])
    app.until(lambda: len(app.opened) == 6)
    for sid, success, ip, port in app.opened:
        assert (ip, port) in asked and success == (port & 1)
        if success:
            assert (app.engine.sessions[sid].peer_ip, app.engine.sessions[sid].peer_port) == (
                ip,
                port,
            )
    assert dut.get("session_count") == 3
    s = app.engine.sessions[next(o[0] for o in app.opened if o[1])]
    app.engine.feed(s, b"hello")
    app.until(lambda: bytes(s.to_peer) == b"hello")


def test_read_of_what_was_given_up(dut: Dut) -> None:
    """Zeros instead of data, so that nobody waits forever."""
    app = listening(dut)
    app.echo = False
    s = app.engine.connect(7)
    assert s
    app.engine.feed(s, b"x" * 900)
    app.engine.kill(s, RESET, discard=True)
    app.until(lambda: sum(len(v) for v in app.got.values()) == 900)
    assert app.got[s.sid] == bytes(900)
