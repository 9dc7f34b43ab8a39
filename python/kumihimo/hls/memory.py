# SPDX-License-Identifier: Apache-2.0
"""Pointers: which array or which part of global memory an access belongs to.

A pointer is a base and a sum of terms. The base is an array (private, local, or a constant table)
or global memory; pointers into global memory have a class, and only accesses of the same class may
touch the same bytes: each `restrict` argument is a class of its own, all others share one.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import HlsError, Place
from .frontend import Kernel
from .ir import (
    POINTER_BITS,
    VOID,
    Arg,
    Block,
    Const,
    GlobalRef,
    Instr,
    Type,
    Value,
    integer,
)
from .names import Names
from .ops import Array, Banks

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


def memory_class(base: Value, kernel: Kernel) -> str:
    """Class of the addresses of a pointer into global memory."""
    if isinstance(base, Arg):
        return base.name if base.noalias or base.type.space == 2 else SHARED
    return SHARED


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
        for number in (pointer.offset, *(scale for _, scale in pointer.terms)):
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
            if variable.space == 1 and not variable.constant:
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


def expand_copies(kernel: Kernel) -> None:
    """Turn LLVM's copies and fills of arrays into loops."""
    blocks = kernel.function.blocks
    done = False
    while not done:
        done = True
        for block in list(blocks.values()):
            for at, ins in enumerate(block.body):
                if ins.op == "call" and ins.callee.startswith(("llvm.memset", "llvm.memcpy")):
                    _expand(kernel, block, at, ins)
                    done = False
                    break


def _element(value: Value, place: Place) -> tuple[Type, int]:
    base = resolve(value).base
    if not isinstance(base, Instr) or base.op != "alloca":
        raise HlsError(place, "a whole object is copied.", "Copy it element by element in a loop.")
    kind = base.aux
    while kind.kind == "array":
        kind = kind.elem
    if kind.kind == "struct":
        raise HlsError(place, "an array of structs is copied.", "Copy it field by field in a loop.")
    return kind, kind.size


def _expand(kernel: Kernel, block: Block, at: int, ins: Instr) -> None:
    blocks = kernel.function.blocks
    elem, size = _element(ins.args[0], ins.place)
    length = ins.args[2]
    if not isinstance(length, Const) or length.value % size:
        raise HlsError(ins.place, "the length of a copy is not constant.", "Write a loop.")
    where, stem = ins.place, f"{block.name}.copy{at}"
    index = integer(POINTER_BITS)
    target, value = ins.args[0], ins.args[1]
    i = Instr(index, "phi", f"{stem}.i", [], place=where)
    to = Instr(Type("ptr"), "getelementptr", f"{stem}.to", [target, i], aux=elem, place=where)
    made = [i, to]
    if "memcpy" in ins.callee:
        fro = Instr(value.type, "getelementptr", f"{stem}.from", [value, i], aux=elem, place=where)
        word = Instr(elem, "load", f"{stem}.word", [fro], aux=elem, align=size, place=where)
        made += [fro, word]
        data: Value = word
    else:
        if not isinstance(value, Const):
            raise HlsError(where, "an array is filled with a variable.", "Write a loop.")
        data = Const(elem, int.from_bytes(bytes([value.value]) * size, "little"))
    made.append(Instr(VOID, "store", "", [data, to], aux=elem, align=size, place=where))
    after = Instr(index, "add", f"{stem}.next", [i, Const(index, 1)], place=where)
    count = Const(index, length.value // size)
    more = Instr(
        integer(1), "icmp", f"{stem}.more", [after, count], frozenset({"ult"}), place=where
    )
    rest = Block(f"{stem}.rest", block.body[at + 1 :])
    loop = Block(stem, [*made, after, more])
    loop.body.append(
        Instr(VOID, "br", "", [more], targets=(stem, rest.name), place=where, loop=where.line)
    )
    i.args, i.targets = [Const(index, 0), after], (block.name, stem)
    block.body[at:] = [Instr(VOID, "br", "", [], targets=(stem,), place=where)]
    for name in rest.successors:
        for phi in blocks[name].body:
            if phi.op == "phi":
                phi.targets = tuple(rest.name if t == block.name else t for t in phi.targets)
    items = list(blocks.items())
    blocks.clear()
    for name, old in items:
        blocks[name] = old
        if old is block:
            blocks[stem], blocks[rest.name] = loop, rest
