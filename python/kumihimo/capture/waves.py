# SPDX-License-Identifier: Apache-2.0
"""Views of a node's waveform: a save file for GTKWave and a command file for Surfer.

Both show the streams of the node's ports first, then those of its kernels, with the fields of each
record, then the kernels' own signals. GTKWave gets every other net too, in closed groups.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..build.design import DesignInfo, Port
from .fst import Enum, Scope, Signal, read_hierarchy

_REST_LIMIT = 4000  # nets of the closed groups; more are only in the viewer's tree
_AXIS = ("tvalid", "tready", "tlast", "tdata", "tkeep", "tuser", "tid", "tdest")
_REC = ("valid", "ready", "data")
_CONSTANT = re.compile(r"^[A-Z][A-Z0-9_]*$")
Fields = tuple[tuple[str, int, int], ...]

# Flags of GTKWave's traces (analyzer.h).
_HEX, _BIN, _RIGHT, _BLANK = 0x2, 0x8, 0x20, 0x200
_COLLAPSED, _FILTER, _CLOSED, _BEGIN, _END = 0x1000, 0x2000, 0x400000, 0x800000, 0x1000000


@dataclass(frozen=True)
class Row:
    """A signal, with the fields of the record that it carries, and the enumerations among them."""

    signal: Signal
    fields: Fields = ()
    enums: Mapping[str, Enum] = field(default_factory=dict)


@dataclass
class Group:
    """Rows under a heading."""

    title: str
    rows: list[Row] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    closed: bool = False

    def walk(self) -> Iterator[Row]:
        """Every row, in the order in which it is shown."""
        yield from self.rows
        for group in self.groups:
            yield from group.walk()


def _leaves(fields: Fields) -> Fields:
    """Fields without those that only hold others."""
    names = [name for name, _, _ in fields]
    return tuple(f for f in fields if not any(n.startswith(f[0] + ".") for n in names))


def _record(info: DesignInfo, stream: str, bits: int) -> Fields:
    """Fields of a record stream: the only struct of its width, or the one with its name."""
    fits = {
        name: rows
        for name, rows in info.structs.items()
        if max((low + width for _, low, width in rows), default=0) == bits
    }
    words = stream.strip("sm_").split("_")
    named = [rows for name, rows in fits.items() if all(w in name for w in words)]
    chosen = list(fits.values()) if len(fits) == 1 else named
    return _leaves(chosen[0]) if len(chosen) == 1 else ()


class _View:
    """Builds the groups of one node; `seen` are the nets that are shown already."""

    def __init__(self, hierarchy: Scope, info: DesignInfo) -> None:
        self.info = info
        self.seen: set[int] = set()
        self.top = next(iter(hierarchy.scopes.values()), hierarchy)
        self.module = self.top.scopes.get(info.top, self.top)
        # Any traced struct with the fields of a record says which of them are enumerations.
        self.enums: dict[frozenset[str], dict[str, Enum]] = {}
        for scope in _scopes(self.top):
            found = {name: s.enum for name, s in scope.signals.items() if s.enum}
            if found:
                self.enums[frozenset(scope.signals)] = found

    def _row(self, signal: Signal, fields: Fields = ()) -> Row:
        self.seen.add(signal.handle)
        return Row(signal, fields, self.enums.get(frozenset(f[0] for f in fields), {}))

    def _stream(self, scope: Scope) -> list[Row]:
        """The rows of an interface that is a stream, else none."""
        signals = scope.signals
        if "tvalid" in signals and "tdata" in signals:
            idle = [n for n in ("tid", "tdest") if n in signals and signals[n].bits == 1]
            return [self._row(signals[n]) for n in _AXIS if n in signals and n not in idle]
        if "valid" in signals and "data" in signals:
            fields = _record(self.info, scope.path[-1], signals["data"].bits)
            names = [name for name in _REC if name in signals]
            return [self._row(signals[n], fields if n == "data" else ()) for n in names]
        return []

    def port(self, port: Port) -> Group:
        """A port of the node: one group per direction."""
        group = Group(f"{port.name or port.kind} ({port.kind})")
        order = {name: i for i, name in enumerate((*_AXIS, *_REC))}
        for way, title in ((port.rx, "in"), (port.tx, "out")):
            if way is None:
                continue
            rows = []
            for name in sorted(way.signals, key=lambda name: order.get(name, len(order))):
                signal = self.top.signals.get(way.prefix + name)
                if signal is not None:
                    rows.append(self._row(signal, _leaves(way.fields) if name == "data" else ()))
            if port.rx and port.tx:
                group.groups.append(Group(title, rows))
            else:
                group.rows += rows
        return group

    def kernels(self) -> Iterator[Group]:
        """Modules of the node, other than its shell, that have streams."""
        core = self.module.scopes.get("u_core", self.module)
        for name, module in core.scopes.items():
            if name == "u_shell":
                continue
            found = [(s.path[-1], self._stream(s)) for s in module.scopes.values()]
            streams = [Group(title, rows) for title, rows in found if rows]
            if streams:
                streams.sort(key=lambda group: not group.title.startswith("s_"))
                own = list(self._own(module))
                yield Group(f"kernel {name.removeprefix('u_')}", groups=[*streams, *own])

    def _own(self, module: Scope) -> Iterator[Group]:
        """A module's own signals, and its structs."""
        rows = [self._row(s) for s in module.signals.values() if self._new(s)]
        if rows:
            yield Group("signals", rows)
        for scope in module.scopes.values():
            handshake = {"tvalid", "valid", "awvalid"} & scope.signals.keys()
            if scope.signals and not scope.scopes and not handshake and scope.path[-1][:2] != "u_":
                yield Group(scope.path[-1], [self._row(s) for s in scope.signals.values()])

    def _new(self, signal: Signal) -> bool:
        return signal.handle not in self.seen and not _CONSTANT.match(signal.path[-1])

    def rest(self, scope: Scope) -> Iterator[Group]:
        """Every net that is not shown yet, a closed group per scope."""
        rows = [self._row(s) for s in scope.signals.values() if self._new(s)]
        if rows:
            yield Group(".".join(scope.path[1:]), rows, closed=True)
        for name, inner in scope.scopes.items():
            if not _CONSTANT.match(name):
                yield from self.rest(inner)


