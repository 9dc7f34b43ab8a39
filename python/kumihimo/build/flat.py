# SPDX-License-Identifier: Apache-2.0
"""Flat tops of nodes: `kumi_node_NAME.sv`, written from `kumi_node_NAME_core.sv`.

A node is written once, with interfaces (`kumi_axis_if.snk s_axis_eth0`). What a tool or the
simulator sees is a generated top with plain vectors that only wires. Interface ports become one
port a signal; every other port, the parameters and the imports are taken over as they are. The
width of a signal is an expression of the node's parameters. A stream and a memory port are DATA_W
bits wide and have the other parameters of their interface's defaults, unless the port's comment
says otherwise: `kumi_axi_if.mst m_axi_host,  // DATA_W=64*LANES ADDR_W=64 ID_W=5`. A record port
always says its width: `kumi_rec_if.snk s_hdr_cmd,  // W=$bits(array_cmd_t)`.

Equal ports of a line, p1 to pN, are declared once: `output logic [8:1][DATA_W-1:0] m_ib_p_data,`
becomes `m_ib_p1_data` to `m_ib_p8_data`. Such lines that follow one another are given port by port.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kumihimo.build.errors import BuildError
from kumihimo.common.paths import project_root

NODES = Path("hw/node")
FLAT = NODES / "generated"
_SUFFIX = "_core"
REMOTE_MAP = "remote.json"
"""Beside the top of a node of kernels: its channels to other nodes."""

_MODULE = re.compile(
    r"^module (?P<name>\w+)\n?(?P<imports>(?:\s*import [^;]+;\n)*)\s*"
    r"(?:#\((?P<params>.*?)\n\) )?\((?P<ports>.*?)\n\);\n",
    re.S | re.M,
)
_PORT = re.compile(r"^\s*(kumi_\w+_if)\.(\w+)\s+(\w+),?\s*(?://(.*))?$")
_SETTING = re.compile(r"\b((?:[A-Z]+_)?W)=(\S+)")
_PARAM = re.compile(r"^\s*parameter [^=]*?(\w+)\s*=", re.M)
_PLAIN = re.compile(r"\b(?:input|output)\s+[^,;]*?\b(\w+)\s*(?:,|$|//)")
_EACH = re.compile(r"^\s*(input|output) logic \[(\d+):1\] ?(\[.+\] )?\s*(\w+_p)_(\w+),?\s*$")
# Signal, its bits as an expression of the interface's parameters (none: a wire), and whether the
# side that sends or asks drives it.
_STREAM = (
    ("tdata", "[{DATA_W}-1:0] ", True),
    ("tkeep", "[{DATA_W}/8-1:0] ", True),
    ("tvalid", "", True),
    ("tready", "", False),
    ("tlast", "", True),
    ("tuser", "", True),
)
_LITE = (
    ("awaddr", "[31:0] ", True),
    ("awprot", "[2:0] ", True),
    ("awvalid", "", True),
    ("awready", "", False),
    ("wdata", "[31:0] ", True),
    ("wstrb", "[3:0] ", True),
    ("wvalid", "", True),
    ("wready", "", False),
    ("bresp", "[1:0] ", False),
    ("bvalid", "", False),
    ("bready", "", True),
    ("araddr", "[31:0] ", True),
    ("arprot", "[2:0] ", True),
    ("arvalid", "", True),
    ("arready", "", False),
    ("rdata", "[31:0] ", False),
    ("rresp", "[1:0] ", False),
    ("rvalid", "", False),
    ("rready", "", True),
)
_MEMORY = (
    ("awid", "[{ID_W}-1:0] ", True),
    ("awaddr", "[{ADDR_W}-1:0] ", True),
    ("awlen", "[7:0] ", True),
    ("awsize", "[2:0] ", True),
    ("awburst", "[1:0] ", True),
    ("awvalid", "", True),
    ("awready", "", False),
    ("wdata", "[{DATA_W}-1:0] ", True),
    ("wstrb", "[{DATA_W}/8-1:0] ", True),
    ("wlast", "", True),
    ("wvalid", "", True),
    ("wready", "", False),
    ("bid", "[{ID_W}-1:0] ", False),
    ("bresp", "[1:0] ", False),
    ("bvalid", "", False),
    ("bready", "", True),
    ("arid", "[{ID_W}-1:0] ", True),
    ("araddr", "[{ADDR_W}-1:0] ", True),
    ("arlen", "[7:0] ", True),
    ("arsize", "[2:0] ", True),
    ("arburst", "[1:0] ", True),
    ("arvalid", "", True),
    ("arready", "", False),
    ("rid", "[{ID_W}-1:0] ", False),
    ("rdata", "[{DATA_W}-1:0] ", False),
    ("rresp", "[1:0] ", False),
    ("rlast", "", False),
    ("rvalid", "", False),
    ("rready", "", True),
)
_RECORD = (
    ("data", "[{W}-1:0] ", True),
    ("valid", "", True),
    ("ready", "", False),
)


@dataclass(frozen=True)
class _Kind:
    """The flat form of an interface: signals, parameters, who sends, and what is tied to zero."""

    signals: tuple[tuple[str, str, bool], ...]
    params: dict[str, str]  # their values unless the port says otherwise; "" must be said
    senders: tuple[str, ...]  # modports that send or ask
    tied: tuple[str, ...] = ()


_KINDS = {
    "kumi_axis_if": _Kind(_STREAM, {"DATA_W": "DATA_W"}, ("src",), ("tid", "tdest")),
    "kumi_axil_if": _Kind(_LITE, {}, ("mst",)),
    "kumi_axi_if": _Kind(_MEMORY, {"DATA_W": "DATA_W", "ADDR_W": "32", "ID_W": "1"}, ("mst",)),
    "kumi_rec_if": _Kind(_RECORD, {"W": ""}, ("src",)),
}


@dataclass(frozen=True)
class _Bus:
    """An interface port."""

    kind: _Kind
    interface: str
    modport: str
    name: str
    said: dict[str, str]  # parameters that the port's comment gives

    @property
    def sends(self) -> bool:
        return self.modport in self.kind.senders

    @property
    def params(self) -> dict[str, str]:
        return {name: self.said.get(name, usual) for name, usual in self.kind.params.items()}

    def ports(self) -> list[str]:
        params = self.params
        return [
            f"{'output' if out == self.sends else 'input'} logic "
            f"{_folded(width.format(**params))}{self.name}_{signal}"
            for signal, width, out in self.kind.signals
        ]

    def body(self) -> Iterator[str]:
        known = {"ADDR_W": "32", "ID_W": "1"}  # the interface's own defaults need not be said
        given = [
            f".{name}({value})" for name, value in self.params.items() if value != known.get(name)
        ]
        widths = f"#({', '.join(given)}) " if given else ""
        yield f"{self.interface} {widths}{self.name} ();"
        for signal, _, out in self.kind.signals:
            ends = (f"{self.name}_{signal}", f"{self.name}.{signal}")
            yield "assign {} = {};".format(*(ends if out == self.sends else ends[::-1]))
        if not self.sends:
            for signal in self.kind.tied:
                yield f"assign {self.name}.{signal} = '0;"


@dataclass(frozen=True)
class _Each:
    """A signal of equal ports, declared as a packed array."""

    direction: str
    count: int
    width: str
    port: str  # s_ib_p
    signal: str

    @property
    def name(self) -> str:
        return f"{self.port}_{self.signal}"

    def flat(self, number: int) -> str:
        return f"{self.port}{number}_{self.signal}"

    def line(self, number: int) -> str:
        return f"    {self.direction} logic {self.width}{self.flat(number)},"

    def connection(self) -> str:
        """All of them, the highest number first."""
        listed = ", ".join(self.flat(number) for number in range(self.count, 0, -1))
        return f"{self.name}({{{listed}}})"


def _each(line: str) -> _Each | None:
    """The signal of equal ports that a line declares."""
    found = _EACH.match(line)
    if found is None:
        return None
    direction, count, width, port, signal = found.groups()
    return _Each(direction, int(count), width or "", port, signal)


def _spread(group: list[_Each]) -> list[str]:
    """Declarations of signals of equal ports, port by port."""
    last = max((each.count for each in group), default=0)
    return [
        each.line(number) for number in range(1, last + 1) for each in group if number <= each.count
    ]


def _folded(width: str) -> str:
    """`[32-1:0]` as `[31:0]`; an expression stays."""
    return re.sub(r"^\[(\d+)-1:0\]", lambda found: f"[{int(found[1]) - 1}:0]", width)


def _bus(core: Path, line: str) -> _Bus | None:
    """The interface port that a line declares."""
    found = _PORT.match(line)
    if found is None:
        return None
    interface, modport, name, comment = found.groups()
    kind = _KINDS.get(interface)
    if kind is None:
        raise BuildError(f"{core}: {name}: a node's {interface} has no flat form")
    bus = _Bus(kind, interface, modport, name, dict(_SETTING.findall(comment or "")))
    for param in [
        *(set(bus.said) - set(kind.params)),
        *(k for k, v in bus.params.items() if not v),
    ]:
        expected = ", ".join(kind.params) or "none"
        raise BuildError(f"{core}: {name}: {param}: a {interface} has parameters {expected}")
    return bus


def flat_name(core: Path) -> str:
    """Module name of a core's flat top."""
    return core.stem.removesuffix(_SUFFIX)


