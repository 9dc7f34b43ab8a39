# SPDX-License-Identifier: Apache-2.0
"""`kumi new cluster`: the cluster file of many equal boards in a shape of common/topology.

On Ethernet a board is a host of the shape, behind its switches. With serial links it takes the
place of a switch, and each cable joins the next free links, or lanes, of two boards.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from ipaddress import ip_network
from math import ceil, log2
from pathlib import Path

from ..clusterfile.designs import DesignSketch, find_design, known_designs, sketch
from ..clusterfile.units import time_ps
from ..common.errors import KumiError, did_you_mean
from ..common.topology import Topology

_LINK_CLOCK = "156.25 MHz"


@dataclass(frozen=True)
class Wiring:
    """What the boards are, and how they are joined.

    node:    design of every board.
    latency: of every cable.
    by:      `ethernet`; or without switches `links`, all lanes of a link together, or `lanes`.
    tap:     Linux at the first switch.
    """

    node: str = "udp_echo"
    latency: str = "500 ns"
    by: str = "ethernet"
    tap: bool = False

    @property
    def links(self) -> bool:
        """Whether boards are joined by serial links, without switches."""
        return self.by != "ethernet"


def _design(name: str, folder: Path) -> DesignSketch:
    file = find_design(name, folder)
    if file is None:
        text = f"There is no design `{name}`.{did_you_mean(name, known_designs(folder))}"
        raise KumiError(text, "", 2)
    return sketch(file)


def _network(stations: int) -> str:
    """The smallest of 10.64.0.0/10 with room for that many stations."""
    bits = max(8, ceil(log2(stations + 2)))
    return str(ip_network((int(ip_network("10.64.0.0/10").network_address), 32 - bits)))


def cluster_text(made: Topology, wiring: Wiring, folder: Path) -> str:
    """The cluster file; `folder`: where it will be.

    Raises:
        KumiError: a design without the ports that are asked for, or with too few links.
    """
    time_ps(wiring.latency)
    design = _design(wiring.node, folder)
    head = [f"name: {made.name}"]
    if wiring.links:
        return "\n".join(head + _linked(made, wiring, design)) + "\n"
    return "\n".join(head + _switched(made, wiring, design)) + "\n"


def _switched(made: Topology, wiring: Wiring, design: DesignSketch) -> list[str]:
    if not made.hosts:
        raise KumiError("There are no boards: every switch has 0 hosts.", "Give --hosts 1.", 2)
    if not design.eth:
        text = f"`{wiring.node}` has no Ethernet port."
        raise KumiError(text, "Give --by links for boards with serial links.", 2)
    lines = [f"network: {_network(len(made.hosts) + 1)}", "defaults:"]
    lines += [f"  node: {{design: {wiring.node}}}", f"  cable: {{latency: {wiring.latency}}}"]
    lines += ["nodes:", *(f"  {name}: {{}}" for name in made.hosts), "switches:"]
    first = made.switches[0]
    for name, ports in made.ports.items():
        lines.append(f"  {name}: {{ports: {max(2, ports + (wiring.tap and name == first))}}}")
    if wiring.tap:
        lines.append("taps: {host0: {}}")
    lines.append("cables:")
    port = design.eth[0]
    hosts = set(made.hosts)
    for (one, _), (two, _) in made.cables:
        end = f"{one}.{port}" if one in hosts else one
        lines.append(f"  - {{between: [{end}, {two}]}}")
    if wiring.tap:
        lines.append(f"  - {{between: [host0, {first}]}}")
    return lines


def _linked(made: Topology, wiring: Wiring, design: DesignSketch) -> list[str]:
    links = list(design.bundles()) if wiring.by == "links" else list(design.lanes)
    if not links:
        raise KumiError(f"`{wiring.node}` has no serial links.", "Take one such as `link`.", 2)
    if wiring.tap:
        raise KumiError("Linux has no serial link.", "Leave --tap out, or --by.", 2)
    used: dict[str, list[str]] = defaultdict(list)
    cables = []
    for (one, _), (two, _) in made.cables:
        ends = []
        for name in (one, two):
            if len(used[name]) == len(links):
                text = (
                    f"{name} would need more than the {len(links)} {wiring.by} of `{wiring.node}`."
                )
                hint = "Take a shape with fewer cables at a board, or --by lanes."
                raise KumiError(text, hint, 2)
            used[name].append(links[len(used[name])])
            ends.append(f"{name}.{used[name][-1]}")
        cables.append(f"  - {{between: [{', '.join(ends)}]}}")
    address = ["ip: none"] if design.eth else []
    clocks = f"clocks: {{clk: {_LINK_CLOCK}}}"
    lines = ["defaults:", f"  node: {{{', '.join([f'design: {wiring.node}', clocks, *address])}}}"]
    lines += [f"  cable: {{latency: {wiring.latency}}}", "nodes:"]
    for name in made.switches:
        left = [port for port in (*links, *design.eth) if port not in used[name]]
        lines.append(
            f"  {name}: {{open_ports: [{', '.join(left)}]}}" if left else f"  {name}: {{}}"
        )
    return [*lines, "cables:", *cables]
