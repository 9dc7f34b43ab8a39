# SPDX-License-Identifier: Apache-2.0
"""Kernels do not wait for ever: idle sessions of the echo, an iperf stream that nobody hears."""

from __future__ import annotations

import pytest
from tcp_app_bench import KernelBench
from tcp_app_model import Engine, Session
from test_iperf_server import UDP, Back, asking, udp

PARAMS = {"SESSIONS": 16, "CHUNK": 2048}
PEER = 0x0A000002
SECOND = 1_000_000


class Clock:
    """The time of a kernel's bench, in steps of what counts as a millisecond."""

    def __init__(self, bench: KernelBench, engine: Engine) -> None:
        self.bench, self.engine, self.us = bench, engine, 0

    def wait(self, ms: int, busy: Session) -> None:
        """Time passes, in which one session is served."""
        for _ in range(ms):
            self.us += 1024
            self.bench.dut.set("now_us", self.us)
            self.engine.feed(busy, b"x")
            for _ in range(10):
                self.engine.step()

    def scan(self) -> None:
        """Every session is looked at."""
        for _ in range(1500):
            self.engine.step()


def test_idle_sessions_of_the_echo() -> None:
    """A client that says nothing and one that reads nothing are aborted, a live one is not."""
    bench = KernelBench("kumi_tcp_echo", "tcp_echo", 64, PARAMS)
    engine = bench.listening(ring=4096)
    assert bench.regs.idle_limit.get("ms") == 300_000
    busy = engine.connect(7)
    assert busy
    others = [engine.connect(7) for _ in range(15)]
    clients = [s for s in others if s]
    assert len(clients) == 15
    for s in clients[:7]:
        s.drain = 0  # a window of 0
        engine.feed(s, bytes(12_000))
    clock = Clock(bench, engine)
    clock.scan()
    for limit in (0, 100):
        bench.regs.idle_limit.write(limit)
        clock.wait(20, busy)
        clock.scan()
        assert not any(s.aborted for s in clients)
    for s in clients[7:9]:
        engine.feed(s, b"in time")
    clock.wait(1, busy)
    bench.regs.idle_limit.write(25)
    clock.scan()
    assert sorted(s.aborted for s in clients) == [False] * 2 + [True] * 13
    clock.wait(26, busy)
    clock.scan()
    assert all(s.aborted for s in clients) and not busy.aborted
    assert bench.regs.counters()["idle_aborts"] == 15
    engine.until(lambda: bench.regs.status.get("sessions") == 1, 3000)
    again = engine.connect(7)
    assert again
    engine.feed(again, b"served")
    engine.until(lambda: bytes(again.to_peer) == b"served", 500)


@pytest.fixture(scope="module")
def iperf() -> KernelBench:
    return KernelBench("kumi_iperf_server", "iperf_server", 64, PARAMS, UDP)


@pytest.mark.parametrize("how", ["arp", "quiet"])
def test_iperf_stream_to_nobody(iperf: KernelBench, how: str) -> None:
    """One forged datagram asks for 2000 s: it ends when ARP fails, or when nothing is heard."""
    dut = iperf.dut
    dut.restart()
    assert iperf.regs.udp_quiet.get("seconds") == 60
    iperf.regs.udp_quiet.write(3)
    back = Back(iperf)
    udp(iperf, asking(1, 6001, -200_000, at_once=True, length=100, rate=8 * 100 * 500_000))
    assert len(back.collect(50)) > 10
    if how == "arp":
        for address, left in ((PEER + 1, True), (PEER, False)):
            dut.set("unresolved", {"valid": 1, "ip": address})
            dut.run(1)
            dut.set("unresolved", {"valid": 0, "ip": 0})
            back.collect(5)
            assert bool(back.collect(20)) == left
    else:
        for heard in (True, False):
            for _ in range(2):
                back.us += SECOND
                assert back.collect(20)
            if heard:
                udp(iperf, bytes(20), port=999)
                back.collect(1)
        back.us += SECOND
        back.collect(5)
        assert not back.collect(20)
    assert not dut.get("busy") and iperf.regs.counters()["udp_dead"] == 1
