# SPDX-License-Identifier: Apache-2.0
"""A module's ports and parameters after elaboration, read with slang."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyslang import DiagnosticEngine, TextDiagnosticClient, ast, driver

from kumihimo.build.filelist import FileList
from kumihimo.build.records import width_by_name
from kumihimo.common.errors import KumiError, did_you_mean


@dataclass
class Signal:
    """One flat signal of a port. `width` in bits; `path` is how the module's body names it."""

    name: str
    direction: str  # "in" or "out", seen from the module
    width: int
    path: str


@dataclass
class Port:
    """A port of the module: a plain one has one signal, an interface port its modport's."""

    name: str
    signals: list[Signal]
    interface: str = ""
    overrides: dict[str, str] = field(default_factory=dict)
    count: int = 0  # elements of an interface array, 0 if it is not an array
    cast: str = ""  # type name that an enumeration input needs
    elements: list[tuple[str, int]] = field(default_factory=list)  # unpacked arrays: index, width


@dataclass
class Module:
    """A module with its parameters bound: enough to write a shell around it."""

    name: str
    ports: list[Port]
    params: dict[str, str]

    @property
    def interface_ports(self) -> bool:
        """Whether any port is an interface."""
        return any(p.interface for p in self.ports)


class Elaboration:
    """One run of slang over a set of files. Keep it alive while its symbols are in use."""

    def __init__(self, sources: FileList, top: str, options: list[str] | None = None) -> None:
        own = [f for f in sources.files if f.stem == top]
        self.text = own[-1].read_text() if own else ""
        self.driver = driver.Driver()
        self.driver.addStandardArgs()
        words = ["slang", "--top", top, "-DSYNTHESIS", "--timescale", "1ns/1ps"]
        for folder in sources.incdirs:
            words += ["-I", str(folder)]
        words += [f"-D{k}={v}" if v else f"-D{k}" for k, v in sources.defines.items()]
        words += [*(options or []), *(str(f) for f in sources.files)]
        quoted = " ".join('"' + w.replace("\\", "\\\\").replace('"', '\\"') + '"' for w in words)
        if not self.driver.parseCommandLine(quoted) or not self.driver.processOptions():
            raise KumiError(f"slang refused its options: {quoted}")
        self.driver.parseAllSources()
        self.compilation = self.driver.createCompilation()
        instances = list(self.compilation.getRoot().topInstances)
        self.top: Any = next((i for i in instances if i.name == top), None)

    def diagnostics(self) -> tuple[str, int]:
        """The errors as text (file, line, column, source line), and how many there are."""
        engine = DiagnosticEngine(self.driver.sourceManager)
        client = TextDiagnosticClient()
        engine.addClient(client)
        errors = 0
        for item in self.compilation.getAllDiagnostics():
            if item.isError():
                errors += 1
                engine.issue(item)
        return client.getString(), errors

    def check(self, what: str) -> None:
        """Stop with slang's messages (file, line, column) when anything is wrong."""
        text, errors = self.diagnostics()
        if errors or self.top is None:
            raise KumiError(f"{what} does not elaborate:\n{text.strip()}")


def _literal(value: str, declared: str) -> str:
    """A parameter's value as SystemVerilog text; bare words for string parameters get quotes."""
    if declared == "string" and not value.startswith('"'):
        return f'"{value}"'
    return value


def _cast(port_type: Any) -> str:
    """The name under which an enumeration may be cast to, for a port fed by plain bits."""
    if not port_type.canonicalType.isEnum or not port_type.isAlias:
        return ""
    return str(port_type.hierarchicalPath)


class _Binder:
    """Sorts the caller's parameters: the module's own, one interface's, or all interfaces'."""

    def __init__(self, first: Elaboration, params: dict[str, str]) -> None:
        body = first.top.body
        self.own = {p.name: p for p in body.parameters if not p.isLocalParam}
        self.params = params
        self.used: set[str] = set()
        self.module: dict[str, str] = {}
        for key, value in params.items():
            if key in self.own:
                kind = getattr(self.own[key], "type", None)
                self.module[key] = _literal(value, str(kind) if kind is not None else "")
                self.used.add(key)

    def interface(self, port: str, known: set[str]) -> dict[str, str]:
        """Overrides for one interface port."""
        result: dict[str, str] = {}
        for key, value in self.params.items():
            owner, _, name = key.rpartition(".")
            if name in known and (owner == port or not owner):
                if not owner and name in result:
                    continue
                result[name] = value
                self.used.add(key)
        return result

    def finish(self, interfaces: set[str]) -> None:
        """Complain about a parameter that nothing took."""
        for key in self.params:
            if key not in self.used:
                hint = did_you_mean(key, set(self.own) | interfaces).strip()
                raise KumiError(f'no parameter "{key}".', hint)


def describe(sources: FileList, name: str, params: dict[str, str], probe_dir: Path) -> Module:
    """Elaborate `name` with `params` and list its ports.

    A parameter the module does not have goes to its interface ports (DATA_W=64 for all of them,
    s_axis.DATA_W=64 for one).
    """
    plain = Elaboration(sources, name, ["--allow-toplevel-iface-ports"])
    if plain.top is None:
        plain.check(name)
    binder = _Binder(plain, params)
    options = ["--allow-toplevel-iface-ports"]
    options += [f"-G{k}={v}" for k, v in binder.module.items()]
    first = Elaboration(sources, name, options)
    if first.top is None:
        first.check(name)

    ports: list[Port] = []
    interface_params: set[str] = set()
    for symbol in first.top.body.portList:
        if isinstance(symbol, ast.InterfacePortSymbol):
            ports.append(_interface_port(symbol, first, binder, interface_params))
        else:
            ports.append(Port(symbol.name, []))
    binder.finish(interface_params)
    module = Module(name, ports, binder.module)

    probe_file = probe_dir / "kumi_probe.sv"
    probe = FileList([*sources.files, probe_file], sources.incdirs, sources.defines)
    probe_dir.mkdir(parents=True, exist_ok=True)
    probe_file.write_text(_probe_text(module))
    second = Elaboration(probe, "kumi_probe")
    second.check(name)
    dut = next(m for m in second.top.body if m.name == "dut")
    for port, symbol in zip(ports, dut.body.portList, strict=True):
        if isinstance(symbol, ast.InterfacePortSymbol):
            _interface_signals(port, symbol)
        else:
            _plain_signal(port, symbol)
    return module


