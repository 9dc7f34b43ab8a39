# SPDX-License-Identifier: Apache-2.0
"""Host ports whose circuits need more positions than the guards along their routes leave.

A word that enters at position x must meet an open position at every switch, so a long circuit can
use only some positions of its host port. Circuits of one port that together need more positions
than their routes leave are a proof (Hall's condition, found as a minimum cut).
"""

from __future__ import annotations

from collections import defaultdict

import networkx as nx

from .problem import Demand, Instance, plural
from .reasons import Reason, listed
from .slots import members

LOAD_LEAST = 0.25  # share of a table; less loaded ports are not short of positions in practice


def reached(made: Instance, source: str) -> dict[str, list[int]]:
    """By board and position: possible entry positions of a word found there.

    All walks count, so this is a superset of what routes allow.
    """
    total, slots = made.frame_cycles, made.slots
    state = {board: [0] * total for board in made.network.ports}
    state[source] = [1 << x for x in range(total)]
    waiting = {(source, x) for x in range(slots)}
    while waiting:
        board, position = waiting.pop()
        mask = state[board][position]
        for link in made.network.out[board]:
            if link.b == source:
                continue
            there = (position + made.timing.offset[link.index]) % total
            if mask & ~state[link.b][there]:
                state[link.b][there] |= mask
                if there < slots:
                    waiting.add((link.b, there))
    return state


def hall_reason(made: Instance) -> Reason | None:
    """The first host port whose circuits violate Hall's condition."""
    known: dict[str, dict[str, list[int]]] = {}
    groups: dict[tuple[bool, tuple[int, ...]], list[Demand]] = defaultdict(list)
    for demand in made.demands:
        groups[True, demand.inputs].append(demand)
        groups[False, demand.outputs].append(demand)
    order = sorted(groups.items(), key=lambda g: -sum(d.count for d in g[1]) / len(g[0][1]))
    for (into, ports), demands in order:
        if sum(d.count for d in demands) < LOAD_LEAST * made.slots * len(ports):
            break
        allowed = {}
        for demand in demands:
            if demand.source not in known:
                known[demand.source] = reached(made, demand.source)
            allowed[demand.index] = _allowed(made, demand, known[demand.source], into)
        found = _short(demands, allowed, len(ports))
        if found is not None:
            return _reason(made, found, allowed, into, ports)
    return None


def _allowed(made: Instance, demand: Demand, state: dict[str, list[int]], into: bool) -> int:
    """Positions at which the demand's words may enter (or leave)."""
    open_ = members(made.timing.output_mask)
    if demand.source == demand.target:
        return made.timing.output_mask
    ends = state[demand.target]
    if into:
        mask = 0
        for position in open_:
            mask |= ends[position]
        return mask & made.timing.link_mask
    return sum(1 << position for position in open_ if ends[position])


def _short(demands: list[Demand], allowed: dict[int, int], ports: int) -> list[Demand] | None:
    graph = nx.DiGraph()
    wanted = 0
    for demand in demands:
        wanted += demand.count
        graph.add_edge("all", ("circuit", demand.index), capacity=demand.count)
        for position in members(allowed[demand.index]):
            # One word per circuit and position, one per port and position.
            graph.add_edge(("circuit", demand.index), ("at", position), capacity=1)
            graph.add_edge(("at", position), "end", capacity=ports)
    if "end" not in graph:
        return demands
    value, (near, _far) = nx.minimum_cut(graph, "all", "end")
    if value >= wanted:
        return None
    return [d for d in demands if ("circuit", d.index) in near]


def _reason(
    made: Instance,
    found: list[Demand],
    allowed: dict[int, int],
    into: bool,
    ports: tuple[int, ...],
) -> Reason:
    union = 0
    for demand in found:
        union |= allowed[demand.index]
    wanted = sum(d.count for d in found)
    there = union.bit_count() * len(ports)
    board = found[0].source if into else found[0].target
    way = f"into {board}" if into else f"out of {board}"
    name = made.names[ports[0]] if len(ports) == 1 else f"{way} ({len(ports)} ports)"
    text = (
        f"{name}: {plural(len(found), 'circuit')} need {plural(wanted, 'position')}, and the "
        f"guards on all ways to where they go leave {there} ({listed(map(str, found))}); larger "
        "tables, or boards that follow one another (`follow`), leave more"
    )
    numbers = {"wanted": wanted, "positions": there}
    return Reason("port", text, tuple(d.name for d in found), numbers=numbers)
