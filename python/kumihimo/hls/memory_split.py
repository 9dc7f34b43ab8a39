# SPDX-License-Identifier: Apache-2.0
"""Accesses that memory's words do not allow become several: of packed structs, of whole structs.

LLVM copies a struct of two ints as one word of 64 bits that is aligned to 32, and three bytes as a
word of 24 bits. Such a load is the loads of its parts, a store the stores of its parts; accesses of
an array's own elements stay as they are.
"""

from __future__ import annotations

from .frontend import Kernel
from .ir import POINTER_BITS, VOID, Const, GlobalRef, Instr, Value, integer
from .memory import resolve


def split_accesses(kernel: Kernel) -> None:
    """Split all loads and stores of a kernel that need it."""
    for block in kernel.function.blocks.values():
        body: list[Instr] = []
        for ins in block.body:
            part = _part(ins)
            if not part:
                body.append(ins)
            elif ins.op == "load":
                body += _load(ins, part)
            else:
                body += _store(ins, part)
        block.body[:] = body


def _part(ins: Instr) -> int:
    """Bytes of the parts that an access is to be split into; 0: it stays."""
    if ins.op not in ("load", "store") or "volatile" in ins.flags or ins.aux.kind == "ptr":
        return 0
    size = ins.aux.store
    part = min(ins.align or size, size & -size)
    if part == size:
        return 0
    pointer = resolve(ins.args[-1])
    own = isinstance(pointer.base, GlobalRef) or (
        isinstance(pointer.base, Instr) and pointer.base.op == "alloca"
    )
    steps = (pointer.offset, *(scale for _, scale in pointer.terms))
    if own and size & (size - 1) == 0 and not any(step % size for step in steps):
        return 0
    return part


def _at(ins: Instr, part: int, number: int) -> Instr:
    pointer, index = ins.args[-1], Const(integer(POINTER_BITS), number)
    kind, name = integer(8 * part), f"{ins.name or 'part'}.at{number}"
    args = [pointer, index]
    return Instr(pointer.type, "getelementptr", name, args, aux=kind, place=ins.place)


def _load(ins: Instr, part: int) -> list[Instr]:
    """The parts put together; users of the load use the last operation."""
    kind, word, place = integer(8 * part), integer(ins.aux.width), ins.place
    stem = ins.name or "word"
    made: list[Instr] = []
    whole: Value | None = None
    count = ins.aux.store // part
    for i in range(count):
        at = _at(ins, part, i)
        load = Instr(kind, "load", f"{stem}.part{i}", [at], aux=kind, align=part, place=place)
        wide = Instr(word, "zext", f"{stem}.wide{i}", [load], place=place)
        made += [at, load, wide]
        if whole is None:
            whole = wide
            continue
        amount = Const(word, 8 * part * i)
        moved = Instr(word, "shl", f"{stem}.high{i}", [wide, amount], place=place)
        made.append(moved)
        if i == count - 1 and ins.aux.kind == "int":
            ins.op, ins.args = "or", [whole, moved]
        else:
            whole = Instr(word, "or", f"{stem}.low{i}", [whole, moved], place=place)
            made.append(whole)
    if ins.op == "load":
        assert whole is not None
        ins.op, ins.args = "bitcast", [whole]
    ins.aux, ins.align = VOID, 0
    return [*made, ins]


def _store(ins: Instr, part: int) -> list[Instr]:
    kind, word, place = integer(8 * part), integer(ins.aux.width), ins.place
    data, made = ins.args[0], []
    if isinstance(data, Const):
        data = Const(word, data.value)
    elif ins.aux.kind != "int":
        data = Instr(word, "bitcast", "bits", [data], place=place)
        made.append(data)
    for i in range(ins.aux.store // part):
        if isinstance(data, Const):
            value: Value = Const(kind, data.value >> (8 * part * i) & ((1 << 8 * part) - 1))
        else:
            amount = Const(word, 8 * part * i)
            moved = Instr(word, "lshr", f"moved{i}", [data, amount], place=place)
            value = Instr(kind, "trunc", f"part{i}", [moved], place=place)
            made += [moved, value]
        at = _at(ins, part, i)
        store = Instr(VOID, "store", "", [value, at], aux=kind, align=part, place=place)
        made += [at, store]
    return made
