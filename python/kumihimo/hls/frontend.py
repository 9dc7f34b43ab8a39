# SPDX-License-Identifier: Apache-2.0
"""A program of kernels: what the passes behind the front end work on.

Finds kernels, channels, arrays and the binding of names; refuses what has no counterpart in RTL.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from . import clang, streams
from .channel_choice import split_choices
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
    axes: int = 0  # dimensions of an NDRange kernel: as many last arguments are global sizes
    local: tuple[int, ...] = ()  # size of its work-groups

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


def load(path: Path, defines: tuple[str, ...] = (), relaxed: bool = False) -> Program:
    """Compile a file to a program; `relaxed`: sums of float may be done in another order."""
    source = clang.read_source(path)
    source.relaxed = relaxed
    module = read_module(clang.llvm_ir(source, defines))
    channels: dict[tuple[str, int], Channel] = {}
    for variable in module.globals.values():
        if "kumi.channel" in variable.notes:
            _channels(variable, channels)
    kernels = []
    for function in list(module.functions.values()):
        if "kumi.kernel" in module.notes.get(function.name, []):
            kernels.append(_function(function, module))
        elif function.kernel:
            kernels += _units(function, module, source, defines)
    if not kernels:
        raise HlsError(Place(str(path)), "There is no kernel.", "__kernel void name(...) {...}")
    program = Program(source, module, kernels, channels)
    for kernel in kernels:
        split_choices(kernel.function, kernel.module)
        _check(kernel.function, program)
    return program


def _note(notes: list[str], name: str) -> str:
    for note in notes:
        if note.startswith(f"kumi.{name}="):
            return note.split("=", 1)[1].strip()
    return ""


def _number(text: str) -> int | None:
    """Value of a sum of products of numbers, as macros make them; None for anything else."""
    if not re.fullmatch(r"[\d\s+*()-]+", text):
        return None
    try:
        value = ast.literal_eval(_folded(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError):
        return None
    return value if value >= 0 else None


def _folded(node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.BinOp):
        return node
    left, right = ast.literal_eval(_folded(node.left)), ast.literal_eval(_folded(node.right))
    sums = {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}
    return ast.Constant(sums[type(node.op)])


def _channels(variable: Global, out: dict[tuple[str, int], Channel]) -> None:
    said = _note(variable.notes, "depth") or "0"
    depth = _number(said)
    if depth is None:
        raise HlsError(variable.place, f"the depth {said} is not a number.", "depth(8)")
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
        out[variable.name, at] = Channel(name, text, bits, depth, binding, variable.place)


def _units(
    function: Function, module: Module, source: clang.Source, defines: tuple[str, ...]
) -> list[Kernel]:
    """A kernel, or each of its compute units, for which get_compute_id is a constant."""
    said = _note(module.notes.get(function.name, []), "num_compute_units") or "1"
    shape = [_number(part) or 0 for part in said.split(",")]
    if not all(shape):
        text = f"the number of compute units {said} is not a number."
        raise HlsError(function.place, text, "num_compute_units(4)")
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


def _function(function: Function, module: Module) -> Kernel:
    """A kernel that is a C++ function."""
    function.name = function.name.removeprefix(streams.PREFIX)
    origin = module.functions.get(function.name)
    function.place = function.place if origin is None else origin.place
    return Kernel(function, module, False, function.name)


def _kernel(function: Function, module: Module, source: str) -> Kernel:
    autorun = "kumi.autorun" in module.notes.get(function.name, [])
    if autorun and function.args:
        text = f"the autorun kernel {function.name} has arguments."
        raise HlsError(function.place, text, "An autorun kernel takes none: use channels.")
    for arg in function.args:
        if arg.type.kind == "ptr" and arg.type.space == 3:
            text = f"the argument {arg.name} is a pointer to local memory."
            raise HlsError(
                function.place, text, f"Declare it in the kernel: __local int {arg.name}[64];"
            )
    names = [a.name for a in function.args]
    kinds = function.attrs.get("kernel_arg_type", ())
    readable = dict(zip(names, kinds, strict=False))
    axes = len(names) - len(kinds)
    size = tuple(int(n) for n in function.attrs.get("reqd_work_group_size", (1, 1, 1)))
    local = size if axes else ()
    return Kernel(function, module, autorun, source, readable=readable, axes=axes, local=local)


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
    known = re.match(r"_Z(\d+)", name)
    plain = name[known.end() :][: int(known.group(1))] if known else name
    instead = next((text for stem, text in _INSTEAD.items() if re.match(stem, plain)), _OTHERWISE)
    raise HlsError(ins.place, f"the function {plain} is not known.", instead)


_OTHERWISE = "Define it in this file."
_INSTEAD = {
    r"exp|log|pow|sin|cos|tan|asin|acos|atan|native_|half_": "Use a table in __constant memory.",
    r"fma$": "Write a * b + c, which rounds twice.",
    r"atom": "Let one kernel own the memory, and send it words by a channel.",
    r"async_work_group|prefetch": "Copy in a loop: it becomes bursts.",
    r"vload|vstore": "Use a pointer to vectors: ((__global int4 *)p)[i].",
    r"convert_|as_": "Use a cast, convert_TYPE or convert_TYPE_sat.",
    r"read_pipe|write_pipe|read_image|write_image": "Use channels.",
    r"fmod|remainder": "Write x - y * trunc(x / y).",
}
"""What to write instead of functions of OpenCL that are not supported."""


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
    if not ins.place.line:  # LLVM made one access of several
        ins.place = _place_of(found, ins.op == "load", program.source)


def _place_of(channel: Channel, reads: bool, source: clang.Source) -> Place:
    """The first line that reads or writes a channel; where it is declared if none says its name."""
    verb = "read" if reads else "write"
    call = rf"{verb}_channel\w*\s*\(\s*{re.escape(channel.source)}\s*[,)]"
    at = re.search(call, source.text)
    if at is None:
        return channel.place
    return Place(str(source.path), source.text.count("\n", 0, at.start()) + 1)
