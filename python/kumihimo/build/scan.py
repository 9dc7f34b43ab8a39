# SPDX-License-Identifier: Apache-2.0
"""Reads a top module with slang and recognises the port kinds by their flat names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kumihimo.build.derive import library
from kumihimo.build.design import (
    Clock,
    DesignInfo,
    Direction,
    ParamValue,
    Pin,
    Port,
)
from kumihimo.build.errors import BuildError
from kumihimo.build.filelist import FileList, for_module
from kumihimo.build.flat import FLAT, NODES
from kumihimo.build.port_checks import check_axi, check_ib
from kumihimo.common.errors import did_you_mean
from kumihimo.common.paths import project_root

AXIS_SIGNALS = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser", "tid", "tdest")
HDR_SIGNALS = ("data", "valid", "ready")
AXIL_SIGNALS = re.findall(
    r"\w+",
    "awaddr awprot awvalid awready wdata wstrb wvalid wready bresp bvalid bready "
    "araddr arprot arvalid arready rdata rresp rvalid rready",
)
AXI_SIGNALS = re.findall(
    r"\w+",
    "awid awaddr awlen awsize awburst awvalid awready wdata wstrb wlast wvalid wready "
    "bid bresp bvalid bready arid araddr arlen arsize arburst arvalid arready "
    "rid rdata rresp rlast rvalid rready",
)
_AXI_IDS = ("awid", "bid", "arid", "rid")
_AXI_INPUTS = (
    *("awready", "wready", "bid", "bresp", "bvalid", "arready"),
    *("rid", "rdata", "rresp", "rlast", "rvalid"),
)
# Taken and not looked at.
_AXI_IGNORED = re.findall(
    r"\w+",
    "awlock awcache awprot awqos awregion awuser wuser arlock arcache arprot arqos arregion aruser",
)
LANE_SIGNALS = ("data", "head", "slip")
# Both directions; then what only one has, and of that what may be missing.
_SATA_BOTH = ("data", "k", "cominit", "comwake", "idle")
_SATA_IN = ("valid", "error", "oob_done", "ready")
_SATA_OUT = ("invert",)
SATA_SIGNALS = (*_SATA_BOTH, *_SATA_IN, *_SATA_OUT)
# Each direction of an InfiniBand port has all of its signals.
_IB = {"s": ("data", "k", "err", "signal"), "m": ("data", "k", "quiet")}
_LINES = {"lane": "a lane", "sata": "a Serial ATA line", "ib": "an InfiniBand port"}
_AXIL_OUTPUTS = ("awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid")
_STREAM = re.compile(r"^(s|m)_axis_(?:(\w+?)_)?(" + "|".join(AXIS_SIGNALS) + r")$")
_HDR = re.compile(r"^(s|m)_hdr_(?:(\w+?)_)?(" + "|".join(HDR_SIGNALS) + r")$")
_AXIL = re.compile(r"^s_axil_(?:(\w+?)_)?(" + "|".join(AXIL_SIGNALS) + r")$")
_AXI = re.compile(r"^m_axi_(?:(\w+?)_)?(" + "|".join([*AXI_SIGNALS, *_AXI_IGNORED]) + r")$")
_LANE = re.compile(r"^(s|m)_lane_(\w+?)_(" + "|".join(LANE_SIGNALS) + r")$")
_IB_PORT = re.compile(r"^(s|m)_ib_(\w+?)_(data|k|err|signal|quiet)$")
_SATA = re.compile(r"^(s|m)_sata_(\w+?)_(" + "|".join(SATA_SIGNALS) + r")$")
# Methods and members of every Verilated model: a top's port cannot have such a name.
RESERVED = frozenset(
    re.findall(
        r"\w+",
        "atClone contextp eval eval_end_step eval_step eventsPending final hierName modelName name "
        "nextTimeSlot prepareClone rootp threads trace traceBaseModel traceCapable vlSymsp",
    )
)
_FATAL = re.compile(r"\$fatal encountered: (.*?)\.?(?: \(([\w.\[\]]+)\))?$")
_LITERAL = re.compile(r"^-?\d[\d_]*$|^\d*'[sS]?[bodhBODH][0-9a-fA-FxXzZ_]+$|^'[01]$")


def sv_value(value: ParamValue) -> str:
    """A parameter value as SystemVerilog text. A string that looks like a number is a number."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        if -(1 << 31) <= value < (1 << 31):
            return str(value)
        return f"{max(64, value.bit_length())}'h{value:x}" if value > 0 else str(value)
    if _LITERAL.match(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Elaboration:
    """A module elaborated by slang, alone and as a top."""

    def __init__(
        self,
        top: str,
        sources: FileList,
        params: Mapping[str, ParamValue],
        text: tuple[str, str] | None = None,
        interfaces: bool = False,
    ) -> None:
        import pyslang
        from pyslang import ast, parsing, syntax

        self.ast = ast
        self.pyslang = pyslang
        self.params = dict(params)
        self.refusal = ("", "")
        self.sources = sources
        self.manager = pyslang.SourceManager()
        for folder in sources.incdirs:
            self.manager.addUserDirectories(str(folder))
        pre = parsing.PreprocessorOptions()
        pre.predefines = ["VERILATOR=1"] + [
            f"{k}={v}" if v else k for k, v in sources.defines.items()
        ]
        options = ast.CompilationOptions()
        options.topModules = {top}
        options.paramOverrides = [f"{k}={sv_value(v)}" for k, v in params.items()]
        if interfaces:
            options.flags = ast.CompilationFlags.AllowTopLevelIfacePorts
        bag = pyslang.Bag([options, pre])
        self.compilation = ast.Compilation(bag)
        for path in sources.files:
            if text is not None and str(path) == text[0]:
                continue
            self.compilation.addSyntaxTree(syntax.SyntaxTree.fromFile(str(path), self.manager, bag))
        if text is not None:
            self.compilation.addSyntaxTree(
                syntax.SyntaxTree.fromText(text[1], self.manager, text[0], text[0], bag)
            )
        root = self.compilation.getRoot()
        found = [t for t in root.topInstances if t.name == top]
        self.errors = self._errors()
        if not found:
            if self.errors:
                raise BuildError(f"{top} cannot be read:", self.errors)
            names = [d.name for d in self.compilation.getDefinitions()]
            raise BuildError(
                f"there is no module {top} in {', '.join(p.name for p in sources.files)}."
                + did_you_mean(top, names)
            )
        self.top = found[0]
        known = [p.name for p in self.top.body.parameters if not getattr(p, "isLocalParam", False)]
        for name in params:
            if name not in known:
                raise BuildError(
                    f"module {top} has no parameter {name}." + did_you_mean(name, known)
                )
        self._check_values(params)

    def _check_values(self, params: Mapping[str, ParamValue]) -> None:
        """Refuse a value that its parameter's type would silently change."""
        for name, value in params.items():
            type_ = getattr(self.top.body.find(name), "type", None)
            if type_ is None or not type_.isIntegral:
                continue
            text = isinstance(value, str) and not _LITERAL.match(value)
            what, bits = f"parameter {name} of {self.top.name}", int(type_.bitWidth)
            if text and (type_.canonicalType.isPredefinedInteger or bits == 1):
                raise BuildError(f"{what} takes a number, not `{value}`.")
            number = 0 if isinstance(value, str) else int(value)
            needed = 8 * len(str(value)) if text else number.bit_length()
            if needed > bits or (number < 0 and -number > 1 << bits - 1):
                held = f"{bits} bits" if bits > 1 else "1 bit"
                raise BuildError(f"{what} has {held}; `{value}` does not fit.")

    def _errors(self) -> str:
        wanted = [d for d in self.compilation.getAllDiagnostics() if d.isError()]
        if not wanted:
            return ""
        self.refusal = self._refusal(wanted)
        text: str = self.pyslang.DiagnosticEngine.reportAll(self.manager, wanted)
        return text

    def _refusal(self, errors: list[Any]) -> tuple[str, str]:
        """(sentence, place) of the outermost $fatal: the parameter check nearest to the user."""
        engine = self.pyslang.DiagnosticEngine(self.manager)
        found = []
        for error in errors:
            match = _FATAL.match(engine.formatMessage(error))
            if match:
                path = match.group(2) or ""
                found.append((path.count("."), match.group(1), self.where(error), path))
        if not found:
            return "", ""
        _, sentence, place, path = min(found)
        return sentence, f"{place}: $fatal{f' in {path}' if path else ''}"

    def check(self) -> None:
        """Raise if slang found errors."""
        if self.errors and self.refusal[0]:
            sentence, place = self.refusal
            values = ", ".join(f"{name} = {value}" for name, value in self.params.items())
            given = f" with {values}" if values else ""
            raise BuildError(f"{self.top.name} cannot be built{given}: {sentence}.", place)
        if self.errors:
            raise BuildError(f"{self.top.name} has errors:", self.errors)

    def where(self, symbol: Any) -> str:
        """file:line of a symbol."""
        loc = symbol.location
        return f"{self.manager.getFileName(loc)}:{self.manager.getLineNumber(loc)}"

    def read_files(self) -> list[str]:
        """All files that slang read, includes too."""
        out: list[str] = []
        for buffer in self.manager.getAllBuffers():
            path = Path(str(self.manager.getFullPath(buffer)))
            if path.is_file() and str(path.resolve()) not in out:
                out.append(str(path.resolve()))
        return out

    def attributes(self, symbol: Any) -> dict[str, str]:
        """Attributes of a symbol whose value is a string."""
        out: dict[str, str] = {}
        for attribute in self.compilation.getAttributes(symbol):
            value = attribute.value
            if value is None:
                continue
            try:
                text = value.convertToStr().value
            except AttributeError:
                text = str(value)
            out[attribute.name] = str(text)
        return out

    def structs(self) -> dict[str, tuple[tuple[str, int, int], ...]]:
        """Every packed struct type of the packages, by qualified name."""
        out: dict[str, tuple[tuple[str, int, int], ...]] = {}
        for package in self.compilation.getPackages():
            if package.name == "std":
                continue
            for member in package:
                if member.kind == self.ast.SymbolKind.TypeAlias:
                    rows = struct_fields(self.ast, member)
                    if rows:
                        out[f"{package.name}::{member.name}"] = rows
        return out


def struct_fields(ast: Any, type_: Any, base: int = 0, prefix: str = "") -> tuple[Any, ...]:
    """(name, lowest bit, bits) of each field of a packed struct; nested ones are dotted."""
    canonical = type_.canonicalType
    if canonical.kind != ast.SymbolKind.PackedStructType:
        return ()
    rows: list[tuple[str, int, int]] = []
    for member in canonical:
        if member.kind != ast.SymbolKind.Field:
            continue
        low = base + int(member.bitOffset)
        rows.append((prefix + member.name, low, int(member.type.bitWidth)))
        rows.extend(struct_fields(ast, member.type, low, f"{prefix}{member.name}."))
    return tuple(rows)


def resolve_design(design: str | Path) -> Path:
    """A file is itself; `udp_echo` is kumi_node_udp_echo.sv; else the name of a library unit."""
    path = Path(design)
    if path.suffix in (".sv", ".v"):
        if path.is_file():
            return path.resolve()
        root = project_root()
        if (root / path).is_file():
            return (root / path).resolve()
        raise BuildError(f"{path}: no such file")
    root = project_root()
    folders = [root / FLAT, root / NODES, root / "examples", Path.cwd()]
    names: list[str] = []
    for folder in folders:
        for stem in (f"kumi_node_{design}", str(design)):
            if (folder / f"{stem}.sv").is_file():
                return (folder / f"{stem}.sv").resolve()
        names += [p.stem.removeprefix("kumi_node_") for p in folder.glob("kumi_node_*.sv")]
    unit = library(root).get(str(design))
    if unit is not None:
        return unit.resolve()
    raise BuildError(f"there is no node design {design}." + did_you_mean(str(design), names))


def scan(
    design: str | Path,
    params: Mapping[str, ParamValue] | None = None,
    files: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    top: str | None = None,
    text: str | None = None,
    sources: FileList | None = None,
) -> DesignInfo:
    """Elaborate a top with slang and say what ports it has.

    `text` is the source of a top that is on no disk (then `design` is only its name in messages,
    and `sources` holds what it instantiates).
    """
    params = dict(params or {})
    if text is None:
        path = resolve_design(design)
        listed = for_module(path, project_root(), [Path(f) for f in files])
        if sources is not None:
            listed.merge(sources)
    else:
        path = Path(design)
        listed = FileList()
        if sources is not None:
            listed.merge(sources)
    listed.defines.update(defines or {})
    name = top or path.stem
    elab = Elaboration(name, listed, params, None if text is None else (str(path), text))
    elab.check()
    return _recognise(elab, name, path, params, listed)


def _recognise(
    elab: Elaboration,
    name: str,
    path: Path,
    params: dict[str, ParamValue],
    listed: FileList,
) -> DesignInfo:
    ast = elab.ast
    flat: dict[str, tuple[bool, int]] = {}
    symbols: dict[str, Any] = {}
    for port in elab.top.body.portList:
        if port.kind == ast.SymbolKind.InterfacePort:
            raise BuildError(
                f"{elab.where(port)}: port {port.name} of {name} is an interface: the top of a "
                "node has flat ports (s_axis_NAME_tdata, ...)"
            )
        if port.direction not in (ast.ArgumentDirection.In, ast.ArgumentDirection.Out):
            raise BuildError(f"{elab.where(port)}: port {port.name} of {name} is not in or out")
        if port.name in RESERVED:
            raise BuildError(
                f"{elab.where(port)}: a port of {name} cannot be called {port.name}: "
                "the simulator uses that name itself"
            )
        if not port.type.isIntegral:
            raise BuildError(
                f"{elab.where(port)}: port {port.name} of {name} has type {port.type}; "
                "only packed types can cross a node's boundary"
            )
        flat[port.name] = (port.direction == ast.ArgumentDirection.Out, int(port.type.bitWidth))
        symbols[port.name] = port

    clocks, bus_clock = _clocks(elab, symbols, flat)
    if not clocks:
        raise BuildError(f"{path}: module {name} has no clock: it needs an input named clk")
    groups: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    pins: list[Pin] = []
    resets = {c.reset for c in clocks}
    clock_names = {c.name for c in clocks}
    for port_name, (output, bits) in flat.items():
        if port_name in clock_names or port_name in resets:
            continue
        match = _STREAM.match(port_name) or _HDR.match(port_name)
        lite = _AXIL.match(port_name)
        axi = _AXI.match(port_name)
        lane = _LANE.match(port_name)
        sata = _SATA.match(port_name)
        ib = _IB_PORT.match(port_name)
        if match:
            way, label, signal = match.group(1), match.group(2) or "", match.group(3)
            kind = "hdr" if not signal.startswith("t") else "axis"
            if kind == "axis" and re.fullmatch(r"eth\d+", label):
                kind = "eth"
            expected = (way == "m") != signal.endswith("ready")
            if output != expected:
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    f"a stream {'out of' if way == 'm' else 'into'} the node"
                )
            groups.setdefault((kind, label), {}).setdefault(way, {})[signal] = bits
        elif lite:
            if output != (lite.group(2) in _AXIL_OUTPUTS):
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    "an AXI4-Lite slave"
                )
            groups.setdefault(("axil", lite.group(1) or ""), {}).setdefault("s", {})[
                lite.group(2)
            ] = bits
        elif axi:
            if output == (axi.group(2) in _AXI_INPUTS):
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    "an AXI4 master"
                )
            own = groups.setdefault(("axi", axi.group(1) or ""), {}).setdefault("m", {})
            own[axi.group(2)] = bits
        elif lane:
            way, label, signal = lane.groups()
            if output != ((way == "m") != (signal == "slip")) or (way == "m" and signal == "slip"):
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    f"a lane {'out of' if way == 'm' else 'into'} the node"
                )
            groups.setdefault(("lane", label), {}).setdefault(way, {})[signal] = bits
        elif sata:
            way, label, signal = sata.groups()
            if output != (way == "m") or signal in (_SATA_IN if way == "m" else _SATA_OUT):
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    f"a Serial ATA line {'out of' if way == 'm' else 'into'} the node"
                )
            groups.setdefault(("sata", label), {}).setdefault(way, {})[signal] = bits
        elif ib:
            way, label, signal = ib.groups()
            if output != (way == "m") or signal not in _IB[way]:
                raise BuildError(
                    f"{elab.where(symbols[port_name])}: {port_name} has the wrong direction for "
                    f"an InfiniBand port {'out of' if way == 'm' else 'into'} the node"
                )
            groups.setdefault(("ib", label), {}).setdefault(way, {})[signal] = bits
        else:
            fields = struct_fields(ast, symbols[port_name].type)
            pins.append(Pin(port_name, output, bits, fields))

    ports: list[Port] = []
    for (kind, label), ways in groups.items():
        made: dict[str, tuple[Direction, str]] = {}
        stem = "axis" if kind in ("eth", "axis") else kind
        for way, signals in ways.items():
            prefix = f"{way}_{stem}_" + (f"{label}_" if label else "")
            any_signal = symbols[prefix + next(iter(signals))]
            _check_port(elab.where(any_signal), kind, prefix, signals)
            record = struct_fields(ast, symbols[prefix + "data"].type) if kind == "hdr" else ()
            made[way] = (
                Direction(prefix, signals, record),
                bus_clock.get(prefix[:-1], clocks[0].name),
            )
        if kind in _LINES and len(made) != 2:
            here = elab.where(any_signal)
            raise BuildError(
                f"{here}: {_LINES[kind]} has both "
                f"directions; {label} lacks {'s' if 'm' in made else 'm'}_{kind}_{label}_*"
            )
        if kind == "ib" and made["s"][0].bits != made["m"][0].bits:
            raise BuildError(f"{elab.where(any_signal)}: both directions of {label} have one width")
        if kind == "lane":
            (into, clock), (out, tx_clock) = made["s"], made["m"]
            ports.append(Port(label, kind, clock, into, out, "" if tx_clock == clock else tx_clock))
            continue
        owners = {clock for _, clock in made.values()}
        if len(owners) == 1:
            rx, tx = (made[w][0] if w in made else None for w in "sm")
            ports.append(Port(label, kind, owners.pop(), rx, tx))
            continue
        if kind in ("eth", "sata", "ib"):
            raise BuildError(
                f"{path}: the two directions of {label} belong to different clocks "
                f"({', '.join(sorted(owners))})"
            )
        ports.append(Port(label, kind, made["s"][1], made["s"][0], None))
        ports.append(Port(label, kind, made["m"][1], None, made["m"][0]))

    return DesignInfo(
        design=name.removeprefix("kumi_node_"),
        top=name,
        path=str(path),
        params=params,
        clocks=clocks,
        ports=ports,
        pins=pins,
        files=[str(f) for f in listed.files],
        incdirs=[str(f) for f in listed.incdirs],
        defines=dict(listed.defines),
        read=elab.read_files() + [str(f) for f in listed.lists],
        structs=elab.structs(),
        all_params={
            p.name: str(p.value)
            for p in elab.top.body.parameters
            if not getattr(p, "isLocalParam", False) and hasattr(p, "value")
        },
    )


