# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_sockets: bytes of many sessions through two streams, against the model of the engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import HDRS
from tcp_app_model import (
    ABORTED,
    CLOSED,
    LISTEN,
    OK,
    OPEN,
    OPENED,
    REFUSED,
    RESET,
    TIMEOUT,
    Engine,
    Session,
    pack,
    unpack,
)

pytestmark = pytest.mark.long  # all data widths

HERE = Path(__file__).parent


class User:
    """The user of the two streams."""

    def __init__(self, dut: Dut, width: int, **more: int) -> None:
        self.dut, self.bytes = dut, width // 8
        self.engine = Engine(dut, mirror=True, **more)
        self.got: dict[int, bytearray] = {}
        self.over: dict[int, int] = {}
        self.accepted: list[tuple[int, int, int]] = []
        self.opened: list[dict[str, int]] = []

    def listen(self, port: int) -> None:
        self.dut.send("s_listen", [pack(LISTEN, port=port)])
        self.until(lambda: port in self.engine.ports)

    def send(self, sid: int, data: bytes, close: bool = False, abort: bool = False) -> None:
        """One beat after the other; a close comes with the last, or alone."""
        cuts = [data[i : i + self.bytes] for i in range(0, len(data), self.bytes)]
        if close and not cuts:
            cuts = [b""]
        beats = []
        for i, cut in enumerate(cuts):
            last = close and i == len(cuts) - 1
            value = int(last)
            value = value << 4 | int(abort)
            value = value << 16 | sid
            value = value << self.bytes | ((1 << len(cut)) - 1)
            value = value << 8 * self.bytes | int.from_bytes(cut, "little")
            beats.append(value)
        self.dut.send("s_beat", beats)

    def step(self) -> None:
        self.engine.step()
        for f in self.dut.recv("m_accept"):
            v = f.value
            self.accepted.append((v >> 64, v >> 32 & 0xFFFFFFFF, v & 0xFFFF))
            self.got[v >> 64] = bytearray()
            self.over.pop(v >> 64, None)
        for f in self.dut.recv("m_open_rsp"):
            self.opened.append(unpack(OPENED, f.value))
            if self.opened[-1]["reason"] == OK:
                self.got[self.opened[-1]["sid"]] = bytearray()
        for f in self.dut.recv("m_beat"):
            v = f.value
            data = (v & ((1 << 8 * self.bytes) - 1)).to_bytes(self.bytes, "little")
            keep = v >> 8 * self.bytes & ((1 << self.bytes) - 1)
            v >>= 9 * self.bytes
            sid, reason, last = v & 0xFFFF, v >> 16 & 15, v >> 20
            assert keep & (keep + 1) == 0 and bool(keep) != bool(last)
            assert sid not in self.over, "bytes after the end"
            self.got[sid] += data[: keep.bit_length()]
            if last:
                self.over[sid] = reason

    def until(self, condition: object, steps: int = 5000) -> None:
        assert callable(condition)
        for _ in range(steps):
            if condition():
                return
            self.step()
        raise AssertionError("it did not come true")