def _scopes(scope: Scope) -> Iterator[Scope]:
    yield scope
    for inner in scope.scopes.values():
        yield from _scopes(inner)


def view(hierarchy: Scope, info: DesignInfo) -> list[Group]:
    """What to show of a node, in order."""
    made = _View(hierarchy, info)
    signals = made.top.signals
    clocks = [signals[n] for c in info.clocks for n in (c.name, c.reset) if n in signals]
    groups = [Group("clocks", [Row(signal) for signal in clocks])]
    made.seen.update(signal.handle for signal in clocks)
    groups += [made.port(port) for port in info.ports]
    groups += made.kernels()
    count = 0
    for group in made.rest(made.module):
        count += len(group.rows)
        if count > _REST_LIMIT:
            break
        groups.append(group)
    return [group for group in groups if next(group.walk(), None)]


def _bits(signal: Signal, name: str, low: int, bits: int, label: str = "") -> str:
    """A trace of some bits of a signal; GTKWave counts them from the leftmost."""
    first = signal.bits - low - bits
    if bits == 1:
        return f"+{{{label or signal.path[-1]}}} ({first}){name}" if signal.bits > 1 else name
    parts = " ".join(f"({i}){name}" for i in range(first, first + bits))
    return f"#{{{label or signal.path[-1]}[{bits - 1}:0]}} {parts}"


