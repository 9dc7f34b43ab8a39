# SPDX-License-Identifier: Apache-2.0
"""A block to export: its flat top, its ports by clock and bus, its sources and clock crossings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kumihimo.build.clocks import clock_of_port, clock_ports, instances
from kumihimo.build.derive import library
from kumihimo.build.design import ParamValue
from kumihimo.build.filelist import for_module
from kumihimo.build.records import width_by_name
from kumihimo.build.scan import (
    AXI_SIGNALS,
    AXIL_SIGNALS,
    AXIS_SIGNALS,
    HDR_SIGNALS,
    Elaboration,
)
from kumihimo.build.shell import make_shell
from kumihimo.common.errors import KumiError, did_you_mean
from kumihimo.common.paths import project_root
from kumihimo.export.crossings import Crossing, find, unsynchronised

INSTANCE = "core"  # of the block in its flat top
_SETS = Path(__file__).parent.parent / "dev" / "sets.toml"
# Buses of modules whose ports are flat already.
_SIGNALS = sorted({*AXIS_SIGNALS, *HDR_SIGNALS, *AXIL_SIGNALS, *AXI_SIGNALS}, key=len)
_FLAT = re.compile(r"([sm]_(?:axis|hdr|rec|axil|axi)(?:_\w+?)?)_(?:" + "|".join(_SIGNALS) + ")")


@dataclass(frozen=True)
class FlatPort:
    """A port of the flat top, a plain vector. bus is empty where it belongs to none."""

    name: str
    output: bool
    width: int
    clock: str
    bus: str


@dataclass(frozen=True)
class Bus:
    """Ports with one prefix. kind is axis, rec, axil, axi or other."""

    prefix: str
    kind: str
    master: bool
    clock: str
    signals: Mapping[str, FlatPort]


@dataclass(frozen=True)
class Clock:
    """A clock input, its synchronous active-high reset (may be empty), and its frequency in MHz."""

    name: str
    reset: str
    mhz: float

    @property
    def period(self) -> float:
        """In nanoseconds."""
        return 1000.0 / self.mhz


@dataclass
class Block:
    """All that the writers of an export need."""

    module: str
    top: str
    params: dict[str, str]
    text: str
    sources: list[Path]
    headers: list[Path]
    defines: dict[str, str]
    ports: list[FlatPort]
    clocks: list[Clock]
    crossings: list[Crossing]
    unsynchronised: list[str] = field(default_factory=list)
    registers: list[str] = field(default_factory=list)
    summary: str = ""

    @property
    def buses(self) -> list[Bus]:
        """The ports by bus, in the order of the first of each."""
        grouped: dict[str, list[FlatPort]] = {}
        for port in self.ports:
            if port.bus:
                grouped.setdefault(port.bus, []).append(port)
        return [_bus(prefix, ports) for prefix, ports in grouped.items()]


def _bus(prefix: str, ports: list[FlatPort]) -> Bus:
    signals = {p.name.removeprefix(f"{prefix}_"): p for p in ports}
    lead = ""
    if "tdata" in signals:
        kind, lead = "axis", "tvalid"
    elif "awlen" in signals:
        kind, lead = "axi", "awvalid"
    elif "awaddr" in signals:
        kind, lead = "axil", "awvalid"
    elif set(signals) == {"data", "valid", "ready"}:
        kind, lead = "rec", "valid"
    else:
        kind = "other"
    master = signals[lead].output if lead else ports[0].output
    return Bus(prefix, kind, master, ports[0].clock, signals)


@cache
def _sets() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(_SETS.read_text()) if _SETS.is_file() else {}


def default_params(module: str) -> dict[str, str]:
    """What a module needs to elaborate: widths of its streams that have no usual value."""
    first = _sets().get(module, [{}])[0]
    return {k: str(v) for k, v in first.items()}


def find_block(name: str) -> Path:
    """The file of a module: `kumi_dma`, `dma` for short, or the path of a user's file."""
    if name.endswith((".sv", ".v")):
        if not Path(name).is_file():
            raise KumiError(f"{name}: no such file.", code=2)
        return Path(name).resolve()
    known = library(project_root())
    known = {n: p for n, p in known.items() if not n.endswith(("_pkg", "_if"))}
    for guess in (name, f"kumi_{name}", f"kumi_node_{name}"):
        if guess in known:
            return known[guess]
    raise KumiError(f"There is no module {name} in hw/.{did_you_mean(name, known)}", code=2)


