# SPDX-License-Identifier: Apache-2.0
"""Emulation: the same .cl file as native code, kernels as coroutines, channels as queues.

It is the reference of the RTL: what the kernels compute is decided by the same compiler. A deadlock
is found at once and named; a kernel that never ends runs into the time limit.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..build import cache
from ..common import tools
from ..common.errors import KumiError
from . import clang, streams
from .frontend import Channel, Kernel, Program, load

RUNTIME = clang.INCLUDE / "kumi_cl_emu.c"
_ALIGN = 128  # bytes: the widest vector
_NATIVE = ("-target", "x86_64-linux-gnu", "-O1", "-fPIC", "-c", "-Wno-unknown-attributes")
_ENDED, _DEADLOCK, _TIME, _DIVIDE, _MEMORY = range(5)
_STOPPED = {
    _DIVIDE: "divides by zero",
    _MEMORY: "leaves its arrays or buffers",
}


class EmulationStopped(KumiError):
    """A run that did not end: `reason` is deadlock, time, divide or memory."""

    def __init__(self, text: str, hint: str, reason: str) -> None:
        super().__init__(text, hint, 4)
        self.reason = reason


@dataclass
class Emulated:
    """What a run left: words of the channels that leave the file, in order."""

    outputs: dict[str, list[int]] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)  # words that nobody read


class Emulation:
    """A file compiled for this machine."""

    def __init__(self, path: Path | Program) -> None:
        """Compile the file, or take one that is already loaded."""
        self.program = path if isinstance(path, Program) else load(path)
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-emulate-")
        self._lib = ctypes.CDLL(str(self._build(Path(self._folder.name))))
        self._lib.emu_run.argtypes = [ctypes.c_double]
        self._lib.emu_task_channel.restype = ctypes.c_void_p
        self._lib.emu_count.restype = ctypes.c_long

    def _build(self, folder: Path) -> Path:
        source = self.program.source
        sources = {k.source: k for k in self.program.kernels}  # one of its compute units
        if source.cpp:
            own = streams.with_kernels(source.text, str(source.path))
            calls = streams.calls(source.text, str(source.path))
        else:
            own = source.text
            calls = "\n".join(_call(k) for k in sources.values())
        whole = clang.Source(source.path, f'{own}\n#line 1 "calls"\n{calls}\n')
        unit, library = folder / "unit.o", folder / "emulation.so"
        clang.run(whole, "kumi_cl_emu.h", (*_NATIVE, "-DKUMI_EMULATION"), str(unit))
        _tool([clang.compiler(), "-shared", str(unit), str(_runtime()), "-o", str(library)])
        return library

    def run(
        self,
        kernels: Mapping[str, Mapping[str, Any]],
        inputs: Mapping[str, Sequence[int]] | None = None,
        timeout: float = 10.0,
    ) -> Emulated:
        """Run kernels until all have ended.

        Args:
            kernels: arguments of each kernel to start; a bytearray is a buffer, changed in place,
                and one that several kernels are given is shared by them.
            inputs: words that come in by the channels that nobody in the file writes.
            timeout: seconds after which the run is given up.
        """
        lib, program = self._lib, self.program
        lib.emu_reset()
        places = self._channels(inputs or {})
        alive: list[Any] = []
        buffers: dict[int, tuple[bytearray, Any]] = {}
        names = []
        for kernel in program.kernels:
            if kernel.name not in kernels and not kernel.autorun:
                continue
            names.append(kernel.name)
            slots = self._arguments(kernel, kernels.get(kernel.name, {}), alive, buffers)
            entry = ctypes.cast(getattr(lib, f"kumi_call_{kernel.source}"), ctypes.c_void_p)
            unit = [*kernel.unit, 0, 0][:3]
            lib.emu_task(entry, slots, int(kernel.autorun), *unit)
            if kernel.axes:
                lib.emu_items(kernel.axes, self._sizes(kernel, kernels.get(kernel.name, {})))
        result = lib.emu_run(timeout)
        for buffer, aligned in buffers.values():
            buffer[:] = bytes(aligned)[: len(buffer)]
        if result != _ENDED:
            raise self._stopped(result, names, places, timeout)
        return self._result(places)

    def _channels(self, inputs: Mapping[str, Sequence[int]]) -> dict[int, Channel]:
        places = {}
        known = {c.name for c in self.program.channels.values()}
        for name in inputs:
            if name not in known:
                raise KumiError(f"There is no channel {name}.", f"There are {', '.join(known)}.")
        for (variable, offset), channel in self.program.channels.items():
            at = ctypes.addressof(ctypes.c_char.in_dll(self._lib, variable)) + offset
            size = channel.bits // 8
            words = inputs.get(channel.name, ())
            data = b"".join(int(w).to_bytes(size, "little") for w in words)
            depth = max(channel.depth, 1) if channel.reader and channel.writer else -1
            self._lib.emu_channel(
                ctypes.c_void_p(at), size, ctypes.c_long(depth), data, ctypes.c_long(len(words))
            )
            places[at] = channel
        return places

    def _sizes(self, kernel: Kernel, given: Mapping[str, Any]) -> Any:
        """Global and local size of an NDRange kernel, x first."""
        names = [arg.name for arg in kernel.function.args[-kernel.axes :]]
        whole = [*(int(given[name]) for name in names), 1, 1][:3]
        for name, size, local in zip(names, whole, kernel.local, strict=False):
            if size % local:
                text = f"{name} of {kernel.name} is {size}, its work-groups have {local}."
                raise KumiError(text, f"Take a multiple of {local}.", 2)
        return (ctypes.c_uint32 * 6)(*whole, *kernel.local)

    def _arguments(
        self,
        kernel: Kernel,
        given: Mapping[str, Any],
        alive: list[Any],
        buffers: dict[int, tuple[bytearray, Any]],
    ) -> Any:
        names = [a.name for a in kernel.function.args]
        if set(names) != set(given):
            text = f"{kernel.name} takes the arguments {', '.join(names) or 'none'}."
            raise KumiError(text, f"Given: {', '.join(given) or 'none'}.")
        slots = (ctypes.c_void_p * max(len(names), 1))()
        for i, arg in enumerate(kernel.function.args):
            value = given[arg.name]
            if arg.type.kind == "ptr":
                if id(value) not in buffers:
                    room = ctypes.create_string_buffer(len(value) + _ALIGN)
                    at = -(-ctypes.addressof(room) // _ALIGN) * _ALIGN
                    aligned = (ctypes.c_uint8 * len(value)).from_address(at)
                    ctypes.memmove(at, bytes(value), len(value))
                    alive.append(room)
                    buffers[id(value)] = (value, aligned)
                slots[i] = ctypes.addressof(buffers[id(value)][1])
            else:
                size = max(arg.type.size, 16)
                cell = ctypes.create_string_buffer(size + _ALIGN)
                at = -(-ctypes.addressof(cell) // _ALIGN) * _ALIGN
                bits = int(value) & ((1 << (8 * arg.type.size)) - 1)
                ctypes.memmove(at, bits.to_bytes(size, "little"), size)
                alive.append(cell)
                slots[i] = at
        alive.append(slots)
        return slots

    def _stopped(
        self, result: int, names: list[str], places: dict[int, Channel], timeout: float
    ) -> EmulationStopped:
        lib = self._lib
        if result in _STOPPED:
            text = f"The kernel {names[lib.emu_current()]} {_STOPPED[result]}."
            reason = "divide" if result == _DIVIDE else "memory"
            return EmulationStopped(text, "", reason)
        waits = []
        for i, name in enumerate(names):
            if lib.emu_task_ended(i):
                continue
            at = lib.emu_task_channel(i)
            if at:
                verb = "write" if lib.emu_task_writes(i) else "read"
                line = lib.emu_task_line(i)
                where = f"{self.program.source.path}:{line}"
                waits.append(f"{name} waits to {verb} {places[at].source} ({where})")
            else:
                waits.append(f"{name} is running")
        hint = "; ".join(waits) + "."
        if result == _DEADLOCK:
            return EmulationStopped("The kernels are deadlocked.", hint, "deadlock")
        return EmulationStopped(f"The kernels did not end within {timeout:g} s.", hint, "time")

    def _result(self, places: dict[int, Channel]) -> Emulated:
        out = Emulated()
        for at, channel in places.items():
            count = int(self._lib.emu_count(ctypes.c_void_p(at)))
            if channel.reader:
                if count:
                    out.unread[channel.name] = count
                continue
            size = channel.bits // 8
            room = ctypes.create_string_buffer(count * size + 1)
            self._lib.emu_words(ctypes.c_void_p(at), room)
            data = room.raw[: count * size]
            out.outputs[channel.name] = [
                int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)
            ]
        return out


def _runtime() -> Path:
    """The runtime's object file, compiled once."""
    cc = clang.compiler()
    key = cache.digest("hls-emulation", cc, RUNTIME.read_bytes())[:32]
    target = cache.cache_root() / "hls" / f"runtime-{key}.o"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = Path(folder) / "runtime.o"
            _tool([cc, "-x", "c", "-O2", "-fPIC", "-c", str(RUNTIME), "-o", str(made)])
            os.replace(made, target)
    return target


def _tool(command: list[str]) -> None:
    done = tools.run(command)
    if done.returncode != 0:
        raise KumiError("The emulation could not be built.", done.stderr[-400:], 3)


def _call(kernel: Kernel) -> str:
    """A function that calls a kernel with arguments from an array of addresses."""
    parts = []
    own = len(kernel.function.args) - kernel.axes  # a global size is nothing the source knows
    for i, arg in enumerate(kernel.function.args[:own]):
        if arg.type.kind == "ptr":
            space = "__constant" if arg.type.space == 2 else "__global"
            parts.append(f"({space} void *)a[{i}]")
        else:
            parts.append(f"*({kernel.readable[arg.name]} *)a[{i}]")
    name = kernel.source
    return f"void kumi_call_{name}(ulong *a) {{ {name}({', '.join(parts)}); }}"