def _clocks(
    elab: Elaboration, symbols: dict[str, Any], flat: dict[str, tuple[bool, int]]
) -> tuple[list[Clock], dict[str, str]]:
    """Clock inputs, `clk` first, and bus prefix -> clock from the attributes."""
    names = [
        n
        for n, (output, bits) in flat.items()
        if not output and bits == 1 and (n == "clk" or n.endswith("_clk"))
    ]
    names.sort(key=lambda n: n != "clk")
    clocks: list[Clock] = []
    owner: dict[str, str] = {}
    for name in names:
        reset = "rst" if name == "clk" else name.removesuffix("clk") + "rst"
        reset = reset if reset in flat else ""
        text = elab.attributes(symbols[name]).get("X_INTERFACE_PARAMETER", "")
        for part in text.split(","):
            words = part.split()
            if len(words) == 2 and words[0] == "ASSOCIATED_BUSIF":
                for bus in words[1].split(":"):
                    if not any(p.startswith(bus + "_") for p in flat):
                        raise BuildError(
                            f"{elab.where(symbols[name])}: clock {name} names the bus {bus}, "
                            "which does not exist"
                        )
                    owner[bus] = name
            elif len(words) == 2 and words[0] == "ASSOCIATED_RESET":
                if words[1] not in flat:
                    raise BuildError(
                        f"{elab.where(symbols[name])}: clock {name} names the reset {words[1]}, "
                        "which does not exist"
                    )
                reset = words[1]
        clocks.append(Clock(name, reset))
    return clocks, owner


