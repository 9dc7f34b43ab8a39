# SPDX-License-Identifier: Apache-2.0
"""The clock crossings of an elaborated design.

Three kinds leave a register of one clock and end in a register of another:

- `sync`: a level into the first stage of a `kumi_cdc_sync`;
- `bus`: several bits into a `kumi_cdc_sync`. A Gray code comes from a register of the same module;
- `held`: data that a handshake or a pointer keeps stable while the other clock reads it: the
  register of a handshake, the LUT RAM of a fifo.

They are found in each module with two clocks by following registers through assignments and
connections. Block RAM with two clocks has no path between them, and inputs of the top are their
driver's concern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kumihimo.build.clocks import clock_map, clock_of_port, instances, is_clock, names_in

SYNCHRONISER = "kumi_cdc_sync"
FIRST_STAGE = "sync_q[0]"


@dataclass(frozen=True)
class Crossing:
    """One crossing. Paths are below the top, parted by slashes: `dut/u_mem`.

    source is empty where the source is not a register of the same module; to_register is empty for
    `held`, which ends in whatever the other clock has.
    """

    kind: str
    path: str
    source: str
    source_clock: str
    target: str
    target_clock: str
    bits: int


@dataclass
class _Body:
    """What one module body does with its signals; names are full ones."""

    registers: dict[str, str] = field(default_factory=dict)  # register -> the top's clock
    reads: list[tuple[set[str], str]] = field(default_factory=list)  # read by a clock
    drivers: dict[str, set[str]] = field(default_factory=dict)  # combinational


def find(top: Any, compilation: Any, clocks: list[str]) -> list[Crossing]:
    """Every crossing below a top, in the order of the hierarchy."""
    found: list[Crossing] = []
    if len(clocks) > 1:
        _walk(top, "", {c: c for c in clocks}, compilation, found)
    return found


def unsynchronised(top: Any, clocks: list[str]) -> list[str]:
    """Signals of one clock that an instance of another clock reads without a synchroniser.

    Held data is not among them: there the reading register is in the module that holds the data.
    """
    found: list[str] = []
    if len(clocks) > 1:
        _direct(top, "", {c: c for c in clocks}, found)
    return found


def _direct(instance: Any, path: str, clocks: Mapping[str, str], found: list[str]) -> None:
    body = instance.body
    if len(set(clocks.values())) < 2:
        return
    state = _read(body, clocks)
    owner = dict(state.registers)
    readers: list[tuple[set[str], str, str]] = []
    for below in instances(body):
        symbol = below.symbol
        inner = clock_map(symbol, clocks)
        synchroniser = symbol.definition.name == SYNCHRONISER
        for connection in symbol.portConnections:
            port = connection.port
            names = _full_names(connection.expression)
            if not names or is_clock(port.name):
                continue
            clock = clock_of_port(symbol.body, port.name, inner)
            if clock is None:
                continue
            if str(port.direction).endswith("Out"):
                owner.update(dict.fromkeys(names, clock))
            elif not synchroniser:
                readers.append((names, clock, f"{path}/{below.name}.{port.name}".lstrip("/")))
        if not synchroniser:
            _direct(symbol, f"{path}/{below.name}" if path else below.name, inner, found)
    for names, clock, reader in readers:
        for name in _behind(names, state.drivers):
            if owner.get(name, clock) != clock:
                found.append(f"{_local(name, body)} ({owner[name]}) into {reader} ({clock})")


def _walk(
    instance: Any, path: str, clocks: Mapping[str, str], compilation: Any, found: list[Crossing]
) -> None:
    body = instance.body
    if len(set(clocks.values())) < 2:
        return
    state = _read(body, clocks)
    found += _held(body, path, clocks, state, compilation)
    for below in instances(body):
        symbol = below.symbol
        inner = clock_map(symbol, clocks)
        where = f"{path}/{below.name}" if path else below.name
        if symbol.definition.name == SYNCHRONISER:
            found.append(_sync(symbol, where, path, clocks, inner["clk"], state, body))
        else:
            _walk(symbol, where, inner, compilation, found)


def _sync(
    symbol: Any,
    where: str,
    path: str,
    clocks: Mapping[str, str],
    target_clock: str,
    state: _Body,
    body: Any,
) -> Crossing:
    """The crossing into a synchroniser, with its source where the module itself holds it."""
    port = next(c for c in symbol.portConnections if c.port.name == "d")
    bits = int(port.port.type.bitWidth)
    names = _full_names(port.expression)
    sources = [n for n in _behind(names, state.drivers) if n in state.registers]
    others = [c for c in dict.fromkeys(clocks.values()) if c != target_clock]
    source_clock = state.registers[sources[0]] if sources else ""
    if not source_clock:
        for owner in (_driver_clock(n, body, clocks) for n in names):
            source_clock = owner or source_clock
    if not source_clock and len(others) == 1:
        source_clock = others[0]
    source = ""
    if len(sources) == 1:
        local = _local(sources[0], body)
        source = f"{path}/{local}" if path else local
    kind = "bus" if bits > 1 else "sync"
    return Crossing(kind, where, source, source_clock, FIRST_STAGE, target_clock, bits)


def _driver_clock(name: str, body: Any, clocks: Mapping[str, str]) -> str:
    """Clock of the instance whose output drives a signal."""
    for below in instances(body):
        for connection in below.symbol.portConnections:
            port = connection.port
            out = getattr(port, "direction", None)
            if out is None or not str(out).endswith("Out"):
                continue
            if name in _full_names(connection.expression):
                inner = clock_map(below.symbol, clocks)
                return clock_of_port(below.symbol.body, port.name, inner) or ""
    return ""


def _held(
    body: Any, path: str, clocks: Mapping[str, str], state: _Body, compilation: Any
) -> list[Crossing]:
    reads = list(state.reads)
    for port in body.portList:
        if str(getattr(port, "direction", "")).endswith("Out") and port.internalSymbol is not None:
            clock = clock_of_port(body, port.name, clocks)
            if clock is not None:
                reads.append(({str(port.internalSymbol.hierarchicalPath)}, clock))
    rows: dict[tuple[str, str], Crossing] = {}
    for names, clock in reads:
        for name in _behind(names, state.drivers):
            source_clock = state.registers.get(name, clock)
            symbol = compilation.getRoot().lookupName(name) if source_clock != clock else None
            if symbol is None or _block_memory(symbol, compilation):
                continue
            local = _local(name, body)
            full = f"{path}/{local}" if path else local
            bits = int(symbol.type.bitstreamWidth)
            rows[full, clock] = Crossing("held", path, full, source_clock, "", clock, bits)
    return list(rows.values())


def _block_memory(symbol: Any, compilation: Any) -> bool:
    for attribute in compilation.getAttributes(symbol):
        if attribute.name == "ram_style" and attribute.value is not None:
            return bool(attribute.value.convertToStr().value == "block")
    return False


def _local(name: str, body: Any) -> str:
    """A full name below a body, as tools write it: generate blocks parted by dots."""
    return name.removeprefix(f"{body.hierarchicalPath}.")


def _behind(names: set[str], drivers: Mapping[str, set[str]]) -> list[str]:
    """The names and all that drives them without a register between."""
    seen: dict[str, None] = dict.fromkeys(sorted(names))
    todo = list(seen)
    while todo:
        for name in sorted(drivers.get(todo.pop(), ())):
            if name not in seen:
                seen[name] = None
                todo.append(name)
    return list(seen)


def _full_names(expression: Any) -> set[str]:
    found: set[str] = set()
    if expression is None:
        return found

    def visit(node: Any) -> None:
        if str(getattr(node, "kind", "")).endswith(("NamedValue", "HierarchicalValue")):
            found.add(str(node.symbol.hierarchicalPath))

    expression.visit(visit)
    return found


def _scopes(body: Any) -> Iterator[Any]:
    """The body's members, through its generate blocks."""
    for member in body:
        kind = str(member.kind).removeprefix("SymbolKind.")
        if kind in ("GenerateBlock", "GenerateBlockArray"):
            if kind == "GenerateBlockArray" or not member.isUninstantiated:
                yield from _scopes(member)
        else:
            yield member


