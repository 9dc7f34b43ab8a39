# SPDX-License-Identifier: Apache-2.0
"""A flat shell around any module, so that it can be simulated or synthesised alone.

Interface ports become flat streams (`s_axis_*`, `m_hdr_*` ...), arrays of them one stream an
element (`s_axis_0_*`), other interfaces one port a signal (`s_axil_awaddr` ...), a monitor becomes
a stream that passes by (in `s_axis_NAME_*`, out `m_axis_NAME_*`); packed struct, enum and unpacked
array ports become plain vectors. The shell only wires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kumihimo.build.clocks import clock_of_port
from kumihimo.build.derive import library
from kumihimo.build.design import ParamValue
from kumihimo.build.errors import BuildError
from kumihimo.build.filelist import FileList, for_module
from kumihimo.build.scan import RESERVED, Elaboration, struct_fields, sv_value
from kumihimo.common.errors import did_you_mean
from kumihimo.common.paths import project_root

_AXIS = {
    "tdata": "DATA_W",
    "tkeep": "KEEP_W",
    "tvalid": "",
    "tready": "",
    "tlast": "",
    "tuser": "USER_W",
    "tid": "ID_W",
    "tdest": "DEST_W",
}
_HDR = {"data": "W", "valid": "", "ready": ""}
_KNOWN = {"kumi_axis_if": ("axis", _AXIS), "kumi_rec_if": ("hdr", _HDR)}
# Interfaces that are wired one port a signal and have parameters: these and their defaults, and
# which of them is the width of a signal ("STRB_W" is DATA_W / 8).
_AXI_SIZES = {"DATA_W": 64, "ADDR_W": 32, "ID_W": 1}
_AXI = {
    "awid": "ID_W",
    "awaddr": "ADDR_W",
    "wdata": "DATA_W",
    "wstrb": "STRB_W",
    "bid": "ID_W",
    "arid": "ID_W",
    "araddr": "ADDR_W",
    "rid": "ID_W",
    "rdata": "DATA_W",
}
_SIZED = {"kumi_axi_if": (_AXI_SIZES, _AXI)}
# A bundle of streams: member, its stream interface, the name of its port at an application that has
# the streams one by one, and whether the application sends it. `m_app` is the application's end.
_BUNDLES = {
    "kumi_tcp_app_if": (
        ("listen", "kumi_rec_if", "listen", True),
        ("listen_rsp", "kumi_rec_if", "listen_rsp", False),
        ("open", "kumi_rec_if", "open", True),
        ("open_rsp", "kumi_rec_if", "open_rsp", False),
        ("close", "kumi_rec_if", "close", True),
        ("notify", "kumi_rec_if", "notify", False),
        ("read", "kumi_rec_if", "read", True),
        ("read_rsp", "kumi_rec_if", "read", False),
        ("rx", "kumi_axis_if", "axis", False),
        ("write", "kumi_rec_if", "write", True),
        ("write_rsp", "kumi_rec_if", "write", False),
        ("tx", "kumi_axis_if", "axis", True),
    )
}


@dataclass
class Shell:
    """A generated top: its text, and how the module's port names map to flat ones.

    aliases: module port -> flat prefix without the last underscore ("s_axis", "m_hdr_udp",
    "s_axis_0" for element 0 as "s_axis[0]"). fields: pin -> rows of a packed struct.
    """

    text: str
    top: str
    sources: FileList
    aliases: dict[str, str] = field(default_factory=dict)
    fields: dict[str, tuple[tuple[str, int, int], ...]] = field(default_factory=dict)


@dataclass
class _Ports:
    decl: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    conn: list[str] = field(default_factory=list)
    buses: list[tuple[str, str]] = field(default_factory=list)  # module port, flat prefix

    def port(self, out: bool, width: int, name: str) -> None:
        vec = f"[{width - 1}:0] " if width > 1 else ""
        self.decl.append(f"{'output' if out else 'input'} logic {vec}{name}")


def flat_prefix(port: str, kind: str, modport: str) -> str:
    """Flat prefix of an interface port.

    s_axis -> s_axis, m_udp -> m_axis_udp, m_udp_hdr -> m_hdr_udp, rx (src) -> m_axis_rx.
    """
    way = "m" if modport == "src" else "s"
    rest = port
    if re.match(r"^[sm]_", rest) and rest[0] == way:
        rest = rest[2:]
    if rest == kind:
        return f"{way}_{kind}"
    rest = rest.removeprefix(f"{kind}_")
    if kind == "hdr":
        rest = rest.removesuffix("_hdr")
    return f"{way}_{kind}_{rest}"


def make_shell(
    module: str | Path,
    params: Mapping[str, ParamValue] | None = None,
    interfaces: Mapping[str, Mapping[str, int]] | None = None,
    files: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    clocks: Mapping[str, str] | None = None,
    top: str | None = None,
    name: str | None = None,
    instance: str = "dut",
) -> Shell:
    """Write a flat shell around a module.

    Args:
        module: path of the module's file (relative ones also from the project's root), or the
                name of a library unit.
        params: values of the module's parameters.
        interfaces: parameters of each interface port, by port name; "*" for all of them. A name
            of an interface parameter that a port's interface lacks is an error.
        files: further sources or `.f` lists, read before the module's own list.
        defines: macro definitions.
        clocks: interface port -> clock port, where the module has several clocks. The default is
            the clock of the instance that the port is connected to, else the one with the longest
            common prefix (`m_axis` goes with `m_clk`), else `clk`.
        top: the module's name if it is not the file's name.
        name: of the shell, default `<module>_shell`.
        instance: name of the module's instance in the shell.
    """
    path = Path(module)
    root = project_root()
    if not path.is_file() and (root / path).is_file():
        path = root / path
    if not path.is_file():
        path = library(root).get(str(module), path)
    if not path.is_file():
        raise BuildError(f"{module}: no such file, and no such unit in hw/")
    path = path.resolve()
    listed = for_module(path, root, [Path(f) for f in files])
    listed.defines.update(defines or {})
    values = dict(params or {})
    module_name = top or path.stem
    elab = Elaboration(module_name, listed, values, interfaces=True)
    ast = elab.ast
    out = _Ports()
    shell = Shell("", name or f"{module_name}_shell", listed)
    settings = {k: dict(v) for k, v in (interfaces or {}).items()}
    everywhere = settings.pop("*", {})
    scalars: dict[str, bool] = {}
    for port in elab.top.body.portList:
        if port.kind == ast.SymbolKind.InterfacePort and _is_bundle(port):
            _bundle(elab, port, everywhere, settings, out, shell)
        elif port.kind == ast.SymbolKind.InterfacePort:
            own = {**everywhere, **settings.pop(port.name, {})}
            _interface(elab, port, own, set(everywhere), out, shell)
        else:
            _plain(elab, port, out, shell, scalars)
    if settings:
        names = list(shell.aliases)
        bad = next(iter(settings))
        raise BuildError(f"module {module_name} has no interface port {bad}." +
                         did_you_mean(bad, names))  # fmt: skip
    clock_names = [n for n in scalars if not scalars[n] and (n == "clk" or n.endswith("_clk"))]
    clock_names.sort(key=lambda n: n != "clk")
    if not clock_names:
        out.decl.insert(0, "input logic clk")
        clock_names = ["clk"]
    _attributes(elab, out, clock_names, dict(clocks or {}))
    overrides = ", ".join(f".{k}({sv_value(v)})" for k, v in values.items())
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated: a flat shell around {module_name}.",
        f"module {shell.top} (",
        ",\n".join("    " + d for d in out.decl),
        ");",
        *("  " + b for b in out.body),
        f"  {module_name} {f'#({overrides}) ' if overrides else ''}{instance} (",
        ",\n".join("      " + c for c in out.conn),
        "  );",
        "endmodule",
        "",
    ]
    shell.text = "\n".join(lines)
    return shell


def _is_bundle(port: Any) -> bool:
    return port.interfaceDef is not None and port.interfaceDef.name in _BUNDLES


def _dimension(elab: Elaboration, port: Any) -> tuple[int, int, str]:
    """First index, number of elements (0: no array) and declaration of an interface array."""
    ranges = list(port.declaredRange)
    if len(ranges) > 1:
        raise BuildError(f"{elab.where(port)}: {port.name}: only one dimension of interfaces")
    if not ranges:
        return 0, 0, ""
    left, right = int(ranges[0].left), int(ranges[0].right)
    low, count = min(left, right), abs(left - right) + 1
    plain = left == 0 and right == count - 1
    return low, count, f" [{count}]" if plain else f" [{left}:{right}]"


def _bundle(
    elab: Elaboration,
    port: Any,
    everywhere: dict[str, int],
    settings: dict[str, dict[str, int]],
    out: _Ports,
    shell: Shell,
) -> None:
    """Each stream of a bundle becomes a flat stream, as if the module had it as a port.

    `m_app` has listen as m_listen and its response as s_listen_rsp; `m_eng` as m_eng_listen.
    """
    if_name = port.interfaceDef.name
    low, count, dims = _dimension(elab, port)
    way, _, rest = port.name.partition("_")
    if way not in ("s", "m") or not rest:
        raise BuildError(f"{elab.where(port)}: port {port.name}: a bundle is named s_... or m_...")
    infix = "" if rest == "app" else f"{rest}_"
    own = {**everywhere, **settings.pop(port.name, {})}
    rows = []
    for member, stream, base, sent in _BUNDLES[if_name]:
        modport = "src" if sent == (way == "m") else "snk"
        name = f"{'m' if modport == 'src' else 's'}_{infix}{base}"
        own |= {k: v for k, v in settings.pop(name, {}).items() if k == "DATA_W"}
        rows.append((member, stream, name, modport))
    width = own.get("DATA_W", 64)
    out.body.append(f"{if_name} #(.DATA_W({width})) u_{port.name}{dims} ();")
    out.conn.append(f".{port.name}(u_{port.name})")
    element = port.connection[0].elements[0] if count else port.connection[0]
    for member, stream, name, modport in rows:
        kind, signals = _KNOWN[stream]
        values = {p.name: p for p in element.body.find(member).body.parameters}
        sizes = {k: int(str(v.value)) for k, v in values.items() if not v.isLocalParam}
        if kind == "axis":
            sizes |= {"DATA_W": width, "KEEP_W": width // 8}
        prefix = flat_prefix(name, kind, modport)
        for i in range(low, low + max(count, 1)):
            label = f"{prefix}_{i}" if count else prefix
            inst = f"u_{port.name}[{i}].{member}" if count else f"u_{port.name}.{member}"
            shell.aliases[f"{name}[{i}]" if count else name] = label
            _wire(out, signals, sizes, label, inst, modport)
            out.buses.append((port.name, label))


def _interface(
    elab: Elaboration,
    port: Any,
    own: dict[str, int],
    optional: set[str],
    out: _Ports,
    shell: Shell,
) -> None:
    if port.interfaceDef is None:
        raise BuildError(f"{elab.where(port)}: no shell for port {port.name} of any interface")
    if_name = port.interfaceDef.name
    modport = port.modport
    low, ranges, dims = _dimension(elab, port)
    count = max(ranges, 1)
    if if_name in _KNOWN:
        kind, signals = _KNOWN[if_name]
        if modport not in ("src", "snk", "mon"):
            raise BuildError(f"{elab.where(port)}: port {port.name} needs modport src, snk or mon")
        prefix = flat_prefix(port.name, kind, modport)
        sizes = _sizes(if_name, kind, port.name, own, optional)
        if_params = ", ".join(f".{k}({v})" for k, v in sizes.items() if k != "KEEP_W")
        out.body.append(f"{if_name} #({if_params}) u_{port.name}{dims} ();")
    else:
        if not modport:
            raise BuildError(f"{elab.where(port)}: port {port.name} names no modport of {if_name}")
        prefix = port.name
        rows = [
            (m.name, m.direction == elab.ast.ArgumentDirection.Out, int(m.type.bitWidth))
            for m in port.connection[1]
            if m.kind == elab.ast.SymbolKind.ModportPort
        ]
        if_params = ""
        tied: list[tuple[str, bool, int]] = []
        if if_name in _SIZED:
            defaults, widths = _SIZED[if_name]
            chosen = _chosen(if_name, port.name, own, optional, defaults)
            if_params = "#({}) ".format(", ".join(f".{k}({v})" for k, v in chosen.items()))
            bits = {**chosen, "STRB_W": chosen["DATA_W"] // 8}
            rows = [(n, o, bits[widths[n]] if n in widths else w) for n, o, w in rows]
            tied = _other_half(modport, bits)
        out.body.append(f"{if_name} {if_params}u_{port.name}{dims} ();")
    out.conn.append(f".{port.name}(u_{port.name})")
    for i in range(low, low + count):
        label = f"{prefix}_{i}" if ranges else prefix
        inst = f"u_{port.name}[{i}]" if ranges else f"u_{port.name}"
        shell.aliases[f"{port.name}[{i}]" if ranges else port.name] = label
        if if_name in _KNOWN:
            _wire(out, signals, sizes, label, inst, modport)
        else:
            for signal, outward, width in rows:
                out.port(outward, width, f"{label}_{signal}")
                pair = (f"{label}_{signal}", f"{inst}.{signal}")
                out.body.append("assign {} = {};".format(*(pair if outward else pair[::-1])))
            for signal, outward, width in tied:
                out.port(outward, width, f"{label}_{signal}")
                source = "'0" if outward else f"{label}_{signal}"
                out.body.append(f"assign {inst}.{signal} = {source};")
                if outward:
                    out.body.append(f"assign {label}_{signal} = '0;")
        out.buses.append((port.name, label))
        if modport == "mon" and if_name in _KNOWN:
            out.buses.append((port.name, "m" + label[1:]))


def _other_half(modport: str, bits: dict[str, int]) -> list[tuple[str, bool, int]]:
    """Signals of a memory port that a modport with half of the channels lacks."""
    address = ("id", "addr", "len", "size", "burst", "valid", "ready")
    lacks: dict[str, tuple[str, ...]] = {}
    if modport == "mst_rd":
        lacks["aw"] = address
        lacks["w"] = ("data", "strb", "last", "valid", "ready")
        lacks["b"] = ("id", "resp", "valid", "ready")
    elif modport == "mst_wr":
        lacks["ar"] = address
        lacks["r"] = ("id", "data", "resp", "last", "valid", "ready")
    fixed = {"len": 8, "size": 3, "burst": 2, "resp": 2}
    rows = []
    for channel, names in lacks.items():
        for name in names:
            outward = (name == "ready") == (channel in ("b", "r"))
            width = bits[_AXI[channel + name]] if channel + name in _AXI else fixed.get(name, 1)
            rows.append((channel + name, outward, width))
    return rows


def _sizes(
    if_name: str, kind: str, port_name: str, own: dict[str, int], optional: set[str]
) -> dict[str, int]:
    """Interface parameters of a stream's port, with their defaults."""
    defaults = {"DATA_W": 64, "USER_W": 1, "ID_W": 1, "DEST_W": 1} if kind == "axis" else {"W": 32}
    sizes = _chosen(if_name, port_name, own, optional, defaults)
    sizes["KEEP_W"] = sizes.get("DATA_W", 0) // 8
    return sizes


