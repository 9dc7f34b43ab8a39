# SPDX-License-Identifier: Apache-2.0
"""Makes operations smaller before they are scheduled: folds, shares, narrows, removes.

Only the low bits of a value that somebody uses are computed: addresses and indices come from C as
64-bit arithmetic, of which the memory needs 32 bits and an array its index.
"""

from __future__ import annotations

from itertools import count

from .names import words
from .ops import EFFECTS, Design, Lit, Op, Operand, Segment

_NARROW = words("add sub mul and or xor not")
_PURE_KEEP = EFFECTS | {"phi", "arg", "nb_flag"}


def tidy(design: Design) -> None:
    """All of it, for a kernel."""
    for segment in design.segments:
        rename(design, _folded(segment))
    _narrow(design)
    for segment in design.segments:
        rename(design, _folded(segment))
        rename(design, _shared(segment))
    remove(design)


def finish(design: Design) -> None:
    """What is left to do when nothing is rewritten any more."""
    remove(design)
    _skip_empty(design)


def _skip_empty(design: Design) -> None:
    """Edges pass by blocks that do nothing."""
    for segment in design.segments[1:]:
        if segment.ops or segment.loop or len(segment.edges) != 1:
            continue
        after = segment.edges[0]
        if after.target is None or after.target is segment:
            continue
        for other in design.segments:
            for edge in other.edges:
                if edge.target is segment:
                    edge.target = after.target
                    edge.moves = list(after.moves)
    live = {design.segments[0]}
    work = [design.segments[0]]
    while work:
        for edge in work.pop().edges:
            if edge.target is not None and edge.target not in live:
                live.add(edge.target)
                work.append(edge.target)
    design.segments = [s for s in design.segments if s in live]


def _folded(segment: Segment) -> dict[Op, Operand]:
    """Operations that are another operand under a new name."""
    out: dict[Op, Operand] = {}
    for op in segment.ops:
        op.args = [out.get(a, a) if isinstance(a, Op) else a for a in op.args]
        value = _fold(op)
        if value is not None:
            out[op] = value
    return out


def _fold(op: Op) -> Operand | None:
    if op.lanes != 1:
        return None
    if op.kind in ("trunc", "zext", "sext"):
        inner = op.args[0]
        if inner.bits == op.bits:
            return inner
        if isinstance(inner, Lit):
            value = inner.value
            if op.kind == "sext":
                value -= value >> (inner.bits - 1) << inner.bits
            return Lit(value & ((1 << op.bits) - 1), op.bits)
        if op.kind == "trunc" and inner.kind in ("trunc", "zext", "sext") and inner.lanes == 1:
            source = inner.args[0]
            if source.bits == op.bits:
                return source
            op.args = [source]
            if source.bits < op.bits:
                op.kind = inner.kind
    elif op.kind == "pick" and len(op.picks) == 1:
        which, low, bits = op.picks[0]
        if low == 0 and bits == op.args[which].bits:
            return op.args[which]
    elif op.kind == "select" and isinstance(op.args[0], Lit):
        return op.args[1] if op.args[0].value else op.args[2]
    return None


def _shared(segment: Segment) -> dict[Op, Operand]:
    """Equal operations of a segment are computed once."""
    seen: dict[object, Op] = {}
    out: dict[Op, Operand] = {}
    for op in segment.ops:
        op.args = [out.get(a, a) if isinstance(a, Op) else a for a in op.args]
        if op.kind in _PURE_KEEP or op.kind == "array_load":
            continue
        key = (op.kind, op.bits, tuple(op.args), op.lanes, op.word, op.picks)
        if key in seen:
            out[op] = seen[key]
        else:
            seen[key] = op
    return out


def rename(design: Design, names: dict[Op, Operand]) -> None:
    """Replace operands everywhere, and drop the operations they replace."""
    if not names:
        return

    def new(value: Operand) -> Operand:
        while isinstance(value, Op) and value in names:
            value = names[value]
        return value

    for segment in design.segments:
        segment.ops = [op for op in segment.ops if op not in names]
        segment.proceed = new(segment.proceed)
        for op in segment.ops:
            op.args = [new(a) for a in op.args]
            op.pred = new(op.pred)
            op.next = None if op.next is None else new(op.next)
        for edge in segment.edges:
            edge.pred = new(edge.pred)
            edge.moves = [(phi, new(value)) for phi, value in edge.moves]


# ---- narrowing ----------------------------------------------------------------------------------


