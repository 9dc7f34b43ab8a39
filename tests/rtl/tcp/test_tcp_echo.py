# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_echo against a model of the engine's application side."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from kumihimo.testing.sizes import data_widths
from tcp_app_bench import KernelBench as Bench
from tcp_app_model import ABORTED, CLOSED, RESET, TIMEOUT, Engine, Session

pytestmark = pytest.mark.long  # all data widths

PARAMS = {"SESSIONS": 16, "CHUNK": 2048}


@pytest.fixture(scope="module", params=data_widths(64, 128, 256, 512))
def built(request: pytest.FixtureRequest) -> Bench:
    return Bench("kumi_tcp_echo", "tcp_echo", request.param, PARAMS)


@pytest.fixture
def bench(built: Bench) -> Iterator[Bench]:
    built.dut.restart()
    yield built


def test_echo_of_all_sizes(bench: Bench) -> None:
    """Every length around the beat and the chunk, one session; FIN, close."""
    engine = bench.listening()
    assert engine.ports == {7}
    s = engine.connect(7)
    assert s
    sent = b""
    rnd = random.Random(1)
    for n in (1, 2, 7, 8, 9, 63, 64, 65, 127, 129, 2047, 2048, 2049, 5000):
        data = rnd.randbytes(n)
        sent += data
        engine.feed(s, data)
        engine.until(lambda: not s.unread, 3000)
    engine.fin(s)
    engine.until(lambda: s.ended, 3000)
    assert bytes(s.to_peer) == sent and s.reason == CLOSED and s.closed
    engine.until(lambda: bench.regs.status.get("sessions") == 0, 100)


@pytest.mark.parametrize("seed", [1, 2])
def test_sessions_come_and_go(bench: Bench, seed: int) -> None:
    """Many sessions with slow readers, resets and timeouts at any moment, stalls everywhere."""
    dut = bench.dut
    dut.stall_all(rx=0.2, tx=0.3, seed=seed)
    engine = bench.listening(seed=seed, ring=4096, rest=500)
    rnd = random.Random(seed)
    alive: list[tuple[Session, bytearray]] = []
    done: list[tuple[Session, bytearray]] = []
    made = 0
    total = 0
    for _ in range(5000):
        if made < 30 and rnd.random() < 0.05:
            s = engine.connect(7)
            if s:
                made += 1
                s.drain = rnd.choice((0, 1, 8, 1 << 20))
                alive.append((s, bytearray()))
        for pair in list(alive):
            s, sent = pair
            if s.ended:
                alive.remove(pair)
                done.append(pair)
                continue
            if not s.peer_fin and rnd.random() < 0.1 and len(s.unread) < 9000:
                data = rnd.randbytes(rnd.choice((1, 50, 700, 4000, 4000)))
                sent += data
                total += len(data)
                engine.feed(s, data)
            roll = rnd.random()
            if roll < 0.002:
                engine.fin(s)
            elif roll < 0.003:
                engine.kill(s, rnd.choice((RESET, TIMEOUT)), discard=rnd.random() < 0.5)
            if s.drain == 0 and rnd.random() < 0.01:
                s.drain = 500
        engine.step()
    for s, _ in alive:
        s.drain = 1 << 20
        if not s.ended:
            engine.fin(s)
    engine.until(lambda: not engine.sessions, 20000, "the end of all sessions")
    assert total > 100_000
    for s, sent in done + alive:
        if s.reason == CLOSED:
            assert bytes(s.to_peer) == bytes(sent)
        else:
            assert bytes(sent).startswith(bytes(s.to_peer))
    engine.until(lambda: bench.regs.status.get("sessions") == 0, 300)
    counters = bench.regs.counters()
    assert counters["opened"] == made == counters["ended"]
    assert counters["no_space"] == engine.no_space
    assert counters["stray"] == 0
    engine.until(lambda: not dut.get("busy") and not engine.accepted, 2000, "rest")


