# SPDX-License-Identifier: Apache-2.0
"""What must happen before what, within an iteration and from one iteration to the next.

A constraint says: start of `later`, `distance` iterations on, is at least `delta` stages after the
start of `earlier`. Addresses that are sums of loop variables are compared exactly; any other two
accesses of the same memory are taken to touch the same word in neighbouring iterations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from .ops import CHANNEL_KINDS, EFFECTS, Lit, Op, Operand, Segment
from .ranges import trailing_zeros

FAR = 4096  # iterations that are never in flight together


@dataclass(frozen=True)
class Constraint:
    """at(later) + II * distance >= at(earlier) + delta."""

    earlier: Op
    later: Op
    delta: int
    distance: int
    reason: str


def constraints(segment: Segment) -> list[Constraint]:
    """All constraints of a segment beside those of data."""
    effects = [op for op in segment.ops if op.kind in EFFECTS or op.kind == "array_load"]
    out: list[Constraint] = []
    for i, a in enumerate(effects):
        for b in effects[i + 1 :]:
            out += _pair(segment, a, b, (a.block, b.block) in segment.exclusive)
    return [c for c in out if segment.loop or not c.distance]


def _pair(segment: Segment, a: Op, b: Op, exclusive: bool) -> Iterator[Constraint]:
    """Constraints of two effects, a before b in the program."""
    if "fence" in (a.kind, b.kind):
        if not exclusive:
            yield Constraint(a, b, 1, 0, "mem_fence")
        yield Constraint(b, a, 1, 1, "mem_fence")
    elif a.kind in CHANNEL_KINDS and b.kind in CHANNEL_KINDS:
        if a.channel is b.channel:
            yield from _port(a, b, exclusive, f"two uses of the channel {_channel(a)}")
        elif not exclusive:
            yield Constraint(a, b, 0, 0, "order of channels")
    elif a.array is not None and a.array is b.array:
        yield from _array(segment, a, b, exclusive)
    elif a.word and a.word == b.word and {a.kind, b.kind} == {"fsum_add", "fsum_take"}:
        yield Constraint(a, b, 1, 0, "sum of floats")
    elif a.unit is not None and b.unit is not None:
        yield from _memory(segment, a, b, exclusive)


def _channel(op: Op) -> str:
    return op.channel.source if op.channel else ""


def _port(a: Op, b: Op, exclusive: bool, reason: str) -> Iterator[Constraint]:
    """Two uses of one port: never in the same cycle, and never overtaken by another iteration."""
    if exclusive:
        yield Constraint(a, b, 1, 1, reason)
    else:
        yield Constraint(a, b, 1, 0, reason)
    yield Constraint(b, a, 1, 1, reason)


def _array(segment: Segment, a: Op, b: Op, exclusive: bool) -> Iterator[Constraint]:
    if a.kind == b.kind == "array_load":
        return
    name = a.array.name if a.array else ""
    if a.kind == b.kind:
        yield from _port(a, b, exclusive, f"two writes of {name}")
        return
    reason = f"{name} is read and written"
    if not exclusive and distance(segment, a, b, 0) == 0:
        yield Constraint(a, b, 1, 0, reason)
    if segment.ivdep:
        return
    for first, second in ((a, b), (b, a)):
        apart = distance(segment, first, second, 1)
        if apart is not None:
            yield Constraint(first, second, 1, apart, reason)


def _memory(segment: Segment, a: Op, b: Op, exclusive: bool) -> Iterator[Constraint]:
    if a.unit is None or b.unit is None or a.unit.memory != b.unit.memory:
        return
    kinds = {a.kind, b.kind}
    reason = f"memory of {a.unit.memory or 'a pointer without restrict'} is read and written"
    if kinds == {"store"}:
        yield from _port(a, b, exclusive, f"two writes by {a.unit.name}")
    elif "drain" in kinds and kinds & {"store", "load_issue"}:
        if not exclusive:
            yield Constraint(a, b, 1, 0, reason)
        if "store" in kinds and not segment.ivdep and b.block:
            yield Constraint(b, a, 1, 1, reason)
    elif kinds == {"store", "load_result"}:
        if not exclusive and distance(segment, a, b, 0) == 0:
            yield Constraint(a, b, 1, 0, reason)
        if segment.ivdep:
            return
        load, store = (a, b) if a.kind == "load_result" else (b, a)
        apart = distance(segment, load, store, 1)
        if apart is not None:
            yield Constraint(load, store, 1, apart, reason)


def may_see(segment: Segment, load: Op) -> bool:
    """Whether a load_issue may read what a store of the same loop or block wrote before it."""
    at = segment.ops.index(load)
    for i, op in enumerate(segment.ops):
        if op.kind != "store" or op.unit is None or load.unit is None:
            continue
        if op.unit.memory != load.unit.memory:
            continue
        before = i < at and (op.block, load.block) not in segment.exclusive
        if before and distance(segment, op, load, 0) == 0:
            return True
        if segment.loop and not segment.ivdep and distance(segment, op, load, 1) is not None:
            return True
    return False


# ---- addresses ----------------------------------------------------------------------------------


def _address(op: Op) -> Operand:
    if op.kind == "load_result":
        issue = op.args[0]
        assert isinstance(issue, Op)
        return issue.args[0]
    return op.args[0]


def _size(op: Op) -> int:
    return op.unit.bytes if op.unit is not None else 0


def distance(segment: Segment, first: Op, second: Op, least: int) -> int | None:
    """Iterations, at least `least` (0 or 1), after which `second` may meet `first`'s word."""
    if _size(first) != _size(second):
        return least
    a, b = affine(_address(first), segment), affine(_address(second), segment)
    if a.factors != b.factors or any(not _known(op, segment) for op in a.factors):
        return least
    step = sum(factor * op.step for op, factor in a.factors.items() if op.segment is segment)
    gap = a.constant - b.constant
    modulus = 1 << min(a.bits, b.bits)
    if least == 0 or step % modulus == 0:
        return least if gap % modulus == 0 else None
    # The smallest d >= 1 with d * step = gap, as the hardware computes addresses.
    common = gcd(step, modulus)
    if gap % common:
        return None
    period = modulus // common
    found = gap // common * pow(step // common, -1, period) % period if period > 1 else 0
    return found or period if (found or period) <= FAR else None


