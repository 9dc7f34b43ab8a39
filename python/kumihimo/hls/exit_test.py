# SPDX-License-Identifier: Apache-2.0
"""Loop exit tests: `i + 1 < n` becomes `i + 1 != n` where the loop is known to begin below n.

A comparison for equality is a third of the look-up tables of one for order, and no carry chain. It
is the same in a loop that counts by one, whose every iteration begins with i < n: the first one by
what leads to the loop (a guard, or the ranges of both values), each later one by the test itself.
"""

from __future__ import annotations

from .ops import Design, Edge, Lit, Op, Operand, Segment
from .ranges import Facts, edges_into, implied, relations, value_range


def test_equality(design: Design) -> None:
    """Rewrite the exit tests of a kernel's loops."""
    into = edges_into(design)
    for segment in design.segments:
        for test in segment.ops:
            if test.kind == "icmp" and test.lanes == 1 and test.word[1:] in ("lt", "gt"):
                _rewrite(test, design, into)


def _rewrite(test: Op, design: Design, into: dict[Segment, list[Edge]]) -> None:
    count, bound = test.args if test.word[1:] == "lt" else test.args[::-1]
    if not isinstance(count, Op) or count.kind != "add" or count.lanes != 1:
        return
    phi, step = count.args
    if not isinstance(phi, Op) or phi.kind != "phi" or step != Lit(1, count.bits):
        return
    head = phi.segment
    if head is None or phi.bits != count.bits or head is design.segments[0]:
        return
    first: list[tuple[Edge, Operand]] = []
    again: list[tuple[Edge, Operand]] = []
    for edge in into[head]:
        value = next((value for target, value in edge.moves if target is phi), None)
        if value is None:
            return
        (again if value is count else first).append((edge, value))
    if head.loop:
        body = {head}
        repeats = not again and phi.next is count and (test, True) in implied(head.proceed, True)
    else:
        body = _body(head, [edge for edge, _ in again], into)
        repeats = bool(again) and all((test, True) in _facts(e, into) for e, _ in again)
    stays = isinstance(bound, Lit) or bound.segment not in body
    inside = {test.segment, count.segment} <= body
    if not (repeats and stays and inside) or any(e.source in body for e, _ in first):
        return
    signed = test.word[0] == "s"
    if all(_below(start, bound, signed, _facts(edge, into)) for edge, start in first):
        test.word = "ne"


def _body(head: Segment, latches: list[Edge], into: dict[Segment, list[Edge]]) -> set[Segment]:
    """The segments of the loop that these edges close."""
    found = {head}
    work = [edge.source for edge in latches]
    while work:
        segment = work.pop()
        if segment is not None and segment not in found:
            found.add(segment)
            work += [edge.source for edge in into[segment]]
    return found


# ---- what is known where an edge is taken -------------------------------------------------------


def _facts(edge: Edge, into: dict[Segment, list[Edge]]) -> Facts:
    """Values that are known where an edge is taken, by it and by those that lead to it alone."""
    out = implied(edge.pred, True)
    seen: set[Segment] = set()
    source = edge.source
    while source is not None and source not in seen and len(into[source]) == 1:
        seen.add(source)
        out += implied(into[source][0].pred, True)
        source = into[source][0].source
    return out


def _below(start: Operand, bound: Operand, signed: bool, facts: Facts) -> bool:
    """Whether start < bound is certain."""
    for a, word, sign, b in relations(facts):
        if (a, word, sign, b) == (start, "lt", signed, bound):
            return True
    _, most = value_range(start, facts)
    least, top = value_range(bound, facts)
    return most < least and (not signed or top < 1 << bound.bits - 1)