def _narrow(design: Design) -> None:
    need: dict[Op, int] = {}
    work: list[Op] = []

    def want(value: Operand, bits: int) -> None:
        if isinstance(value, Op) and need.get(value, 0) < min(bits, value.bits):
            need[value] = min(bits, value.bits)
            work.append(value)

    inputs: dict[Op, list[Operand]] = {}
    for segment in design.segments:
        want(segment.proceed, 1)
        for edge in segment.edges:
            want(edge.pred, 1)
            for phi, value in edge.moves:
                inputs.setdefault(phi, []).append(value)
        for op in segment.ops:
            if op.kind == "phi" and op.next is not None:
                inputs.setdefault(op, []).append(op.next)
            if op.kind in EFFECTS or op.kind in ("nb_flag", "array_load"):
                need[op] = op.bits
                for arg in (*op.args, op.pred):
                    want(arg, arg.bits)
    while work:
        op = work.pop()
        bits = need[op]
        if op.kind == "phi":
            for value in inputs.get(op, []):
                want(value, bits)
        elif op.lanes == 1 and op.kind in _NARROW | {"trunc", "zext", "sext"}:
            for arg in op.args:
                want(arg, bits)
        elif op.lanes == 1 and op.kind == "shl" and isinstance(op.args[1], Lit):
            want(op.args[0], bits)
        elif op.lanes == 1 and op.kind == "select":
            want(op.args[0], 1)
            want(op.args[1], bits)
            want(op.args[2], bits)
        else:
            for arg in op.args:
                want(arg, arg.bits)
            if op.kind in _PURE_KEEP:
                want(op.pred, 1)
    _cut(design, need)


def _cut(design: Design, need: dict[Op, int]) -> None:
    """Give every operation the width that is needed; users of more bits do not exist."""

    def fit(value: Operand, bits: int, segment: Segment, ops: list[Op], user: Op) -> Operand:
        if value.bits <= bits:
            return value
        if isinstance(value, Lit):
            return Lit(value.value & ((1 << bits) - 1), bits)
        names = (f"{value.name}_low{number}" for number in numbers)
        name = next(name for name in names if name not in used)
        used.add(name)
        op = Op("trunc", name, bits, [value], user.place)
        op.block = user.block
        op.segment = segment
        ops.append(op)
        return op

    numbers = count(1)
    used = {op.name for segment in design.segments for op in segment.ops}
    changed: set[Op] = set()
    for segment in design.segments:
        for op in segment.ops:
            bits = need.get(op, op.bits)
            narrows = op.kind in _NARROW or op.kind in ("phi", "shl", "select", "zext", "sext")
            if op.lanes != 1 or bits == op.bits or not narrows:
                continue
            if op.kind == "shl" and not isinstance(op.args[1], Lit):
                continue
            op.bits = bits
            changed.add(op)
    for segment in design.segments:
        ops: list[Op] = []
        for op in segment.ops:
            if op in changed and op.kind in ("zext", "sext"):
                source = op.args[0]
                if source.bits >= op.bits:
                    op.kind = "trunc"
            elif op in changed and op.kind != "phi":
                first = 1 if op.kind == "select" else 0
                amount = op.args[1] if op.kind == "shl" else None
                op.args[first:] = [fit(a, op.bits, segment, ops, op) for a in op.args[first:]]
                if isinstance(amount, Lit):  # as it was: cut, a shift by 32 would be one by 0
                    op.args[1] = Lit(min(amount.value, op.bits), 32)
            if op.kind == "phi" and op.next is not None:
                op.next = _fit_next(op.next, op.bits, segment, op)
            ops.append(op)
        segment.ops = ops
    for segment in design.segments:
        extra: list[Op] = []
        for edge in segment.edges:
            edge.moves = [
                (phi, fit(value, phi.bits, segment, extra, phi)) for phi, value in edge.moves
            ]
        segment.ops += extra + [
            op.next
            for op in segment.ops
            if op.kind == "phi" and isinstance(op.next, Op) and op.next not in segment.ops
            and op.next.segment is segment
        ]  # fmt: skip


def _fit_next(value: Operand, bits: int, segment: Segment, phi: Op) -> Operand:
    if value.bits <= bits:
        return value
    if isinstance(value, Lit):
        return Lit(value.value & ((1 << bits) - 1), bits)
    op = Op("trunc", f"{value.name}_next_{phi.name}", bits, [value], phi.place, block=phi.block)
    op.segment = segment
    return op


# ---- removal ------------------------------------------------------------------------------------


def remove(design: Design) -> None:
    """Drop operations that nothing depends on."""
    inputs: dict[Op, list[Operand]] = {}
    work: list[Operand] = []
    for segment in design.segments:
        work.append(segment.proceed)
        for edge in segment.edges:
            work.append(edge.pred)
            for phi, value in edge.moves:
                inputs.setdefault(phi, []).append(value)
        work += [op for op in segment.ops if op.kind in EFFECTS]
    live: set[Op] = set()
    while work:
        op = work.pop()
        if not isinstance(op, Op) or op in live:
            continue
        live.add(op)
        work += [*op.args, op.pred, *inputs.get(op, [])]
        if op.next is not None:
            work.append(op.next)
    for segment in design.segments:
        segment.ops = [op for op in segment.ops if op in live]
        for edge in segment.edges:
            edge.moves = [(phi, value) for phi, value in edge.moves if phi in live]
