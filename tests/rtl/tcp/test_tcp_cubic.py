# SPDX-License-Identifier: Apache-2.0
"""The congestion window with CUBIC = 1, against RFC 9438's formulas in floating point.

A peer acknowledges all that is under way once in a round trip, two segments an ACK; what the core
then has under way is its window. Losses are reported by SACK.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from tcp_core_bench import Bench, M, Peer, sack, signed

BETA, C = 0.7, 0.4
ALPHA = 3 * (1 - BETA) / (1 + BETA)
MSS = 500
OPTS = {"ws_valid": 1, "ws": 14, "sack_ok": 1, "mss": MSS}
FIRST = 80  # segments


@dataclass
class Formulas:
    """RFC 9438, sections 4.2 to 4.8; windows in segments, times in seconds."""

    cwnd: float
    rtt: float
    ssthresh: float = np.inf
    w_max: float = 0.0
    prior: float = 0.0
    start: float | None = None
    k: float = 0.0
    w_est: float = 0.0

    def curve(self, t: float) -> float:
        """Equation 1."""
        return float(C * np.power(t - self.k, 3) + self.w_max)

    def ack(self, segments: float, now: float) -> None:
        """New data were acknowledged, outside of recovery."""
        if self.cwnd < self.ssthresh:
            self.cwnd = min(self.cwnd + segments, self.ssthresh)
            return
        if self.start is None:
            self.start = now
            self.w_est = self.cwnd
            if self.w_max <= self.cwnd:
                self.k, self.w_max = 0.0, self.cwnd
            else:
                self.k = float(np.cbrt((self.w_max - self.cwnd) / C))
            return
        t = now - self.start
        alpha = ALPHA if self.w_est < self.prior else 1.0
        self.w_est += alpha * segments / self.cwnd
        if self.curve(t) < self.w_est:
            self.cwnd = max(self.cwnd, self.w_est)
        else:
            target = np.clip(self.curve(t + self.rtt), self.cwnd, 1.5 * self.cwnd)
            self.cwnd += segments * (target - self.cwnd) / self.cwnd

    def loss(self, timeout: bool = False) -> None:
        """Loss detected by SACK, or a timeout."""
        self.prior = self.cwnd
        self.ssthresh = max(self.cwnd * BETA, 2.0)
        self.w_max = self.cwnd * (1 + BETA) / 2 if self.cwnd < self.w_max else self.cwnd
        self.cwnd = self.ssthresh
        if timeout:
            self.w_max, self.cwnd = 0.0, 1.0
        self.start = None

    def idle(self) -> None:
        """Time in which nothing was sent does not count: the curve goes on where it stands."""
        self.start = None


@dataclass
class Flow:
    """The core's session, its peer, and the formulas beside it."""

    rtt_us: int
    use_cubic: int = 1
    bench: Bench = field(init=False)
    peer: Peer = field(init=False)
    model: Formulas = field(init=False)
    edge: int = 0  # the end of what was sent
    curve: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        times = {"rto_init": 9_000_000, "rto_min": 3_000_000, "rto_max": 60_000_000}
        use = {"use_ws": 1, "use_sack": 1, "use_cubic": self.use_cubic}
        self.bench = Bench(cubic=True, init_segs=FIRST, mss=MSS, retries=8, **times, **use)
        self.bench.listen(80)
        self.peer = Peer(self.bench)
        self._connect()
        self.edge = self.peer.ack
        self.model = Formulas(float(FIRST), self.rtt_us * 1e-6)
        self.write()
        self.see()

    def _connect(self) -> None:
        """The handshake takes a round trip, too."""
        self.peer.send("syn", opts=OPTS | {"mss_valid": 1})
        self.peer.ack = (self.bench.next()["seq"] + 1) % M
        self.bench.skip(self.rtt_us)
        self.peer.send()
        self.bench.until(lambda: self.bench.notes, what="opened")
        self.peer.sid = self.bench.notes.popleft()[0]
        self.bench.until(lambda: self.bench.s[self.peer.sid].open, what="the writer knows")

    @property
    def now(self) -> float:
        """Seconds."""
        return self.bench.skipped * 1e-6 + self.bench.dut.cycle / 8e6

    @property
    def window(self) -> int:
        """Bytes in flight."""
        return signed(self.edge - self.peer.ack)

    def write(self) -> None:
        """The application has always more to send than fits."""
        s = self.bench.s[self.peer.sid]
        room = 65536 - (s.tail - s.una) % M
        if room > 2 * MSS:
            self.bench.write(self.peer.sid, room)

    def see(self) -> None:
        """Receive segments until nothing more is sent."""
        while True:
            self.bench.run(160)
            if not self.bench.wire:
                return
            for r in self.bench.wire:
                end = (r["seq"] + r["len"]) % M
                if signed(end - self.edge) > 0:
                    self.edge = end
            self.bench.wire.clear()

    def round(self) -> None:
        """One round trip: all is acknowledged."""
        self.bench.skip(self.rtt_us)
        edge = self.edge
        while signed(edge - self.peer.ack) > 0:
            step = min(2 * MSS, signed(edge - self.peer.ack))
            self.peer.ack = (self.peer.ack + step) % M
            self.peer.send()
            self.model.ack(step / MSS, self.now)
            self.bench.run(40)
            self.write()
        self.see()
        self.curve.append((self.window / MSS, self.model.cwnd))

    def lose(self) -> None:
        """The first segment is lost, the next ones arrive; then the hole is filled."""
        self.bench.skip(self.rtt_us)
        una = self.peer.ack
        self.peer.opts = sack((una + MSS, una + 6 * MSS))
        self.peer.send()
        self.peer.opts = {}
        self.model.loss()
        self.see()
        self.bench.skip(self.rtt_us)
        self.peer.ack = self.edge
        self.peer.send()
        self.see()
        self.write()
        self.see()

    def compare(self, segments: float = 2.0) -> None:
        """Within two segments of the formulas, all the way: of an RTT, and of whole segments."""
        for number, (got, want) in enumerate(self.curve):
            assert abs(got - want) <= segments, (number, got, want, self.curve)