def flat_top(core: Path, origin: str = "") -> str:
    """Source of the flat top of a core; `origin` is the core's name in its header."""
    text = core.read_text(encoding="utf-8")
    match = _MODULE.search(text)
    if match is None or match["name"] != core.stem or not core.stem.endswith(_SUFFIX):
        raise BuildError(f"{core}: holds no module kumi_node_NAME{_SUFFIX} with an ANSI port list")
    header = [line for line in text[: match.start()].splitlines() if line.startswith("//")]
    comment = header[1:] if header and "SPDX" in header[0] else header
    ports: list[str] = []
    body: list[str] = []
    names: list[str] = []
    group: list[_Each] = []
    for line in match["ports"].strip("\n").splitlines():
        each = _each(line)
        if each is not None:
            group.append(each)
            names.append(each.connection())
            continue
        ports += _spread(group)
        group = []
        bus = _bus(core, line)
        if bus is None:
            ports.append(line)
            names += _PLAIN.findall(line)
            continue
        names.append(bus.name)
        ports += [f"    {port}," for port in bus.ports()]
        body += ["", *(f"  {row}" for row in bus.body())]
    ports += _spread(group)
    last = max(i for i, line in enumerate(ports) if line.strip() and line.strip()[:2] != "//")
    ports[last] = re.sub(r",(\s*(?://.*)?)$", r"\1", ports[last])
    params = _PARAM.findall(match["params"] or "")
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated from {origin or core.name} by `python -m kumihimo.dev nodes`; do not edit.",
        *comment,
        *_head(flat_name(core), match["imports"].strip("\n"), (match["params"] or "").strip("\n")),
        *ports,
        ");",
        *body[1:],
        "",
        f"  {core.stem} #(" if params else f"  {core.stem} u_core (",
    ]
    if params:
        lines += [",\n".join(f"      .{name}({name})" for name in params), "  ) u_core ("]
    lines += [",\n".join(f"      .{name}" for name in names), "  );", "endmodule", ""]
    return "\n".join(lines)


