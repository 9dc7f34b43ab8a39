# SPDX-License-Identifier: Apache-2.0
"""Which rank holds which node: pins of the cluster file, else balanced cost and few short cables.

A simple cut of our own: each rank grows from what is pinned to it along the cables, until it has
its share of the cost; then single nodes move while that makes the cut or the balance better.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..clusterfile import Plan
from ..clusterfile.plans import CablePlan, LanePlan
from ..common.errors import KumiError

if TYPE_CHECKING:
    from ..build import BuildResult

SWITCH = 0.02
"""Cost of a switch's port beside a node of mean cost, where none is measured."""
SLACK = 1.1
"""Load that a move may give a rank, relative to its share."""
PASSES = 8
USUAL_PS = 500_000
"""Latency of a cable whose cut has weight 1; a shorter one costs more."""
LANE = 4.0
"""Weight of a lane or an InfiniBand cable beside an Ethernet cable: a block in each cycle."""


@dataclass(frozen=True)
class Border:
    """Two ranks with cables between them."""

    ranks: tuple[int, int]
    cables: int
    lookahead_ps: int
    """Latency of the shortest of them: how far one may be ahead of the other."""


@dataclass(frozen=True)
class Partition:
    """The rank of every node and switch by name."""

    ranks: int
    owners: Mapping[str, int]
    loads: tuple[float, ...]
    """Share of the cost, by rank."""
    borders: tuple[Border, ...]
    cables: int
    """All, of every kind."""

    @property
    def cut(self) -> int:
        """Cables between ranks."""
        return sum(border.cables for border in self.borders)

    @property
    def balance(self) -> float:
        """Load of the busiest rank, relative to an equal share."""
        return max(self.loads) * self.ranks

    def holds(self, rank: int) -> list[str]:
        """Names of the nodes and switches of a rank."""
        return [name for name, owner in self.owners.items() if owner == rank]


