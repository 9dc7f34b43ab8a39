# SPDX-License-Identifier: Apache-2.0
"""An independent TCP, without payload bytes, at the other end of a bad line.

Written from RFC 9293 and 2018 alone and as plain as can be: go-back-N, an ACK for every segment, no
congestion control. It checks what it gets as strictly as the RFCs let it.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field

from tcp_core_bench import PEER_IP, Bench, M, signed


@dataclass
class Line:
    """Carries segments in both directions: with delay, loss, duplicates and reordering."""

    bench: Bench
    rng: random.Random
    loss: float = 0.0
    double: float = 0.0
    jitter: int = 0
    delay: int = 60
    ends: dict[int, End] = field(default_factory=dict)
    flying: list[tuple[int, int, int, dict[str, int]]] = field(default_factory=list)
    count: int = 0
    lost: int = 0

    def carry(self, port: int, segment: dict[str, int], to_core: bool) -> None:
        """Send one segment."""
        copies = 0 if self.rng.random() < self.loss else 1
        self.lost += not copies
        if copies and self.rng.random() < self.double:
            copies = 2
        for _ in range(copies):
            self.count += 1
            at = self.bench.dut.cycle + self.delay + self.rng.randrange(self.jitter + 1)
            key = port * 2 + to_core
            heapq.heappush(self.flying, (at, self.count, key, segment))

    def step(self, cycles: int = 16) -> None:
        """Run the core, then deliver what has arrived."""
        b = self.bench
        b.run(cycles)
        while b.wire:
            r = b.wire.popleft()
            self.carry(r["tuple.peer_port"], r, False)
        while self.flying and self.flying[0][0] <= b.dut.cycle:
            _, _, key, segment = heapq.heappop(self.flying)
            end = self.ends.get(key // 2)
            if end is None:
                continue
            if key % 2:
                b.arrive(end.me, **segment)  # type: ignore[arg-type]
            else:
                end.receive(segment)
        for end in self.ends.values():
            end.tick(b.dut.cycle)


@dataclass
class Name:
    """Addresses of a connection, for Bench.arrive."""

    port: int
    local: int = 80
    ip: int = PEER_IP


class End:
    """The peer of one connection: sends `total` bytes, closes, and accepts everything."""

    def __init__(
        self,
        line: Line,
        port: int,
        total: int,
        opts: dict[str, int],
        mss: int = 1000,
        window: int = 20000,
        timeout: int = 4000,
        local: int = 80,
    ) -> None:
        self.line, self.me, self.total = line, Name(port, local), total
        self.opts, self.mss, self.window, self.timeout = opts, mss, window, timeout
        self.iss = line.rng.randrange(M)
        self.una = 0  # counts from the SYN: data at 1
        self.nxt = 0
        self.irs = -1
        self.rcv = 0  # counts from the peer's SYN
        self.ahead: list[tuple[int, int]] = []  # newest first
        self.fin_at: int | None = None
        self.fin_done = False
        self.wnd = 0
        self.ws = self.peer_ws = 0
        self.ts = self.sack = False
        self.ts_recent = 0
        self.dups = 0
        self.since = 0
        self.state = "closed"
        self.bytes_in = 0
        self.again = 0
        self.reset = False
        self.sacked_blocks = 0
        line.ends[port] = self

    @property
    def done(self) -> bool:
        """Both directions are closed and acknowledged."""
        return self.fin_done and self.una == self.total + 2

    def connect(self) -> None:
        self.state = "syn"
        self._send_syn()

    def _opts(self) -> dict[str, int]:
        out: dict[str, int] = {}
        if self.ts:
            out |= {"ts_valid": 1, "ts_val": self.line.bench.dut.cycle // 64 + 5}
            out["ts_ecr"] = self.ts_recent
        if self.sack and self.ahead:
            shown = self.ahead[: 3 if self.ts else 4]
            value = 0
            for i, (left, right) in enumerate(shown):
                value |= ((self.irs + left) % M << 32 | (self.irs + right) % M) << 64 * i
            out |= {"sacks": len(shown), "sack": value}
        return out

    def _send(self, at: int, length: int, flags: str, **more: int) -> None:
        segment = {
            "seq": (self.iss + at) % M,
            "ack": (self.irs + self.rcv) % M,
            "len": length,
            "flags": flags,
            "wnd": min(65535, self.window >> self.ws),
            "opts": self._opts() | more,
        }
        self.line.carry(self.me.port, segment, True)  # type: ignore[arg-type]

    def _send_syn(self) -> None:
        opts = {"mss_valid": 1, "mss": self.mss} | self.opts
        if opts.get("ts_valid"):
            opts["ts_val"] = self.line.bench.dut.cycle // 64 + 5
        segment = {"seq": self.iss, "flags": "syn", "wnd": min(65535, self.window), "opts": opts}
        self.line.carry(self.me.port, segment, True)  # type: ignore[arg-type]
        self.since = self.line.bench.dut.cycle
        self.nxt = 1

    def _push(self) -> None:
        """Send what the window permits, and FIN."""
        while True:
            room = self.una + self.wnd - self.nxt
            left = self.total + 1 - self.nxt
            n = min(self.mss, left, room)
            if self.nxt == self.una and room <= 0 and left > 0:
                break
            if n > 0:
                last = n == left
                self._send(self.nxt, n, "fin ack" if last else "ack")
                self.nxt += n + last
            elif left == 0:
                self._send(self.nxt, 0, "fin ack")
                self.nxt += 1
            else:
                break

    def receive(self, r: dict[str, int]) -> None:
        cycle = self.line.bench.dut.cycle
        if r["flags.rst"]:
            self.reset = True
            return
        if self.state == "syn":
            if not (r["flags.syn"] and r["flags.ack"]):
                return
            assert r["ack"] == (self.iss + 1) % M
            self.irs, self.rcv, self.una = r["seq"], 1, 1
            self.ts = bool(r["opts.ts_valid"])
            self.sack = bool(r["opts.sack_ok"])
            if r["opts.ws_valid"]:
                self.ws, self.peer_ws = self.opts["ws"], r["opts.ws"]
            self.wnd = r["wnd"]
            self.ts_recent = r["opts.ts_val"]
            self.state = "open"
            self._send(self.nxt, 0, "ack")
            self._push()
            return
        if self.state != "open":
            return
        if self.ts:
            assert r["opts.ts_valid"], "timestamps were agreed upon"
        if r["flags.syn"]:
            self._send(self.nxt, 0, "ack")
            return
        at = self.rcv + signed(r["seq"] - self.irs - self.rcv)
        if self.ts and at <= self.rcv:
            self.ts_recent = r["opts.ts_val"]
        ack = self.una + signed(r["ack"] - self.iss - self.una)
        assert ack <= self.nxt or self.again, "ACK of what was not sent"
        assert r["len"] <= self.mss - 12 * self.ts
        assert at + r["len"] + r["flags.fin"] <= self.rcv + max(self.window, 1), "beyond the window"
        self.sacked_blocks += r["opts.sacks"]
        if ack > self.una:
            self.una, self.dups, self.since = ack, 0, cycle
            self.nxt = max(self.nxt, ack)
            self.wnd = r["wnd"] << self.peer_ws
        elif ack == self.una:
            if r["len"] == 0 and r["wnd"] << self.peer_ws == self.wnd and self.nxt > self.una:
                self.dups += 1
                if self.dups == 3:
                    n = min(self.mss, self.total + 1 - self.una)
                    if n > 0:
                        self._send(self.una, n, "ack")
            self.wnd = max(self.wnd, r["wnd"] << self.peer_ws)
        self._take(at, r["len"], bool(r["flags.fin"]))
        self._push()

    def _take(self, at: int, length: int, fin: bool) -> None:
        end = at + length
        if fin:
            assert self.fin_at in (None, end), "FIN moved"
            self.fin_at = end
        if length and end > self.rcv:
            left, right = max(at, self.rcv), end
            rest = []
            for a, b in self.ahead:
                if a <= right and left <= b:
                    left, right = min(a, left), max(b, right)
                else:
                    rest.append((a, b))
            self.ahead = [(left, right), *rest]
        for a, b in list(self.ahead):
            if a <= self.rcv:
                self.bytes_in += b - self.rcv
                self.rcv = b
                self.ahead.remove((a, b))
        if self.fin_at == self.rcv and not self.fin_done:
            self.fin_done = True
            self.rcv += 1
        if length or fin:
            self._send(self.nxt, 0, "ack")

    def tick(self, cycle: int) -> None:
        if self.done or self.state == "closed" or cycle - self.since < self.timeout:
            return
        self.since = cycle
        if self.state == "syn":
            self._send_syn()
        elif self.una < self.nxt:
            self.again += 1
            self.nxt = self.una
            if self.wnd == 0:
                self.wnd = 1
            self._push()
        elif self.una < self.total + 1:
            self._send(self.una, 1, "ack")  # window probe
            self.nxt = max(self.nxt, self.una + 1)
