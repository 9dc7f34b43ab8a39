# SPDX-License-Identifier: Apache-2.0
"""Which clock a port belongs to, and which clock each instance of a hierarchy runs on.

Both follow the connections of the elaborated design: a port belongs to the clock of the instance
that it is connected to, however deep that is. Where no instance tells, the prefix of the port's
name does (`m_axis` goes with `m_clk`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_CLOCK = re.compile(r"(.+_)?clk")
_DEPTH = 8  # levels below a module at which the search for a port's clock ends


def is_clock(name: str) -> bool:
    """A clock by its name: clk, or anything that ends in _clk."""
    return _CLOCK.fullmatch(name) is not None


def clock_ports(body: Any) -> list[str]:
    """Names of a module's clock inputs, `clk` first."""
    names = [p.name for p in body.portList if is_clock(p.name)]
    return sorted(names, key=lambda n: n != "clk")


def bus_of(port: Any) -> str:
    """Full name of the interface that an interface port is connected to, else nothing."""
    connection = getattr(port, "connection", None)
    bus = connection[0] if connection else None
    return "" if bus is None else str(bus.hierarchicalPath)


@dataclass
class Below:
    """An instance inside a module body, and its name below that body: `gen_cdc.u_sync`."""

    name: str
    symbol: Any


def instances(body: Any, prefix: str = "") -> Iterator[Below]:
    """The instances of one body, through its generate blocks and instance arrays."""
    for member in body:
        kind = str(member.kind).removeprefix("SymbolKind.")
        if kind == "Instance":
            if member.isModule:
                yield Below(prefix + member.name, member)
        elif kind == "GenerateBlock":
            if not member.isUninstantiated:
                yield from instances(member, f"{prefix}{_block_name(member)}.")
        elif kind == "GenerateBlockArray":
            for entry in member:
                if str(entry.kind).endswith("GenerateBlock") and not entry.isUninstantiated:
                    index = entry.arrayIndex
                    yield from instances(entry, f"{prefix}{member.name}[{index}].")
        elif kind == "InstanceArray":
            left = member.range.left
            step = -1 if left > member.range.right else 1
            for offset, entry in enumerate(member.elements):
                if entry.isModule:
                    yield Below(f"{prefix}{member.name}[{left + step * offset}]", entry)


def _block_name(block: Any) -> str:
    return str(block.name) or str(block.externalName)


def names_in(expression: Any) -> set[str]:
    """Names that an expression of a connection mentions; of `bus.tdata` it is `bus`."""
    if expression is None:
        return set()
    found: set[str] = set()

    def visit(node: Any) -> None:
        kind = str(getattr(node, "kind", ""))
        if kind.endswith(("NamedValue", "HierarchicalValue", "ArbitrarySymbol")):
            text = str(node.syntax) if node.syntax is not None else node.symbol.name
            found.add(re.split(r"[.\[]", text.strip())[0].strip())
            found.add(node.symbol.name)

    expression.visit(visit)
    return found


def clock_map(instance: Any, outer: Mapping[str, str]) -> dict[str, str]:
    """Clock port of an instance to the clock of the top that drives it."""
    inner: dict[str, str] = {}
    for connection in instance.portConnections:
        name = connection.port.name
        if is_clock(name):
            for source in names_in(connection.expression):
                if source in outer:
                    inner[name] = outer[source]
    return inner


def clock_of_port(body: Any, port: str, clocks: Mapping[str, str], depth: int = 0) -> str | None:
    """The top's clock that a module's port belongs to; None where nothing tells.

    `clocks` says which of the top's clocks each clock port of the module is connected to.
    """
    owners = set(clocks.values())
    if len(owners) == 1:
        return next(iter(owners))
    if depth == _DEPTH:
        return None
    bus = next((bus_of(p) for p in body.portList if p.name == port), "")
    for below in instances(body):
        inner: dict[str, str] | None = None
        for connection in below.symbol.portConnections:
            name = connection.port.name
            if is_clock(name):
                continue
            same = bus and bus == bus_of(connection.port)
            if not same and port not in names_in(connection.expression):
                continue
            inner = clock_map(below.symbol, clocks) if inner is None else inner
            owner = clock_of_port(below.symbol.body, name, inner, depth + 1) if inner else None
            if owner is not None:
                return owner
    fits = [c for c in clocks if c != "clk" and port.startswith(c.removesuffix("clk"))]
    return clocks[max(fits, key=len)] if fits else None
