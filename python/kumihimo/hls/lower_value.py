# SPDX-License-Identifier: Apache-2.0
"""Instructions that only compute: each becomes an operation, or another name of its operand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import HlsError
from .ir import POINTER_BITS, Instr, Type, Value
from .lower_float import FLOAT
from .memory import base_name, in_array, resolve
from .names import words
from .ops import Lit, Operand, Segment

if TYPE_CHECKING:
    from .lower import Lowering

_BINARY = words("add sub mul udiv sdiv urem srem shl lshr ashr and or xor")
_SAME = words("freeze addrspacecast ptrtoint inttoptr")
_TWO = {
    "smin": "smin", "smax": "smax", "umin": "umin", "umax": "umax", "uadd.sat": "uadd_sat",
    "usub.sat": "usub_sat", "sadd.sat": "sadd_sat", "ssub.sat": "ssub_sat",
}  # fmt: skip
_ONE = {"ctpop": "ctpop", "bswap": "bswap", "bitreverse": "bitreverse"}


class Values:
    """Lowers computing instructions of one kernel."""

    def __init__(self, owner: Lowering) -> None:
        self._owner = owner

    def lower(self, ins: Instr, segment: Segment) -> None:
        """Lower one instruction and remember its operand; a pointer into an array has none."""
        if not in_array(ins):
            self._owner.known[ins] = self._value(ins, segment)

    def _value(self, ins: Instr, segment: Segment) -> Operand:
        if ins.op == "getelementptr":
            return self._pointer(ins, segment)
        if ins.op == "call":
            return self._call(ins, segment)
        kind = ins.args[0].type
        args = [self._owner.operand(a, ins.place) for a in ins.args]
        if ins.op in FLOAT:
            return self._owner.floats.lower(ins, segment, args)
        return self._plain(ins, segment, args, kind)

    def _plain(self, ins: Instr, segment: Segment, args: list[Operand], kind: Type) -> Operand:
        add = self._owner.add
        lanes, bits = ins.type.lanes, ins.type.width
        if ins.op in _BINARY:
            return add(segment, ins.op, bits, args, ins, lanes=lanes)
        if ins.op in ("trunc", "zext", "sext"):
            return add(segment, ins.op, bits, args, ins, lanes=lanes)
        if ins.op == "bitcast":
            return args[0]
        if ins.op in _SAME:
            return self.resized(segment, args[0], bits, ins)
        if ins.op == "icmp":
            word = next(f for f in ins.flags if f != "samesign")
            return add(segment, "icmp", bits, args, ins, lanes=lanes, word=word)
        if ins.op == "select":
            wide = ins.args[0].type.lanes
            return add(segment, "select", bits, args, ins, lanes=wide)
        if ins.op in ("extractelement", "insertelement"):
            return self._element(ins, segment, args, kind)
        if ins.op == "shufflevector":
            width = kind.elem.width
            picks = []
            for index in ins.mask:
                source, lane = divmod(index, kind.count)
                picks.append((source, lane * width, width) if source < 2 else (0, 0, width))
            return add(segment, "pick", bits, args, ins, picks=tuple(picks))
        if ins.op in ("extractvalue", "insertvalue"):
            return self._field(ins, segment, args, kind)
        hint = "Write it with + - * / % and comparisons."
        raise HlsError(ins.place, f"the operation {ins.op} is not supported.", hint)

    def resized(self, segment: Segment, value: Operand, bits: int, ins: Instr) -> Operand:
        """A value cut or filled with zeros to a width."""
        if value.bits == bits:
            return value
        if isinstance(value, Lit):
            return Lit(value.value & ((1 << bits) - 1), bits)
        if value.kind in ("zext", "sext") and value.lanes == 1:
            inner = value.args[0]
            if inner.bits == bits:
                return inner
            if inner.bits < bits < value.bits:
                return self._owner.add(segment, value.kind, bits, [inner], ins, f"{value.name}_low")
        kind = "trunc" if bits < value.bits else "zext"
        return self._owner.add(segment, kind, bits, [value], ins, f"{value.name}_{bits}")

    # ---- vectors and structs --------------------------------------------------------------------

    def _element(self, ins: Instr, segment: Segment, args: list[Operand], kind: Type) -> Operand:
        add, width = self._owner.add, kind.elem.width
        index = args[-1]
        if ins.op == "extractelement":
            if isinstance(index, Lit):
                picks = ((0, index.value % kind.count * width, width),)
                return add(segment, "pick", width, args[:1], ins, picks=picks)
            return add(segment, "lane_get", width, args, ins, lanes=kind.count)
        if isinstance(index, Lit):
            return self._replace(ins, segment, args[:2], kind.width, index.value * width, width)
        return add(segment, "lane_set", kind.width, args, ins, lanes=kind.count)

    def _replace(
        self, ins: Instr, segment: Segment, args: list[Operand], total: int, low: int, width: int
    ) -> Operand:
        high = low + width
        picks = [(0, 0, low), (1, 0, width), (0, high, total - high)]
        used = tuple(p for p in picks if p[2])
        return self._owner.add(segment, "pick", total, args, ins, picks=used)

    def _field(self, ins: Instr, segment: Segment, args: list[Operand], kind: Type) -> Operand:
        low, inner = 0, kind
        for i in ins.mask:
            if inner.kind == "array":
                low, inner = low + i * inner.elem.width, inner.elem
            else:
                low, inner = low + sum(e.width for e in inner.elems[:i]), inner.elems[i]
        if ins.op == "insertvalue":
            return self._replace(ins, segment, args, kind.width, low, inner.width)
        picks = ((0, low, inner.width),)
        return self._owner.add(segment, "pick", inner.width, args[:1], ins, picks=picks)

    # ---- functions ------------------------------------------------------------------------------

    def _call(self, ins: Instr, segment: Segment) -> Operand:
        name = ins.callee.removeprefix("llvm.")
        stem = name.rsplit(".", 1)[0]
        add, bits, lanes = self._owner.add, ins.type.width, ins.type.lanes
        args = [self._owner.operand(a, ins.place) for a in ins.args]
        if stem in ("fabs", "fmuladd", "copysign", "minnum", "maxnum"):
            return self._owner.floats.lower(ins, segment, args)
        if stem in _TWO:
            return add(segment, _TWO[stem], bits, args[:2], ins, lanes=lanes)
        if stem in _ONE:
            return add(segment, _ONE[stem], bits, args[:1], ins, lanes=lanes)
        if stem in ("ctlz", "cttz", "abs"):
            return add(segment, stem, bits, args[:1], ins, lanes=lanes)
        if stem in ("fshl", "fshr"):
            return add(segment, stem, bits, args, ins, lanes=lanes)
        if stem.startswith("vector.reduce."):
            return self._reduce(ins, segment, args[0], stem.rsplit(".", 1)[1])
        if stem.endswith(".with.overflow") and ins.type.elems[0].kind != "vec":
            return self._overflowing(ins, segment, args, stem)
        if stem.startswith("memmove"):
            raise HlsError(ins.place, "an array is copied onto itself.", "Write a loop.")
        text = f"the function {stem} is not supported."
        raise HlsError(ins.place, text, "Write it with + - * / % and comparisons, or as a table.")

    def _overflowing(self, ins: Instr, segment: Segment, args: list[Operand], stem: str) -> Operand:
        """The result, and a bit that says whether it fits: computed in full width, compared."""
        add, width = self._owner.add, args[0].bits
        signed, kind = stem[0] == "s", stem[1:4]
        full = 2 * width if kind == "mul" else width + 1
        extend = "sext" if signed else "zext"
        wide: list[Operand] = [add(segment, extend, full, [a], ins) for a in args[:2]]
        whole = add(segment, kind, full, wide, ins)
        low = add(segment, "trunc", width, [whole], ins)
        back = add(segment, extend, full, [low], ins)
        lost = add(segment, "icmp", 1, [whole, back], ins, word="ne")
        picks = ((0, 0, width), (1, 0, 1))
        return add(segment, "pick", width + 1, [low, lost], ins, picks=picks)

    def _reduce(self, ins: Instr, segment: Segment, value: Operand, how: str) -> Operand:
        count, width = ins.args[0].type.count, ins.type.width
        if how not in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"):
            hint = "Add the elements one by one."
            raise HlsError(ins.place, f"the reduction {how} is not supported.", hint)
        parts: list[Operand] = [
            self._owner.add(segment, "pick", width, [value], ins, picks=((0, i * width, width),))
            for i in range(count)
        ]
        while len(parts) > 1:
            pairs = zip(parts[0::2], parts[1::2], strict=False)
            made: list[Operand] = [
                self._owner.add(segment, how, width, [a, b], ins) for a, b in pairs
            ]
            parts = made + parts[len(made) * 2 :]
        return parts[0]

    # ---- pointers -------------------------------------------------------------------------------

    def _pointer(self, ins: Instr, segment: Segment) -> Operand:
        """An address that is used as a value; accesses compute theirs from `resolve`."""
        pointer = resolve(ins)
        base = self._owner.operand(pointer.base, ins.place)
        return self.address(pointer.terms, pointer.offset, base, segment, ins)

    def address(
        self,
        terms: tuple[tuple[Value, int], ...],
        offset: int,
        base: Operand | None,
        segment: Segment,
        ins: Instr,
        divide: int = 1,
        bits: int = POINTER_BITS,
    ) -> Operand:
        """Sum of the base, the and the offset, all divided by the size of an element."""
        total: Operand | None = base
        for value, scale in terms:
            part = self.resized(segment, self._owner.operand(value, ins.place), bits, ins)
            part = self._scaled(segment, part, scale // divide, bits, ins)
            total = part if total is None else self._sum(segment, total, part, bits, ins)
        constant = Lit(offset // divide & ((1 << bits) - 1), bits)
        if total is None:
            return constant
        return self._sum(segment, total, constant, bits, ins) if constant.value else total

    def _scaled(
        self, segment: Segment, value: Operand, scale: int, bits: int, ins: Instr
    ) -> Operand:
        if isinstance(value, Lit):
            return Lit(value.value * scale & ((1 << bits) - 1), bits)
        if scale == 1:
            return value
        if scale & (scale - 1) == 0:
            amount = Lit(scale.bit_length() - 1, bits)
            return self._owner.add(segment, "shl", bits, [value, amount], ins, f"{value.name}_at")
        factor = Lit(scale & ((1 << bits) - 1), bits)
        return self._owner.add(segment, "mul", bits, [value, factor], ins, f"{value.name}_at")

    def _sum(self, segment: Segment, a: Operand, b: Operand, bits: int, ins: Instr) -> Operand:
        if isinstance(a, Lit) and isinstance(b, Lit):
            return Lit(a.value + b.value & ((1 << bits) - 1), bits)
        name = base_name(resolve(ins.args[-1]).base) if ins.op in ("load", "store") else ins.name
        return self._owner.add(segment, "add", bits, [a, b], ins, f"{name}_addr")
