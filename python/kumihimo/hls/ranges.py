# SPDX-License-Identifier: Apache-2.0
"""What is known about values: which conditions hold, and the range that a value stays in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .ops import Design, Edge, Lit, Op, Operand, Segment

Facts = list[tuple[Op, bool]]
Into = Mapping[Segment, list[Edge]]
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"lt": "ge", "gt": "le", "le": "gt", "ge": "lt", "eq": "ne", "ne": "eq"}


def edges_into(design: Design) -> dict[Segment, list[Edge]]:
    """The edges that lead to each segment."""
    into: dict[Segment, list[Edge]] = {s: [] for s in design.segments}
    for segment in design.segments:
        for edge in segment.edges:
            if edge.target is not None:
                into[edge.target].append(edge)
    return into


def implied(value: Operand, truth: bool) -> Facts:
    """What follows from a value of one bit."""
    if not isinstance(value, Op) or value.bits != 1:
        return []
    out = [(value, truth)]
    if value.kind == "not":
        return out + implied(value.args[0], not truth)
    if value.kind == ("and" if truth else "or"):
        return out + [fact for arg in value.args for fact in implied(arg, truth)]
    if value.kind == "select":
        chosen, other = value.args[1], value.args[2]
        if truth and other == Lit(0, 1):
            return out + implied(value.args[0], True) + implied(chosen, True)
        if not truth and chosen == Lit(1, 1):
            return out + implied(value.args[0], False) + implied(other, False)
    return out


def relations(facts: Facts) -> Iterator[tuple[Operand, str, bool, Operand]]:
    """Facts as a, lt, signed, b; both ways round."""
    for op, truth in facts:
        if op.kind != "icmp" or op.lanes != 1:
            continue
        word = op.word if op.word in ("eq", "ne") else op.word[1:]
        word = word if truth else _OPPOSITE[word]
        signed = op.word[0] == "s"
        yield op.args[0], word, signed, op.args[1]
        yield op.args[1], _MIRRORED[word], signed, op.args[0]


def value_range(value: Operand, facts: Facts) -> tuple[int, int]:
    """The least and the largest value without sign."""
    if isinstance(value, Lit):
        return value.value, value.value
    low, high = _computed(value, facts)
    half = 1 << value.bits - 1
    for a, word, signed, b in relations(facts):
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
    low, high = value_range(op.args[0], facts)
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


def trailing_zeros(op: Op) -> int:
    """How many of the lowest bits are zeros, at least."""
    other = op.args[-1] if op.args else None
    if op.lanes != 1 or not isinstance(other, Lit):
        return 0
    if op.kind == "shl":
        return other.value
    return (other.value & -other.value).bit_length() - 1 if op.kind == "and" and other.value else 0


def counter_range(phi: Op, into: Into) -> tuple[int, int] | None:
    """The range of a loop's variable that counts up from a constant to a constant, or None.

    Every later iteration begins only where the test of the one before held, so the variable never
    gets past the bound.
    """
    segment = phi.segment
    if segment is None or not segment.loop or phi.step <= 0 or not isinstance(phi.next, Op):
        return None
    starts = [value for edge in into[segment] for to, value in edge.moves if to is phi]
    if not starts or not all(isinstance(value, Lit) for value in starts):
        return None
    first = [value.value for value in starts if isinstance(value, Lit)]
    for a, word, signed, b in relations(implied(segment.proceed, True)):
        if a not in (phi, phi.next) or not isinstance(b, Lit) or word not in ("ne", "lt"):
            continue
        # The largest value with which another iteration begins.
        last = b.value - (0 if a is phi else phi.step)
        if word == "lt":
            last = b.value - 1 + (phi.step if a is phi else 0)
            if (signed and b.value >> phi.bits - 1) or last + phi.step >> phi.bits:
                continue
        elif any((b.value - start) % phi.step for start in first):
            continue
        if all(start <= last for start in first):
            return min(first), last
    return None
