# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of a program: its kernels, the FIFOs of channels between them, one memory port.

Ports of the program: clk and rst; for each kernel KERNEL_start, _busy, _done, _stall, _failed and
its arguments KERNEL_ARG; each channel without a partner in the file as s_hdr_NAME or m_hdr_NAME;
m_axi if a kernel uses global memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import HlsError
from .frontend import Channel, Program
from .ops import Design
from .print_kernel import LINT_OFF, KernelPrinter
from .print_nets import dimension
from .waits import Wait

MOST_BITS = 512  # of a word that leaves the program
STATUS = ("busy", "done", "stall", "failed")


@dataclass(frozen=True)
class Port:
    """A channel at the border of a program."""

    name: str  # io name, or the channel's
    channel: Channel
    into: bool  # toward the kernels

    @property
    def prefix(self) -> str:
        """Prefix of its three signals."""
        return f"{'s' if self.into else 'm'}_hdr_{self.name}"


@dataclass(frozen=True)
class Printed:
    """Modules of a program by name, and what its ports are."""

    top: str
    modules: dict[str, str]
    ports: tuple[Port, ...]
    designs: tuple[Design, ...]
    data_bits: int  # of m_axi; 0: there is none
    waits: dict[str, tuple[Wait, ...]]  # bits of KERNEL_waits, where that is an output


def memory_bits(designs: list[Design]) -> int:
    """Width of the memory port: the widest element, at least 32; 0 without global memory."""
    sizes = [8 * unit.bytes for design in designs for unit in design.units]
    return max([32, *sizes]) if sizes else 0


def print_program(
    program: Program, designs: list[Design], prefix: str = "", waits: bool = False
) -> Printed:
    """Print everything; `prefix` goes in front of module names.

    With `waits`, KERNEL_waits are outputs: where each kernel waits.
    """
    top = f"{prefix}{program.name}"
    bits = memory_bits(designs)
    modules: dict[str, str] = {}
    printers = []
    for design in designs:
        printer = KernelPrinter(design, f"{top}_{design.name}", bits, waits)
        printers.append(printer)
        head = _head(program, f"Kernel {design.name} of {program.source.path.name}.")
        modules[printer.module] = head + printer.text() + _tail()
    ports = _ports(program)
    head = _head(program, f"Kernels of {program.source.path.name} and the channels between them.")
    modules[top] = head + _top(top, program, printers, ports, bits) + _tail()
    bits_of = {printer.d.name: printer.waits for printer in printers}
    return Printed(top, modules, tuple(ports), tuple(designs), bits, bits_of)


def _head(program: Program, text: str) -> str:
    off = "".join(f"// verilator lint_off {rule}\n" for rule in LINT_OFF)
    return (
        f"// Generated from {program.source.path.name} by `kumi kernel build`; do not edit.\n"
        f"//\n// {text}\n{off}"
    )


def _tail() -> str:
    return "".join(f"// verilator lint_on {rule}\n" for rule in LINT_OFF)


def _ports(program: Program) -> list[Port]:
    out = []
    for channel in program.channels.values():
        if bool(channel.reader) != bool(channel.writer):
            if channel.bits > MOST_BITS:
                text = f"{channel.source} has {channel.bits} bits and leaves the file."
                raise HlsError(channel.place, text, f"Send words of at most {MOST_BITS} bits.")
            name = channel.io or channel.name.lower()
            out.append(Port(name, channel, bool(channel.reader)))
    return out


def _top(
    top: str, program: Program, printers: list[KernelPrinter], ports: list[Port], bits: int
) -> str:
    decl = ["input logic clk", "input logic rst"]
    for printer in printers:
        name = printer.d.name
        decl.append(f"input logic {name}_start")
        decl += [f"output logic {name}_{word}" for word in STATUS]
        if printer.waits:
            decl.append(f"output logic {dimension(len(printer.waits))}{name}_waits")
        decl += [f"input logic {dimension(a.bits)}{name}_{a.name}" for a in printer.d.args]
    for port in ports:
        way, back = ("input", "output") if port.into else ("output", "input")
        decl.append(f"{way} logic {dimension(port.channel.bits)}{port.prefix}_data")
        decl.append(f"{way} logic {port.prefix}_valid")
        decl.append(f"{back} logic {port.prefix}_ready")
    with_memory = [p for p in printers if p.d.units]
    if with_memory:
        decl.append("kumi_axi_if.mst m_axi")
    lines = [f"module {top} (", ",\n".join(f"    {d}" for d in decl), ");"]
    if with_memory:
        lines.append(
            f"  kumi_axi_if #(\n      .DATA_W({bits})\n  ) kernel_axi[{len(with_memory)}] ();"
        )
    for channel in program.channels.values():
        lines += _channel(channel, printers, ports)
    for printer in printers:
        lines += _instance(printer, program, with_memory)
    if with_memory:
        lines.append(
            f"  kumi_axi_mux #(\n      .N({len(with_memory)}),\n      .BURST_BYTES({bits})\n"
            "  ) u_memory (\n      .clk,\n      .rst,\n      .s_axi(kernel_axi),\n"
            "      .m_axi\n  );"
        )
    return "\n".join([*lines, "endmodule", ""])


