# SPDX-License-Identifier: Apache-2.0
"""Boards joined by serial links, booted and configured: packet rings on circuits, and IP.

    with LinkedBoards("examples/link_ring.yaml", "examples/link_ring_plan.yaml") as boards:
        here, there = boards.circuit("pair0")          # packet rings at its two ends
        here.send(b"...")
        boards.cluster.run("5 us")
        there.poll()

The boards are nodes of the design `link`: DMA channel c of a board is channel c of its host port,
the channel behind them is the register fifo, and the last DMA channel carries best-effort packets
whose dest is the number of a board.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from ..cluster import Cluster
from ..common.errors import KumiError
from ..host import DMA, MmioFifo, Overlay, Packet, PacketRing
from ..host.tun import Packets
from ..link.planner import plan as plan_request
from ..link.planner.plan_doc import Plan
from ..link.planner.request import Request, load_request
from ..manager.board import MmioBoard
from ..manager.configure import configure
from ..manager.measure import differing, measured_plan
from ..manager.setup import setups
from ..manager.status import status

HOST, KERNEL = "host0", "host1"  # local ports of the design `link`
BEST_MOST = 4096  # bytes of a best-effort packet: switches store it whole, in 512 words
BRING_UP_PS = 100_000_000  # lanes lock and bond in less


class LinkedBoards:
    """A cluster of boards with an active circuit plan. Close it, or use it in a `with`."""

    def __init__(
        self,
        cluster: Cluster | str | Path,
        request: Request | str | Path,
        timeout: float = 300.0,
        slots: int = 64,
        mtu: int = 9216,
    ) -> None:
        """Start the cluster and configure it.

        Args:
            cluster: nodes of the design `link`; started here if given as a file.
            request: circuits. When all boards follow one, its plan is taken as it is and offsets
                are compared; else they are measured first.
            timeout: wall seconds for a board.
            slots: buffers of each packet ring.
            mtu: bytes of a buffer.
        """
        self.cluster = cluster if isinstance(cluster, Cluster) else Cluster(cluster)
        self.slots, self.mtu = slots, mtu
        self._rings: dict[tuple[str, int], PacketRing] = {}
        self.cluster.start()
        try:
            self.cluster.run(BRING_UP_PS)
            self.plan = self._configure(
                request if isinstance(request, Request) else load_request(request), timeout
            )
            self.overlays = {name: Overlay.of(self.cluster, name) for name in self.cluster}
        except BaseException:
            self.cluster.close()
            raise

    def _configure(self, request: Request, timeout: float) -> Plan:
        boards = [MmioBoard(node.name, node.mmio) for node in self.cluster.values()]
        if request.spec.follow is None:
            plan, bad = measured_plan(boards, request, timeout, 1)
        else:
            plan, bad = plan_request(request), []
        wanted = setups([board.name for board in boards], plan)
        bad += [report for report in configure(boards, wanted, timeout, 1) if report.problem]
        for report in bad:
            raise KumiError(f"The board {report.name} was not configured: {report.problem}.")
        self.cluster.run(
            8 * plan.frame_cycles * 6400 + 20_000_000
        )  # links align to their TDM frames
        for text in differing(plan, status(boards, None, timeout, 1)):
            raise KumiError(
                f"The boards are not in step as planned. {text}.",
                "Leave `follow` out of the request: offsets are measured then.",
            )
        return plan

    # ---- ways of packets -------------------------------------------------------------------

    def number(self, board: str) -> int:
        """Number of a board, as best-effort packets use it."""
        return int(self.plan.boards[board]["id"])

    def best_channel(self, board: str) -> int:
        """The DMA channel of best-effort packets, the last one."""
        return sum(ip["driver"] is DMA for ip in self.overlays[board].ip_dict.values()) - 1

    def ring(self, board: str, channel: int) -> PacketRing:
        """Packet ring of one DMA channel of a board."""
        if (board, channel) not in self._rings:
            name = f"dma{channel}" if channel else "dma"
            self._rings[board, channel] = self.overlays[board][name].packets(self.slots, self.mtu)
        return self._rings[board, channel]

    def best(self, board: str) -> PacketRing:
        """Ring of a board's best-effort packets; their dest is a board's number."""
        return self.ring(board, self.best_channel(board))

    def ends(self, name: str) -> tuple[tuple[str, str, int], tuple[str, str, int]]:
        """Board, local port and channel of both ends of a circuit."""
        for circuit in self.plan.circuits:
            if circuit["name"] == name:
                (a, a_port), (b, b_port) = (circuit[e].split(".") for e in ("from", "to"))
                first, second = circuit["channels"]
                return (a, a_port, first), (b, b_port, second)
        raise KumiError(f"The plan has no circuit {name}.")

    def circuit(self, name: str) -> tuple[PacketRing, PacketRing]:
        """Packet rings at both ends of a circuit between hosts."""
        (a, a_port, first), (b, b_port, second) = self.ends(name)
        if (a_port, b_port) != (HOST, HOST):
            raise KumiError(f"The circuit {name} does not join two hosts.")
        return self.ring(a, first), self.ring(b, second)

    def fifo(self, board: str) -> MmioFifo:
        """The register fifo of a board."""
        fifo: MmioFifo = self.overlays[board]["mmio_fifo"]
        return fifo

    def kernel_address(self, board: str, address: str) -> None:
        """Give the IP kernel of a board its address, as `10.9.1.1/24`."""
        interface = ipaddress.IPv4Interface(address)
        block = self.cluster[board].regs.ip
        block.netmask.write(int(interface.netmask))
        block.ip.write(int(interface.ip))

    def close(self) -> None:
        """Stop all rings and end the cluster."""
        try:
            for ring in self._rings.values():
                ring.close()
        finally:
            self.cluster.close()

    def __enter__(self) -> LinkedBoards:
        """For `with`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; after an exception only end the cluster."""
        if kind is None:
            self.close()
        else:
            self.cluster.close()


class Ways:
    """Several packet rings as one, for a bridge. Ring w has the dests `w * 256 + dest`."""

    def __init__(self, rings: Sequence[Packets]) -> None:
        """Rings by their number."""
        self.mtu = min(ring.mtu for ring in rings)
        self._rings = rings
        self._queued: set[int] = set()

    def queue(self, data: bytes, dest: int = 0) -> bool:
        """Queue a packet; False: its ring is full."""
        way, inner = divmod(dest, 256)
        self._queued.add(way)
        return self._rings[way].queue(data, inner)

    def kick(self) -> None:
        """Send queued packets."""
        for way in self._queued:
            self._rings[way].kick()
        self._queued.clear()

    def poll(self, limit: int = 0) -> list[Packet]:
        """Received packets, at most `limit` per ring."""
        return [packet for ring in self._rings for packet in ring.poll(limit)]