class _Gtkw:
    """Text of a save file, and of a filter file per enumeration."""

    def __init__(self, fst: Path, start: int, end: int) -> None:
        self.folder = fst.with_suffix(".enums")
        self.filters: dict[Path, Enum] = {}  # their order is GTKWave's number of them
        self.flags = -1
        zoom = -math.log2(max(end - start, 1) / 1200)
        self.lines = [
            "[*]",
            "[*] Made by Kumihimo: streams of the node's ports, then of its kernels.",
            f'[dumpfile] "{fst.name}"',
            f'[savefile] "{fst.with_suffix(".gtkw").name}"',
            f"[timestart] {start}",
            f"*{zoom:.6f} -1" + " -1" * 26,
        ]

    def _flag(self, flags: int) -> None:
        if flags != self.flags:
            self.lines.append(f"@{flags:x}")
            self.flags = flags

    def group(self, group: Group, hidden: bool = False) -> None:
        closed = _CLOSED if group.closed else 0
        self._flag(_BEGIN | closed | _BLANK)
        self.lines.append(f"-{group.title}")
        for row in group.rows:
            self.row(row)
        for inner in group.groups:
            self.group(inner)
        self._flag(_END | (closed | _COLLAPSED if closed else 0) | _BLANK)
        self.lines.append(f"-{group.title}")

    def row(self, row: Row) -> None:
        signal = row.signal
        name = signal.name.removesuffix("[0:0]") + ("[0]" if signal.range == "[0:0]" else "")
        self._format(signal.bits, signal.enum)
        # GTKWave translates the value of a composed vector only.
        self.lines.append(_bits(signal, name, 0, signal.bits) if signal.enum else name)
        for label, low, bits in row.fields:
            self._format(bits, row.enums.get(label))
            self.lines.append(_bits(signal, name, low, bits, label))

    def _format(self, bits: int, enum: Enum | None) -> None:
        """Flags of the next trace; the names of an enumeration need binary digits."""
        shape = _RIGHT | (_BIN if bits == 1 or enum else _HEX)
        self._flag(shape | (_FILTER if enum else 0))
        if enum:
            file = self._filter(enum)
            self.lines.append(
                f"^{list(self.filters).index(file) + 1} {file.parent.name}/{file.name}"
            )

    def _filter(self, enum: Enum) -> Path:
        name = re.sub(r"\W+", "_", enum.name)
        number = 1
        while True:
            file = self.folder / (f"{name}.txt" if number == 1 else f"{name}_{number}.txt")
            if self.filters.setdefault(file, enum).values == enum.values:
                return file
            number += 1

    def write(self, file: Path) -> None:
        if self.filters:
            self.folder.mkdir(exist_ok=True)
        for path, enum in self.filters.items():
            rows = "".join(f"{value} {name}\n" for value, name in enum.values)
            path.write_text(f"# {enum.name}\n{rows}", encoding="utf-8")
        file.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def _surfer(groups: list[Group], title: str = "") -> Iterator[str]:
    """Commands that show the open groups; Surfer knows the enumerations from the waveform."""
    for group in groups:
        if group.closed:
            continue
        heading = f"{title} {group.title}".strip()
        if group.rows:
            yield f"divider_add {heading}"
        for row in group.rows:
            yield f"variable_add {'.'.join(row.signal.path)}"
        yield from _surfer(group.groups, heading)


def write_views(fst: Path, info: DesignInfo, start_ps: int = 0, end_ps: int = 0) -> list[Path]:
    """Write NODE.gtkw and NODE.sucl beside NODE.fst; returns their paths."""
    groups = view(read_hierarchy(fst), info)
    save = _Gtkw(fst, start_ps, end_ps)
    for group in groups:
        save.group(group)
    gtkw, sucl = fst.with_suffix(".gtkw"), fst.with_suffix(".sucl")
    save.write(gtkw)
    commands = [*_surfer(groups), f"zoom_to {start_ps} {max(end_ps, start_ps + 1)}"]
    sucl.write_text("\n".join(commands) + "\n", encoding="utf-8")
    return [gtkw, sucl]
