# SPDX-License-Identifier: Apache-2.0
"""Writes the monitors that watch the ports of a user's kernels in simulation.

Each kernel gets a module bound to it, with a `kumi_stream_monitor` at each payload stream and the
record stream beside it, and at its end a summary of what went in, what came out, and who waits for
whom. A kernel is an instance of a module in the user's own files that has stream interfaces; what
is inside it, nodes (`kumi_node_...`) and the library are not watched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumihimo.build.filelist import is_own, unit_file
from kumihimo.build.scan import Elaboration
from kumihimo.common.paths import project_root

AXIS, RECORD = "kumi_axis_if", "kumi_rec_if"
MONITOR = "kumi_stream_monitor"


@dataclass(frozen=True)
class Watched:
    """A payload stream, its record stream, or both, as ports of a kernel ("" if it has none).

    length: (lowest bit, bits) of the record's length; (0, 0) if it has none.
    """

    away: bool
    payload: str
    record: str
    length: tuple[int, int]

    @property
    def name(self) -> str:
        """Name of the monitor and, in the summary, of the streams."""
        return self.payload or self.record


def monitor_text(elab: Elaboration) -> str:
    """SystemVerilog of the monitors of a design, "" where there is no kernel to watch."""
    kernels: dict[str, list[Watched]] = {}
    for kernel in _kernels(elab, elab.top):
        watched = _watched(elab, kernel)
        if watched:
            kernels.setdefault(str(kernel.definition.name), watched)
    return "".join(_bound(name, watched) for name, watched in kernels.items())


def monitor_file() -> Path:
    """The file of the monitor that the text instantiates."""
    return unit_file(MONITOR, project_root())


def _kernels(elab: Elaboration, instance: Any) -> Iterator[Any]:
    ast = elab.ast
    for member in _instances(ast, instance.body):
        file = str(elab.manager.getFullPath(member.definition.location.buffer))
        ports = {p.name for p in member.body.portList}
        streams = any(p.kind == ast.SymbolKind.InterfacePort for p in member.body.portList)
        node = member.definition.name.startswith("kumi_node_")
        if is_own(file) and streams and not node and {"clk", "rst"} <= ports:
            yield member
        else:
            yield from _kernels(elab, member)


def _instances(ast: Any, scope: Any) -> Iterator[Any]:
    for member in scope:
        if member.kind == ast.SymbolKind.Instance and member.isModule:
            yield member
        elif member.kind in (ast.SymbolKind.GenerateBlock, ast.SymbolKind.GenerateBlockArray):
            yield from _instances(ast, member)
        elif member.kind == ast.SymbolKind.InstanceArray:
            yield from _instances(ast, member.elements)


def _watched(elab: Elaboration, kernel: Any) -> list[Watched]:
    found: dict[str, dict[str, Any]] = {AXIS: {}, RECORD: {}}
    for port in kernel.body.portList:
        if port.kind != elab.ast.SymbolKind.InterfacePort or port.interfaceDef is None:
            continue
        name = port.interfaceDef.name
        if name in found and port.modport in ("src", "snk") and not list(port.declaredRange):
            found[name][port.name] = port
    watched = []
    for name, port in found[RECORD].items():
        payload = next((p for p in _payload_names(name) if p in found[AXIS]), "")
        if payload and found[AXIS].pop(payload).modport != port.modport:
            payload = ""
        away = port.modport == "src"
        watched.append(Watched(away, payload, name, _length(elab, kernel, port)))
    for name, port in found[AXIS].items():
        watched.append(Watched(port.modport == "src", name, "", (0, 0)))
    return watched


def _payload_names(record: str) -> Iterator[str]:
    """m_hdr goes with m_axis, m_udp_hdr with m_udp or m_axis_udp."""
    side, _, rest = record.partition("_")
    name = rest.removesuffix("hdr").removesuffix("rec").strip("_")
    yield from ((f"{side}_{name}", f"{side}_axis_{name}") if name else (f"{side}_axis",))


def _length(elab: Elaboration, kernel: Any, port: Any) -> tuple[int, int]:
    """Where a record's length is: that of the only header type of this width in the kernel."""
    width = {p.name: p for p in port.connection[0].body.parameters}["W"]
    bits = int(str(width.value))
    file = elab.manager.getFullPath(kernel.definition.location.buffer)
    text = Path(str(file)).read_text(errors="replace")
    places = set()
    for name, rows in elab.structs().items():
        fields = {n: (low, size) for n, low, size in rows if "." not in n}
        short = name.rpartition("::")[2]
        whole = sum(size for _, size in fields.values()) == bits
        if whole and short.endswith("_hdr_t") and "length" in fields and short in text:
            places.add(fields["length"])
    return places.pop() if len(places) == 1 else (0, 0)


