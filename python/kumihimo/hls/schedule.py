# SPDX-License-Identifier: Apache-2.0
"""Scheduling: in which stage each operation of a segment starts, and a loop's initiation interval.

Operations are chained within a stage while their delays fit the clock. For a loop the smallest II
is taken for which all constraints between iterations hold (modulo scheduling by relaxation: every
operation starts as early as possible, and moves later until nothing is violated).

Loads from memory divide a loop into sections: a token goes from one to the next through a FIFO, so
that many loads are in flight. A load whose result the next iteration needs stays within a section.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import networkx as nx

from . import delays
from .dependence import Constraint, constraints
from .errors import NOWHERE, HlsError, Place
from .ops import Op, Operand, Segment

MOST_STAGES = 4000


@dataclass
class _Plan:
    segment: Segment
    budget: float
    order: list[Constraint]
    sections: dict[Op, int]
    ends: Operand
    needs: dict[Op, list[Op]] = field(default_factory=dict)  # all that no II changes
    delay: dict[Op, float] = field(default_factory=dict)
    within: dict[Op, float] = field(default_factory=dict)  # ns of a stage before the operation
    before: dict[Op, list[tuple[Op, int]]] = field(default_factory=dict)
    floor: dict[Op, int] = field(default_factory=dict)
    at: dict[Op, int] = field(default_factory=dict)
    done: dict[Op, tuple[int, float]] = field(default_factory=dict)
    ii: int = 1
    reason: str = ""
    limit: str = ""  # what the largest II that is not possible failed at
    ends_of: tuple[Op, Op] | None = None  # first and last operation of what `reason` is
    chain: tuple[Op, Op] | None = None  # and of what `limit` is

    def __post_init__(self) -> None:
        ends = set() if self.segment.loop else {edge.pred for edge in self.segment.edges}
        for op in self.segment.ops:
            self.needs[op] = _needs(op, self.segment)
            self.delay[op] = delays.delay(op)
            self.within[op] = self.budget - self.delay[op] - delays.EDGE_NS * (op in ends)
        for rule in self.order:
            if rule.distance == 0:
                self.before.setdefault(rule.later, []).append((rule.earlier, rule.delta))


def schedule(segment: Segment, mhz: float) -> None:
    """Schedule a segment for a clock."""
    segment.ops = _sorted(segment)
    order = constraints(segment)
    for op in segment.ops:
        op.latency = delays.latency(op)
    budget = 1000.0 / mhz - delays.CLOCK_NS
    sections = _sections(segment, order)
    plan = _Plan(segment, budget, order, sections, segment.proceed)
    least = max(segment.wanted_ii, 1)
    ii = _smallest(plan, least)
    if segment.wanted_ii and ii != least:
        place = next((op.place for op in segment.ops if op.place.line), NOWHERE)
        text = f"II {segment.wanted_ii} is not possible: {plan.limit}."
        hint = "Leave the pragma out, and the smallest II is taken."
        raise HlsError(Place(place.file, segment.line), text, hint)
    _apply(plan, ii)


def _smallest(plan: _Plan, least: int) -> int:
    """The smallest possible II: doubled steps upward, then halved ones downward."""
    low, step = least - 1, 1  # low: not possible
    while not _try(plan, low + step):
        _keep(plan)
        low += step
        step *= 2
        if low > MOST_STAGES:
            place = next((op.place for op in plan.segment.ops if op.place.line), NOWHERE)
            raise HlsError(place, f"no schedule found ({plan.limit}).", "Split the loop.")
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        if _try(plan, middle):
            high = middle
        else:
            _keep(plan)
            low = middle
    _try(plan, high)
    return high


def _keep(plan: _Plan) -> None:
    """Remember why an II was not possible."""
    if plan.reason:
        plan.limit, plan.chain = plan.reason, plan.ends_of


def _sorted(segment: Segment) -> list[Op]:
    """Phis first, then every operation behind its operands, in program order otherwise."""
    graph = nx.DiGraph()
    graph.add_nodes_from(segment.ops)
    for op in segment.ops:
        for arg in (*op.args, op.pred):
            if isinstance(arg, Op) and arg.segment is segment and op.kind != "phi":
                graph.add_edge(arg, op)
    place = {op: (op.kind != "phi", i) for i, op in enumerate(segment.ops)}
    return list(nx.lexicographical_topological_sort(graph, key=place.__getitem__))


def _needs(op: Op, segment: Segment) -> list[Op]:
    """Operations of the same iteration whose values an operation needs when it starts."""
    if op.kind == "phi":
        return []
    return [a for a in (*op.args, op.pred) if isinstance(a, Op) and a.segment is segment]


def _sections(segment: Segment, order: list[Constraint]) -> dict[Op, int]:
    """Section of each operation: how many loads in flight it is behind."""
    if not segment.loop:
        return dict.fromkeys(segment.ops, 0)
    entry = Op("entry", "", 0, [])
    graph = nx.DiGraph()
    graph.add_nodes_from(segment.ops)
    for op in segment.ops:
        graph.add_edge(entry, op)
        for arg in _needs(op, segment):
            graph.add_edge(arg, op)
        if op.kind == "phi" and isinstance(op.next, Op) and op.next.segment is segment:
            graph.add_edge(op.next, op)
    for rule in order:
        graph.add_edge(rule.earlier, rule.later)
    if isinstance(segment.proceed, Op) and segment.proceed.segment is segment:
        graph.add_edge(segment.proceed, entry)
    whole = nx.condensation(graph)
    level: dict[int, int] = {}
    for node in nx.topological_sort(whole):
        members = whole.nodes[node]["members"]
        deepest = 0
        for op in members:
            for up in graph.predecessors(op):
                if up in members:
                    continue
                gap = op.kind == "load_result" and up.kind == "load_issue"
                deepest = max(deepest, level[whole.graph["mapping"][up]] + gap)
        level[node] = deepest
    return {op: level[whole.graph["mapping"][op]] for op in segment.ops}


def _try(plan: _Plan, ii: int) -> bool:
    segment = plan.segment
    plan.floor = dict.fromkeys(segment.ops, 0)
    plan.at, plan.done, plan.ii = {}, {}, ii
    most = 0
    for round_ in range(4 * len(segment.ops) + 50):
        _forward(plan)
        if not _raise(plan, ii):
            return not segment.loop or _proceeds(plan, ii)
        last = max(plan.at.values(), default=0)
        if round_ == 0:
            most = 4 * last + 2 * ii + 64  # an II that is too small moves them without end
        if last > most:
            return False
    return False


def _proceeds(plan: _Plan, ii: int) -> bool:
    """Whether the condition for another iteration exists before that one starts."""
    if not isinstance(plan.ends, Op) or plan.ends.segment is not plan.segment:
        return True
    good = plan.done[plan.ends][0] <= ii - 1
    if not good:
        plan.reason = f"the loop's condition takes {plan.done[plan.ends][0] + 1} cycles"
        plan.ends_of = (plan.ends, plan.ends)
    return good


def _forward(plan: _Plan) -> None:
    """Start every operation as early as its operands and its floor allow."""
    at, done, before = plan.at, plan.done, plan.before
    starts = _section_starts(plan)
    for op in plan.segment.ops:
        stage, ns = max(plan.floor[op], starts.get(plan.sections[op], 0)), 0.0
        for arg in plan.needs[op]:
            have, after = done[arg]
            if have > stage:
                stage, ns = have, after
            elif have == stage:
                ns = max(ns, after)
        for other, delta in before.get(op, ()):
            if other in at and at[other] + delta > stage:
                stage, ns = at[other] + delta, 0.0
        if ns > 0.0 and ns > plan.within[op]:
            stage, ns = stage + 1, 0.0
        at[op] = stage
        if op.latency:
            done[op] = (stage + op.latency, delays.ready_ns(op))
        else:
            done[op] = (stage, ns + plan.delay[op])


def _section_starts(plan: _Plan) -> dict[int, int]:
    """First stage of each section, after the last of the section before it."""
    if not plan.done:
        return {}
    last: dict[int, int] = {}
    for op in plan.segment.ops:
        number = plan.sections[op]
        last[number] = max(last.get(number, 0), plan.done[op][0])
    # Iterations begin when the one before has left stage II - 1, which is before any FIFO.
    last[0] = max(last.get(0, 0), plan.ii - 1)
    out, end = {}, -1
    for number in range(max(last, default=0) + 1):
        out[number] = end + 1
        end = max(end + 1, last.get(number, end + 1))
    return out


def _raise(plan: _Plan, ii: int) -> bool:
    """Move operations that start too early for a constraint; whether any had to."""
    moved = False
    for rule in plan.order:
        least = plan.at[rule.earlier] + rule.delta - ii * rule.distance
        if plan.at[rule.later] < least:
            plan.floor[rule.later] = least
            plan.reason, plan.ends_of = rule.reason, (rule.later, rule.earlier)
            moved = True
    starts = _section_starts(plan)
    for op in plan.segment.ops:
        least = starts.get(plan.sections[op], 0)
        if op.kind == "phi" and plan.segment.loop:
            following = op.next
            if isinstance(following, Op) and following.segment is plan.segment:
                least = max(least, plan.done[following][0] + 1 - ii)
        if plan.at[op] < least:
            plan.floor[op] = least
            plan.reason = f"{op.name} of one iteration depends on the one before"
            last = op.next if isinstance(op.next, Op) else op
            plan.ends_of = (op, last)
            moved = True
    return moved


def _apply(plan: _Plan, ii: int) -> None:
    segment = plan.segment
    for op in segment.ops:
        op.at = plan.at[op]
        op.avail = plan.done[op][0]
    starts = _section_starts(plan)
    segment.ii = ii
    segment.limit = plan.limit if ii > 1 else ""
    segment.chain = _chain(plan) if ii > 1 else []
    last = max((op.avail for op in segment.ops), default=0)
    segment.stages = max(last + 1, ii if segment.loop else 1)
    segment.gaps = [starts[k] - 1 for k in sorted(starts) if k]


def _chain(plan: _Plan) -> list[Op]:
    """Operations from the first to the last one of the limit, by way of the latest operands."""
    if plan.chain is None:
        return []
    first, op = plan.chain
    out = [op]
    while op is not first or first is plan.chain[1]:
        before = [a for a in _needs(op, plan.segment) if a.kind != "phi" or a is first]
        if not before:
            break
        reaching = [a for a in before if _reaches(first, a, plan.segment)]
        op = max(reaching or before, key=lambda a: plan.done[a])
        out.append(op)
    return out[::-1]


def _reaches(first: Op, op: Op, segment: Segment) -> bool:
    """Whether an operation uses another one, directly or not."""
    seen, work = set(), [op]
    while work:
        at = work.pop()
        if at is first:
            return True
        if at not in seen:
            seen.add(at)
            work += _needs(at, segment)
    return False