def test_slow_session_does_not_hold_up_others(bench: Bench) -> None:
    engine = bench.listening(ring=4096)
    slow, fast = engine.connect(7), engine.connect(7)
    assert slow and fast
    slow.drain = 0
    engine.feed(slow, bytes(12000))
    engine.until(lambda: slow.ring > 3000, 2000)
    data = random.Random(3).randbytes(40000)
    start = bench.dut.cycle
    for i in range(0, len(data), 4000):
        engine.feed(fast, data[i : i + 4000])
    engine.until(lambda: bytes(fast.to_peer) == data, 8000)
    assert len(slow.to_peer) <= 4096
    assert bench.regs.counters()["no_space"] == engine.no_space > 0
    assert bench.dut.cycle - start < 3 * 40000 // (bench.width // 8) + 3000
    slow.drain = 1 << 20
    engine.until(lambda: len(slow.to_peer) == 12000, 4000)


def test_rate(bench: Bench) -> None:
    """A long stream is sent at one beat per cycle, except for the model's own pauses."""
    beat = bench.width // 8
    engine = bench.listening(ring=1 << 20, step=1)
    s = engine.connect(7)
    assert s
    size = 3000 * beat
    engine.feed(s, bytes(size))
    engine.until(lambda: len(s.to_peer) >= 2048, 2000)
    start, had = bench.dut.cycle, len(s.to_peer)
    engine.until(lambda: len(s.to_peer) == size, 8000)
    cycles = bench.dut.cycle - start
    assert (size - had) / beat / cycles > 0.99, cycles


def test_listens_again_and_moves(bench: Bench) -> None:
    engine = Engine(bench.dut)
    engine.refuse_listen = 3
    engine.until(lambda: engine.ports == {7}, 8000)
    bench.regs.port.write(77)
    engine.until(lambda: engine.ports == {77}, 200)
    bench.regs.ctrl.write(0)
    engine.until(lambda: not engine.ports, 200)
    bench.regs.ctrl.write(1)
    engine.until(lambda: engine.ports == {77}, 200)
    assert bench.regs.status.get("listening") == 1


def test_discard(bench: Bench) -> None:
    bench.regs.mode.write(1)
    engine = bench.listening()
    s = engine.connect(7)
    assert s
    engine.feed(s, bytes(10000))
    engine.fin(s)
    engine.until(lambda: s.ended and not engine.sessions, 2000)
    assert not s.to_peer and s.reason == CLOSED
    engine.until(lambda: bench.regs.discarded_lo.read() == 10000, 600)


def test_character_generator(bench: Bench) -> None:
    bench.regs.mode.write(2)
    engine = bench.listening(ring=4096)
    s, t = engine.connect(7), engine.connect(7)
    assert s and t
    s.drain, t.drain = 700, 300
    engine.feed(s, bytes(3000))
    engine.until(lambda: len(s.to_peer) > 20000 and len(t.to_peer) > 9000, 6000)
    line = bytes(range(33, 95)) + b"\r\n"
    for one in (s, t):
        assert bytes(one.to_peer) == (line * (len(one.to_peer) // 64 + 1))[: len(one.to_peer)]
    assert not s.unread
    engine.kill(t, RESET)
    engine.fin(s)
    engine.until(lambda: not engine.sessions, 2000)
    assert s.reason == CLOSED
    engine.until(lambda: not bench.dut.get("busy"), 200)


def test_session_number_is_used_again(bench: Bench) -> None:
    """Discarded with unread bytes and reopened: nothing of the old session remains."""
    engine = bench.listening(sessions=1)
    for i in range(30):
        s = engine.connect(7)
        assert s and s.sid == 0
        engine.feed(s, bytes([i]) * 600)
        for _ in range(i):
            engine.step()
        engine.kill(s, ABORTED, discard=True)
        engine.until(lambda: engine.free, 100)
    s = engine.connect(7)
    assert s
    engine.feed(s, b"last")
    engine.until(lambda: len(s.to_peer) >= 4, 500)
    assert bytes(s.to_peer) == b"last"