def _non_blocking(channel: Channel, printers: list[KernelPrinter]) -> bool:
    return any(
        op.channel is channel and op.kind == "chan_write_nb"
        for p in printers for s in p.d.segments for op in s.ops
    )  # fmt: skip


def _channel(channel: Channel, printers: list[KernelPrinter], ports: list[Port]) -> list[str]:
    """Nets of a channel: NAME_s_* from its writer, NAME_m_* to its reader."""
    if not channel.reader and not channel.writer:
        return []
    n, width = channel.name, dimension(channel.bits)
    lines = []
    for side in "sm":
        lines.append(f"  logic {width}{n}_{side}_data;")
        lines.append(f"  logic {n}_{side}_valid, {n}_{side}_ready;")
    port = next((p for p in ports if p.channel is channel), None)
    if port is not None:
        outer, inner = ("s", "m") if port.into else ("m", "s")
        signals = ("data", "valid", "ready")
        for signal in signals:
            ends = (f"{n}_{outer}_{signal}", f"{port.prefix}_{signal}")
            target, source = ends if port.into == (signal != "ready") else ends[::-1]
            lines.append(f"  assign {target} = {source};")
        assert inner
    if port is None or channel.depth > 0 or _non_blocking(channel, printers):
        depth = 1 << max(channel.depth - 1, 1).bit_length()
        lines.append(
            f"  kumi_fifo #(\n      .W({channel.bits}),\n      .DEPTH({depth})\n  ) u_{n} (\n"
            f"      .clk,\n      .rst,\n      .s_data({n}_s_data),\n      .s_valid({n}_s_valid),\n"
            f"      .s_ready({n}_s_ready),\n      .m_data({n}_m_data),\n"
            f"      .m_valid({n}_m_valid),\n      .m_ready({n}_m_ready),\n      .depth()\n  );"
        )
    else:
        lines += [
            f"  assign {n}_m_data = {n}_s_data;",
            f"  assign {n}_m_valid = {n}_s_valid;",
            f"  assign {n}_s_ready = {n}_m_ready;",
        ]
    return lines


def _instance(
    printer: KernelPrinter, program: Program, with_memory: list[KernelPrinter]
) -> list[str]:
    name = printer.d.name
    kernel = next(k for k in program.kernels if k.name == name)
    pins = [".clk", ".rst"]
    lines = []
    if kernel.autorun:
        lines.append(f"  logic {name}_started_q;")
        lines.append(f"  always_ff @(posedge clk) {name}_started_q <= !rst;")
        lines.append(f"  logic {name}_first;")
        lines.append(f"  assign {name}_first = !{name}_started_q && !rst;")
        pins.append(f".start({name}_first || {name}_start)")
    else:
        pins.append(f".start({name}_start)")
    pins += [f".{word}({name}_{word})" for word in STATUS]
    if printer.waits:
        pins.append(f".waits({name}_waits)")
    pins += [f".{a.name}({name}_{a.name})" for a in printer.d.args]
    for channel in printer.d.channels:
        side = "m" if channel.reader == name else "s"
        for signal in ("data", "valid", "ready"):
            pins.append(f".{channel.name}_{signal}({channel.name}_{side}_{signal})")
    if printer in with_memory:
        pins.append(f".m_axi(kernel_axi[{with_memory.index(printer)}])")
    body = ",\n".join(f"      {p}" for p in pins)
    lines.append(f"  {printer.module} u_{name} (\n{body}\n  );")
    return lines