@pytest.fixture(scope="module", params=data_widths(64, 128, 256))
def built(request: pytest.FixtureRequest) -> tuple[Dut, int]:
    width = request.param
    user = ("listen", "listen_rsp", "open", "open_rsp")
    shape = {
        ("s" if n[0] == "m" else "m") + n[1:]: {"W": w} for n, w in HDRS.items() if n[2:] in user
    }
    beat = {"W": 21 + 9 * width // 8}
    shape |= {"m_accept": {"W": 80}, "m_beat": beat, "s_beat": beat}
    shape["*"] = {"DATA_W": width, "ID_W": 16}
    return Dut.of_module(HERE / "kumi_t_tcp_sockets.sv", {"DATA_W": width}, shape), width


@pytest.fixture
def bench(built: tuple[Dut, int]) -> Iterator[tuple[Dut, int]]:
    built[0].restart()
    yield built


def test_both_ways_and_ends(bench: tuple[Dut, int]) -> None:
    user = User(*bench)
    user.listen(5)
    for n in (0, 1, 7, 8, 100, 512, 513, 3000):
        s = user.engine.connect(5, ip=77)
        assert s
        data, reply = random.Random(n).randbytes(n), random.Random(~n).randbytes(n + 3)
        user.engine.feed(s, data)
        user.until(lambda s=s, n=n: s.sid in user.got and len(user.got[s.sid]) == n)
        assert user.accepted[-1] == (s.sid, 77, 5)
        user.send(s.sid, reply)
        user.engine.fin(s)
        user.until(lambda s=s: s.sid in user.over)
        assert user.over[s.sid] == OK and user.got[s.sid] == data and not s.closed
        user.send(s.sid, b"bye", close=True)
        user.until(lambda s=s: s.ended)
        assert bytes(s.to_peer) == reply + b"bye" and s.reason == CLOSED
    user.until(lambda: not bench[0].get("busy") and not bench[0].get("open_count"))


def test_closes_first_and_aborts(bench: tuple[Dut, int]) -> None:
    user = User(*bench)
    user.listen(5)
    a, b, c, d = (user.engine.connect(5) for _ in range(4))
    assert a and b and c and d
    user.until(lambda: len(user.accepted) == 4)
    user.send(a.sid, b"", close=True)
    user.send(b.sid, b"some", close=True, abort=True)
    user.until(lambda: a.closed and b.ended)
    user.engine.feed(a, b"half closed")  # the other way goes on
    user.engine.fin(a)
    user.engine.kill(c, TIMEOUT)
    user.engine.feed(d, b"last words")
    user.engine.kill(d, RESET)
    user.until(lambda: len(user.over) == 4)
    assert bytes(user.got[a.sid]) == b"half closed" and bytes(user.got[d.sid]) == b"last words"
    assert [user.over[s.sid] for s in (a, b, c, d)] == [OK, ABORTED, TIMEOUT, RESET]
    bench[0].watch("ev_drop")
    user.send(c.sid, b"to nobody")
    user.until(lambda: bench[0].counts("ev_drop")["0"] == 1, 200)
    user.until(lambda: not bench[0].get("busy"), 200)


def test_opens(bench: tuple[Dut, int]) -> None:
    user = User(*bench)
    user.engine.accept_open = lambda ip, port: OK if port == 1 else REFUSED
    bench[0].send("s_open", [pack(OPEN, ip=9, port=p) for p in (1, 2, 1)])
    user.until(lambda: len(user.opened) == 3)
    assert sorted(o["reason"] for o in user.opened) == [OK, OK, REFUSED]
    for s in list(user.engine.sessions.values()):
        user.send(s.sid, b"hello")
        user.engine.feed(s, b"there")
        user.until(lambda s=s: bytes(s.to_peer) == b"hello" and user.got[s.sid] == b"there")
    assert not user.accepted


@pytest.mark.parametrize("seed", [1, 2])
def test_many_sessions(bench: tuple[Dut, int], seed: int) -> None:
    """Random bytes both ways, stalls, peers that do not read, ends at any moment."""
    dut, width = bench
    dut.stall_all(rx=0.2, tx=0.2, seed=seed)
    user = User(dut, width, seed=seed, ring=4096, rest=300)
    user.listen(5)
    rnd = random.Random(seed)
    alive: dict[int, tuple[Session, bytearray, bytearray]] = {}
    finished = 0
    asked: set[int] = set()
    for _ in range(2500):
        if rnd.random() < 0.03 and len(alive) < 8:
            s = user.engine.connect(5)
            if s:
                s.drain = rnd.choice((5, 50, 1 << 20))
                user.got.pop(s.sid, None)
                user.over.pop(s.sid, None)
                alive[s.sid] = (s, bytearray(), bytearray())
        for sid, (s, sent, wrote) in list(alive.items()):
            if s.ended:
                if sid in user.over:
                    got = bytes(user.got[sid])
                    assert bytes(sent).startswith(got)
                    assert s.given_up or got == bytes(sent)
                    assert bytes(wrote).startswith(bytes(s.to_peer))
                    if s.reason == CLOSED:
                        assert bytes(s.to_peer) == bytes(wrote)
                    del alive[sid]
                    asked.discard(sid)
                    finished += 1
                continue
            if not s.peer_fin and rnd.random() < 0.05 and len(s.unread) < 3000:
                data = rnd.randbytes(rnd.choice((1, 30, 600, 2000)))
                sent += data
                user.engine.feed(s, data)
            if sid in user.got and sid not in asked and rnd.random() < 0.05:
                data = rnd.randbytes(rnd.choice((1, 30, 600)))
                if dut.waiting("s_beat") < 400:
                    wrote += data
                    user.send(sid, data)
            if rnd.random() < 0.004:
                user.engine.kill(s, RESET, discard=rnd.random() < 0.5)
            elif rnd.random() < 0.008:
                user.engine.fin(s)
        for sid, reason in list(user.over.items()):
            if sid in alive and reason == OK and sid not in asked and not alive[sid][0].ended:
                asked.add(sid)
                user.send(sid, b"", close=True)
        user.step()
    assert finished > 10


def test_peer_that_does_not_read(bench: tuple[Dut, int]) -> None:
    """Its buffers stay full; bytes for others continue."""
    user = User(*bench, ring=4096)
    user.listen(5)
    deaf, fine = user.engine.connect(5), user.engine.connect(5)
    assert deaf and fine
    deaf.drain = 0
    user.until(lambda: len(user.accepted) == 2)
    user.send(deaf.sid, bytes(4096 + 3 * 512))
    data = random.Random(1).randbytes(30_000)
    user.send(fine.sid, data)
    user.until(lambda: bytes(fine.to_peer) == data)
    assert len(deaf.to_peer) == 4096
    deaf.drain = 1 << 20
    user.until(lambda: len(deaf.to_peer) == 4096 + 3 * 512)


def test_user_that_does_not_take(bench: tuple[Dut, int]) -> None:
    """Reads stop before the buffer is full: the engine's read data never wait."""
    dut, width = bench
    user = User(dut, width)
    user.listen(5)
    s = user.engine.connect(5)
    assert s
    dut.stall("m_beat", 1.0)
    user.engine.feed(s, bytes(20_000))
    for _ in range(1500):
        user.engine.step()
    assert dut.waiting("s_eng_axis") == 0 and len(s.unread) > 15_000
    dut.stall("m_beat", 0.0)
    user.until(lambda: len(user.got.get(s.sid, b"")) == 20_000)