def _chosen(
    if_name: str, port_name: str, own: dict[str, int], optional: set[str], defaults: dict[str, int]
) -> dict[str, int]:
    """The defaults with the caller's values in their place."""
    for key in list(own):
        if key in defaults:
            continue
        if key not in optional:
            raise BuildError(
                f"interface {if_name} of port {port_name} has no parameter {key}."
                + did_you_mean(key, defaults)
            )
        del own[key]
    return {**defaults, **own}


def _wire(
    out: _Ports,
    signals: dict[str, str],
    sizes: dict[str, int],
    label: str,
    inst: str,
    modport: str,
) -> None:
    for signal, size in signals.items():
        width = sizes[size] if size else 1
        back = signal.endswith("ready")
        if modport in ("src", "snk"):
            outward = (modport == "src") != back
            out.port(outward, width, f"{label}_{signal}")
            if outward:
                out.body.append(f"assign {label}_{signal} = {inst}.{signal};")
            else:
                out.body.append(f"assign {inst}.{signal} = {label}_{signal};")
            continue
        passing = "m" + label[1:]
        source, sink = (passing, label) if back else (label, passing)
        out.port(False, width, f"{source}_{signal}")
        out.port(True, width, f"{sink}_{signal}")
        out.body.append(f"assign {inst}.{signal} = {source}_{signal};")
        out.body.append(f"assign {sink}_{signal} = {inst}.{signal};")


