# SPDX-License-Identifier: Apache-2.0
"""A running fabric under opensm: port states, LIDs, routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..cluster import Cluster
from ..common.errors import KumiError
from .cluster_fabric import ClusterFabric
from .discover import links, plan_links
from .port import Port
from .programs import Programs
from .topology import End

ACTIVE = 4


class Site(Programs):
    """Programs of this machine at hosts of a started cluster.

    Args:
        cluster: with nodes `ib_endpoint` that have an agent, and `ib_switch`.
        place: folder of the programs' logs.
        hosts: where programs may sit, by default every endpoint; the first is the usual one.
        timeout: simulated seconds after which the bridge says that a datagram is lost.
        limit: seconds of wall time after which `until` gives up.
        step: simulated time between two looks at what the hosts have received.
    """

    def __init__(
        self,
        cluster: Cluster,
        place: Path,
        hosts: Sequence[str] = (),
        *,
        timeout: float = 1e-3,
        limit: float = 240.0,
        step: str = "5 us",
    ) -> None:
        self.cluster = cluster
        nodes = cluster.plan.nodes
        self.switches = [name for name in nodes if "ib_switch" in cluster[name].regs]
        self.endpoints = [name for name in nodes if "ib_port" in cluster[name].regs]
        self.fabric = ClusterFabric(cluster, hosts or self.endpoints, step)
        super().__init__(
            self.fabric,
            list(hosts or self.endpoints),
            place,
            timeout=timeout,
            limit=limit,
            clock=lambda: cluster.now_ps / 1e12,
        )

    @property
    def cabled(self) -> list[End]:
        """Ports that have a cable in the cluster file."""
        return sorted(end for link in plan_links(self.cluster.plan) for end in link)

    def state(self, end: End) -> int:
        """Port state, with the number of PortInfo."""
        name, number = end
        regs = self.cluster[name].regs
        if name in self.endpoints:
            return int(regs["ib_port"]["state"].get("port"))
        return int(regs["ib_switch"]["state"].get("port", number - 1))

    def states(self) -> dict[End, int]:
        """Of every port with a cable."""
        return {end: self.state(end) for end in self.cabled}

    def active_share(self) -> float:
        """Share of the ports with a cable that are Active."""
        states = self.states().values()
        return sum(state == ACTIVE for state in states) / len(states)

    def active(self, what: str, but: Sequence[End] = ()) -> None:
        """Wait until every port with a cable is Active, but for some."""

        def left() -> dict[End, int]:
            return {e: s for e, s in self.states().items() if s != ACTIVE and e not in but}

        try:
            self.until(lambda: not left(), f"not every port is Active {what}")
        except KumiError as problem:
            states = ", ".join(f"{name} port {n}: {s}" for (name, n), s in left().items())
            raise KumiError(f"{problem} Their states: {states}.", self.last_words()) from None

    def lid(self, name: str) -> int:
        """LID of an endpoint's port or of a switch, 0: none."""
        regs = self.cluster[name].regs
        if name in self.endpoints:
            return Port(regs["ib_port"]).state.lid
        return int(regs["ib_switch"]["lid"].read())

    def lids(self) -> dict[str, int]:
        """Of every node."""
        return {name: self.lid(name) for name in (*self.switches, *self.endpoints)}

    def discovered(self, *options: str) -> set[frozenset[End]]:
        """The links that ibnetdiscover finds, in the form of `discover.plan_links`."""
        return links(self.run("ibnetdiscover", *options))

    def discover_equal(self) -> bool:
        """Whether ibnetdiscover finds exactly the cables of the cluster file."""
        return self.discovered() == plan_links(self.cluster.plan)

    def routes(self) -> dict[str, dict[int, int]]:
        """The linear forwarding table of each switch by ibroute: port by LID."""
        found = {}
        for name in self.switches:
            text = self.run("ibroute", "-n", str(self.lid(name)))
            rows = re.findall(r"^0x([0-9a-f]{4}) (\d{3})\b", text, re.M)
            found[name] = {int(lid, 16): int(port) for lid, port in rows}
        return found

    def path(self, tables: dict[str, dict[int, int]], start: str, to: str) -> list[str]:
        """The nodes on the way from an endpoint to a node by the forwarding tables.

        Raises:
            KumiError: the tables lead elsewhere.
        """
        other: dict[End, End] = {}
        for one, two in (tuple(link) for link in plan_links(self.cluster.plan)):
            other |= {one: two, two: one}
        lid, here = self.lid(to), other[start, 1][0]
        way = [start]
        while here != to:
            way.append(here)
            port = tables.get(here, {}).get(lid)
            if here in way[:-1] or port is None or (here, port) not in other:
                raise KumiError(f"No route from {start} to {to}: {' '.join(way)}.")
            here = other[here, port][0]
        return [*way, to]
