# SPDX-License-Identifier: Apache-2.0
"""How many iterations a loop has: a number, or what of the source it counts to.

Looks at scheduled loops, also at those that count one iteration ahead (`trip`).
"""

from __future__ import annotations

from dataclasses import dataclass

from .ops import Design, Lit, Op, Operand, Segment

MOST = 1 << 20  # iterations that are counted out
DATA = "depends on data"


def trips(design: Design, segment: Segment) -> str:
    """Iterations of a loop, for people."""
    more, inverted = segment.proceed, False
    if isinstance(more, Op) and more.kind == "not":
        more, inverted = more.args[0], True
    ahead: Op | None = None
    if isinstance(more, Op) and more.kind == "phi" and isinstance(more.next, Op):
        more = more.next
        ahead = next((p for p in segment.phis if p.step and p in more.args), None)
    if not isinstance(more, Op) or more.kind != "icmp" or more.lanes != 1:
        return DATA
    for place, (mine, other) in enumerate((more.args, more.args[::-1])):
        phi = ahead or next((p for p in segment.phis if p.step and mine in (p, p.next)), None)
        if phi is None or (phi is ahead and mine is not ahead):
            continue
        done = mine is phi and phi is not ahead  # the value of this iteration is compared
        if isinstance(other, Op) and other.segment is segment:
            continue
        start = _start(design, segment, phi, 2 if phi is ahead else 0)
        word = more.word if place == 0 else _MIRRORED.get(more.word, more.word)
        if isinstance(start, Lit) and done:
            start = Lit((start.value - phi.step) % (1 << phi.bits), phi.bits)
        counter = _Counter(start, phi.step, phi.bits)
        return _text(counter, word, other, inverted)
    return DATA


_MIRRORED = {
    "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip


def _start(design: Design, segment: Segment, phi: Op, steps: int) -> Operand | None:
    """What a counter begins with, less some steps; None if there are several such values."""
    edges = [e for s in design.segments for e in s.edges if e.target is segment]
    found = [value for edge in edges for target, value in edge.moves if target is phi]
    if len(found) != 1:
        return None
    value, less = found[0], phi.step * steps
    if isinstance(value, Lit):
        return Lit((value.value - less) % (1 << phi.bits), phi.bits)
    if not steps:
        return value
    if isinstance(value, Op) and value.kind == "add" and isinstance(value.args[1], Lit):
        return value.args[0] if value.args[1].value == less % (1 << phi.bits) else None
    return None


@dataclass(frozen=True)
class _Counter:
    """A loop variable: the value before the first comparison, less a step."""

    start: Operand | None
    step: int
    bits: int


def _text(counter: _Counter, word: str, bound: Operand, inverted: bool) -> str:
    start = counter.start
    if isinstance(start, Lit) and isinstance(bound, Lit):
        return _counted(counter, start.value, word, bound.value, inverted)
    counts = isinstance(start, Lit) and start.value == 0 and counter.step == 1
    if counts and isinstance(bound, Op) and word in ("slt", "ult", "ne", "eq"):
        return bound.name
    return "depends on arguments" if isinstance(bound, Op) and bound.kind == "arg" else DATA


def _counted(counter: _Counter, start: int, word: str, bound: int, inverted: bool) -> str:
    mask, half = (1 << counter.bits) - 1, 1 << (counter.bits - 1)
    flip = half if word.startswith("s") else 0
    holds = {
        "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__,
        "gt": int.__gt__, "ge": int.__ge__,
    }[word if word in ("eq", "ne") else word[1:]]  # fmt: skip
    value, count = start, 1
    while count < MOST:
        value = (value + counter.step) & mask
        if bool(holds(value ^ flip, bound ^ flip)) == inverted:
            return f"{count:,}"
        count += 1
    return f"{MOST:,} or more"
