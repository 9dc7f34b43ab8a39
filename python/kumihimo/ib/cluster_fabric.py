# SPDX-License-Identifier: Apache-2.0
"""A running cluster as the fabric of a bridge: hosts are `ib_endpoint` nodes with an agent."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster import Cluster
from .mailbox import Mailbox, Received

ICRC_BYTES = 4
MANAGEMENT_QPS = (0, 1)


class ClusterFabric:
    """Datagrams go through the mailboxes of the hosts, as to and from their local managers."""

    def __init__(self, cluster: Cluster, hosts: Sequence[str], step: str = "5 us") -> None:
        """The hosts by the names of their nodes; `step`: simulated time of each `receive`."""
        self._cluster, self._step = cluster, step
        self.mailboxes = {name: Mailbox(cluster, cluster[name]) for name in hosts}
        self.other: dict[str, list[Received]] = {name: [] for name in hosts}
        """Packets received for other queue pairs than those of management."""

    def send(self, host: str, packet: bytes) -> None:
        """Give a packet (LRH to ICRC) to a host's agent, from its local manager."""
        self.mailboxes[host].send(packet[:-ICRC_BYTES], local=True)

    def receive(self) -> list[tuple[str, bytes]]:
        """Packets for local managers, after a step of time."""
        self._cluster.run(self._step)
        found: list[tuple[str, bytes]] = []
        for host, mailbox in self.mailboxes.items():
            for got in mailbox.receive():
                if int.from_bytes(got.data[13:16], "big") in MANAGEMENT_QPS:
                    found.append((host, got.data))
                else:
                    self.other[host].append(got)
        return found

    def set_is_sm(self, host: str, on: bool) -> None:
        """Whether a subnet manager runs at a host."""
        self._cluster[host].regs["ib_port"]["lid"].set(is_sm=int(on))
