# SPDX-License-Identifier: Apache-2.0
"""Arrays that one pointer may point into become one array.

A pointer that a phi or a select makes may be into one array or another: `c ? t : u`, or buffers
that are swapped. Arrays have no addresses in RTL, so these arrays share one RAM, one behind the
other, and the pointer is an index into it (`memory_index`). Private arrays join with private ones,
`__local` ones with such, constant tables with constant tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ir import Const, Function, Global, GlobalRef, Instr, Type, Value, integer
from .memory import base_name, in_array, resolve

if TYPE_CHECKING:
    from .frontend import Kernel

_WIDEST = 128  # bytes that the start of an array is a multiple of


def join_arrays(kernel: Kernel) -> None:
    """Join the arrays of each pointer of a kernel that may be into several."""
    groups: list[dict[object, Value]] = []
    for block in kernel.function.blocks.values():
        for ins in block.body:
            found = _arrays(ins)
            if len(found) > 1:
                _add(groups, found)
    for group in groups:
        bases = list(group.values())
        if all(isinstance(base, Instr) for base in bases):
            _join_private(kernel.function, [base for base in bases if isinstance(base, Instr)])
        elif all(isinstance(base, GlobalRef) for base in bases):
            _join_variables(kernel, [str(name) for name in group])


def joins(value: Value) -> bool:
    """Whether a value is a pointer that a phi or a select hands on."""
    return isinstance(value, Instr) and value.op in ("phi", "select") and value.type.kind == "ptr"


def sources(ins: Instr) -> list[Value]:
    """What a phi or a select takes its value from, and what a comparison compares."""
    return ins.args[1:] if ins.op == "select" else ins.args


def bases(ins: Instr) -> list[Value]:
    """Arrays and other origins of the pointers that an instruction takes; constants as well."""
    found: dict[object, Value] = {}
    seen: set[Value] = set()
    work = list(sources(ins))
    while work:
        base = resolve(work.pop()).base
        if base in seen:
            continue
        seen.add(base)
        if isinstance(base, Instr) and joins(base):
            work += sources(base)
        else:
            found[key(base)] = base
    return list(found.values())


def key(array: Value) -> object:
    """What is equal for all values that are the same array."""
    return array.name if isinstance(array, GlobalRef) else array


def _arrays(ins: Instr) -> dict[object, Value]:
    """The arrays of a pointer that may be into several; none if it may be into other memory."""
    if not joins(ins):
        return {}
    found = [base for base in bases(ins) if not isinstance(base, Const)]
    return {key(base): base for base in found} if all(in_array(b) for b in found) else {}


def _add(groups: list[dict[object, Value]], found: dict[object, Value]) -> None:
    """Arrays that are joined with a third one are joined with each other."""
    for group in [g for g in groups if g.keys() & found.keys()]:
        groups.remove(group)
        found = group | found
    groups.append(found)


def _places(types: list[Type]) -> tuple[list[int], int]:
    """Where each array starts, and the bytes of all."""
    starts, end = [], 0
    for kind in types:
        unit = min(_WIDEST, 1 << max(kind.size - 1, 0).bit_length())
        starts.append(-(-end // unit) * unit)
        end = starts[-1] + kind.size
    return starts, end


def _join_private(function: Function, arrays: list[Instr]) -> None:
    starts, size = _places([array.aux for array in arrays])
    entry = next(iter(function.blocks.values())).body
    first = arrays[0]
    name = "_".join(dict.fromkeys(base_name(array) for array in arrays))
    whole = Instr(
        first.type, "alloca", name, [], aux=Type("array", count=size, elems=(integer(8),)),
        place=first.place,
    )  # fmt: skip
    # Each old array is its address within the whole from here on; uses of it stay as they are.
    for array, start in zip(arrays, starts, strict=True):
        array.op, array.aux = "getelementptr", integer(8)
        array.args = [whole, Const(integer(32), start)]
    entry.insert(0, whole)


def _join_variables(kernel: Kernel, names: list[str]) -> None:
    variables = [kernel.module.globals[name] for name in names]
    if any(v.notes or v.space != variables[0].space for v in variables):
        return
    starts, size = _places([variable.type for variable in variables])
    name = "_".join(variable.name for variable in variables)
    init: bytes | None = None
    if all(variable.init is not None for variable in variables):
        data = bytearray(size)
        for variable, start in zip(variables, starts, strict=True):
            data[start : start + len(variable.init or b"")] = variable.init or b""
        init = bytes(data)
    first = variables[0]
    kernel.module.globals[name] = Global(
        name, Type("array", count=size, elems=(integer(8),)), first.space, init,
        all(variable.constant for variable in variables), first.place,
    )  # fmt: skip
    moved = dict(zip(names, starts, strict=True))
    for ref in _references(kernel.function):
        if ref.name in moved:
            ref.offset += moved[ref.name]
            ref.name = name


def _references(function: Function) -> list[GlobalRef]:
    found: dict[int, GlobalRef] = {}
    for block in function.blocks.values():
        for ins in block.body:
            found |= {id(arg): arg for arg in ins.args if isinstance(arg, GlobalRef)}
    return list(found.values())