def _interface_port(
    symbol: Any, elab: Elaboration, binder: _Binder, interface_params: set[str]
) -> Port:
    if symbol.isGeneric or symbol.interfaceDef is None:
        raise KumiError(f"port {symbol.name}: a generic interface port needs a shell of its own.")
    instance = symbol.connection[0]
    dims = symbol.declaredRange
    if dims is not None and len(dims) > 1:
        raise KumiError(f"port {symbol.name}: interface arrays of one dimension only.")
    count = 0
    if dims:
        count = int(dims[0].width)
        instance = instance.elements[0]
    if not symbol.modport and not _streams(instance.body):
        raise KumiError(f"port {symbol.name}: an interface port needs a modport.")
    known = {p.name for p in instance.body.parameters if not p.isLocalParam}
    interface_params |= known
    overrides = binder.interface(symbol.name, known)
    if "W" in known and "W" not in overrides:
        overrides |= width_by_name(symbol.name, elab.text, elab)
    return Port(symbol.name, [], symbol.interfaceDef.name, overrides, count)


def _interface_signals(port: Port, symbol: Any) -> None:
    instance, _ = symbol.connection
    element = instance.elements[0] if port.count else instance
    if not symbol.modport:
        _bundle_signals(port, element.body)
        return
    modport = next(m for m in element.body if m.name == symbol.modport)
    for index in range(max(port.count, 1)):
        where = f"{port.name}[{index}]" if port.count else port.name
        flat = f"{port.name}{index}" if port.count else port.name
        for member in modport:
            direction = {"In": "in", "Out": "out"}.get(member.direction.name)
            if direction is None:
                raise KumiError(f"{port.name}.{member.name}: only inputs and outputs are handled.")
            port.signals.append(
                Signal(
                    f"{flat}_{member.name}",
                    direction,
                    int(member.type.bitWidth),
                    f"{where}.{member.name}",
                )
            )


def _streams(body: Any) -> list[Any]:
    """The streams of a bundle: instances of stream interfaces inside an interface."""
    return [m for m in body if isinstance(m, ast.InstanceSymbol) and m.isInterface]


def _bundle_signals(port: Port, body: Any) -> None:
    """A bundle's port has no modport: `m_` names the application's end, `s_` the engine's.

    The application sends requests and tx; the engine sends responses, notifications and rx.
    """
    for index in range(max(port.count, 1)):
        where = f"{port.name}[{index}]" if port.count else port.name
        flat = f"{port.name}{index}" if port.count else port.name
        for stream in _streams(body):
            received = stream.name.endswith("_rsp") or stream.name in ("notify", "rx")
            outward = received != port.name.startswith("m_")
            modport = next(m for m in stream.body if m.name == ("src" if outward else "snk"))
            for member in modport:
                port.signals.append(
                    Signal(
                        f"{flat}_{stream.name}_{member.name}",
                        {"In": "in", "Out": "out"}[member.direction.name],
                        int(member.type.bitWidth),
                        f"{where}.{stream.name}.{member.name}",
                    )
                )


def _plain_signal(port: Port, symbol: Any) -> None:
    direction = {"In": "in", "Out": "out"}.get(symbol.direction.name)
    if direction is None:
        raise KumiError(f"port {symbol.name}: only inputs and outputs are handled.")
    kind = symbol.type
    width = int(kind.bitstreamWidth)
    if not kind.isIntegral:
        canonical = kind.canonicalType
        if not canonical.isUnpackedArray or not canonical.elementType.isIntegral:
            raise KumiError(f"port {symbol.name}: type {kind} needs a shell of its own.")
        bounds = canonical.fixedRange
        low, high = sorted((bounds.left, bounds.right))
        each = int(canonical.elementType.bitWidth)
        port.elements = [(str(i), each) for i in range(low, high + 1)]
    port.cast = _cast(kind)
    port.signals.append(Signal(port.name, direction, width, port.name))


def _probe_text(module: Module) -> str:
    lines = ["module kumi_probe;", *interface_lines(module), instance_text(module, {}), "endmodule"]
    return "\n".join(lines) + "\n"


def interface_lines(module: Module) -> list[str]:
    """Declarations of the interface instances that a shell connects."""
    lines = []
    for port in module.ports:
        if port.interface:
            values = ", ".join(f".{k}({v})" for k, v in port.overrides.items())
            head = f"  {port.interface} " + (f"#({values}) " if values else "")
            lines.append(head + port.name + (f" [{port.count}]" if port.count else "") + " ();")
    return lines


def instance_text(module: Module, plain: dict[str, str]) -> str:
    """The instance `dut`; `plain` says what each port that is no interface connects to."""
    values = ", ".join(f".{k}({v})" for k, v in module.params.items())
    joins = [f".{p.name}({p.name})" for p in module.ports if p.interface]
    joins += [f".{name}({text})" for name, text in plain.items()]
    head = f"  {module.name} " + (f"#({values}) " if values else "")
    return head + "dut (\n      " + ",\n      ".join(joins) + "\n  );"
