# SPDX-License-Identifier: Apache-2.0
"""Two `tcp_traffic` nodes on one cable, for the TCP benches: built, joined, driven by registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kumihimo._engine import Engine, Impairments
from kumihimo.bench.core import BenchError
from kumihimo.bench.eth.rig import Mmio
from kumihimo.bench.setup import Setup
from kumihimo.build import BuildResult, build
from kumihimo.cluster.timers import TIMERS, set_timers
from kumihimo.common.closing import Closing
from kumihimo.regs import RegisterMap

PERIOD_PS = 3103  # 322.265625 MHz, the clock of 100 Gb/s at 512 bits
NS = 1000
US = 1_000_000
HEADERS = 54  # Ethernet, IPv4 and TCP headers: bytes per frame; timestamps are 12 more
OVERHEAD = 24  # preamble, FCS and gap: bytes of the line a frame

Params = Mapping[str, int]
# Rings: what a round trip holds at 64 bytes per cycle, about 1,000 cycles with both ways at
# 9000 bytes, and as much again that the application has not read yet.
ON_CHIP: Params = {"DATA_W": 512, "SESSIONS": 128, "RING": 131072, "ON_CHIP": 1, "TX_STORE": 0}


def library(params: Params) -> BuildResult:
    """The traffic node with these parameters."""
    return build("tcp_traffic", dict(params), profile="fast")


def label(params: Params) -> str:
    """How a bench names a library in its `rtl` figures."""
    return " ".join(["kumi_node_tcp_traffic", *(f"{k}={v}" for k, v in sorted(params.items()))])


def setup(
    params: Params, registers: Mapping[str, int] | None = None, mtu: int = 1500, note: str = ""
) -> Setup:
    """The configuration of a rig with this node."""
    timers = {f"tcp.{path}": value for path, value in TIMERS["fast"].items()}
    written = {**timers, **(registers or {}), "tcp.segment.mss": mtu - 40}
    return Setup("kumi_node_tcp_traffic", params, written, note)


class TcpRig(Closing):
    """Node 0 and node 1, joined by a cable; each may send to the other."""

    def __init__(
        self,
        built: BuildResult,
        *,
        mtu: int = 1500,
        rate_bps: float = 0,
        latency_ps: int = 100 * NS,
        period_ps: int = PERIOD_PS,
        impair: Impairments | None = None,
        settings: Mapping[str, int] | None = None,
        threads: int = 0,
        seed: int = 1,
    ) -> None:
        """Make the cluster and wait until both nodes listen.

        Args:
            built: the node's library.
            mtu: longest IP packet, bytes.
            rate_bps: rate of the cable, 0: no line.
            latency_ps: of the cable, one way.
            period_ps: of the clock.
            impair: of both directions of the cable.
            settings: further registers, `block.register`, the same in both nodes.
            threads: of the engine.
            seed: of everything random.
        """
        self.period_ps, self.mtu, self.latency_ps = period_ps, mtu, latency_ps
        self.engine = Engine(threads=threads, seed=seed)
        nodes = [
            self.engine.add_node(f"n{i}", str(built.path), {"clk": period_ps}) for i in range(2)
        ]
        bad = impair or Impairments()
        ends = [(node, "eth0") for node in nodes]
        self.engine.connect(
            ends[0], ends[1], ab=bad, ba=bad, name="c0", rate_bps=rate_bps, latency_ps=latency_ps
        )
        self.engine.start()
        self.regs = [RegisterMap(Mmio(self.engine, node)) for node in nodes]
        for index, regs in enumerate(self.regs):
            self._set_up(index, regs, settings or {})
        self.wait("both nodes listen", lambda: all(self.listening(i) for i in range(2)))

    def _set_up(self, index: int, regs: RegisterMap, settings: Mapping[str, int]) -> None:
        set_timers(regs, "fast")
        regs.tcp.period.write(self.period_ps)
        regs.tcp.segment.set(mss=self.mtu - 40)
        regs.tcp.secret0.write(index + 1)
        for name, value in settings.items():
            block, register = name.split(".", 1)
            register, _, field = register.partition(".")
            if field:
                regs[block][register].set(**{field: value})
            else:
                regs[block][register].write(value)
        regs.tcp_traffic.peer_ip.write(self.ip(1 - index))
        regs.ip.mac_hi.write(0x0200)
        regs.ip.mac_lo.write(0x00000010 + index)
        regs.ip.tick.write(round(1e9 / self.period_ps))
        regs.ip.ip.write(self.ip(index))

    @staticmethod
    def ip(index: int) -> int:
        """Address of a node."""
        return 0x0A4D000A + index

    # ---- time -----------------------------------------------------------------------------

    def run(self, ps: int) -> None:
        """Advance."""
        self.engine.run(int(ps))

    def wait(
        self,
        what: str,
        done: Callable[[], bool],
        step_ps: int = 2 * US,
        limit_ps: int = 5_000 * US,
    ) -> None:
        """Run until done() is true; fails when `limit_ps` have passed."""
        end = self.engine.now_ps + limit_ps
        while not done():
            if self.engine.now_ps >= end:
                raise BenchError(f"{what}: not within {limit_ps / US:g} us\n{self.show()}")
            self.run(step_ps)

    # ---- kernels --------------------------------------------------------------------------

    def listening(self, index: int) -> bool:
        """The node takes connections."""
        return bool(self.regs[index].tcp_traffic.status.get("listening"))

    def busy(self, index: int) -> bool:
        """The node's sender has something to do yet."""
        return bool(self.regs[index].tcp_traffic.status.get("busy"))

    def open(self, index: int, sessions: int) -> None:
        """Open sessions from node `index` to the other one, and wait for the last."""
        block = self.regs[index].tcp_traffic
        block.size.set(sessions=sessions)
        block.ctrl.set(open=1)
        self.wait("sessions open", lambda: not self.busy(index))
        if block.status.get("opened") != sessions or block.failed.read():
            raise BenchError(f"{block.failed.read()} of {sessions} sessions failed\n{self.show()}")

    def write(self, index: int, each: int, chunk: int = 16384) -> None:
        """Let node `index` begin to write `each` bytes to each of its sessions."""
        block = self.regs[index].tcp_traffic
        block.size.set(chunk=chunk)
        block.bytes.write(each)
        block.ctrl.set(write=1)

    def clear(self) -> None:
        """Clear the results of both nodes."""
        for regs in self.regs:
            regs.tcp_traffic.ctrl.set(clear=1)

    def arrived(self, index: int) -> int:
        """Bytes that node `index` has received."""
        return int(self.regs[index].tcp_traffic.read64("got"))

    def check(self) -> None:
        """Fails if a byte was wrong or a session ended badly."""
        for index, regs in enumerate(self.regs):
            block = regs.tcp_traffic
            wrong = {k: block[k].read() for k in ("bad_bytes", "broken", "refused", "failed")}
            if any(wrong.values()):
                raise BenchError(f"node {index}: {wrong}\n{self.show()}")

    def show(self) -> str:
        """All counters that are not zero, for an error's text."""
        lines = []
        for index, regs in enumerate(self.regs):
            for text, group in (
                ("path", regs.tcp.counters()),
                ("core", regs.tcp.counters("core")),
                ("ip", regs.ip.counters()),
            ):
                lines.append(f"n{index} {text}: { {k: v for k, v in group.items() if v} }")
            block = regs.tcp_traffic
            shown = {r.info.name: r.read() for r in block if r.addr >= block.base + 0x20}
            lines.append(f"n{index} traffic: {shown}")
        return "\n".join(lines)

    def close(self) -> None:
        """Free the nodes."""
        self.engine.close()


def share_limit(mtu: int, timestamps: bool) -> float:
    """Payload bytes over bytes of the line at full frames."""
    payload = mtu - 40 - (12 if timestamps else 0)
    return payload / (mtu + 14 + OVERHEAD)


def line_share(
    payload: int, cycles: float, period_ps: int, rate_bps: float, mtu: int, timestamps: bool
) -> float:
    """Payload over what the line could carry meanwhile, at most share_limit().

    A segment reaches the application when all of its frame has arrived. So the time between the
    first byte there and the last one is, at least, that of all frames but the first.

    Args:
        payload: bytes.
        cycles: from the first byte at the application to the last one.
        period_ps: of the clock.
        rate_bps: of the line.
        mtu: longest IP packet, bytes; the payload came in segments of that size.
        timestamps: whether they carry timestamps.
    """
    first = mtu - 40 - (12 if timestamps else 0)
    return (payload - first) * 8 / (cycles * period_ps * 1e-12) / rate_bps


Row = dict[str, Any]