def _bound(kernel: str, watched: list[Watched]) -> str:
    ports: list[str] = ["input logic clk", "input logic rst"]
    body: list[str] = []
    joined: list[str] = [".clk(clk)", ".rst(rst)"]
    params: list[str] = []
    for w in watched:
        body.append(f"  logic [31:0] {w.name}_frames;")
        body.append(f"  logic [63:0] {w.name}_last, {w.name}_waits;")
        pins = [f".{out}({w.name}_{short})" for out, short in _OUTPUTS]
        given = [f'.NAME("{kernel}.{w.name}")', f".OUT({int(w.away)})"]
        given += [f".PAYLOAD({int(bool(w.payload))})", f".RECORD({int(bool(w.record))})"]
        given += [f".LENGTH({int(bool(w.payload and w.length[1]))})"]
        if w.payload:
            p = w.payload
            params += [f"parameter int {p}_W = 8"]
            joined += [f".{p}_{s}({p}.{s})" for s in _BEAT]
            joined += [f".{p}_bad({p}.tuser[0])"]
            ports += [f"input logic [{p}_W-1:0] {p}_tdata", f"input logic [{p}_W/8-1:0] {p}_tkeep"]
            ports += [f"input logic {p}_{s}" for s in ("tvalid", "tready", "tlast", "bad")]
            pins += [f".{s}({p}_{s})" for s in (*_BEAT, "bad")]
            given += [f".DATA_W({p}_W)"]
        else:
            pins += [f".{s}('0)" for s in (*_BEAT, "bad")]
        if w.record:
            r, (low, size) = w.record, w.length
            params += [f"parameter int {r}_W = 1"]
            joined += [f".{r}_{s}({r}.{s})" for s in _RECORD]
            ports += [f"input logic [{r}_W-1:0] {r}_data", f"input logic {r}_valid"]
            ports += [f"input logic {r}_ready"]
            pins += [f".rec_{s}({r}_{s})" for s in _RECORD]
            pins += [f".rec_length(32'({r}_data[{low}+:{size}]))" if size else ".rec_length('0)"]
            given += [f'.REC_NAME("{kernel}.{r}")', f".REC_W({r}_W)"]
        else:
            pins += [f".rec_{s}('0)" for s in (*_RECORD, "length")]
        body.append(f"  {MONITOR} #({', '.join(given)}) u_{w.name} (.clk(clk), .rst(rst),")
        body.append(f"      {', '.join(pins)});")
    top = f"kumi_monitor_{kernel}"
    sizes = [f".{w.payload}_W({w.payload}.DATA_W)" for w in watched if w.payload]
    sizes += [f".{w.record}_W({w.record}.W)" for w in watched if w.record]
    return "\n".join(
        [
            f"module {top} #(",
            ",\n".join(f"    {p}" for p in params),
            ") (",
            ",\n".join(f"    {p}" for p in ports),
            ");",
            *body,
            *_summary(kernel, watched),
            "endmodule",
            f"bind {kernel} {top} #({', '.join(sizes)}) u_kumi_monitor (",
            f"    {', '.join(joined)});",
            "",
        ]
    )


_OUTPUTS = (("frames", "frames"), ("last_ps", "last"), ("waits_ps", "waits"))
_BEAT = ("tdata", "tkeep", "tvalid", "tready", "tlast")
_RECORD = ("data", "valid", "ready")


def _summary(kernel: str, watched: list[Watched]) -> list[str]:
    """A `final` block for a kernel that answers: said when its last answer is behind its input."""
    inward = [w.name for w in watched if not w.away]
    outward = [w.name for w in watched if w.away]
    if not inward or not outward:
        return []
    waits = " || ".join(f"{name}_waits != 0" for name in inward + outward)
    silent = " && ".join(f"{name}_frames == 0" for name in outward)
    asked = " || ".join(f"{name}_frames != 0" for name in inward)
    lines = ["  final begin", f"    if ({waits} || (({asked}) && {silent})) begin"]
    for name, word, held in (
        *((n, "in", f"{kernel} does not take the next one") for n in inward),
        *((n, "out", f"the node does not take {kernel}'s next one") for n in outward),
    ):
        lines.append(
            f'      $display("%%Warning: {kernel}.{name}: %0d {word}, the last at %0.3f us%0s",'
        )
        lines.append(f"          {name}_frames, real'({name}_last) / 1.0e6, {name}_waits == 0 ?")
        lines.append(
            f'          "" : $sformatf("; {held} since %0.3f us", real\'({name}_waits) / 1.0e6));'
        )
    return [*lines, "    end", "  end"]
