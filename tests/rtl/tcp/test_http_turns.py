# SPDX-License-Identifier: Apache-2.0
"""kumi_http with many clients: turns at the kernel, limits, too many sessions."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator

import pytest
from http_requests import CHUNKED_END, PARAMS, TOP, answers, ask, gunzip_request, request
from tcp_app_bench import KernelBench
from tcp_app_model import RESET, Engine, Session

PLAIN = b"several clients at once " * 30
PACKED = gzip.compress(PLAIN)
WHOLE = request("/gunzip", "POST", more=f"Content-Length: {len(PACKED)}\r\n") + PACKED


@pytest.fixture(scope="module")
def built() -> KernelBench:
    return KernelBench(TOP, "http", 64, PARAMS)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


def connect(engine: Engine, data: bytes = b"") -> Session:
    """A client that has sent this."""
    s = engine.connect(80)
    assert s
    engine.feed(s, data)
    return s


def wait_ms(bench: KernelBench, engine: Engine, ms: int) -> None:
    """The node's clock goes on."""
    start = bench.dut.get("now_us")
    for now in range(start, start + 1024 * (ms + 2), 300):
        bench.dut.set("now_us", now)
        engine.step()


def status(s: Session) -> int:
    """Of the only response."""
    ((one, body),) = answers(bytes(s.to_peer), ["POST"])
    assert one.status != 200 or body == PLAIN
    return one.status


def settle(engine: Engine) -> None:
    """What was sent so far is read, up to bodies that wait for the kernel."""
    for _ in range(120):
        engine.step()


def done(s: Session) -> bool:
    return s.to_peer.endswith(CHUNKED_END)


def test_gunzip_for_many(bench: KernelBench) -> None:
    """One at a time: those that leave in the middle, or do not read, stop no others for long."""
    engine = bench.listening(step=200, ring=4096, rest=200)
    rng = random.Random(5)
    plain = rng.randbytes(3000)
    whole = gunzip_request(gzip.compress(plain), rng)
    leaving = [engine.connect(80) for _ in range(4)]
    for n, s in enumerate(leaving):
        assert s
        engine.feed(s, whole[: 150 + 500 * n])
    engine.until(lambda: not any(s.unread for s in leaving if s is leaving[0]), 20000)
    patient = [engine.connect(80) for _ in range(6)]
    for s in patient:
        assert s
        engine.feed(s, whole)
    for n, s in enumerate(leaving):
        assert s
        if n % 2:
            engine.fin(s)
        else:
            engine.kill(s, RESET, discard=n == 0)
    for s in patient:
        assert s
        engine.until(lambda s=s: s.to_peer.endswith(CHUNKED_END), 60000)
        ((one, body),) = answers(bytes(s.to_peer), ["POST"])
        assert one.status == 200 and body == plain
        engine.fin(s)
    engine.until(lambda: not engine.sessions, 20000)


def test_idle_sessions_end(bench: KernelBench) -> None:
    """Silent ones are closed; aborted in the middle of a body, and the kernel is free again."""
    bench.regs.idle_limit.set(ms=20)
    engine = bench.listening(step=200)
    data = gzip.compress(b"complete")
    silent, half, deaf = (engine.connect(80) for _ in range(3))
    assert silent and half and deaf
    engine.feed(half, request("/gunzip", "POST", more="Content-Length: 50\r\n") + data[:9])
    engine.feed(deaf, request("/", "POST", more="Content-Length: 50\r\n"))
    now = 0
    while not (silent.closed and half.ended):
        now += 300
        assert now < 200_000
        bench.dut.set("now_us", now)
        engine.step()
    assert half.aborted and not silent.aborted
    s = ask(engine, request("/gunzip", "POST", more=f"Content-Length: {len(data)}\r\n") + data)
    engine.until(lambda: s.to_peer.endswith(CHUNKED_END), 20000)
    assert bench.regs.counters()["idle_ends"] >= 2


