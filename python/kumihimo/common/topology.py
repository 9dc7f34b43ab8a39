# SPDX-License-Identifier: Apache-2.0
"""Shapes of networks: ring, mesh, torus, fat tree, dragonfly, as switches, hosts and cables.

Ports of a switch are numbered from 1 in the order in which its cables are laid: hosts first, then
switches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, product

from .errors import KumiError

End = tuple[str, int]
"""A switch or host and the number of its port."""


@dataclass
class Topology:
    """Switches, hosts, and cables between them."""

    name: str
    switches: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    cables: list[tuple[End, End]] = field(default_factory=list)
    _next: dict[str, int] = field(default_factory=dict)

    def switch(self, name: str, hosts: int = 0) -> str:
        """Add a switch with hosts h0, h1, ... (counted over the network)."""
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
        """The cables as sets of two ends."""
        return {frozenset(cable) for cable in self.cables}


def ring(switches: int, hosts: int = 1) -> Topology:
    """Switches in a circle, each with so many hosts; two switches have one cable."""
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
    return _grid(f"mesh{width}x{height}", (width, height), hosts, around=False)


def torus(*sizes: int, hosts: int = 1) -> Topology:
    """A grid of any number of dimensions whose ends are joined too."""
    for size in sizes:
        _least("a dimension", size, 2)
    return _grid("torus" + "x".join(map(str, sizes)), sizes, hosts, around=True)


def _grid(name: str, sizes: tuple[int, ...], hosts: int, around: bool) -> Topology:
    made = Topology(name)
    # The first dimension counts fastest.
    places = [place[::-1] for place in product(*(range(size) for size in reversed(sizes)))]
    names = {place: "s" + "_".join(map(str, place)) for place in places}
    for place in places:
        made.switch(names[place], hosts)
    for place in places:
        for axis, size in enumerate(sizes):
            at = place[axis] + 1
            if at < size or (around and size > 2):
                made.join(names[place], names[(*place[:axis], at % size, *place[axis + 1 :])])
    return made


def fat_tree(ports: int, levels: int = 3, hosts: int | None = None) -> Topology:
    """A fat tree of switches with so many ports; with 3 levels `ports` pods.

    Three levels of k ports are 5 k^2 / 4 switches (20 with 4 ports) and up to k^3 / 4 hosts, two
    levels 3 k / 2 switches and k^2 / 2 hosts. `hosts` per edge switch: at most, and by default,
    half of the ports.
    """
    half = ports // 2
    if ports % 2 or ports < 2:
        text = f"A fat tree needs switches with an even number of ports, not {ports}."
        raise KumiError(text, "", 2)
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


@dataclass(frozen=True)
class Shape:
    """What makes a shape, its numbers in words, and how many of them there may be."""

    build: Callable[..., Topology]
    numbers: str
    least: int
    most: int


SHAPES = {
    "fat-tree": Shape(fat_tree, "ports of a switch, levels (2 or 3)", 1, 2),
    "ring": Shape(ring, "switches", 1, 1),
    "mesh": Shape(mesh, "width, height", 2, 2),
    "torus": Shape(torus, "switches along each dimension", 1, 6),
    "dragonfly": Shape(dragonfly, "groups, switches per group", 2, 2),
}


def make(shape: str, numbers: list[int], hosts: int | None = None) -> Topology:
    """A shape by its name and numbers; `hosts`: per (edge) switch.

    Raises:
        KumiError: an unknown shape, or numbers that do not make one.
    """
    if shape not in SHAPES:
        raise KumiError(f"There is no shape `{shape}`.", f"There are: {', '.join(SHAPES)}.", 2)
    found = SHAPES[shape]
    if not found.least <= len(numbers) <= found.most:
        raise KumiError(f"The size of a {shape} is: {found.numbers}.", "For example 4 or 4x3.", 2)
    options = {} if hosts is None else {"hosts": hosts}
    return found.build(*numbers, **options)


def sizes(text: str) -> list[int]:
    """`4x3` as numbers."""
    try:
        return [int(number) for number in text.split("x")]
    except ValueError:
        raise KumiError(f"`{text}` is no size.", "For example 4 or 4x3.", 2) from None