def test_concave_and_convex() -> None:
    """Long round trips: up to the plateau, along it and beyond."""
    flow = Flow(rtt_us=200_000)
    flow.lose()
    assert flow.window == pytest.approx(BETA * FIRST * MSS, abs=MSS)
    for _ in range(40):
        flow.round()
    flow.compare()
    model = flow.model
    assert model.k == pytest.approx(np.cbrt(FIRST * (1 - BETA) / C), abs=0.1)
    assert flow.curve[20][0] == pytest.approx(FIRST, abs=1.5)
    assert flow.curve[-1][0] > max(FIRST, model.w_est) + 10


def test_reno_friendly() -> None:
    """Short round trips: alpha segments a round trip, one from the old window on."""
    flow = Flow(rtt_us=1_000)
    flow.lose()
    for _ in range(90):
        flow.round()
    flow.compare()
    rise = [got for got, _ in flow.curve]
    assert rise[40] - rise[0] == pytest.approx(40 * ALPHA, abs=2)
    assert rise[89] - rise[69] == pytest.approx(20, abs=2)


def test_fast_convergence() -> None:
    """A loss below the old plateau leaves a lower one (4.7)."""
    flow = Flow(rtt_us=100_000)
    flow.lose()
    for _ in range(10):
        flow.round()
    below = flow.model.cwnd
    flow.lose()
    assert flow.model.w_max == pytest.approx(below * 0.85)
    for _ in range(60):
        flow.round()
    flow.compare()


def test_time_out() -> None:
    """Slow start to the threshold, then the curve from there with K = 0 (4.8)."""
    flow = Flow(rtt_us=200_000)
    flow.bench.skip(9_500_000)
    flow.model.loss(timeout=True)
    flow.see()
    assert flow.bench.events()["rto"] == 1
    step = flow.window
    flow.peer.ack = flow.edge
    flow.peer.send()
    flow.model.ack(step / MSS, flow.now)
    flow.see()
    flow.write()
    flow.see()
    assert flow.window == pytest.approx(BETA * FIRST * MSS, abs=MSS)
    for _ in range(26):
        flow.round()
    flow.compare()
    assert flow.model.k == 0 and flow.curve[5][0] < BETA * FIRST + 5


def test_idle_time_does_not_count() -> None:
    """The application stops for 100 s: the window goes on where it was (5.8)."""
    flow = Flow(rtt_us=100_000)
    flow.lose()
    for _ in range(10):
        flow.round()
    session = flow.bench.s[flow.peer.sid]
    while signed(session.tail - flow.peer.ack) > 0:
        flow.bench.skip(flow.rtt_us)
        step = flow.window
        for _ in range(step // (2 * MSS) + 1):
            flow.peer.ack = (flow.peer.ack + min(2 * MSS, flow.window)) % M
            flow.peer.send()
        flow.model.ack(step / MSS, flow.now)
        flow.see()
    flow.bench.skip(100_000_000)
    flow.model.idle()
    flow.curve.clear()
    flow.write()
    flow.see()
    flow.round()
    assert flow.curve[0][0] < FIRST + 10


def test_only_where_asked_for() -> None:
    """Built in, but not switched on: NewReno's half and one segment a round trip."""
    flow = Flow(rtt_us=1_000, use_cubic=0)
    flow.lose()
    assert flow.window == pytest.approx(FIRST * MSS / 2, abs=MSS)
    for _ in range(12):
        flow.round()
    assert flow.curve[-1][0] - flow.curve[0][0] == pytest.approx(11, abs=1)
