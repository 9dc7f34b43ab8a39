# SPDX-License-Identifier: Apache-2.0
"""A node around a program: registers for its kernels, and what its channels are bound to.

Channels whose io names are those of a binding (`BORDERS`) go to it: the Ethernet controller, UDP
sockets, or TCP and UDP sockets. Every other channel that leaves the file becomes a record port of
the node.
"""

from __future__ import annotations

from pathlib import Path

from ..build.flat import write_beside
from . import print_ethernet, print_tcp, print_udp
from .compile import write
from .errors import HlsError
from .frontend import Program
from .print_borders import Border, check
from .print_program import Port, Printed
from .print_registers import kernels_module, write_registers

BORDERS = (print_ethernet.BORDER, print_udp.BORDER, print_tcp.BORDER)


def node_name(file: Path) -> str:
    """Name of the design of a .cl file."""
    return "".join(c if c.isalnum() else "_" for c in file.stem.lower())


def write_node(program: Program, printed: Printed, folder: Path) -> Path:
    """Write kernels, registers and node into a folder; returns the node's flat top."""
    name = node_name(program.source.path)
    write(printed, folder)
    write_registers(name, program, printed, folder)
    border, bound = _bound(printed)
    kernels = folder / f"{name}_kernels.sv"
    kernels.write_text(kernels_module(name, program, printed), encoding="utf-8")
    core = folder / f"kumi_node_{name}_core.sv"
    core.write_text(_core(name, program, printed, border, bound), encoding="utf-8")
    return write_beside(core)


def _bound(printed: Printed) -> tuple[Border | None, dict[str, Port]]:
    """The binding of a program, the first that has all its names; and the ports that it takes."""
    known = {name for border in BORDERS for name in border.names}
    bound = {port.name: port for port in printed.ports if port.name in known}
    if not bound:
        return None, {}
    for border in BORDERS:
        if set(bound) <= set(border.names):
            check(border, bound)
            return border, bound
    first = next(b for b in BORDERS if next(iter(bound)) in b.names)
    other = next(port for name, port in bound.items() if name not in first.names)
    text = f"{other.name} and {next(iter(bound))} are of different Ethernet ports."
    hint = f"A node has one: {first.what}, or another. Put the kernels in two files."
    raise HlsError(other.channel.place, text, hint)


def _core(
    name: str, program: Program, printed: Printed, border: Border | None, bound: dict[str, Port]
) -> str:
    """The node with interfaces; its flat top is generated from it."""
    free = [p for p in printed.ports if p.name not in bound]
    decl = ["input logic clk", "input logic rst"]
    if border is not None:
        decl += border.ports(bound)
    decl.append("kumi_axil_if.slv s_axil")
    if printed.data_bits:
        decl.append(f"kumi_axi_if.mst m_axi,  // DATA_W={printed.data_bits}")
    for port in free:
        modport = "snk" if port.into else "src"
        decl.append(f"kumi_rec_if.{modport} {port.prefix},  // W={port.channel.bits}")
    decl.append("output logic busy")
    rows = []
    for i, row in enumerate(decl):
        comma = "," if i < len(decl) - 1 and "," not in row.split("//")[0] else ""
        rows.append(f"    {row}{comma}")
    lines = [
        f"// Generated from {program.source.path.name} by `kumi kernel build`; do not edit.",
        "//",
        f"// Node: the kernels of {program.source.path.name}.",
        f"module kumi_node_{name}_core #(",
        "    parameter logic [63:0] BUILD = '0  // build hash",
        ") (",
        *rows,
        ");",
        "  kumi_axil_if axil[1] ();",
        "  logic [63:0] now;",
    ]
    for port in printed.ports:
        lines.append(f"  logic [{port.channel.bits - 1}:0] {port.name}_data;")
        lines.append(f"  logic {port.name}_valid, {port.name}_ready;")
    pins = [".clk", ".rst", ".s_axil(axil[0])"]
    for port in printed.ports:
        pins += [f".{port.prefix}_{s}({port.name}_{s})" for s in ("data", "valid", "ready")]
    pins.append(".busy(kernel_busy)")
    if printed.data_bits:
        pins.append(".m_axi")
    body = ",\n".join(f"      {p}" for p in pins)
    lines += ["  logic kernel_busy;", "", f"  {name}_kernels u_kernels (\n{body}\n  );"]
    for port in free:
        for signal in ("data", "valid", "ready"):
            ends = (f"{port.name}_{signal}", f"{port.prefix}.{signal}")
            target, source = ends if port.into == (signal != "ready") else ends[::-1]
            lines.append(f"  assign {target} = {source};")
    lines += border.body(name, bound) if border is not None else _bus(name)
    return "\n".join([*lines, "endmodule", ""])


def _bus(name: str) -> list[str]:
    return [
        "",
        f'  kumi_node_reg_bus #(\n      .NAME  ("{name}"),\n      .BLOCKS(1),\n'
        f"      .KINDS ({{{name}_regs_pkg::BLOCK}}),\n      .BUILD (BUILD)\n  ) u_bus (\n"
        "      .clk,\n      .rst,\n      .s_axil,\n      .m_axil(axil),\n      .now\n  );",
        "  assign busy = kernel_busy;",
        "  logic unused;",
        "  assign unused = ^now;",
    ]
