# SPDX-License-Identifier: Apache-2.0
"""Counts loops ahead: whether there is another iteration is known before the iteration begins.

`i + 1 < n` is an addition and a comparison, one behind the other, and the next iteration waits for
both. Where that is too long for the clock, a flag holds the answer: it is computed one iteration
earlier, from a counter that is one step ahead. Arithmetic is modulo 2^bits as before, so the answer
is the same for every start, step and bound.
"""

from __future__ import annotations

from . import delays
from .ops import Design, Edge, Lit, Op, Operand, Segment
from .tidy import rename

_INVERTER_NS = 0.6  # the condition may be the opposite of the comparison


def count_ahead(design: Design, mhz: float) -> None:
    """Rewrite the loops of a kernel whose conditions are too long for a clock."""
    budget = 1000.0 / mhz - delays.CLOCK_NS
    for segment in design.segments:
        if segment.loop:
            _rewrite(design, segment, budget)


def _rewrite(design: Design, segment: Segment, budget: float) -> None:
    test = _test(segment)
    if test is None:
        return
    phi = _counter(test, segment)
    if phi is None or not isinstance(phi.next, Op):
        return
    if delays.delay(phi.next) + delays.delay(test) + _INVERTER_NS <= budget:
        return
    edges = [e for s in design.segments for e in s.edges if e.target is segment]
    ahead = _phi(segment, phi, f"{phi.name}_ahead", phi.bits)
    ahead.step = phi.step
    ahead.next = _op(segment, "add", f"{ahead.name}_next", phi.bits, [ahead, _step(phi)], test)
    more = _phi(segment, phi, f"{test.name}_known", 1)
    more.next = _compare(segment, test, phi.next, ahead, f"{more.name}_next")
    for number, edge in enumerate(edges):
        start = next(value for target, value in edge.moves if target is phi)
        _begin(edge, phi, test, start, ahead, more, number)
    segment.ops[:0] = [ahead, more]
    rename(design, {test: more})


def _test(segment: Segment) -> Op | None:
    """The comparison that decides about another iteration."""
    value = segment.proceed
    if isinstance(value, Op) and value.segment is segment and value.kind == "not":
        value = value.args[0]
    if isinstance(value, Op) and value.segment is segment and value.kind == "icmp":
        return value if value.lanes == 1 else None
    return None


def _counter(test: Op, segment: Segment) -> Op | None:
    """The loop variable whose next value is compared with something that stays."""
    for mine, other in (test.args, test.args[::-1]):
        stays = isinstance(other, Lit) or other.segment is not segment
        for phi in segment.phis:
            if stays and phi.step and phi.next is mine:
                return phi
    return None


def _step(phi: Op) -> Lit:
    return Lit(phi.step & ((1 << phi.bits) - 1), phi.bits)


def _phi(segment: Segment, like: Op, name: str, bits: int) -> Op:
    op = Op("phi", name, bits, [], like.place, block=like.block)
    op.segment = segment
    return op


def _op(segment: Segment, kind: str, name: str, bits: int, args: list[Operand], like: Op) -> Op:
    op = Op(kind, name, bits, args, like.place, word=like.word if kind == "icmp" else "")
    op.segment = segment
    op.block = like.block
    segment.ops.append(op)
    return op


def _compare(segment: Segment, test: Op, old: Operand, new: Operand, name: str) -> Op:
    args = [new if a is old else a for a in test.args]
    return _op(segment, "icmp", name, 1, args, test)


def _begin(edge: Edge, phi: Op, test: Op, start: Operand, ahead: Op, more: Op, number: int) -> None:
    """What the first iteration finds: two steps ahead, and the answer for the second one."""
    source = edge.source
    assert source is not None and isinstance(phi.next, Op)
    values: list[Operand] = []
    for steps in (1, 2):
        distance = Lit(phi.step * steps & ((1 << phi.bits) - 1), phi.bits)
        if isinstance(start, Lit):
            values.append(Lit(start.value + distance.value & ((1 << phi.bits) - 1), phi.bits))
        else:
            name = f"{phi.name}_start{number}_{steps}"
            values.append(_op(source, "add", name, phi.bits, [start, distance], test))
    first = _compare(source, test, phi.next, values[0], f"{test.name}_first{number}")
    edge.moves += [(ahead, values[1]), (more, first)]
