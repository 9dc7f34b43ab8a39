# SPDX-License-Identifier: Apache-2.0
"""Reads LLVM's textual IR into `ir` objects.

The text comes from LLVM itself, so mistakes in it are not expected; a construct that kernels do not
produce raises HlsError with the line of the source it came from.
"""

from __future__ import annotations

import re

from .debug_info import DebugInfo
from .errors import HlsError, Place
from .ir import Arg, Block, Const, Function, Global, Module
from .llvm_instr import InstrReader
from .llvm_values import Tokens, TypeReader, ValueReader, memory_bytes, unquote


def read_module(text: str) -> Module:
    """All functions with bodies and all globals of a module's text."""
    debug = DebugInfo(text)
    types = TypeReader()
    lines = text.splitlines()
    for line in lines:
        found = re.match(r"(%[^ ]+) = type (.*)", line)
        if found and found.group(2) != "opaque":
            types.texts[unquote(found.group(1))] = found.group(2)
    module = Module({}, {})
    values = ValueReader(types, lambda name, kind: Const(kind, 0))
    notes: str = ""
    for line in lines:
        if line.startswith("@llvm.global.annotations"):
            notes = line
        elif line.startswith("@"):
            made = _global(line, types, values, debug)
            if made:
                module.globals[made.name] = made
    _annotate(notes, module)
    at = 0
    while at < len(lines):
        if lines[at].startswith("define "):
            end = lines.index("}", at)
            function = _function(lines[at:end], types, debug)
            module.functions[function.name] = function
            at = end
        at += 1
    return module


def _global(line: str, types: TypeReader, values: ValueReader, debug: DebugInfo) -> Global | None:
    where = re.search(r"!dbg (!\d+)", line)
    t = Tokens(re.split(r", (?:align|section|!dbg|comdat)", line, maxsplit=1)[0])
    name = unquote(t.take())
    t.need("=")
    space, constant, external = 0, False, False
    while t.peek() not in ("global", "constant"):
        word = t.take()
        external |= word in ("external", "extern_weak")
        if word == "addrspace":
            t.need("(")
            space = int(t.take())
            t.need(")")
        if not word:
            return None
    constant = t.take() == "constant"
    kind = types.read(t)
    if name.startswith("llvm."):
        return None
    init: bytes | None = None
    if not external and t.peek() not in ("undef", "poison", "null", ""):
        try:
            value = values.value(t, kind)
        except ValueError:
            value = None
        if isinstance(value, Const):
            init = memory_bytes(kind, value.value)
    place = debug.variable(where.group(1)) if where else Place()
    return Global(name, kind, space, init, constant, place)


def _annotate(line: str, module: Module) -> None:
    pointer = r"ptr(?: addrspace\(\d+\))?"
    pattern = rf"\{{ {pointer} (?:addrspacecast \(ptr )?(@[^ ,]+)[^,]*, {pointer} (@[^ ,]+),"
    for target, text in re.findall(pattern, line):
        note = module.globals.get(unquote(text))
        if note is None or note.init is None:
            continue
        said = note.init.rstrip(b"\0").decode()
        name = unquote(target)
        if name in module.globals:
            module.globals[name].notes.append(said)
        else:
            module.notes.setdefault(name, []).append(said)


def _refuse_objects(lines: list[str], place: Place, debug: DebugInfo) -> None:
    """Pipes, images, events: OpenCL's objects, which are opaque types of LLVM."""
    found = [m.group(1) for m in (re.search(r'target\("spirv\.(\w+)"', x) for x in lines) if m]
    if not found:
        return
    for line in lines[1:]:  # the use, else the function
        where = re.search(r'target\("spirv\..*!dbg (!\d+)', line)
        if where:
            place = debug.location(where.group(1)) or place
            break
    text, instead = _OBJECTS.get(
        found[0], (f"the type {found[0]} is", "Use numbers, and channels.")
    )
    raise HlsError(place, f"{text} not supported.", instead)


_OBJECTS = {
    "Pipe": ("pipes are", "Use a channel: channel int C; at file scope."),
    "Image": ("images are", "Use a __global pointer."),
    "Sampler": ("samplers are", "Use a __global pointer."),
    "Event": ("async_work_group_copy and its events are", "Copy in a loop: it becomes bursts."),
}


def _function(lines: list[str], types: TypeReader, debug: DebugInfo) -> Function:
    head = lines[0]
    t = Tokens(head)
    while not t.peek().startswith("@"):
        t.take()
    name = unquote(t.take())
    t.need("(")
    where = re.search(r"!dbg (!\d+)", head)
    place = debug.subprogram(where.group(1)) if where else Place()
    kernel = "spir_kernel" in head
    _refuse_objects(lines, place, debug)
    args: list[Arg] = []
    while t.peek() != ")":
        kind = types.read(t)
        noalias, whole = False, False
        while not t.peek().startswith("%"):
            noalias |= t.peek() == "noalias"
            whole |= t.peek() == "byval"
            if t.take() in ("byval", "sret", "dereferenceable", "captures", "range"):
                t.skip_group()
        args.append(Arg(kind, unquote(t.take()), noalias))
        if whole and kernel:
            text = f"the argument {args[-1].name} is a struct."
            raise HlsError(place, text, "Pass its fields, or a pointer to it.")
        t.accept(",")
    reader = InstrReader(types, args, debug.location)
    blocks: dict[str, Block] = {}
    block: Block | None = None
    for line in lines[1:]:
        label = re.match(r'("[^"]+"|[\w.$-]+):', line)
        if label:
            block = Block(label.group(1).strip('"'))
            blocks[block.name] = block
        elif block is not None and line.strip() and not line.strip().startswith(("#dbg", ";")):
            ins = reader.read(line, debug.loops)
            if ins is not None:
                block.body.append(ins)
    reader.resolve(blocks)
    attrs = debug.kernel_attrs(head)
    return Function(name, kernel, args, blocks, place, attrs)
