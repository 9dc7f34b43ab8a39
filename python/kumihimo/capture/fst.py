# SPDX-License-Identifier: Apache-2.0
"""Reads the hierarchy of an FST waveform: scopes, signals and the names of enum values.

Values are not read. The layout is that of GTKWave's `docs/internals/fst-file-format.md`.
"""

from __future__ import annotations

import ctypes
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..common.errors import KumiError

_HIER_GZIP, _HIER_LZ4, _HIER_LZ4_TWICE = 4, 6, 7
_ATTR_BEGIN, _ATTR_END, _SCOPE, _UPSCOPE = 252, 253, 254, 255
_MISC, _ENUM_TABLE = 0, 7


@dataclass(frozen=True)
class Enum:
    """An enumeration: its type's name, and (binary digits, name) of each value."""

    name: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Signal:
    """A signal of the waveform."""

    path: tuple[str, ...]
    """Scopes and the signal's name, without its range."""
    range: str
    """`[63:0]`, or "" of a single bit."""
    bits: int
    handle: int
    """Equal for signals that are one net."""
    enum: Enum | None = None

    @property
    def name(self) -> str:
        """The path as viewers write it, with the range."""
        return ".".join(self.path) + self.range


@dataclass
class Scope:
    """A module, an interface, a struct or a block, in the order of the file."""

    path: tuple[str, ...]
    scopes: dict[str, Scope] = field(default_factory=dict)
    signals: dict[str, Signal] = field(default_factory=dict)

    def find(self, *path: str) -> Scope | None:
        """The scope below this one, by name."""
        scope: Scope | None = self
        for name in path:
            scope = scope.scopes.get(name) if scope else None
        return scope

    def walk(self) -> Iterator[Signal]:
        """Every signal of this scope and below."""
        yield from self.signals.values()
        for scope in self.scopes.values():
            yield from scope.walk()


def _lz4(data: bytes, size: int) -> bytes:
    try:
        library = ctypes.CDLL("liblz4.so.1")
    except OSError:
        hint = "On Debian or Ubuntu: sudo apt install liblz4-1"
        raise KumiError("The library liblz4.so.1 is missing.", hint, 3) from None
    out = ctypes.create_string_buffer(size)
    done = library.LZ4_decompress_safe(data, out, len(data), size)
    if done != size:
        raise ValueError("a block of the hierarchy is damaged")
    return out.raw


def _hierarchy(file: Path) -> bytes:
    """The hierarchy's block, decompressed; seeks over all others."""
    total = file.stat().st_size
    with file.open("rb") as stream:
        while kind := stream.read(1):
            length = int.from_bytes(stream.read(8), "big")
            if length < 16 or stream.tell() + length - 8 > total:
                break
            if kind[0] not in (_HIER_GZIP, _HIER_LZ4, _HIER_LZ4_TWICE):
                stream.seek(length - 8, 1)
                continue
            size = int.from_bytes(stream.read(8), "big")
            data = stream.read(length - 16)
            if kind[0] == _HIER_GZIP:
                return gzip.decompress(data)
            if kind[0] == _HIER_LZ4_TWICE:
                data = _lz4(data[8:], int.from_bytes(data[:8], "big"))
            return _lz4(data, size)
    raise ValueError("it has no hierarchy (was the run ended before the file was complete?)")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def text(self) -> str:
        end = self.data.index(0, self.at)
        out = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return out

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


def _enum(text: str) -> Enum:
    """`state_t 2 IDLE BUSY 0 1`: the values 0 IDLE and 1 BUSY."""
    words = text.split()
    count = int(words[1])
    values = zip(words[2 + count : 2 + 2 * count], words[2 : 2 + count], strict=True)
    return Enum(words[0], tuple(values))


def _parse(data: bytes) -> Scope:
    reader = _Reader(data)
    root = Scope(())
    stack = [root]
    tables: dict[int, Enum] = {}
    pending: Enum | None = None
    handles = 0
    while reader.at < len(data):
        tag = reader.byte()
        if tag == _SCOPE:
            reader.byte()
            name = reader.text()
            reader.text()
            above = stack[-1]
            stack.append(above.scopes.setdefault(name, Scope((*above.path, name))))
        elif tag == _UPSCOPE:
            stack.pop()
        elif tag == _ATTR_BEGIN:
            kind, subtype, text = reader.byte(), reader.byte(), reader.text()
            number = reader.number()
            if (kind, subtype) == (_MISC, _ENUM_TABLE):
                if text:
                    tables[number] = _enum(text)
                else:
                    pending = tables.get(number)
        elif tag != _ATTR_END:
            reader.byte()
            label, bits, alias = reader.text(), reader.number(), reader.number()
            handles += not alias
            name, _, span = label.partition(" ")
            if not span and name.endswith("]") and ":" in name:
                name, _, span = name.rpartition("[")
                span = "[" + span
            signal = Signal((*stack[-1].path, name), span, bits, alias or handles, pending)
            stack[-1].signals[name] = signal
            pending = None
    return root


def read_hierarchy(file: Path) -> Scope:
    """The top of a waveform file's hierarchy. Raises KumiError for a file that is not complete."""
    try:
        return _parse(_hierarchy(file))
    except (ValueError, IndexError, EOFError) as problem:
        raise KumiError(f"{file} is not a complete FST waveform: {problem}.") from None
    except OSError as problem:
        raise KumiError(f"Cannot read {file}: {problem.strerror}.") from None
