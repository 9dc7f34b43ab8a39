# SPDX-License-Identifier: Apache-2.0
"""Single-precision arithmetic: each element of a vector is an operation of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import HlsError
from .ir import Instr, Type
from .names import words
from .ops import Lit, Operand, Segment

if TYPE_CHECKING:
    from .lower import Lowering

FLOAT = words("fadd fsub fmul fdiv frem fneg fcmp sitofp uitofp fptosi fptoui fptrunc fpext")
_SIGN = 1 << 31
_WIDE = 64  # bits of the integer side of a conversion


class Floats:
    """Lowers floating-point instructions of one kernel."""

    def __init__(self, owner: Lowering) -> None:
        self._owner = owner

    def lower(self, ins: Instr, segment: Segment, args: list[Operand]) -> Operand:
        """The operand for an instruction."""
        for kind in (ins.type.elem, *(a.type.elem for a in ins.args)):
            if kind.kind == "float" and kind.bits != 32:
                text = f"{'half' if kind.bits == 16 else 'double'} is not supported."
                raise HlsError(ins.place, text, "Use float: 0.5 is a double, 0.5f is not.")
        lanes = ins.type.lanes
        if lanes == 1:
            return self._one(ins, segment, args, ins.type)
        parts: list[Operand] = []
        for i in range(lanes):
            inputs = [self._lane(ins, segment, a, i, lanes) for a in args]
            parts.append(self._one(ins, segment, inputs, ins.type.elem))
        picks = tuple((i, 0, p.bits) for i, p in enumerate(parts))
        bits = sum(p.bits for p in parts)
        return self._owner.add(segment, "pick", bits, parts, ins, picks=picks)

    def _lane(self, ins: Instr, segment: Segment, value: Operand, lane: int, lanes: int) -> Operand:
        width = value.bits // lanes
        if isinstance(value, Lit):
            return Lit(value.value >> (lane * width) & ((1 << width) - 1), width)
        picks = ((0, lane * width, width),)
        return self._owner.add(segment, "pick", width, [value], ins, picks=picks)

    def _one(self, ins: Instr, segment: Segment, args: list[Operand], kind: Type) -> Operand:
        add, op = self._owner.add, ins.op
        if op in ("fmul", "fdiv"):
            return add(segment, op, 32, args, ins)
        if op in ("fadd", "fsub"):
            b = args[1] if op == "fadd" else self._flip(ins, segment, args[1])
            total = add(segment, "fadd", 32, [args[0], b], ins)
            total.relaxed = bool(ins.flags & _RELAXED)
            return total
        if op == "fneg":
            return self._flip(ins, segment, args[0])
        if op == "fcmp":
            return add(segment, "fcmp", 1, args, ins, word=next(iter(ins.flags & _PREDICATES)))
        if op in ("sitofp", "uitofp"):
            wide = self._widened(ins, segment, args[0], op == "sitofp")
            return add(segment, "int_to_float", 32, [wide], ins, word=op[0])
        if op in ("fptosi", "fptoui"):
            whole = add(segment, "float_to_int", _WIDE, args, ins)
            return self._owner.values.resized(segment, whole, kind.width, ins)
        if op == "call" and "fabs" in ins.callee:
            return add(segment, "and", 32, [args[0], Lit(_SIGN - 1, 32)], ins)
        if op == "call" and "copysign" in ins.callee:
            size = add(segment, "and", 32, [args[0], Lit(_SIGN - 1, 32)], ins)
            sign = add(segment, "and", 32, [args[1], Lit(_SIGN, 32)], ins)
            return add(segment, "or", 32, [size, sign], ins)
        if op == "call" and ("minnum" in ins.callee or "maxnum" in ins.callee):
            word = "olt" if "minnum" in ins.callee else "ogt"
            nearer = add(segment, "fcmp", 1, args, ins, word=word)
            no_other = add(segment, "fcmp", 1, [args[1], args[1]], ins, word="uno")
            first = add(segment, "or", 1, [nearer, no_other], ins)
            return add(segment, "select", 32, [first, *args[:2]], ins)
        if op == "call":
            product = add(segment, "fmul", 32, args[:2], ins)
            return add(segment, "fadd", 32, [product, args[2]], ins)
        hint = "Write x - y * trunc(x / y)." if op == "frem" else "Use float."
        raise HlsError(ins.place, f"the operation {op} is not supported.", hint)

    def _flip(self, ins: Instr, segment: Segment, value: Operand) -> Operand:
        if isinstance(value, Lit):
            return Lit(value.value ^ _SIGN, 32)
        return self._owner.add(segment, "xor", 32, [value, Lit(_SIGN, 32)], ins)

    def _widened(self, ins: Instr, segment: Segment, value: Operand, signed: bool) -> Operand:
        if value.bits == _WIDE:
            return value
        kind = "sext" if signed else "zext"
        return self._owner.add(segment, kind, _WIDE, [value], ins)


_RELAXED = words("reassoc fast")
_PREDICATES = words("oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true false")