def load(
    name: str,
    params: Mapping[str, str] | None = None,
    mhz: Mapping[str, float] | None = None,
    default_mhz: float = 156.25,
    top: str | None = None,
) -> Block:
    """Elaborate a module with parameters, and its flat top.

    Args:
        name: of the module, with or without `kumi_`, or the path of its file.
        params: NAME -> value for a parameter of the module, or of all its interfaces where the
            module has none of that name; PORT.NAME -> value for one interface port.
        mhz: frequency by clock, for the constraints.
        default_mhz: of clocks that are not named.
        top: name of the flat top, default `<module>_wrapper`.
    """
    path = find_block(name)
    module = path.stem
    chosen = {**default_params(module), **(params or {})}
    values, interfaces = _sort(path, chosen)
    top = top or f"{module}_wrapper"
    shell = make_shell(
        path,
        values,
        interfaces,
        name=top,
        instance=INSTANCE,
    )
    elab = Elaboration(top, shell.sources, {}, (f"{top}.sv", shell.text))
    elab.check()
    inner = next(instances(elab.top.body)).symbol.body
    names = [n for n in clock_ports(elab.top.body) if n in clock_ports(inner)]
    ports = _ports(elab, inner, names, list(shell.aliases.items()))
    known = {p.name for p in ports}
    for clock in mhz or {}:
        if clock not in names:
            raise KumiError(f"{module} has no clock {clock}.{did_you_mean(clock, names)}", code=2)
    read = [Path(f) for f in elab.read_files()]
    return Block(
        module=module,
        top=top,
        params=chosen,
        text=shell.text,
        sources=list(shell.sources.files),
        headers=[f for f in read if f.suffix in (".svh", ".vh")],
        defines=dict(shell.sources.defines),
        ports=ports,
        clocks=[_clock(n, known, (mhz or {}).get(n, default_mhz)) for n in names],
        crossings=find(elab.top, elab.compilation, names),
        unsynchronised=unsynchronised(elab.top, names),
        registers=[f.stem.removesuffix("_regs_pkg") for f in shell.sources.files
                   if f.stem.endswith("_regs_pkg") and f.parent.name == "generated"],
        summary=_summary(path),
    )  # fmt: skip


def _clock(name: str, ports: set[str], mhz: float) -> Clock:
    reset = "rst" if name == "clk" else name.removesuffix("clk") + "rst"
    return Clock(name, reset if reset in ports else "", mhz)


def _value(text: str) -> ParamValue:
    try:
        return int(text, 0)
    except ValueError:
        return text


def _sort(
    path: Path, params: Mapping[str, str]
) -> tuple[dict[str, ParamValue], dict[str, dict[str, int]]]:
    """Split parameters: those of the module, and those of its interface ports ("*" for all)."""
    module = path.stem
    elab = Elaboration(module, for_module(path, project_root()), {}, interfaces=True)
    body = elab.top.body
    own = {p.name for p in body.parameters if not getattr(p, "isLocalParam", False)}
    known: dict[str, set[str]] = {}
    for port in body.portList:
        bus = port.connection[0] if getattr(port, "connection", None) else None
        while bus is not None and hasattr(bus, "elements"):
            bus = bus.elements[0]
        if bus is not None:
            known[port.name] = {p.name for p in bus.body.parameters if not p.isLocalParam}
    values: dict[str, ParamValue] = {}
    interfaces: dict[str, dict[str, int]] = {}
    words = own | {n for names in known.values() for n in names}
    words |= {f"{port}.{n}" for port, names in known.items() for n in names}
    for key, text in params.items():
        port, _, name = key.rpartition(".")
        if key in own:
            values[key] = _value(text)
            continue
        if key not in words:
            raise KumiError(f"{module} has no parameter {key}.{did_you_mean(key, words)}", code=2)
        number = _value(text)
        if not isinstance(number, int):
            raise KumiError(f"--param {key}={text}: a width is a number.", code=2)
        interfaces.setdefault(port or "*", {})[name] = number
    text = path.read_text()
    for port, names in known.items():
        if "W" in names and "W" not in {**interfaces.get("*", {}), **interfaces.get(port, {})}:
            width = _record_width(port, text, elab)
            if width:
                interfaces.setdefault(port, {})["W"] = width
    return values, interfaces


def _record_width(port: str, text: str, elab: Elaboration) -> int:
    """Width of a record stream by the constants of the packages; 0 where none fits."""
    for constant in width_by_name(port, text, elab).values():
        package, name = constant.split("::")
        for one in elab.compilation.getPackages():
            if one.name == package:
                found: Any = next(m for m in one if m.name == name)
                return int(found.value.value)
    return 0


def _ports(
    elab: Elaboration, inner: Any, clocks: list[str], aliases: list[tuple[str, str]]
) -> list[FlatPort]:
    """The ports of the flat top, each with its clock and its bus."""
    owner: dict[str, str] = {}
    for port, prefix in aliases:
        name = port.split("[")[0]
        owner[prefix] = _owner(inner, name, clocks)
        # A monitor has a second bus, out of the block.
        owner.setdefault("m" + prefix[1:], owner[prefix])
    prefixes = list(owner)
    found = []
    for port in elab.top.body.portList:
        output = port.direction == elab.ast.ArgumentDirection.Out
        fits = [p for p in prefixes if port.name.startswith(f"{p}_")]
        flat = _FLAT.fullmatch(port.name)
        bus = max(fits, key=len) if fits else flat.group(1) if flat else ""
        if flat and not fits and bus not in owner:
            owner[bus] = _owner(inner, port.name, clocks)
        clock = owner[bus] if bus else _owner(inner, port.name, clocks)
        found.append(FlatPort(port.name, output, int(port.type.bitWidth), clock, bus))
    return found


def _owner(inner: Any, port: str, clocks: list[str]) -> str:
    if not clocks:
        return ""
    return clock_of_port(inner, port, {c: c for c in clocks}) or clocks[0]


def _summary(path: Path) -> str:
    """First paragraph of a module's header."""
    lines: list[str] = []
    for line in path.read_text().splitlines():
        text = line.removeprefix("//").strip()
        if "SPDX-" in text:
            continue
        if not line.startswith("//") or (lines and not text):
            break
        if text:
            lines.append(text)
    return " ".join(lines)
