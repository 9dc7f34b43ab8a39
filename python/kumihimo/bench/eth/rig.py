# SPDX-License-Identifier: Apache-2.0
"""Clusters of `eth_bench` nodes for the Ethernet benches: built, joined, and driven by registers.

A rig has the clocks of the paper (kernel 316.67 MHz, MAC 312.5 MHz) unless a bench says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kumihimo._engine import Engine, Impairments
from kumihimo.bench.core import BenchError
from kumihimo.bench.setup import Setup
from kumihimo.build import BuildResult, build
from kumihimo.common.closing import Closing
from kumihimo.regs import RegisterMap

KERNEL_PS = 3158  # 316.66 MHz
MAC_PS = 3200  # 312.5 MHz
LINE_BPS = 40e9
NS = 1000
US = 1_000_000
OVERHEAD = 24  # preamble, FCS and gap: bytes of the line a frame

CHECKED = (
    *("messages", "bad_bytes", "wrong", "broken", "order", "orphan", "begin_cycle", "end_cycle"),
    *("first_min", "first_max", "first_sum", "last_min", "last_max", "last_sum", "first_end"),
)

Params = Mapping[str, int]
CONTROLLER: Params = {}
PAPER: Params = {"PAPER": 1, "TX_STORE": 0, "RX_STORE": 0}
TRANSPORT: Params = {"TRANSPORT": 1, "PEERS": 32}


def library(params: Params) -> BuildResult:
    """The bench node with these parameters."""
    return build("eth_bench", dict(params), profile="fast")


def label(params: Params) -> str:
    """How a bench names a library in its `rtl` figures."""
    return " ".join(["kumi_node_eth_bench", *(f"{k}={v}" for k, v in sorted(params.items()))])


def setup(params: Params, mtu: int = 9216, note: str = "") -> Setup:
    """The configuration of a rig with this node."""
    return Setup("kumi_node_eth_bench", params, {"eth_port.option.mtu": mtu}, note)


def mac(index: int) -> int:
    """Address of node `index`."""
    return 0x020000000100 + index


class Mmio:
    """Registers of one node of the engine."""

    def __init__(self, engine: Engine, node: int) -> None:
        self._engine, self._node = engine, node

    def read(self, addr: int, /) -> int:
        """Word at a byte address."""
        return int(self._engine.axil_read(self._node, addr))

    def write(self, addr: int, data: int, /) -> None:
        """Store a word."""
        self._engine.axil_write(self._node, addr, data)


class Rig(Closing):
    """Nodes on a cable or a switch. Peer number p of a node is node p."""

    def __init__(
        self,
        built: BuildResult,
        count: int,
        *,
        mtu: int = 9216,
        rate_bps: float = LINE_BPS,
        latency_ps: int = 472 * NS,
        switch: Mapping[str, Any] | None = None,
        impair: Impairments | None = None,
        periods: tuple[int, int] = (KERNEL_PS, MAC_PS),
        phases: Sequence[tuple[int, int]] = (),
        rx_limit_bytes: int = 1 << 22,
        settings: Mapping[str, int] | None = None,
        threads: int = 0,
        seed: int = 1,
    ) -> None:
        """Make the cluster and run its set-up.

        Args:
            built: the node's library.
            count: nodes; two are joined by a cable when there is no switch.
            mtu: bytes of the longest frame without FCS.
            rate_bps: rate of each cable, 0: no line.
            latency_ps: of each cable.
            switch: options of the switch (Engine.add_switch).
            impair: of every direction of every cable.
            periods: of the kernels' and the MAC's clock.
            phases: of each node's two clocks.
            rx_limit_bytes: what may wait in front of a node.
            settings: further registers, `block.register`, the same in every node.
            threads: of the engine.
            seed: of everything random.
        """
        self.periods = periods
        self.engine = Engine(threads=threads, seed=seed)
        self.nodes: list[int] = []
        for index in range(count):
            phase = {}
            if phases:
                phase = dict(zip(("clk", "eth_clk"), phases[index], strict=True))
            self.nodes.append(
                self.engine.add_node(
                    f"n{index}",
                    str(built.path),
                    {"clk": periods[0], "eth_clk": periods[1]},
                    phases_ps=phase,
                    rx_limit_bytes=rx_limit_bytes,
                )
            )
        bad = impair or Impairments()
        cable: dict[str, Any] = {"rate_bps": rate_bps, "latency_ps": latency_ps}
        if switch is not None:
            hub = self.engine.add_switch("sw", ports=count, **switch)
            for index, node in enumerate(self.nodes):
                end = (hub, str(index))
                self.engine.connect((node, "eth0"), end, ab=bad, ba=bad, name=f"c{index}", **cable)
        else:
            ends = [(node, "eth0") for node in self.nodes]
            self.engine.connect(ends[0], ends[1], ab=bad, ba=bad, name="c0", **cable)
        self.engine.start()
        self.regs = [RegisterMap(Mmio(self.engine, node)) for node in self.nodes]
        for index, regs in enumerate(self.regs):
            self._set_up(index, regs, mtu, settings or {})

    def _set_up(self, index: int, regs: RegisterMap, mtu: int, settings: Mapping[str, int]) -> None:
        regs.eth_port.option.write(mtu)
        if "eth_rtp" in regs:
            regs.eth_rtp.nonce.write(0x1000 * (index + 1) + 1)
        for name, value in settings.items():
            block, register = name.split(".")
            regs[block][register].write(value)
        regs.eth_port.mac_hi.write(mac(index) >> 32)
        regs.eth_port.mac_lo.write(mac(index) & 0xFFFFFFFF)
        regs.eth_gen.option.set(source=index)
        for peer in range(len(self.nodes)):
            if peer != index:
                regs.eth_port.peer_hi.write(mac(peer) >> 32)
                regs.eth_port.peer_lo.write(mac(peer) & 0xFFFFFFFF)
                regs.eth_port.peer.write(peer)

    # ---- time -----------------------------------------------------------------------------

    def run(self, ps: int) -> None:
        """Advance."""
        self.engine.run(int(ps))

    def wait(
        self, what: str, done: Any, step_ps: int = 5 * US, limit_ps: int = 100_000 * US
    ) -> None:
        """Run until done() is true; fails when `limit_ps` have passed."""
        end = self.engine.now_ps + limit_ps
        while not done():
            if self.engine.now_ps >= end:
                raise BenchError(
                    f"{what} did not happen within {limit_ps / US:g} us\n{self.show()}"
                )
            self.run(step_ps)

    def ns(self, cycles: float) -> float:
        """Cycles of the kernels' clock as nanoseconds."""
        return cycles * self.periods[0] / 1000

    def mac_cycles(self, ns: float) -> float:
        """Nanoseconds as cycles of the MAC's clock."""
        return ns * 1000 / self.periods[1]

    # ---- kernels --------------------------------------------------------------------------

    def start(
        self,
        index: int,
        to: int,
        size: int,
        messages: int = 1,
        *,
        high: int = 0,
        count: int = 1,
        gap: int = 0,
        reply: bool = False,
        room: bool = False,
    ) -> None:
        """Let the generator of node `index` send to `count` peers from number `to` on."""
        gen = self.regs[index].eth_gen
        gen.option.set(reply=int(reply), skip_no_credit=int(room))
        gen.peers.write(to | count << 16)
        gen.low.write(size)
        gen.high.write(high or size)
        gen.messages.write(messages)
        gen.gap.write(gap)
        gen.ctrl.write(1)

    def stop(self, index: int) -> None:
        """Let the generator end after its message."""
        self.regs[index].eth_gen.ctrl.write(2)

    def clear(self, index: int, by_length: bool = False, hold: bool = False) -> None:
        """Clear the checker of node `index`."""
        self.regs[index].eth_check.ctrl.write(1 | int(hold) << 1 | int(by_length) << 2)

    def checked(self, index: int) -> dict[str, int]:
        """The checker's figures."""
        block = self.regs[index].eth_check
        out = {reg.info.name: reg.read() for reg in block if reg.info.name in CHECKED}
        out["bytes"] = block.read64("bytes")
        return out

    def faults(self, index: int) -> dict[str, int]:
        """What the checker found wrong; all zero when every byte was right and in order."""
        block = self.regs[index].eth_check
        return {k: block[k].read() for k in ("bad_bytes", "wrong", "broken", "order", "orphan")}

    def source_bytes(self, index: int, source: int) -> int:
        """Bytes that node `index` had from `source` between from_cycle and to_cycle."""
        block = self.regs[index].eth_check
        block.select.write(source)
        return block.read64("source_bytes")

    def until_up(self, count: int | None = None) -> None:
        """With the transport: wait until every node has that many associations."""
        if "eth_rtp" not in self.regs[0]:
            return
        want = len(self.nodes) - 1 if count is None else count
        for regs in self.regs:
            up = regs.eth_rtp["up"]
            self.wait("all associations", lambda up=up: up.read() >= want, 20 * US, 20_000 * US)

    def show(self) -> str:
        """Everything that helps to see why a run does not go on."""
        lines = []
        for index, regs in enumerate(self.regs):
            lines.append(f"n{index}: checker {self.checked(index)}")
            gen = {r: regs.eth_gen[r].read() for r in ("status", "sent", "replies", "lost")}
            lines.append(f"n{index}: generator {gen}")
            for block in ("eth_port", "eth_rtp"):
                if block in regs:
                    some = {k: v for k, v in regs[block].counters().items() if v}
                    lines.append(f"n{index}: {block} {some}")
        return "\n".join(lines)

    # ---- end ------------------------------------------------------------------------------

    def close(self) -> None:
        """Free the nodes."""
        self.engine.close()