def _check_port(where: str, kind: str, prefix: str, signals: dict[str, int]) -> None:
    needed: tuple[str, ...]
    if kind == "axil":
        needed = tuple(s for s in AXIL_SIGNALS if not s.endswith("prot"))
    elif kind == "hdr":
        needed = HDR_SIGNALS
    elif kind == "axi":
        needed = tuple(s for s in AXI_SIGNALS if s not in _AXI_IDS or "awid" in signals)
    elif kind == "lane":
        needed = ("data", "head")
    elif kind == "sata":
        needed = _SATA_BOTH
    elif kind == "ib":
        needed = _IB[prefix[0]]
    else:
        needed = ("tdata", "tvalid", "tready")
    missing = [s for s in needed if s not in signals]
    if missing:
        raise BuildError(f"{where}: port {prefix}* lacks {', '.join(prefix + s for s in missing)}")
    if kind == "axil":
        if signals["wdata"] != 32 or signals["rdata"] != 32:
            raise BuildError(f"{where}: port {prefix}*: AXI4-Lite data must have 32 bits")
        return
    if kind == "axi":
        check_axi(where, prefix, signals)
        return
    if kind == "lane":
        for name, bits in (("data", 64), ("head", 2), ("slip", 1)):
            if signals.get(name, bits) != bits:
                raise BuildError(
                    f"{where}: port {prefix}{name} of a lane must have {bits} bits, "
                    f"not {signals[name]}"
                )
        return
    if kind == "ib":
        check_ib(where, prefix, signals)
        return
    if kind == "sata":
        for name, have in signals.items():
            bits = {"data": 32, "k": 4}.get(name, 1)
            if have != bits:
                raise BuildError(
                    f"{where}: port {prefix}{name} of a Serial ATA line must have {bits} bits, "
                    f"not {have}"
                )
        return
    bits = signals["data" if kind == "hdr" else "tdata"]
    if bits > 512:
        raise BuildError(f"{where}: port {prefix}*: {bits} data bits, at most 512 are possible")
    if kind == "hdr":
        return
    if bits % 8 != 0:
        raise BuildError(f"{where}: port {prefix}*: data must be whole bytes, not {bits} bits")
    if signals.get("tkeep", bits // 8) != bits // 8:
        raise BuildError(
            f"{where}: port {prefix}*: tkeep has {signals['tkeep']} bits, "
            f"{bits // 8} are needed for {bits} data bits"
        )