def test_turns_come_in_order(bench: KernelBench) -> None:
    """While one holds the kernel others ask, some leave: the rest is served in order of asking."""
    engine = bench.listening(step=60)
    holder = connect(engine, WHOLE[:-20])
    engine.until(lambda: not holder.unread, 5000)
    waiting = []
    for n in range(12):
        waiting.append(connect(engine, WHOLE))
        settle(engine)
        if n % 3 == 2:
            engine.kill(waiting[n - 1], RESET, discard=n % 2 == 0)
    patient = [s for n, s in enumerate(waiting) if n % 3 != 1]
    assert not any(s.to_peer for s in waiting)
    engine.feed(holder, WHOLE[-20:])
    order: list[Session] = []
    while len(order) < len(patient):
        left = [s for s in patient if s not in order]
        engine.until(lambda left=left: any(done(s) for s in left), 20000)
        order += [s for s in left if done(s)]
    assert order == patient and status(holder) == 200
    assert all(status(s) == 200 for s in patient)


def test_a_slow_request_gives_way(bench: KernelBench) -> None:
    """503 before a part of the response is out; without others it may take any time."""
    bench.regs.turn_limit.set(ms=20)
    engine = bench.listening(step=60)
    holder = connect(engine, WHOLE[:-20])
    wait_ms(bench, engine, 60)
    assert not holder.to_peer
    other = connect(engine, WHOLE)
    engine.until(lambda: done(other) and holder.closed, 20000)
    assert status(holder) == 503 and status(other) == 200
    assert bench.regs.counters()["turn_ends"] == 1 == bench.regs.counters()["unavailable"]


def test_a_slow_reader_gives_way(bench: KernelBench) -> None:
    """Aborted, since a part of its response is out; the next gets its own, from its first byte."""
    bench.regs.turn_limit.set(ms=20)
    engine = bench.listening(step=60, ring=4096)
    slow = engine.connect(80)
    assert slow
    slow.drain = 0
    engine.feed(slow, gunzip_request(gzip.compress(bytes(100_000)), random.Random(1)))
    engine.until(lambda: slow.ring > 1500, 20000)
    other = connect(engine, WHOLE)
    settle(engine)
    wait_ms(bench, engine, 30)
    engine.until(lambda: done(other), 20000)
    assert slow.aborted and status(other) == 200


def test_who_waits_too_long_is_told(bench: KernelBench) -> None:
    """503 with Retry-After; the one at the kernel is not disturbed."""
    bench.regs.wait_limit.set(ms=20)
    bench.regs.turn_limit.set(ms=0)
    engine = bench.listening(step=60)
    holder = connect(engine, WHOLE[:-20])
    engine.until(lambda: not holder.unread, 5000)
    others = [connect(engine, WHOLE) for _ in range(4)]
    settle(engine)
    wait_ms(bench, engine, 30)
    engine.until(lambda: all(s.closed for s in others), 20000)
    assert [status(s) for s in others] == [503] * 4
    engine.feed(holder, WHOLE[-20:])
    engine.until(lambda: done(holder), 20000)
    assert status(holder) == 200 and bench.regs.counters()["unavailable"] == 4


def test_too_many_sessions(bench: KernelBench) -> None:
    """The last eighth of the sessions is for saying 503; silent ones end early then."""
    bench.regs.crowd.set(idle_ms=50)
    engine = bench.listening(step=60)
    silent = [connect(engine) for _ in range(14)]
    engine.until(lambda: bench.regs.status.get("sessions") == 14, 2000)
    assert answers(bytes(ask(engine, request(), silent[0]).to_peer), ["GET"])[0][0].status == 200
    late = connect(engine)
    engine.until(lambda: bench.regs.status.get("sessions") == 15, 2000)
    later = ask(engine, request() * 3)
    ((one, _),) = answers(bytes(later.to_peer), ["GET"])
    assert one.status == 503 and one.getheader("Retry-After") and later.closed
    wait_ms(bench, engine, 60)
    engine.until(lambda: all(s.closed for s in (*silent, late)), 20000)
    for s in (*silent, late, later):
        engine.fin(s)
    engine.until(lambda: not engine.sessions, 20000)
    engine.until(lambda: engine.free, 1000)
    assert answers(bytes(ask(engine, request()).to_peer), ["GET"])[0][0].status == 200