def _plain(
    elab: Elaboration, port: Any, out: _Ports, shell: Shell, scalars: dict[str, bool]
) -> None:
    ast = elab.ast
    output = port.direction == ast.ArgumentDirection.Out
    if not output and port.direction != ast.ArgumentDirection.In:
        raise BuildError(f"{elab.where(port)}: port {port.name} is not in or out")
    kind = port.type.canonicalType
    if port.type.isIntegral:
        width = int(port.type.bitWidth)
        scalars[port.name] = output
        flat = port.name
        if flat in RESERVED:
            flat += "_pin"
            shell.aliases[port.name] = flat
        out.port(output, width, flat)
        rows = struct_fields(ast, port.type)
        if rows:
            shell.fields[flat] = rows
        if kind.kind == ast.SymbolKind.EnumType and not output:
            out.conn.append(f".{port.name}({port.type}'({flat}))")
        else:
            out.conn.append(f".{port.name}({flat})")
        return
    if kind.kind == ast.SymbolKind.FixedSizeUnpackedArrayType and kind.elementType.isIntegral:
        width = int(kind.elementType.bitWidth)
        left, right = int(kind.range.left), int(kind.range.right)
        count = abs(left - right) + 1
        low = min(left, right)
        out.body.append(f"logic [{width - 1}:0] u_{port.name} [{left}:{right}];")
        for i in range(low, low + count):
            out.port(output, width, f"{port.name}_{i}")
            shell.aliases[f"{port.name}[{i}]"] = f"{port.name}_{i}"
            pair = (f"{port.name}_{i}", f"u_{port.name}[{i}]")
            out.body.append("assign {} = {};".format(*(pair if output else pair[::-1])))
        out.conn.append(f".{port.name}(u_{port.name})")
        return
    raise BuildError(f"{elab.where(port)}: no shell for port {port.name} of type {port.type}")


