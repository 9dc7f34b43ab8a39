# SPDX-License-Identifier: Apache-2.0
"""Packets of an `ib_endpoint` node, sent and received through its registers."""

from __future__ import annotations

from dataclasses import dataclass

from ..cluster import Cluster, Node
from ..common.errors import KumiError
from ..host.fifo import MmioFifo
from ..host.platform import HostMemory
from ..regs import Mmio

STEP_PS = 1_000_000
AGENT_DEST = 0x81


class _Registers:
    """A platform with registers and time, without memory."""

    def __init__(self, cluster: Cluster, node: Node) -> None:
        self._cluster = cluster
        self._name = node.name
        self.mmio: Mmio = node.mmio

    @property
    def memory(self) -> HostMemory:
        raise KumiError(f"{self._name} has no memory that it shares with a host.")

    def pause(self) -> None:
        self._cluster.run(STEP_PS)

    def now(self) -> float:
        return self._cluster.now_ps / 1e12


@dataclass(frozen=True)
class Received:
    """A packet that came in: LRH to ICRC, and the virtual lane that it came on."""

    data: bytes
    vl: int


class Mailbox:
    """Whole packets to and from a port."""

    def __init__(self, cluster: Cluster, node: Node) -> None:
        """The mailbox of a started cluster's node."""
        self._fifo = MmioFifo(_Registers(cluster, node), node.regs["mmio_fifo"])

    def send(self, packet: bytes, local: bool = False) -> None:
        """Send LRH to padding; the node appends ICRC and VCRC. PktLen counts the ICRC.

        Args:
            packet: whole words.
            local: to the node's management agent, as from its local manager.

        Raises:
            ValueError: the packet is not whole words, or PktLen is not its length.
        """
        length = int.from_bytes(packet[4:6], "big") & 0x7FF
        if len(packet) % 4 or length * 4 != len(packet) + 4:
            text = f"PktLen {length} and {len(packet)} bytes do not agree"
            raise ValueError(f"{text}: it counts words of 4 bytes, ICRC included")
        self._fifo.send(packet, AGENT_DEST if local else 0)

    def receive(self) -> list[Received]:
        """All packets that are there."""
        return [Received(packet.data, packet.id) for packet in self._fifo.poll()]
