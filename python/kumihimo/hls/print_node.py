# SPDX-License-Identifier: Apache-2.0
"""A node around a program: registers for its kernels, and what its channels are bound to.

Channels whose io names are those of a binding (`BORDERS`) go to it: one that has the Ethernet port,
and serial links. Every other channel that leaves the file becomes a record port of the node.
"""

from __future__ import annotations

from pathlib import Path

from ..build.flat import write_beside
from ..common.errors import did_you_mean
from . import print_ethernet, print_link, print_remote, print_tcp, print_udp
from .compile import write
from .errors import HlsError
from .frontend import Program
from .print_borders import Blocks, Border, Bound, NodeReg, check, join
from .print_program import Port, Printed
from .print_registers import kernels_module, write_registers

ETHERNET = (print_ethernet.BORDER, print_udp.BORDER, print_tcp.BORDER, print_remote.BORDER)
BORDERS = (*ETHERNET, print_link.BORDER)


def node_name(file: Path) -> str:
    """Name of the design of a .cl file."""
    return "".join(c if c.isalnum() else "_" for c in file.stem.lower())


def write_node(program: Program, printed: Printed, folder: Path) -> Path:
    """Write kernels, registers and node into a folder; returns the node's flat top."""
    name = node_name(program.source.path)
    write(printed, folder)
    bindings = _bindings(printed)
    regs = [reg for border, bound in bindings for reg in border.regs(bound)]
    write_registers(name, program, printed, folder, regs)
    for border, bound in bindings:
        if border is print_remote.BORDER:
            print_remote.write_map(name, bound, folder)
    kernels = folder / f"{name}_kernels.sv"
    kernels.write_text(kernels_module(name, program, printed, regs), encoding="utf-8")
    core = folder / f"kumi_node_{name}_core.sv"
    core.write_text(_core(name, program, printed, bindings, regs), encoding="utf-8")
    return write_beside(core)


Bindings = list[tuple[Border, Bound]]


def _bindings(printed: Printed) -> Bindings:
    """The bindings of a program, that of the Ethernet port first; and the ports that each takes."""
    taken = {p.name: p for p in printed.ports if any(b.ends(p.name) for b in ETHERNET)}
    links = {p.name: p for p in printed.ports if print_link.BORDER.ends(p.name)}
    found: Bindings = []
    if taken:
        found.append((_ethernet(taken), taken))
    if links:
        found.append((print_link.BORDER, links))
    for border, bound in found:
        check(border, bound)
    for port in printed.ports:
        _spelling(port)
    return found


def _ethernet(taken: Bound) -> Border:
    """The binding that has all these names."""
    for border in ETHERNET:
        if all(border.ends(name) for name in taken):
            return border
    first = next(b for b in ETHERNET if b.ends(next(iter(taken))))
    other = next(port for name, port in taken.items() if first.ends(name) is None)
    text = f"{other.name} and {next(iter(taken))} are of different Ethernet ports."
    hint = f"A node has one: {first.what}, or another. Put the kernels in two files."
    raise HlsError(other.channel.place, text, hint)


def _spelling(port: Port) -> None:
    """Refuse an io name that is almost one of a binding: it would become a port without a cable."""
    name = port.channel.io
    if not name or any(border.ends(port.name) for border in BORDERS):
        return
    if name.startswith(("circuit", "stdm")):
        text = f'io("{name}") is no binding: kernels do not sit at a circuit switch.'
        hint = "Use link0_send and link0_receive, which have a cable of their own, or remote_NAME."
        raise HlsError(port.channel.place, text, hint)
    known = [n for b in ETHERNET for n in b.names if n.isidentifier()]
    known += [f"link{i}_{way}" for i in range(4) for way in ("send", "receive")]
    near = did_you_mean(name, known)
    if near or name.startswith(("link", "udp_", "tcp_", print_remote.PREFIX)):
        text = f'io("{name}") is no binding.{near}'
        hint = (
            f"There are {', '.join(known)} and remote_NAME; without io() it is a port of the node."
        )
        raise HlsError(port.channel.place, text, hint)


def _core(
    name: str, program: Program, printed: Printed, bindings: Bindings, regs: list[NodeReg]
) -> str:
    """The node with interfaces; its flat top is generated from it.

    An idle link still sends idle blocks: a node with links is always busy.
    """
    bound = {n for _border, ports in bindings for n in ports}
    free = [p for p in printed.ports if p.name not in bound]
    decl = ["input logic clk", "input logic rst"]
    for border, ports in bindings:
        decl += border.ports(ports)
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
    kinds = [kind for border, ports in bindings for kind in border.kinds(ports)]
    blocks = Blocks((f"{name}_regs_pkg::BLOCK", *kinds))
    lines = [
        f"// Generated from {program.source.path.name} by `kumi kernel build`; do not edit.",
        "//",
        f"// Node: the kernels of {program.source.path.name}.",
        f"module kumi_node_{name}_core #(",
        *(f"    {param}" for border, _ports in bindings for param in border.params),
        "    parameter logic [63:0] BUILD = '0  // build hash",
        ") (",
        *rows,
        ");",
        f"  kumi_axil_if axil[{blocks.count}] ();",
        "  logic [63:0] now;",
    ]
    for port in printed.ports:
        lines.append(f"  logic [{port.channel.bits - 1}:0] {port.name}_data;")
        lines.append(f"  logic {port.name}_valid, {port.name}_ready;")
    lines += [f"  logic [31:0] io_{reg.name};" for reg in regs]
    pins = [".clk", ".rst", ".s_axil(axil[0])"]
    for port in printed.ports:
        pins += [f".{port.prefix}_{s}({port.name}_{s})" for s in ("data", "valid", "ready")]
    pins += [f".io_{reg.name}" for reg in regs]
    pins.append(".busy(kernel_runs)")
    if printed.data_bits:
        pins.append(".m_axi")
    body = ",\n".join(f"      {p}" for p in pins)
    runs = (
        "1'b1" if any(border is print_link.BORDER for border, _ports in bindings) else "kernel_runs"
    )
    lines += ["  logic kernel_runs, kernel_busy;", f"  assign kernel_busy = {runs};"]
    lines += ["", f"  {name}_kernels u_kernels (\n{body}\n  );"]
    for port in free:
        lines += join(port.name, port.prefix, port.into)
    at = 1
    for border, ports in bindings:
        lines += border.body(name, ports, blocks, at)
        at += len(border.kinds(ports))
    if not bindings or bindings[0][0] is print_link.BORDER:
        lines += _bus(name, blocks)
    return "\n".join([*lines, "endmodule", ""])


def _bus(name: str, blocks: Blocks) -> list[str]:
    """The register bus of a node without Ethernet."""
    text = (
        f'  kumi_node_reg_bus #(\n      .NAME  ("{name}"),\n      .BLOCKS(BLOCKS_),\n'
        "      .KINDS (KINDS_),\n      .BUILD (BUILD)\n  ) u_bus (\n"
        "      .clk,\n      .rst,\n      .s_axil,\n      .m_axil(axil),\n      .now\n  );"
    )
    unused = "  logic unused;\n  assign unused = ^{now, kernel_runs};"
    return ["", blocks.fill(text), "  assign busy = kernel_busy;", unused]
