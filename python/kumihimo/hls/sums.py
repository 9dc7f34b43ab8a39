# SPDX-License-Identifier: Apache-2.0
"""Sums of float that may be reassociated: interleaved partial sums, a number in every cycle.

`s += x[i]` waits in each iteration for the addition of the one before. Where the source allows
another order (-cl-fast-relaxed-math, -cl-unsafe-math-optimizations, or `#pragma clang fp
reassociate(on)`), a unit with eight partial sums takes the numbers (`kumi_hls_fsum`), and the
loop's last iteration takes the total: first + (((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7))),
where number i is in p[i modulo 8]. Numbers that one iteration adds are added to each other first,
in pairs. Each element of a vector is a sum of its own.

The sum is changed by additions alone, and nobody reads it before the loop ends; else it keeps the
order of the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ops import ONE, Design, Lit, Op, Operand, Segment
from .tidy import remove

PARTS = 8
_BITS = 32
_NOTHING = Lit(1 << 31, _BITS)  # -0: x + -0 is x


@dataclass(frozen=True)
class _Number:
    """What is added, where `when` holds for all of its conditions."""

    value: Operand
    when: tuple[tuple[Operand, bool], ...] = ()


@dataclass(frozen=True)
class _Lane:
    """An element of a phi."""

    phi: Op
    number: int


def interleave(design: Design) -> None:
    """Replace the sums of a kernel's loops that may be reassociated."""
    for segment in design.segments:
        for phi in [p for p in segment.phis if segment.loop and p.bits % _BITS == 0]:
            lanes = _lanes(design, segment, phi)
            if lanes:
                _replace(segment, phi, lanes)
    remove(design)