def _head(name: str, imports: str, params: str) -> list[str]:
    """From `module` to the parenthesis that opens the ports."""
    opening = ["#(", params, ") ("] if params else ["("]
    if imports:
        return [f"module {name}", imports, *opening]
    return [f"module {name} {opening[0]}", *opening[1:]]


def _cores(root: Path) -> list[Path]:
    """Cores of hw/node whose ports all have a flat form."""
    found = []
    for path in sorted((root / NODES).glob(f"kumi_node_*{_SUFFIX}.sv")):
        flat = root / NODES / f"{flat_name(path)}.sv"
        if not flat.is_file():  # a hand-written top of that name is left alone
            found.append(path)
    return found


def _all(root: Path) -> dict[Path, str]:
    return {
        FLAT / f"{flat_name(core)}.sv": flat_top(core, f"{NODES}/{core.name}")
        for core in _cores(root)
    }


def stale(root: Path | None = None) -> list[str]:
    """Flat tops that differ from what their cores give, or have none."""
    root = root or project_root()
    wanted = _all(root)
    problems = []
    for path, text in wanted.items():
        there = root / path
        if not there.is_file() or there.read_text(encoding="utf-8") != text:
            problems.append(f"{path}: differs from its core; run `python -m kumihimo.dev nodes`")
    for path in sorted((root / FLAT).glob("*.sv")):
        if path.relative_to(root) not in wanted:
            problems.append(f"{path.relative_to(root)}: has no core in {NODES}")
    return problems


def write_beside(core: Path) -> Path:
    """Write the flat top of a core into the core's folder."""
    target = core.with_name(f"{flat_name(core)}.sv")
    target.write_text(flat_top(core), encoding="utf-8")
    return target


def write_all(root: Path | None = None) -> list[Path]:
    """Write the flat tops of hw/node."""
    root = root or project_root()
    (root / FLAT).mkdir(parents=True, exist_ok=True)
    wanted = _all(root)
    for path, text in wanted.items():
        (root / path).write_text(text, encoding="utf-8")
    return sorted(wanted)
