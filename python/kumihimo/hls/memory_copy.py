# SPDX-License-Identifier: Apache-2.0
"""LLVM's copies and fills of arrays and structs become loads and stores.

An array of numbers is copied element by element, in a loop; anything with structs in the words that
its alignment allows, one after the other if they are few. Where source and target may overlap, all
words are loaded before any is stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import HlsError, Place
from .frontend import Kernel
from .ir import POINTER_BITS, VOID, Block, Const, Instr, Type, Value, integer
from .memory import resolve

MOST_STRAIGHT = 16  # words of a struct that are copied without a loop
MOST_MOVED = 128  # words that are loaded before any is stored
_CALLS = ("llvm.memset", "llvm.memcpy", "llvm.memmove")
_WIDEST = 8  # bytes of such a word


@dataclass(frozen=True)
class _Copy:
    """A copy (`source` is a pointer), or a fill with the byte `value`."""

    target: Value
    source: Value | None
    value: int
    elem: Type
    count: int
    straight: bool
    place: Place


def expand_copies(kernel: Kernel) -> None:
    """Replace all copies and fills of a kernel."""
    blocks = kernel.function.blocks
    done = False
    while not done:
        done = True
        for block in list(blocks.values()):
            for at, ins in enumerate(block.body):
                if ins.op == "call" and ins.callee.startswith(_CALLS):
                    copy, stem = _understood(ins), f"{block.name}.copy{at}"
                    if copy.straight:
                        block.body[at : at + 1] = _straight(copy, stem)
                    else:
                        _loop(kernel, block, at, copy, stem)
                    done = False
                    break


def _understood(ins: Instr) -> _Copy:
    target, value, length = ins.args[:3]
    place, copies = ins.place, "memset" not in ins.callee
    moves = "memmove" in ins.callee
    if not isinstance(length, Const):
        raise HlsError(place, "the length of a copy is not constant.", "Write a loop.")
    if not copies and not isinstance(value, Const):
        raise HlsError(place, "an array is filled with a variable.", "Write a loop.")
    number = value.value if isinstance(value, Const) and not copies else 0
    source = value if copies else None
    elem = _element(target)
    if elem is not None and length.value % elem.size == 0:
        count = length.value // elem.size
        return _Copy(target, source, number, elem, count, _moved(moves, count, place), place)
    sides = ins.aligns[: 2 if copies else 1]
    size = min([_WIDEST, *(max(align, 1) for align in sides), length.value & -length.value])
    count = length.value // size
    straight = _moved(moves, count, place) or count <= MOST_STRAIGHT
    return _Copy(target, source, number, integer(8 * size), count, straight, place)


def _moved(moves: bool, count: int, place: Place) -> bool:
    """Whether a copy's ends may overlap, for which it needs to be short."""
    if moves and count > MOST_MOVED:
        text = f"a copy of {count} words, whose source and target may overlap, is too long."
        raise HlsError(place, text, "Write a loop.")
    return moves


def _element(target: Value) -> Type | None:
    """Element of an array of numbers or vectors; None for anything else."""
    base = resolve(target).base
    if not isinstance(base, Instr) or base.op != "alloca":
        return None
    kind = base.aux
    while kind.kind == "array":
        kind = kind.elem
    return None if kind.kind == "struct" else kind


def _at(pointer: Value, index: Value, copy: _Copy, name: str) -> Instr:
    args = [pointer, index]
    return Instr(pointer.type, "getelementptr", name, args, aux=copy.elem, place=copy.place)


def _load(copy: _Copy, pointer: Value, name: str) -> Instr:
    size = copy.elem.size
    return Instr(copy.elem, "load", name, [pointer], aux=copy.elem, align=size, place=copy.place)


def _store(copy: _Copy, data: Value, pointer: Value) -> Instr:
    size = copy.elem.size
    args = [data, pointer]
    return Instr(VOID, "store", "", args, aux=copy.elem, align=size, place=copy.place)


def _fill(copy: _Copy) -> Const:
    size = copy.elem.size
    return Const(copy.elem, int.from_bytes(bytes([copy.value & 255]) * size, "little"))


def _straight(copy: _Copy, stem: str) -> list[Instr]:
    """All loads, then all stores."""
    index = integer(POINTER_BITS)
    loads: list[Instr] = []
    stores: list[Instr] = []
    for i in range(copy.count):
        data: Value = _fill(copy)
        if copy.source is not None:
            origin = _at(copy.source, Const(index, i), copy, f"{stem}.from{i}")
            data = _load(copy, origin, f"{stem}.word{i}")
            loads += [origin, data]
        to = _at(copy.target, Const(index, i), copy, f"{stem}.to{i}")
        stores += [to, _store(copy, data, to)]
    return loads + stores


def _loop(kernel: Kernel, block: Block, at: int, copy: _Copy, stem: str) -> None:
    blocks, where = kernel.function.blocks, copy.place
    index = integer(POINTER_BITS)
    i = Instr(index, "phi", f"{stem}.i", [], place=where)
    to = _at(copy.target, i, copy, f"{stem}.to")
    made = [i, to]
    data: Value = _fill(copy)
    if copy.source is not None:
        origin = _at(copy.source, i, copy, f"{stem}.from")
        data = _load(copy, origin, f"{stem}.word")
        made += [origin, data]
    made.append(_store(copy, data, to))
    after = Instr(index, "add", f"{stem}.next", [i, Const(index, 1)], place=where)
    bound = Const(index, copy.count)
    args: list[Value] = [after, bound]
    more = Instr(integer(1), "icmp", f"{stem}.more", args, frozenset({"ult"}), place=where)
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