def measured(profile: Path) -> dict[str, float]:
    """Costs from the counters of an earlier run (`kumi up --stats FILE`)."""
    try:
        data = json.loads(profile.read_text(encoding="utf-8"))
        return {name: float(cost) for name, cost in data["engine"]["wall_cost_ns"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise KumiError(
            f"{profile} has no costs of nodes ({problem}).", "Write one: kumi up --stats FILE", 2
        ) from None


def estimated(plan: Plan, built: Mapping[str, BuildResult]) -> dict[str, float]:
    """Size of a node's library, times the frequency of its fastest clock."""
    costs = {}
    for name, node in plan.nodes.items():
        hertz = max(node.spec.clocks.values(), default=156.25e6)
        costs[name] = built[name].path.stat().st_size * hertz
    mean = sum(costs.values()) / len(costs) if costs else 1.0
    for name, switch in plan.spec.switches.items():
        costs[name] = SWITCH * mean * switch.ports
    return costs


@dataclass
class _Graph:
    """Nodes and switches, what the outside world joins, and the cables between."""

    costs: list[float] = field(default_factory=list)
    members: list[list[str]] = field(default_factory=list)
    pins: list[int | None] = field(default_factory=list)
    edges: list[dict[int, float]] = field(default_factory=list)


def _pinned(plan: Plan, ranks: int) -> dict[str, int]:
    # A guest wakes up its node sooner in the rank that waits for the outside world.
    pins = {host.end.name: 0 for host in plan.hosts.values()}
    asked = {name: node.spec.rank for name, node in plan.nodes.items()}
    asked |= {name: switch.rank for name, switch in plan.spec.switches.items()}
    for name, rank in asked.items():
        if rank is None:
            continue
        if rank >= ranks:
            text = f"`rank:` of {name} is {rank}, but there are {ranks} ranks."
            raise KumiError(text, "They count from 0.", 2)
        pins[name] = rank
    return pins


def _joined(plan: Plan) -> list[CablePlan | LanePlan]:
    return [*plan.cables, *plan.lanes]


def _graph(plan: Plan, ranks: int, costs: Mapping[str, float]) -> _Graph:
    names = [*plan.nodes, *plan.spec.switches]
    outside = [*plan.taps, *plan.peers]
    pins = _pinned(plan, ranks)
    graph = _Graph()
    number = {name: at for at, name in enumerate([*names, *outside])}
    for name in number:
        graph.costs.append(costs.get(name, 0.0))
        graph.members.append([] if name in outside else [name])
        graph.pins.append(0 if name in outside else pins.get(name))
        graph.edges.append(defaultdict(float))
    for cable in _joined(plan):
        a, b = number[cable.a.name], number[cable.b.name]
        if a != b:
            weight = USUAL_PS / cable.spec.latency * (LANE if isinstance(cable, LanePlan) else 1.0)
            graph.edges[a][b] += weight
            graph.edges[b][a] += weight
    return graph


def _grow(graph: _Graph, ranks: int) -> list[int]:
    share = sum(graph.costs) / ranks
    owner = [-1 if pin is None else pin for pin in graph.pins]
    loads = [0.0] * ranks
    for at, rank in enumerate(owner):
        if rank >= 0:
            loads[rank] += graph.costs[at]
    free = {at for at, rank in enumerate(owner) if rank < 0}
    for rank in range(ranks):
        pull: dict[int, float] = defaultdict(float)
        for at, held in enumerate(owner):
            for other, weight in graph.edges[at].items() if held == rank else ():
                pull[other] += weight
        while free and (rank == ranks - 1 or loads[rank] < share):
            best = max(free, key=lambda at: (pull[at], graph.costs[at], -at))
            more = loads[rank] + graph.costs[best]
            # The last one only if that comes nearer to the share.
            if rank < ranks - 1 and loads[rank] > 0 and more - share > share - loads[rank]:
                break
            owner[best] = rank
            loads[rank] = more
            free.discard(best)
            for other, weight in graph.edges[best].items():
                pull[other] += weight
    return owner


class _Refiner:
    """Moves single groups from rank to rank."""

    def __init__(self, graph: _Graph, owner: list[int], ranks: int) -> None:
        self._graph = graph
        self._owner = owner
        self._share = sum(graph.costs) / ranks
        self._loads, self._counts = [0.0] * ranks, [0] * ranks
        for at, rank in enumerate(owner):
            self._loads[rank] += graph.costs[at]
            self._counts[rank] += bool(graph.members[at])

    def run(self) -> None:
        """Until nothing gets better, at most PASSES times over all."""
        for _ in range(PASSES):
            if not any([self._move(at) for at in range(len(self._owner))]):
                return

    def _move(self, at: int) -> bool:
        here, cost = self._owner[at], self._graph.costs[at]
        if self._graph.pins[at] is not None or self._counts[here] == 1:
            return False
        joined = [0.0] * len(self._loads)
        for other, weight in self._graph.edges[at].items():
            joined[self._owner[other]] += weight
        best: tuple[bool, float, float, int] | None = None
        for rank in range(len(self._loads)):
            before = max(self._loads[here], self._loads[rank])
            after = max(self._loads[here] - cost, self._loads[rank] + cost)
            gain = joined[rank] - joined[here]
            fits = self._loads[rank] + cost <= SLACK * self._share
            well = fits and (gain, before - after) > (0, 0)
            relief = self._loads[here] > SLACK * self._share and after < before
            if rank == here or not (well or relief or not self._counts[rank]):
                continue
            option = (not self._counts[rank], gain, before - after, rank)
            best = option if best is None else max(best, option)
        if best is None:
            return False
        to = best[3]
        self._owner[at] = to
        self._loads[here] -= cost
        self._loads[to] += cost
        self._counts[here] -= 1
        self._counts[to] += 1
        return True


def partition(plan: Plan, ranks: int, costs: Mapping[str, float]) -> Partition:
    """Cut a cluster. Raises KumiError if it has fewer parts than ranks, or a pin beyond them."""
    graph = _graph(plan, ranks, costs)
    parts = sum(bool(members) for members in graph.members)
    if parts < ranks:
        text = f"{plan.name} has {parts} nodes and switches, too few for {ranks} ranks."
        raise KumiError(text, f"Use --ranks {max(parts, 1)} or less.", 2)
    owner = _grow(graph, ranks)
    _Refiner(graph, owner, ranks).run()
    owners = {name: owner[at] for at, names in enumerate(graph.members) for name in names}
    empty = sorted(set(range(ranks)) - set(owners.values()))
    if empty:
        raise KumiError(f"The pins leave nothing for rank {empty[0]}.", "Use fewer ranks.", 2)
    total = sum(graph.costs) or 1.0
    loads = [0.0] * ranks
    for at, rank in enumerate(owner):
        loads[rank] += graph.costs[at] / total
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for cable in _joined(plan):
        a, b = sorted(owners.get(end.name, 0) for end in (cable.a, cable.b))
        if a != b:
            found[a, b].append(cable.spec.latency)
    borders = [Border(pair, len(found[pair]), min(found[pair])) for pair in sorted(found)]
    order = {name: owners[name] for name in (*plan.nodes, *plan.spec.switches)}
    return Partition(ranks, order, tuple(loads), tuple(borders), len(plan.cables) + len(plan.lanes))
