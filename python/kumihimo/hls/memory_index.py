# SPDX-License-Identifier: Apache-2.0
"""Pointers into an array that a phi or a select hands on become indices.

LLVM hands a pointer from block to block by phi, at the latest behind the loop that computed it, and
picks one of two by select. Arrays have no addresses in RTL: such a pointer becomes the array and a
number of units, its phi a phi of numbers. The unit of an array is the largest that divides all
steps and offsets of these pointers. Pointers into one of several arrays are into one by now
(`memory_join`); those that may also be into other memory stay, and are refused where they are used.
"""

from __future__ import annotations

from math import gcd

from .errors import NOWHERE, Place
from .frontend import Kernel
from .ir import POINTER_BITS, Const, GlobalRef, Instr, Type, Value, integer
from .memory import in_array, resolve
from .memory_join import bases, joins, key, sources

_INDEX = integer(POINTER_BITS)


def index_pointers(kernel: Kernel) -> None:
    """Rewrite all such pointers of a kernel, and comparisons of pointers into one array."""
    _Rewriting(kernel).run()


class _Rewriting:
    def __init__(self, kernel: Kernel) -> None:
        self._blocks = list(kernel.function.blocks.values())
        self._arrays: dict[Instr, Value] = {}  # of each phi and select to be rewritten
        self._compared: dict[Instr, Value] = {}  # of each comparison
        self._units: dict[object, int] = {}
        self._made: dict[Value, Instr] = {}  # phi or select of indices, by that of pointers
        self._behind: dict[Value, list[Instr]] = {}  # what computes the index of a pointer

    def run(self) -> None:
        """Find the pointers, compute their indices, then put those in their place."""
        for ins in (ins for block in self._blocks for ins in block.body):
            if joins(ins) and (array := _array(ins)):
                self._arrays[ins] = array
            elif ins.op == "icmp" and ins.args[0].type.kind == "ptr" and (array := _array(ins)):
                self._compared[ins] = array
        for ins, array in (self._arrays | self._compared).items():
            for source in sources(ins):
                self._refine(source, array)
        for old in self._arrays:
            self._made[old] = Instr(
                _INDEX, old.op, f"{old.name}.index", [], targets=old.targets, place=old.place
            )
        for old, array in self._arrays.items():
            chosen = old.args[:1] if old.op == "select" else []
            self._made[old].args = [*chosen, *(self._index(s, array) for s in sources(old))]
        for old, array in self._compared.items():
            old.args = [self._index(s, array) for s in old.args]
        for old, array in self._arrays.items():
            self._point(old, array)
        for block in self._blocks:
            block.body[:] = self._placed(block.body)

    def _refine(self, source: Value, array: Value) -> None:
        pointer = resolve(source)
        steps = (scale for _, scale in pointer.terms)
        self._units[key(array)] = gcd(self._units.get(key(array), 0), pointer.offset, *steps)

    def _unit(self, array: Value) -> int:
        return self._units[key(array)] or 1

    def _index(self, source: Value, array: Value) -> Value:
        """Units from the start of the array to a pointer into it."""
        pointer, unit = resolve(source), self._unit(array)
        behind: list[Instr] = []

        def emit(op: str, *args: Value) -> Instr:
            name = source.name if isinstance(source, Instr) else op
            made = Instr(_INDEX, op, f"{name}.index", list(args), place=_place(source))
            behind.append(made)
            return made

        total: Value | None = self._made.get(pointer.base)
        for value, scale in pointer.terms:
            part = value
            if value.type.width != POINTER_BITS:
                part = emit("trunc" if value.type.width > POINTER_BITS else "sext", value)
            if scale != unit:
                part = emit("mul", part, _number(scale // unit))
            total = part if total is None else emit("add", total, part)
        constant = _number(pointer.offset // unit)
        if total is not None and constant.value:
            total = emit("add", total, constant)
        self._behind.setdefault(source, []).extend(behind)
        return constant if total is None else total

    def _point(self, old: Instr, array: Value) -> None:
        """A phi or select of pointers becomes the array's element at the index."""
        base = GlobalRef(array.type, array.name) if isinstance(array, GlobalRef) else array
        old.op, old.args, old.targets = "getelementptr", [base, self._made[old]], ()
        old.aux = Type("array", count=self._unit(array), elems=(integer(8),))

    def _placed(self, body: list[Instr]) -> list[Instr]:
        """A block's instructions with the new ones: phis first."""
        phis: list[Instr] = []
        rest: list[Instr] = []
        for ins in body:
            index = self._made.get(ins)
            if index is not None:
                (phis if index.op == "phi" else rest).append(index)
            (phis if ins.op == "phi" else rest).append(ins)
            rest += self._behind.get(ins, [])
        return phis + rest


def _array(ins: Instr) -> Value | None:
    """The array that all pointers an instruction takes are into; None if there is no such one."""
    found = [base for base in bases(ins) if not isinstance(base, Const) or ins.op == "icmp"]
    return found[0] if len(found) == 1 and in_array(found[0]) else None


def _place(source: Value) -> Place:
    return source.place if isinstance(source, Instr) else NOWHERE


def _number(value: int) -> Const:
    return Const(_INDEX, value & ((1 << POINTER_BITS) - 1))