def _known(op: Op, segment: Segment) -> bool:
    """Whether an operand is constant in the loop, or grows by a constant in each iteration."""
    if op.segment is not segment:
        return True
    return op.kind == "phi" and (op.step != 0 or not segment.loop)


@dataclass(frozen=True)
class Sum:
    """Operands times factors, plus a constant, exact in the lowest `bits` bits."""

    factors: dict[Op, int]
    constant: int
    bits: int


def affine(value: Operand, segment: Segment) -> Sum:
    """A value as a sum of what a segment does not compute by adding and multiplying."""
    if isinstance(value, Lit):
        return Sum({}, value.value, value.bits)
    if value.segment is not segment or value.kind == "phi" or value.lanes != 1:
        return Sum({value: 1}, 0, value.bits)
    if value.kind in ("add", "sub"):
        a, b = (affine(arg, segment) for arg in value.args)
        sign = 1 if value.kind == "add" else -1
        out = dict(a.factors)
        for op, factor in b.factors.items():
            out[op] = out.get(op, 0) + sign * factor
        left = {op: f for op, f in out.items() if f}
        return Sum(left, a.constant + sign * b.constant, min(a.bits, b.bits, value.bits))
    if value.kind in ("shl", "mul") and isinstance(value.args[1], Lit):
        inner = affine(value.args[0], segment)
        number = value.args[1].value
        factor = 1 << number if value.kind == "shl" else number
        scaled = {op: f * factor for op, f in inner.factors.items()}
        return Sum(scaled, inner.constant * factor, min(inner.bits, value.bits))
    if value.kind in ("zext", "sext", "trunc"):
        inner = affine(value.args[0], segment)
        return Sum(inner.factors, inner.constant, min(inner.bits, value.bits))
    if value.kind == "or" and isinstance(value.args[1], Lit):
        inner, number = affine(value.args[0], segment), value.args[1].value
        below = 1 << number.bit_length()  # only zeros are there, so nothing is carried
        parts = [f << trailing_zeros(op) for op, f in inner.factors.items()]
        if not any(part % below for part in (*parts, inner.constant)):
            return Sum(inner.factors, inner.constant + number, min(inner.bits, value.bits))
    if value.kind == "pick" and len(value.picks) == 1:
        which, low, bits = value.picks[0]
        inner = affine(value.args[which], segment)
        if low < inner.bits and not any(f % (1 << low) for f in inner.factors.values()):
            rest = {op: f >> low for op, f in inner.factors.items()}
            return Sum(rest, inner.constant >> low, min(inner.bits - low, bits))
    return Sum({value: 1}, 0, value.bits)