def _read(body: Any, clocks: Mapping[str, str]) -> _Body:
    state = _Body()
    for member in _scopes(body):
        kind = str(member.kind).removeprefix("SymbolKind.")
        if kind == "ContinuousAssign":
            left, right = member.assignment.left, member.assignment.right
            reads = _full_names(right)
            for name in _full_names(left):
                state.drivers.setdefault(name, set()).update(reads)
        elif kind == "ProceduralBlock":
            _read_block(member, clocks, state)
    return state


def _read_block(block: Any, clocks: Mapping[str, str], state: _Body) -> None:
    written: set[str] = set()
    reads: set[str] = set()
    edges: list[Any] = []

    def visit(node: Any) -> None:
        kind = str(getattr(node, "kind", "")).split(".")[-1]
        if kind == "Assignment" and hasattr(node, "left"):
            target = node.left
            while hasattr(target, "value") and not hasattr(target, "symbol"):
                target = target.value
            written.update(_full_names(target))
        elif kind == "NamedValue":
            reads.add(str(node.symbol.hierarchicalPath))
        elif kind == "Timed":
            edges.append(node.timing)

    block.body.visit(visit)
    sequential = str(block.procedureKind).endswith("AlwaysFF")
    if not sequential:
        for name in written:
            state.drivers.setdefault(name, set()).update(reads - written)
        return
    named = [n for e in edges for n in names_in(e.expr) if is_clock(n)]
    clock = next((clocks[n] for n in named if n in clocks), None)
    if clock is not None:
        state.registers.update(dict.fromkeys(written, clock))
        state.reads.append((reads, clock))
