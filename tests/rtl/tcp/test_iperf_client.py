# SPDX-License-Identifier: Apache-2.0
"""kumi_iperf_client: runs against the model's peers, and against the iperf 2 server itself."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator

import pytest
from tcp_app_bench import KernelBench
from tcp_app_model import CLOSED, OK, REFUSED, RESET, Engine, Session
from tcp_app_sockets import SocketEngine, program, running

PARAMS = {"SESSIONS": 16, "CHUNK": 2048}
MODULE = "kumi_iperf_client"


@pytest.fixture(scope="module", params=[64, 512])
def built(request: pytest.FixtureRequest) -> KernelBench:
    return KernelBench(MODULE, "iperf_client", request.param, PARAMS)


@pytest.fixture
def bench(built: KernelBench) -> Iterator[KernelBench]:
    built.dut.restart()
    yield built


def run(bench: KernelBench, **more: int) -> tuple[Engine, list[Session]]:
    """Start with these registers; the peers close when they see the end."""
    regs = bench.regs
    regs.peer_ip.write(0x0A000002)
    regs.peer.set(port=5001, count=more.pop("count", 1))
    regs.option.set(receive=more.pop("receive", 0))
    regs.bytes.write(more.pop("bytes", 0))
    regs.time_us.write(more.pop("time_us", 0))
    engine = Engine(bench.dut, ring=4096, **more)
    made: list[Session] = []
    engine.on_open = made.append
    regs.ctrl.write(1)
    return engine, made


def finish(bench: KernelBench, engine: Engine, made: list[Session]) -> None:
    def ended() -> bool:
        for s in made:
            if s.closed and not s.owed:
                engine.fin(s)
        return not bench.regs.status.get("running")

    engine.until(ended, 4000)
    assert not bench.dut.get("busy")


def test_bytes(bench: KernelBench) -> None:
    bench.dut.set("now_us", 0xFFFFFF00)
    engine, made = run(bench, count=5, bytes=10_001)
    engine.until(lambda: len(made) == 5)
    for s in made:
        s.drain = 1
    for _ in range(1500):
        engine.step()
    bench.dut.set("now_us", 700)
    for s in made:
        s.drain = 300
    finish(bench, engine, made)
    assert [bytes(s.to_peer) for s in made] == [bytes(10_001)] * 5
    assert all(s.reason == CLOSED and s.peer_port == 5001 for s in made)
    regs = bench.regs
    assert regs.read64("sent") == 50_005 and regs.opened.read() == 5 and regs.failed.read() == 0
    assert regs.duration_us.read() == 700 + 0x100
    assert regs.counters()["no_space"] == engine.no_space > 0


def test_time_and_stop(bench: KernelBench) -> None:
    engine, made = run(bench, count=2, time_us=1000)
    engine.until(lambda: sum(len(s.to_peer) for s in made) > 20_000, 4000)
    bench.dut.set("now_us", 999)
    for _ in range(50):
        engine.step()
    assert not any(s.closed for s in made)
    bench.dut.set("now_us", 1000)
    finish(bench, engine, made)
    assert sum(len(s.to_peer) for s in made) == bench.regs.read64("sent")
    engine, made = run(bench, count=3)
    engine.until(lambda: len(made) == 3)
    bench.regs.ctrl.write(2)
    finish(bench, engine, made)
    assert bench.regs.opened.read() == 3


def test_receives(bench: KernelBench) -> None:
    engine, made = run(bench, count=2, receive=1, time_us=500)
    engine.until(lambda: len(made) == 2)
    engine.feed(made[0], bytes(12_000))
    engine.fin(made[0])
    engine.feed(made[1], bytes(5000))
    engine.until(lambda: made[0].ended and not made[1].unread, 2000)
    assert not made[1].closed
    bench.dut.set("now_us", 501)
    finish(bench, engine, made)
    assert bench.regs.read64("received") == 17_000 and bench.regs.read64("sent") == 0


def test_failures(bench: KernelBench) -> None:
    engine, made = run(bench, count=4, bytes=100_000)
    answers = iter((OK, REFUSED, OK, REFUSED))
    engine.accept_open = lambda ip, port: next(answers)
    engine.until(lambda: len(made) == 2)
    engine.kill(made[0], RESET)
    finish(bench, engine, made)
    assert bench.regs.opened.read() == 2 and bench.regs.failed.read() == 3
    assert len(made[1].to_peer) == 100_000


def test_iperf_server() -> None:
    """The program counts what the kernel says it sent."""
    bench = KernelBench(MODULE, "iperf_client", 128, PARAMS)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    engine = SocketEngine(bench.dut, "127.0.0.1", ring=65536, step=200)
    # -P 1: it ends by itself after one connection.
    with running([program("iperf"), "-s", "-P", "1", "-B", "127.0.0.1", "-p", str(port)]) as child:
        end = time.monotonic() + 20
        bench.regs.peer_ip.write(0x7F000001)
        bench.regs.peer.set(port=port, count=1)
        bench.regs.bytes.write(3_000_000)
        while not bench.regs.opened.read():  # it may not listen yet
            assert time.monotonic() < end
            bench.regs.ctrl.write(1)
            engine.until(lambda: not bench.regs.status.get("running") or engine.sessions)
        while bench.regs.status.get("running"):
            assert time.monotonic() < end
            bench.dut.set("now_us", engine.now_us())
            engine.step()
        child.wait(timeout=20)
        assert child.stdout
        text = child.stdout.read()
    engine.close()
    assert bench.regs.read64("sent") == 3_000_000 and bench.regs.failed.read() == 0
    (mbytes,) = re.findall(r"sec\s+([\d.]+) MBytes", text)
    assert abs(float(mbytes) * 2**20 - 3_000_000) < 20_000, text
