# SPDX-License-Identifier: Apache-2.0
"""A program of kernels: what the passes behind the front end work on.

Finds kernels, channels, arrays and the binding of names; refuses what has no counterpart in RTL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from . import clang
from .errors import HlsError, Place
from .ir import Function, Global, GlobalRef, Instr, Module, Type
from .llvm_text import read_module

CAN_READ, CAN_WRITE = "__kumi_can_read", "__kumi_can_write"
FENCE = "__kumi_fence"
_OWN = (CAN_READ, CAN_WRITE, FENCE)


@dataclass(eq=False)
class Channel:
    """One channel: of an array of channels, one element."""

    name: str  # of a port or net in RTL
    source: str  # as the user writes it
    bits: int
    depth: int
    io: str
    place: Place
    reader: str = ""  # kernel that reads it
    writer: str = ""


@dataclass(eq=False)
class Kernel:
    """A kernel function."""

    function: Function
    module: Module
    autorun: bool
    source: str  # name in the source; a compute unit's own name has its number behind it
    unit: tuple[int, ...] = (0,)
    readable: dict[str, str] = field(default_factory=dict)  # argument name to OpenCL type

    @property
    def name(self) -> str:
        """Name of its module and registers."""
        return self.function.name


@dataclass(eq=False)
class Program:
    """All kernels and channels of a file."""

    source: clang.Source
    module: Module
    kernels: list[Kernel]
    channels: dict[tuple[str, int], Channel]  # by global and byte offset

    @property
    def name(self) -> str:
        """Name of the program: of its file."""
        return re.sub(r"\W", "_", self.source.path.stem)

    def channel(self, ref: GlobalRef) -> Channel | None:
        """The channel at an address, None if a variable is there."""
        return self.channels.get((ref.name, ref.offset))


def load(path: Path, defines: tuple[str, ...] = ()) -> Program:
    """Compile a file to a program."""
    source = clang.read_source(path)
    module = read_module(clang.llvm_ir(source, defines))
    channels: dict[tuple[str, int], Channel] = {}
    for variable in module.globals.values():
        if "kumi.channel" in variable.notes:
            _channels(variable, channels)
    kernels = []
    for function in list(module.functions.values()):
        if function.kernel:
            kernels += _units(function, module, source, defines)
    if not kernels:
        raise HlsError(Place(str(path)), "There is no kernel.", "__kernel void name(...) {...}")
    program = Program(source, module, kernels, channels)
    for kernel in kernels:
        _check(kernel.function, program)
    return program


def _note(notes: list[str], name: str) -> str:
    for note in notes:
        if note.startswith(f"kumi.{name}="):
            return note.split("=", 1)[1].strip()
    return ""


def _channels(variable: Global, out: dict[tuple[str, int], Channel]) -> None:
    depth = _note(variable.notes, "depth") or "0"
    if not depth.isdigit():
        raise HlsError(variable.place, f"the depth {depth} is not a number.", "depth(8)")
    io = _note(variable.notes, "io").strip('"')
    elems: list[tuple[str, str, int, Type]] = [(variable.name, variable.name, 0, variable.type)]
    while elems[0][3].kind == "array":
        elems = [
            (f"{name}_{i}", f"{text}[{i}]", at + i * kind.elem.size, kind.elem)
            for name, text, at, kind in elems
            for i in range(kind.count)
        ]
    for name, text, at, kind in elems:
        bits = 8 * kind.size
        binding = io if len(elems) == 1 or not io else io + name.removeprefix(variable.name)
        out[variable.name, at] = Channel(name, text, bits, int(depth), binding, variable.place)


def _units(
    function: Function, module: Module, source: clang.Source, defines: tuple[str, ...]
) -> list[Kernel]:
    """A kernel, or each of its compute units, for which get_compute_id is a constant."""
    said = _note(module.notes.get(function.name, []), "num_compute_units") or "1"
    shape = [int(part) for part in said.split(",")]
    if shape == [1] * len(shape):
        return [_kernel(function, module, function.name)]
    out = []
    for number, unit in enumerate(product(*(range(n) for n in shape))):
        places = tuple(f"KUMI_UNIT{axis}={n}" for axis, n in enumerate(unit))
        own = read_module(clang.llvm_ir(source, (*defines, *places)))
        copy = own.functions[function.name]
        kernel = _kernel(copy, own, function.name)
        copy.name = f"{function.name}_{number}"
        kernel.unit = unit
        out.append(kernel)
    return out


def _kernel(function: Function, module: Module, source: str) -> Kernel:
    autorun = "kumi.autorun" in module.notes.get(function.name, [])
    if autorun and function.args:
        text = f"the autorun kernel {function.name} has arguments."
        raise HlsError(function.place, text, "An autorun kernel takes none: use channels.")
    names = [a.name for a in function.args]
    kinds = function.attrs.get("kernel_arg_type", ())
    readable = dict(zip(names, kinds, strict=False))
    return Kernel(function, module, autorun, source, readable=readable)


def _check(function: Function, program: Program) -> None:
    """Refuse calls that have no counterpart, and note who reads and writes each channel."""
    for block in function.blocks.values():
        for ins in block.body:
            if ins.op == "call" and not ins.callee.startswith("llvm."):
                _call(ins, function, program)
            for arg in ins.args:
                if isinstance(arg, GlobalRef) and ins.op in ("load", "store"):
                    _access(ins, arg, function, program)


def _call(ins: Instr, function: Function, program: Program) -> None:
    name = ins.callee
    if name in _OWN:
        return
    if name == function.name or name in program.module.functions:
        raise HlsError(ins.place, f"{name} calls itself.", "Write a loop instead of the recursion.")
    if name == "get_global_id" or name.startswith(("_Z13get_global_id", "_Z12get_local_id")):
        text = "kernels are single work-items; get_global_id and get_local_id are not supported."
        raise HlsError(ins.place, text, "Write a loop over the work-items: for (int i = 0; ...)")
    if "barrier" in name:
        raise HlsError(ins.place, "a single work-item needs no barrier.", "Remove it.")
    plain = re.sub(r"^_Z\d+", "", name)
    raise HlsError(ins.place, f"the function {plain} is not known.", "Define it in this file.")


def _access(ins: Instr, ref: GlobalRef, function: Function, program: Program) -> None:
    variable = program.module.globals.get(ref.name)
    if variable is None or "kumi.channel" not in variable.notes:
        return
    found = program.channel(ref)
    if found is None:
        text = f"part of a word of the channel {ref.name} is accessed."
        raise HlsError(ins.place, text, "Read the whole word, then take its field.")
    side = "reader" if ins.op == "load" else "writer"
    before = getattr(found, side)
    if before and before != function.name:
        text = f"{before} and {function.name} are both {side}s of the channel {found.source}."
        raise HlsError(ins.place, text, "A channel has one of each: use two channels.")
    setattr(found, side, function.name)
