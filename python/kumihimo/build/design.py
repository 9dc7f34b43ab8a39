# SPDX-License-Identifier: Apache-2.0
"""What a node's top module has: clocks, ports, pins. Plain data, JSON both ways."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

KINDS = ("eth", "axis", "axil", "hdr", "axi", "lane", "sata", "ib")
ParamValue = int | str | bool


@dataclass(frozen=True)
class Clock:
    """A clock input and the reset that belongs to it ("" if none)."""

    name: str
    reset: str = ""


@dataclass(frozen=True)
class Direction:
    """One way of a stream: the flat prefix and the width of each signal that exists."""

    prefix: str
    signals: dict[str, int]
    fields: tuple[tuple[str, int, int], ...] = ()  # of a header stream whose data is a struct

    @property
    def bits(self) -> int:
        """Data bits."""
        return self.signals.get("tdata", self.signals.get("data", self.signals.get("wdata", 0)))


@dataclass(frozen=True)
class Port:
    """A port of the node: `rx` is toward it, `tx` from it.

    An axil port has only `rx`, an axi port only `tx`: the side that starts transfers. `tx_clock` is
    the clock of `tx` where it is not `clock` (a lane).
    """

    name: str
    kind: str
    clock: str
    rx: Direction | None = None
    tx: Direction | None = None
    tx_clock: str = ""

    @property
    def lanes(self) -> int:
        """Lanes of an ib port; 0 of others."""
        return self.rx.signals["signal"] if self.kind == "ib" and self.rx else 0


@dataclass(frozen=True)
class Pin:
    """Any other port of the top. `fields`: (name, lowest bit, bits) of a packed struct."""

    name: str
    output: bool
    bits: int
    fields: tuple[tuple[str, int, int], ...] = ()


@dataclass
class DesignInfo:
    """A scanned top module."""

    design: str
    top: str
    path: str
    params: dict[str, ParamValue]
    clocks: list[Clock]
    ports: list[Port]
    pins: list[Pin]
    files: list[str] = field(default_factory=list)
    incdirs: list[str] = field(default_factory=list)
    defines: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)  # sources, includes and lists actually read
    structs: dict[str, tuple[tuple[str, int, int], ...]] = field(default_factory=dict)
    all_params: dict[str, str] = field(default_factory=dict)

    @property
    def register_port(self) -> str | None:
        """Name of the first AXI4-Lite port that is not a guest's (of a host port); None: none."""
        records = {port.name for port in self.ports if port.kind == "hdr"}
        own = [p.name for p in self.ports if p.kind == "axil" and f"{p.name}_irq" not in records]
        return own[0] if own else None

    def port(self, name: str) -> Port:
        """The port with that name."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """For the cache."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> DesignInfo:
        """The inverse of to_json."""

        def fields(rows: Any) -> tuple[tuple[str, int, int], ...]:
            return tuple((str(a), int(b), int(c)) for a, b, c in rows)

        def direction(d: dict[str, Any] | None) -> Direction | None:
            if d is None:
                return None
            return Direction(d["prefix"], d["signals"], fields(d.get("fields", ())))

        out = DesignInfo(**data)
        out.clocks = [Clock(**c) for c in data["clocks"]]
        out.ports = [
            Port(
                p["name"],
                p["kind"],
                p["clock"],
                direction(p["rx"]),
                direction(p["tx"]),
                p["tx_clock"],
            )
            for p in data["ports"]
        ]
        out.pins = [
            Pin(p["name"], p["output"], p["bits"], fields(p["fields"])) for p in data["pins"]
        ]
        out.structs = {k: fields(v) for k, v in data["structs"].items()}
        return out