def _attributes(elab: Elaboration, out: _Ports, clocks: list[str], chosen: dict[str, str]) -> None:
    """Tell which stream belongs to which clock, in the attribute form of a node's top."""
    if len(clocks) < 2:
        return
    owner: dict[str, list[str]] = {c: [] for c in clocks}
    resets: dict[str, str] = {}
    named: dict[str, str] = {}
    for port in elab.top.body.portList:
        if port.name in owner:
            text = elab.attributes(port).get("X_INTERFACE_PARAMETER", "")
            for part in text.split(","):
                words = part.split()
                if len(words) == 2 and words[0] == "ASSOCIATED_BUSIF":
                    named.update({b: port.name for b in words[1].split(":")})
                elif len(words) == 2 and words[0] == "ASSOCIATED_RESET":
                    resets[port.name] = words[1]
    for port_name, label in out.buses:
        clock = chosen.get(port_name) or named.get(port_name)
        if clock is None:
            clock = clock_of_port(elab.top.body, port_name, {c: c for c in clocks}) or clocks[0]
        if clock not in owner:
            raise BuildError(f"port {port_name}: there is no clock {clock}")
        if label not in owner[clock]:
            owner[clock].append(label)
    for i, decl in enumerate(out.decl):
        match = re.match(r"input logic (\w+)$", decl)
        if match and match.group(1) in owner:
            parts = []
            if owner[match.group(1)]:
                parts.append("ASSOCIATED_BUSIF " + ":".join(owner[match.group(1)]))
            if match.group(1) in resets:
                parts.append(f"ASSOCIATED_RESET {resets[match.group(1)]}")
            if parts:
                out.decl[i] = f'(* X_INTERFACE_PARAMETER = "{", ".join(parts)}" *) {decl}'
