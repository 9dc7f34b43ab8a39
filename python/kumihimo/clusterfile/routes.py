# SPDX-License-Identifier: Apache-2.0
"""Routes of Ethernet switches whose cables form loops: shortest paths, and a tree for the rest.

Frames to a station of the cluster file take a shortest path; of several, each switch takes one by a
hash of the destination, as in networks with equal-cost paths. Broadcasts and unknown addresses go
along a spanning tree of fewest hops. Switches without a loop learn, as ever.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from zlib import crc32

from .plans import Plan

Neighbours = Mapping[str, list[tuple[int, str, int]]]
"""Of each switch: own port, the other switch, its port."""


@dataclass
class Routes:
    """Of one switch; empty: it learns."""

    ports: list[tuple[int, int]] = field(default_factory=list)
    """Address and port."""
    tree: list[int] = field(default_factory=list)
    """Ports that broadcasts and unknown addresses take."""


def _neighbours(plan: Plan) -> Neighbours:
    found: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for cable in plan.cables:
        a, b = cable.a, cable.b
        if a.kind == b.kind == "switch":
            found[a.name].append((int(a.port), b.name, int(b.port)))
            found[b.name].append((int(b.port), a.name, int(a.port)))
    return found


def _tree(joined: Neighbours) -> tuple[set[tuple[str, int]], bool]:
    """Ends of the cables of a spanning tree, and whether other cables are left."""
    ends: set[tuple[str, int]] = set()
    seen: set[str] = set()
    for start in joined:
        if start in seen:
            continue
        seen.add(start)
        waiting = deque([start])
        while waiting:
            name = waiting.popleft()
            for port, other, far in joined[name]:
                if other not in seen:
                    seen.add(other)
                    ends |= {(name, port), (other, far)}
                    waiting.append(other)
    return ends, len(ends) < sum(map(len, joined.values()))


def _towards(joined: Neighbours, target: str) -> dict[str, list[int]]:
    """By switch, the ports that begin a shortest path to a switch."""
    far = {target: 0}
    waiting = deque([target])
    while waiting:
        name = waiting.popleft()
        for _, other, _ in joined[name]:
            if other not in far:
                far[other] = far[name] + 1
                waiting.append(other)
    return {
        name: [port for port, other, _ in joined[name] if far[other] < far[name]]
        for name in far
        if name != target
    }


def _mixed(number: int) -> int:
    """Not linear, or switches in a row would agree in their choices."""
    return (number * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 32


def routes(plan: Plan) -> dict[str, Routes]:
    """The routes of every switch by name; none where no cables form a loop."""
    joined = _neighbours(plan)
    tree, loops = _tree(joined)
    if not loops:
        return {}
    found: dict[str, Routes] = defaultdict(Routes)
    macs = {(node.name, "eth0"): node.mac for node in plan.nodes.values()}
    macs |= {(tap.name, ""): tap.mac for tap in plan.taps.values()}
    stations: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for cable in plan.cables:
        for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.kind != "switch":
                continue
            if other.kind != "switch" or (end.name, int(end.port)) in tree:
                found[end.name].tree.append(int(end.port))
            mac = macs.get((other.name, other.port))
            if other.kind != "switch" and mac is not None:
                stations[end.name].append((int(mac.replace(":", ""), 16), int(end.port)))
    for target, ends in stations.items():
        ways = _towards(joined, target)
        for address, port in ends:
            found[target].ports.append((address, port))
            for name, ports in ways.items():
                at = ports[0]
                if len(ports) > 1:
                    at = ports[_mixed(address ^ crc32(name.encode())) % len(ports)]
                found[name].ports.append((address, at))
    return found
