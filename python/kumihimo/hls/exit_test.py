# SPDX-License-Identifier: Apache-2.0
"""Loop exit tests: `i + 1 < n` becomes `i + 1 != n` where the loop is known to begin below n.

A comparison for equality is a third of the look-up tables of one for order, and no carry chain. It
is the same in a loop that counts by one, whose every iteration begins with i < n: the first one by
what leads to the loop (a guard, or the ranges of both values), each later one by the test itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from .ops import Design, Edge, Lit, Op, Operand, Segment

Facts = list[tuple[Op, bool]]
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"lt": "ge", "gt": "le", "le": "gt", "ge": "lt", "eq": "ne", "ne": "eq"}


def test_equality(design: Design) -> None:
    """Rewrite the exit tests of a kernel's loops."""
    into: dict[Segment, list[Edge]] = {s: [] for s in design.segments}
    for segment in design.segments:
        for edge in segment.edges:
            if edge.target is not None:
                into[edge.target].append(edge)
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
        repeats = not again and phi.next is count and (test, True) in _implied(head.proceed, True)
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
    out = _implied(edge.pred, True)
    seen: set[Segment] = set()
    source = edge.source
    while source is not None and source not in seen and len(into[source]) == 1:
        seen.add(source)
        out += _implied(into[source][0].pred, True)
        source = into[source][0].source
    return out


def _implied(value: Operand, truth: bool) -> Facts:
    """What follows from a value of one bit."""
    if not isinstance(value, Op) or value.bits != 1:
        return []
    out = [(value, truth)]
    if value.kind == "not":
        return out + _implied(value.args[0], not truth)
    if value.kind == ("and" if truth else "or"):
        return out + [fact for arg in value.args for fact in _implied(arg, truth)]
    if value.kind == "select":
        chosen, other = value.args[1], value.args[2]
        if truth and other == Lit(0, 1):
            return out + _implied(value.args[0], True) + _implied(chosen, True)
        if not truth and chosen == Lit(1, 1):
            return out + _implied(value.args[0], False) + _implied(other, False)
    return out


def _relations(facts: Facts) -> Iterator[tuple[Operand, str, bool, Operand]]:
    """Facts as a, lt, signed, b; both ways round."""
    for op, truth in facts:
        if op.kind != "icmp" or op.lanes != 1:
            continue
        word = op.word if op.word in ("eq", "ne") else op.word[1:]
        word = word if truth else _OPPOSITE[word]
        signed = op.word[0] == "s"
        yield op.args[0], word, signed, op.args[1]
        yield op.args[1], _MIRRORED[word], signed, op.args[0]


def _below(start: Operand, bound: Operand, signed: bool, facts: Facts) -> bool:
    """Whether start < bound is certain."""
    for a, word, sign, b in _relations(facts):
        if (a, word, sign, b) == (start, "lt", signed, bound):
            return True
    _, most = _range(start, facts)
    least, top = _range(bound, facts)
    return most < least and (not signed or top < 1 << bound.bits - 1)


def _range(value: Operand, facts: Facts) -> tuple[int, int]:
    """The least and the largest value without sign."""
    if isinstance(value, Lit):
        return value.value, value.value
    low, high = _computed(value, facts)
    half = 1 << value.bits - 1
    for a, word, signed, b in _relations(facts):
        if a is not value or not isinstance(b, Lit):
            continue
        if word == "ne":
            low += low == b.value
        elif word == "eq":
            low, high = b.value, b.value
        elif word in ("lt", "le") and (not signed or (high < half and b.value < half)):
            high = min(high, b.value - (word == "lt"))
        elif word in ("gt", "ge") and (not signed or b.value < half):
            low = max(low, b.value + (word == "gt"))
            high = min(high, half - 1) if signed else high
    return low, high


def _computed(op: Op, facts: Facts) -> tuple[int, int]:
    """The range that an operation's operands give."""
    whole = 0, (1 << op.bits) - 1
    if op.lanes != 1 or op.kind not in ("and", "add", "lshr", "zext", "trunc"):
        return whole
    low, high = _range(op.args[0], facts)
    other = op.args[-1]
    if op.kind == "and" and isinstance(other, Lit):
        return (low if low == high else 0) & other.value, min(high, other.value)
    if op.kind == "add" and isinstance(other, Lit):
        low, high = low + other.value, high + other.value
    elif op.kind == "lshr" and isinstance(other, Lit):
        low, high = low >> other.value, high >> other.value
    elif op.kind not in ("zext", "trunc"):
        return whole
    return (low, high) if high <= whole[1] else whole