def _lanes(design: Design, segment: Segment, phi: Op) -> list[list[_Number]]:
    """What every iteration adds to each element of a phi, in order; nothing if it is no sum."""
    end = phi.next
    if not isinstance(end, Op) or end.segment is not segment or segment.proceed == ONE:
        return []
    chain: set[Op] = set()
    lanes: list[list[_Number]] = []
    for lane in range(phi.bits // _BITS):
        numbers = _walk(end, lane, _Lane(phi, lane), chain)
        if numbers is None:
            return []
        lanes.append(numbers)
    if not any(op.kind == "fadd" for op in chain):
        return []
    for other in design.segments:
        for op in other.ops:
            used = {a for a in (*op.args, op.pred) if isinstance(a, Op)}
            if op.kind == "phi" and isinstance(op.next, Op) and op is not phi:
                used.add(op.next)
            if op not in chain and used & {phi, *chain}:
                return []
        for edge in other.edges:
            moved = {value for _, value in edge.moves if isinstance(value, Op)}
            if moved & {phi, *chain} - {end} or (end in moved and edge.source is not segment):
                return []
    return lanes


def _walk(op: Operand, lane: int, to: _Lane, chain: set[Op]) -> list[_Number] | None:
    """Numbers on the way from an element of a phi to one of an operation's.

    None if there is more than additions.
    """
    phi = to.phi
    if op is phi:
        return [] if lane == to.number else None
    if not isinstance(op, Op) or op.segment is not phi.segment:
        return None
    chain.add(op)
    if op.kind == "fadd" and op.relaxed:
        for mine, other in (op.args, op.args[::-1]):
            before = _walk(mine, 0, to, chain) if _reaches(mine, phi) else None
            if before is not None and not _reaches(other, phi):
                return [*before, _Number(other)]
    elif op.kind == "pick":
        found = _picked(op, lane)
        return None if found is None else _walk(*found, to, chain)
    elif op.kind == "select" and op.lanes == 1:
        condition = op.args[0]
        ways = [_walk(arg, lane, to, chain) for arg in op.args[1:]]
        if ways[0] is None or ways[1] is None or _reaches(condition, phi):
            return None
        less, more = sorted((ways[0], ways[1]), key=len)
        if more[: len(less)] == less:
            taken = more is ways[0]
            tail = [_Number(n.value, (*n.when, (condition, taken))) for n in more[len(less) :]]
            return [*less, *tail]
    return None


def _picked(op: Op, lane: int) -> tuple[Operand, int] | None:
    """The operand that an element of a `pick` comes from, and which element of it."""
    at = 0
    for number, low, bits in op.picks:
        if at <= lane * _BITS < at + bits:
            low += lane * _BITS - at
            whole = low % _BITS == 0 and (lane + 1) * _BITS <= at + bits
            return (op.args[number], low // _BITS) if whole else None
        at += bits
    return None


def _reaches(value: Operand, phi: Op) -> bool:
    """Whether a value of the same iteration is made from a phi."""
    seen: set[Op] = set()
    work = [value]
    while work:
        op = work.pop()
        if op is phi:
            return True
        if isinstance(op, Op) and op.segment is phi.segment and op not in seen:
            seen.add(op)
            work += op.args if op.kind != "phi" else []
    return False


def _replace(segment: Segment, phi: Op, lanes: list[list[_Number]]) -> None:
    """Let a unit for each element of a phi add its numbers, and the loop's end take the totals."""
    end = phi.next
    made = _Making(segment, phi)
    firsts: list[Operand] = [phi]
    if len(lanes) > 1:
        firsts = [made.part(phi, lane) for lane in range(len(lanes))]
    totals = [
        made.total(numbers, first) if numbers else first
        for numbers, first in zip(lanes, firsts, strict=True)
    ]
    total = totals[0] if len(lanes) == 1 else made.whole(totals)
    phi.next = phi
    for edge in segment.edges:
        edge.moves = [(target, total if value is end else value) for target, value in edge.moves]


class _Making:
    """Appends operations to a segment under names of its sum."""

    def __init__(self, segment: Segment, phi: Op) -> None:
        self._segment = segment
        self._phi = phi
        self._count = 0

    def op(self, kind: str, bits: int, *args: Operand) -> Op:
        """An operation."""
        self._count += 1
        end = self._phi.next
        place = end.place if isinstance(end, Op) else self._phi.place
        op = Op(kind, f"{self._phi.name}_{kind}{self._count}", bits, list(args), place)
        op.segment = self._segment
        self._segment.ops.append(op)
        return op

    def part(self, value: Op, lane: int) -> Op:
        """An element of a vector."""
        op = self.op("pick", _BITS, value)
        op.picks = ((0, lane * _BITS, _BITS),)
        return op

    def whole(self, parts: list[Operand]) -> Op:
        """A vector of elements."""
        op = self.op("pick", _BITS * len(parts), *parts)
        op.picks = tuple((i, 0, _BITS) for i in range(len(parts)))
        return op

    def total(self, numbers: list[_Number], first: Operand) -> Op:
        """The sum of a number and those of all iterations."""
        pred: Operand = ONE
        if len(numbers) == 1:
            pred = self.condition(numbers[0])
            values = [numbers[0].value]
        else:
            values = [self.or_nothing(number) for number in numbers]
        while len(values) > 1:
            pairs = list(zip(values[0::2], values[1::2], strict=False))
            values = [*(self.op("fadd", _BITS, a, b) for a, b in pairs), *values[2 * len(pairs) :]]
        add = self.op("fsum_add", 0, values[0])
        add.pred = pred
        last = self._segment.proceed
        ends = Lit(1 - last.value, 1) if isinstance(last, Lit) else self.op("not", 1, last)
        take = self.op("fsum_take", _BITS, first)
        take.pred = ends
        add.word = take.word = take.name
        return take

    def condition(self, number: _Number) -> Operand:
        """Whether a number is added."""
        whole: Operand = ONE
        for value, wanted in number.when:
            part = value if wanted else self.op("not", 1, value)
            whole = part if whole == ONE else self.op("and", 1, whole, part)
        return whole

    def or_nothing(self, number: _Number) -> Operand:
        """A number, or what changes no sum."""
        if not number.when:
            return number.value
        return self.op("select", 32, self.condition(number), number.value, _NOTHING)
