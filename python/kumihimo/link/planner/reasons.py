# SPDX-License-Identifier: Apache-2.0
"""Why there is no plan, in terms of the request: each reason is a proof with its numbers.

In this order: bounds that no route meets, an overcommitted host port, a set of boards whose
outgoing links cannot carry what must leave it (found by a linear program over all routes, whose
dual prices identify the full links), and finally the solver's set of conflicting circuits.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...clusterfile.units import format_time
from ...common.errors import EXIT_FAILED, KumiError
from .exact import Answer
from .problem import Demand, Instance, plural
from .routes import Routes
from .slots import spread

LIST_MOST = 8


@dataclass(frozen=True)
class Reason:
    """One proof that a request cannot be planned.

    kind: "route", "latency", "wait", "slots", "port", "channels", "cut", "capacity" or "circuits".
    """

    kind: str
    text: str
    circuits: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)


class NoPlan(KumiError):
    """No plan exists (`proved`), or none was found in time."""

    def __init__(self, name: str, reasons: list[Reason], proved: bool = True) -> None:
        said = "has no plan" if proved else "was not planned"
        lines = "\n".join(f"  - {reason.text}" for reason in reasons)
        super().__init__(f"The request {name} {said}:\n{lines}", code=EXIT_FAILED)
        self.reasons = reasons
        self.proved = proved


def listed(names: Iterable[str], most: int = LIST_MOST) -> str:
    """`a, b and 3 more`."""
    every = list(names)
    if len(every) <= most:
        return ", ".join(every)
    return f"{', '.join(every[:most])} and {len(every) - most} more"


def simple_reasons(made: Instance, routes: Routes) -> list[Reason]:
    """Reasons that need no search: of single circuits and host ports."""
    found = [r for demand in made.demands for r in _alone(made, routes, demand)]
    return found or _ports(made)


def _alone(made: Instance, routes: Routes, demand: Demand) -> list[Reason]:
    times = made.timing
    who = (demand.name,)
    shortest = made.shortest(demand.source, demand.target)
    if shortest is None:
        text = f"{demand}: no link leads from {demand.source} to {demand.target}"
        return [Reason("route", text, who)]
    out: list[Reason] = []
    if demand.latency is not None and shortest > demand.latency:
        numbers = {"shortest_cycles": shortest, "bound_cycles": demand.latency}
        text = (
            f"{demand}: the shortest route takes {shortest} cycles "
            f"({format_time(shortest * times.period_ps)}), the bound is {demand.latency} cycles"
        )
        out.append(Reason("latency", text, who, numbers=numbers))
    local = demand.source == demand.target
    most = made.frame_cycles - 1 if local else made.slots
    if demand.count > most:
        text = f"{demand}: a table has {plural(most, 'slot')}"
        out.append(Reason("slots", text, who, numbers={"wanted": demand.count, "slots": most}))
    if out:
        return out
    if demand.gap < made.frame_cycles:
        least = math.ceil(made.frame_cycles / demand.gap) if demand.gap else math.inf
        if least > demand.count:
            text = (
                f"{demand}: waiting at most {plural(demand.gap, 'cycle')} of a TDM frame of "
                f"{made.frame_cycles} needs at least {least} slots"
            )
            bound = {"least_slots": least, "slots": demand.count, "gap_cycles": demand.gap}
            return [Reason("wait", text, who, numbers=bound)]
    return _positions(made, routes, demand)


def _positions(made: Instance, routes: Routes, demand: Demand) -> list[Reason]:
    """Positions lost to guards along the route, for a circuit alone in the network."""
    bound = None if demand.latency is None else demand.latency - made.timing.cycles(())
    period = made.frame_cycles
    for links in routes.some(demand.source, demand.target):
        route = made.route(demand.inputs[0], links, demand.outputs[0])
        short = demand.latency is None or route.cycles <= demand.latency
        if short and spread(route.legal, demand.count, period, demand.gap) is not None:
            return []
    ways, whole = routes.every(demand.source, demand.target, bound, 200)
    legal = [made.route(demand.inputs[0], w, demand.outputs[0]).legal for w in ways]
    if not whole or any(spread(m, demand.count, period, demand.gap) is not None for m in legal):
        return []
    most = max(m.bit_count() for m in legal)
    numbers = {"wanted": demand.count, "most": most, "routes": len(ways)}
    text = f"{demand}: of the {plural(len(ways), 'route')} within its bounds none has "
    if most < demand.count:
        text += f"more than {plural(most, 'position')}" if most else "a position"
        text += (
            " outside the guards of all boards on the way; larger tables, or boards that follow "
            "one another (`follow`), leave more"
        )
    else:
        text += f"positions that are never more than {plural(demand.gap, 'cycle')} apart"
    return [Reason("slots", text, (demand.name,), numbers=numbers)]


def _ports(made: Instance) -> list[Reason]:
    """Host ports with more requested positions or channels than they have."""
    out: list[Reason] = []
    groups: dict[tuple[str, tuple[int, ...]], list[Demand]] = defaultdict(list)
    for demand in made.demands:
        groups["into", demand.inputs].append(demand)
        groups["out of", demand.outputs].append(demand)
    for (way, ports), here in groups.items():
        inside = [
            d for (w, p), ds in groups.items() if w == way and set(p) <= set(ports) for d in ds
        ]
        remote = [d for d in inside if d.source != d.target]
        board = here[0].source if way == "into" else here[0].target
        name = made.names[ports[0]] if len(ports) == 1 else f"{way} {board} ({len(ports)} ports)"
        # A word that leaves the board enters while the link outputs are open.
        each = made.slots if way == "into" else made.mask(ports[0]).bit_count()
        wanted = sum(d.count for d in (remote if way == "into" else inside))
        if wanted > each * len(ports):
            who = tuple(d.name for d in inside)
            text = (
                f"{name}: {plural(len(inside), 'circuit')} ask for {plural(wanted, 'slot')}, "
                f"there are {each * len(ports)} ({listed(who)})"
            )
            numbers = {"wanted": wanted, "slots": each * len(ports)}
            out.append(Reason("port", text, who, numbers=numbers))
        if len(inside) > made.channels * len(ports):
            text = (
                f"{name}: {len(inside)} circuits, and there are {made.channels * len(ports)} "
                f"channels ({listed(d.name for d in inside)})"
            )
            numbers = {"wanted": len(inside), "channels": made.channels * len(ports)}
            out.append(Reason("channels", text, tuple(d.name for d in inside), numbers=numbers))
    return out


# ---- cuts -------------------------------------------------------------------------------------


def _cut(made: Instance, inside: frozenset[str]) -> tuple[float, list[Demand], list[int]]:
    """Load over capacity of the links that leave a set of boards; who must leave; the links."""
    leaving = [d for d in made.demands if d.source in inside and d.target not in inside]
    links = [n.index for n in made.network.links if n.a in inside and n.b not in inside]
    load = sum(d.count for d in leaving)
    room = len(links) * made.slots
    return (load / room if room else math.inf if load else 0.0), leaving, links


def cut_reason(made: Instance, sets: Iterable[frozenset[str]]) -> Reason | None:
    """The most overloaded of some sets of boards; None: no overload."""
    best = max(((*_cut(made, s), s) for s in sets), key=lambda c: (c[0], -len(c[3])), default=None)
    if best is None or best[0] <= 1:
        return None
    _ratio, leaving, links, inside = best
    load = sum(d.count for d in leaving)
    names = tuple(made.names[n] for n in links)
    outside = len(made.network.ports) - len(inside)
    where = f"out of {listed(sorted(inside), 6)}"
    if outside < len(inside):
        others = sorted(set(made.network.ports) - inside)
        where = f"into {listed(others, 6)}"
    lead = "link that leads there has" if len(links) == 1 else "links that lead there have"
    text = (
        f"{plural(load, 'slot')} must go {where}, and the {len(links)} {lead} "
        f"{len(links) * made.slots} ({listed(names)}); "
        f"circuits: {listed(d.name for d in leaving)}"
    )
    numbers = {"wanted": load, "slots": len(links) * made.slots, "links": len(links)}
    return Reason("cut", text, tuple(d.name for d in leaving), names, numbers)


def quick_cuts(made: Instance) -> Reason | None:
    """Candidate cuts: single boards, all but one, and neighbourhoods of a few hops."""
    every = frozenset(made.network.ports)
    sets: set[frozenset[str]] = set()
    for board in every:
        grown = frozenset([board])
        while len(grown) < len(every):
            sets |= {grown, every - grown}
            more = grown | {n.b for b in grown for n in made.network.out[b]}
            if more == grown or len(sets) > 4000:
                break
            grown = more
    return cut_reason(made, sets)


def flow_reason(made: Instance) -> Reason | None:
    """Reason from a linear program over all routes; None if fractional slots would fit."""
    solved = _flow(made)
    if solved is None or solved[0] <= 1 + 1e-6:
        return None
    worst, prices, distances = solved
    sets: set[frozenset[str]] = set()
    for far in distances.values():
        for limit in sorted(set(far.values())):
            sets.add(frozenset(b for b, d in far.items() if d <= limit + 1e-9))
    cut = cut_reason(made, (s for s in sets if len(s) < len(made.network.ports)))
    if cut is not None:
        return cut
    full = tuple(made.names[n] for n, price in enumerate(prices) if price > 1e-9)
    text = (
        f"over all routes at once, some link would have to carry at least {worst:.0%} of its "
        f"{plural(made.slots, 'slot')}, however the circuits are routed and even if they could be "
        f"split; the links that cannot all be spared: {listed(full)}"
    )
    numbers = {"load": worst, "slots": made.slots, "links": len(full)}
    return Reason("capacity", text, links=full, numbers=numbers)


def _flow(made: Instance) -> tuple[float, list[float], dict[str, dict[str, float]]] | None:
    """Minimum load of the fullest link (1 = full), link prices, distances by price."""
    from ortools.linear_solver import pywraplp

    wanted: dict[str, Counter[str]] = defaultdict(Counter)
    for demand in made.demands:
        if demand.source != demand.target:
            wanted[demand.source][demand.target] += demand.count
    if not wanted:
        return None
    solver = pywraplp.Solver.CreateSolver("GLOP")
    solver.SetTimeLimit(20_000)
    links = made.network.links
    top = solver.NumVar(0, solver.infinity(), "")
    room = [solver.Constraint(-solver.infinity(), 0) for _ in links]
    for row in room:
        row.SetCoefficient(top, -made.slots)
    for source, targets in wanted.items():
        balance: dict[str, Any] = {
            board: solver.Constraint(float(targets[board]), float(targets[board]))
            for board in made.network.ports
            if board != source
        }
        for link in links:
            if link.b == source:
                continue
            flow = solver.NumVar(0, solver.infinity(), "")
            room[link.index].SetCoefficient(flow, 1)
            balance[link.b].SetCoefficient(flow, 1)
            if link.a != source:
                balance[link.a].SetCoefficient(flow, -1)
    solver.Objective().SetCoefficient(top, 1)
    solver.Objective().SetMinimization()
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return None
    prices = [max(0.0, -row.dual_value()) for row in room]
    return solver.Objective().Value(), prices, {s: _distances(made, s, prices) for s in wanted}


def _distances(made: Instance, source: str, prices: list[float]) -> dict[str, float]:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(made.network.ports)
    for link in made.network.links:
        known = graph.get_edge_data(link.a, link.b, {"cost": math.inf})["cost"]
        graph.add_edge(link.a, link.b, cost=min(known, prices[link.index]))
    return dict(nx.single_source_dijkstra_path_length(graph, source, weight="cost"))


# ---- the solver's word ------------------------------------------------------------------------


def core_reason(made: Instance, answer: Answer) -> Reason:
    """The solver's set of conflicting circuits."""
    chosen = [made.demands[i] for i in answer.core]
    what = "cannot all be had at once"
    how = "; without any one of them there is a plan" if answer.minimal else ""
    if len(chosen) == 1:
        what, how = "finds no place even alone", ""
    text = f"{plural(len(chosen), 'circuit')} {what}{how}: {listed(map(str, chosen))}"
    if not answer.complete:
        text += " (of the routes that were tried; there are longer ones)"
    return Reason("circuits", text, tuple(d.name for d in chosen), numbers={"size": len(chosen)})
