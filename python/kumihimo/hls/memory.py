# SPDX-License-Identifier: Apache-2.0
"""Pointers: which array or which part of global memory an access belongs to.

A pointer is a base and a sum of terms. The base is an array (private, local, or a constant table)
or global memory; pointers into global memory have a class, and only accesses of the same class may
touch the same bytes: each `restrict` argument is a class of its own, all others share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import HlsError, Place
from .ir import Arg, Const, GlobalRef, Instr, Value
from .names import Names
from .ops import Array, Banks

if TYPE_CHECKING:
    from .frontend import Kernel

SHARED = ""  # class of pointers that may be equal to any other


@dataclass(frozen=True)
class Pointer:
    """base + sum(value * scale) + offset, in bytes."""

    base: Value  # alloca, GlobalRef of a variable, Arg, or a computed address
    terms: tuple[tuple[Value, int], ...] = ()
    offset: int = 0


def resolve(value: Value) -> Pointer:
    """Follow address arithmetic to the base of a pointer."""
    if isinstance(value, GlobalRef):
        return Pointer(value, (), value.offset)
    if not isinstance(value, Instr):
        return Pointer(value)
    if value.op in ("addrspacecast", "freeze", "bitcast"):
        return resolve(value.args[0])
    if value.op != "getelementptr":
        return Pointer(value)
    inner = resolve(value.args[0])
    terms, offset, kind = list(inner.terms), inner.offset, value.aux
    for i, index in enumerate(value.args[1:]):
        if i and kind.kind == "struct":
            field = index.value if isinstance(index, Const) else 0
            offset += kind.offset(field)
            kind = kind.elems[field]
            continue
        if i:
            kind = kind.elem
        if isinstance(index, Const):
            number = index.value - (index.value >> (index.type.bits - 1) << index.type.bits)
            offset += number * kind.size
        else:
            terms.append((index, kind.size))
    return Pointer(inner.base, tuple(terms), offset)


def in_array(value: Value) -> bool:
    """Whether a value is a pointer into an array or a variable, which has no address in RTL."""
    base = resolve(value).base
    return isinstance(base, GlobalRef) or (isinstance(base, Instr) and base.op == "alloca")


class MemoryClasses:
    """Classes of a kernel's pointers into global memory.

    A pointer that is one of several arguments, by a condition or from iteration to iteration, makes
    them one class; one that comes out of memory may be any of them.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._group: dict[Arg, set[Arg]] = {}
        self._open = False  # a pointer's origin is not known
        for arg in kernel.function.args:
            if arg.type.kind == "ptr":
                self._group[arg] = {arg}
        for block in kernel.function.blocks.values():
            for ins in block.body:
                if ins.op in ("load", "store"):
                    self._join(resolve(ins.args[-1]).base)

    def _join(self, base: Value) -> None:
        found = self._origins(base, set())
        joint: set[Arg] = set()
        for arg in found:
            joint |= self._group[arg]
        for arg in joint:
            self._group[arg] = joint

    def _origins(self, base: Value, seen: set[Value]) -> set[Arg]:
        """Arguments that a pointer may be made from."""
        if base in seen or isinstance(base, GlobalRef):
            return set()
        seen.add(base)
        if isinstance(base, Arg) and base in self._group:
            return {base}
        if isinstance(base, Instr) and base.op in ("phi", "select"):
            out: set[Arg] = set()
            for value in base.args[1 if base.op == "select" else 0 :]:
                out |= self._origins(resolve(value).base, seen)
            return out
        if not (isinstance(base, Instr) and base.op == "alloca"):
            self._open = self._open or not isinstance(base, Const)
        return set()

    def of(self, base: Value) -> str:
        """The class of a pointer."""
        found = self._origins(base, set())
        if self._open or not found:
            return SHARED
        group = self._group[next(iter(found))]
        if any(not arg.noalias and arg.type.space != 2 for arg in group):
            return SHARED
        return min(arg.name for arg in group)


@dataclass
class _Use:
    """How an array is accessed: widest access, and the largest unit of all sizes and offsets."""

    widest: int
    grain: int


class Arrays:
    """The arrays of a kernel, by the value that is their address."""

    def __init__(self, kernel: Kernel, names: Names) -> None:
        self._module = kernel.module
        self._names = names
        self._by_base: dict[object, Banks] = {}
        self._uses: dict[object, _Use] = {}
        for block in kernel.function.blocks.values():
            for ins in block.body:
                if ins.op in ("load", "store"):
                    self._note(ins)

    def _key(self, base: Value) -> object | None:
        if isinstance(base, Instr) and base.op == "alloca":
            return base
        if isinstance(base, GlobalRef):
            variable = self._module.globals.get(base.name)
            if variable is not None and "kumi.channel" not in variable.notes:
                return base.name
        return None

    def _note(self, ins: Instr) -> None:
        pointer = resolve(ins.args[-1])
        key = self._key(pointer.base)
        if key is None:
            return
        size = ins.aux.size
        grain = size
        steps = (pointer.offset, *(scale for _, scale in pointer.terms))
        if 0 < ins.align < size and any(step % size for step in steps):
            text = f"{size} bytes of {base_name(pointer.base)} are accessed as one word."
            hint = "Copy a struct field by field, and access an array by elements of one width."
            raise HlsError(ins.place, text, hint)
        for number in steps:
            grain = min(grain, number & -number) if number else grain
        if size & (size - 1):
            name = base_name(pointer.base)
            text = f"{name} is accessed in words of {size} bytes."
            raise HlsError(ins.place, text, "Use elements of 1, 2, 4, 8, ... bytes.")
        use = self._uses.setdefault(key, _Use(size, grain))
        use.widest = max(use.widest, size)
        use.grain = min(use.grain, grain)

    def find(self, base: Value, place: Place) -> Banks | None:
        """The array at a base; None if it is in global memory."""
        key = self._key(base)
        if key is None:
            return None
        if key not in self._by_base:
            self._by_base[key] = self._make(base, key, place)
        return self._by_base[key]

    def _make(self, base: Value, key: object, place: Place) -> Banks:
        use = self._uses[key]
        name = self._names.new(base_name(base))
        init: bytes | None = None
        if isinstance(base, Instr):
            total, where = base.aux.size, base.place
        else:
            variable = self._module.globals[str(key)]
            total, where = variable.type.size, variable.place
            if variable.space != 3 and not variable.constant:
                text = f"the global variable {name} is shared by all kernels."
                raise HlsError(place, text, "Pass a __global pointer, or use a channel.")
            init = variable.init if variable.space != 3 else None
        depth = -(-total // use.widest)
        count = use.widest // use.grain
        banks = []
        for bank in range(count):
            words = None if init is None else _bank_words(init, bank, count, use.grain, depth)
            label = name if count == 1 else f"{name}_bank{bank}"
            banks.append(Array(label, 8 * use.grain, depth, words, where))
        return Banks(banks, use.grain)

    def all(self) -> list[Array]:
        """All RAMs and tables of the arrays found so far."""
        return [bank for banks in self._by_base.values() for bank in banks.banks]


def _bank_words(data: bytes, bank: int, count: int, grain: int, depth: int) -> list[int]:
    starts = [(i * count + bank) * grain for i in range(depth)]
    return [int.from_bytes(data[at : at + grain], "little") for at in starts]


def base_name(base: Value) -> str:
    """Name of an array in the source."""
    name = base.name if isinstance(base, Instr | GlobalRef | Arg) else "memory"
    return name.rsplit(".", 1)[-1] if isinstance(base, GlobalRef) else name
