# SPDX-License-Identifier: Apache-2.0
"""Fabrics of InfiniBand switches and endpoints as cluster files: fat tree, ring, mesh, dragonfly.

Ports of a switch are given in the order in which its cables are laid: endpoints first, then
switches. Every endpoint has a management agent, so that opensm can sit at any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

from ..common.errors import KumiError

MOST_PORTS = 8
FEWEST_PORTS = 4
LIDS_PER_BLOCK = 64
CABLE = "10 m"
End = tuple[str, int]
"""A node and the number of its port."""


@dataclass
class Topology:
    """Switches, endpoints, and cables between them."""

    name: str
    switches: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    cables: list[tuple[End, End]] = field(default_factory=list)
    _next: dict[str, int] = field(default_factory=dict)

    def switch(self, name: str, hosts: int = 0) -> str:
        """Add a switch with endpoints h0, h1, ... (counted over the fabric)."""
        self.switches.append(name)
        for _ in range(hosts):
            host = f"h{len(self.hosts)}"
            self.hosts.append(host)
            self.join(host, name)
        return name

    def join(self, one: str, two: str) -> None:
        """A cable between the next ports of two nodes."""
        ends: list[End] = []
        for name in (one, two):
            self._next[name] = self._next.get(name, 0) + 1
            ends.append((name, self._next[name]))
        self.cables.append((ends[0], ends[1]))

    @property
    def ports(self) -> dict[str, int]:
        """Ports of each switch that have a cable."""
        return {name: self._next.get(name, 0) for name in self.switches}

    @property
    def links(self) -> set[frozenset[End]]:
        """The cables, as `discover.links` gives what ibnetdiscover has found."""
        return {frozenset(cable) for cable in self.cables}

    def check(self) -> None:
        """KumiError if a switch would need more ports than the design has."""
        for name, ports in self.ports.items():
            if ports > MOST_PORTS:
                text = f"Switch {name} would need {ports} ports; a switch has {MOST_PORTS}."
                raise KumiError(text, "Take fewer endpoints or switches per switch.", 2)

    def text(self, detail: str = "rtl") -> str:
        """The cluster file; `detail`: of the switches."""
        self.check()
        lids = len(self.switches) + len(self.hosts) + 1
        capacity = -(-lids // LIDS_PER_BLOCK) * LIDS_PER_BLOCK
        clock = "clocks: {clk: 125 MHz}, ip: none"
        lines = [f"name: {self.name}", "nodes:"]
        for host in self.hosts:
            params = "params: {AGENT: 1, DATA_VLS: 1}"
            lines.append(f"  {host}: {{design: ib_endpoint, {clock}, {params}}}")
        for name, used in self.ports.items():
            built = max(FEWEST_PORTS, used)
            unused = ", ".join(f"p{n}" for n in range(used + 1, MOST_PORTS + 1))
            params = f"PORTS: {built}, DATA_VLS: 1, LFT_CAP: {capacity}, MFT_CAP: 32"
            lines += [
                f"  {name}:",
                f"    {{design: ib_switch, detail: {detail}, {clock},",
                f"    params: {{{params}}}, open_ports: [{unused}]}}",
            ]
        lines.append("cables:")
        for (one, a), (two, b) in self.cables:
            lines.append(f"  - {{between: [{one}.p{a}, {two}.p{b}], latency: {CABLE}}}")
        return "\n".join(lines) + "\n"


def ring(switches: int, hosts: int = 1) -> Topology:
    """Switches in a circle, each with so many endpoints; two switches have one cable."""
    _least("switches", switches, 2)
    made = Topology(f"ring{switches}")
    names = [made.switch(f"s{n}", hosts) for n in range(switches)]
    for n, name in enumerate(names[: switches if switches > 2 else 1]):
        made.join(name, names[(n + 1) % switches])
    return made


def mesh(width: int, height: int, hosts: int = 1) -> Topology:
    """A rectangle of switches, each joined with its neighbours."""
    _least("width", width, 1)
    _least("height", height, 2 if width == 1 else 1)
    made = Topology(f"mesh{width}x{height}")
    for y in range(height):
        for x in range(width):
            made.switch(f"s{x}_{y}", hosts)
    for y in range(height):
        for x in range(width):
            if x + 1 < width:
                made.join(f"s{x}_{y}", f"s{x + 1}_{y}")
            if y + 1 < height:
                made.join(f"s{x}_{y}", f"s{x}_{y + 1}")
    return made


def fat_tree(ports: int, levels: int = 3, hosts: int | None = None) -> Topology:
    """A fat tree of switches with so many ports; with 3 levels `ports` pods.

    Three levels of k ports are 5 k^2 / 4 switches (20 with 4 ports) and up to k^3 / 4 endpoints,
    two levels 3 k / 2 switches and k^2 / 2 endpoints. `hosts` per edge switch: at most, and by
    default, half of the ports.
    """
    half = ports // 2
    if ports % 2 or not 2 <= ports <= MOST_PORTS:
        raise KumiError(f"A fat tree needs switches of 2, 4, 6 or 8 ports, not {ports}.", "", 2)
    if levels not in (2, 3):
        raise KumiError(f"A fat tree has 2 or 3 levels, not {levels}.", "", 2)
    below = half if hosts is None else hosts
    if not 0 <= below <= half:
        raise KumiError(f"An edge switch has 0 to {half} endpoints, not {below}.", "", 2)
    made = Topology(f"fattree{levels}_{ports}")
    if levels == 2:
        edges = [made.switch(f"edge{n}", below) for n in range(ports)]
        for n in range(half):
            spine = made.switch(f"core{n}")
            for edge in edges:
                made.join(edge, spine)
        return made
    above: list[list[str]] = []
    for pod in range(ports):
        edges = [made.switch(f"edge{pod}_{n}", below) for n in range(half)]
        middle = [made.switch(f"agg{pod}_{n}") for n in range(half)]
        for edge in edges:
            for switch in middle:
                made.join(edge, switch)
        above.append(middle)
    for n in range(half):
        for m in range(half):
            core = made.switch(f"core{n}_{m}")
            for middle in above:
                made.join(middle[n], core)
    return made


def dragonfly(groups: int, routers: int, hosts: int = 1) -> Topology:
    """Groups of fully joined switches, and a cable between every two groups."""
    _least("groups", groups, 2)
    _least("routers", routers, 1)
    made = Topology(f"dragonfly{groups}x{routers}")
    names = [[made.switch(f"s{g}_{r}", hosts) for r in range(routers)] for g in range(groups)]
    for group in names:
        for one, two in combinations(group, 2):
            made.join(one, two)
    for low, high in combinations(range(groups), 2):
        # Each group's cables to the others go round its switches.
        made.join(names[low][(high - 1) % routers], names[high][low % routers])
    return made


def _least(what: str, value: int, least: int) -> None:
    if value < least:
        raise KumiError(f"{what} must be at least {least}, not {value}.", "", 2)


SHAPES: dict[str, tuple[Callable[..., Topology], tuple[str, ...], str]] = {
    "fat-tree": (fat_tree, ("ports", "levels"), "ports of a switch, levels (2 or 3)"),
    "ring": (ring, ("switches",), "switches"),
    "mesh": (mesh, ("width", "height"), "width, height"),
    "dragonfly": (dragonfly, ("groups", "routers"), "groups, switches per group"),
}
"""Shapes by name: what makes one, its numbers, and these in words."""


def make(shape: str, numbers: list[int], hosts: int | None = None) -> Topology:
    """A shape by its name and numbers; `hosts`: endpoints per (edge) switch.

    Raises:
        KumiError: an unknown shape, or numbers that do not make one.
    """
    if shape not in SHAPES:
        raise KumiError(f"There is no shape `{shape}`.", f"There are: {', '.join(SHAPES)}.", 2)
    build, names, words = SHAPES[shape]
    optional = 1 if shape == "fat-tree" else 0
    if not len(names) - optional <= len(numbers) <= len(names):
        raise KumiError(f"The size of a {shape} is: {words}.", "For example 4 or 4x3.", 2)
    options = {} if hosts is None else {"hosts": hosts}
    made = build(*numbers, **options)
    made.check()
    return made
