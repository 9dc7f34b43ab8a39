# SPDX-License-Identifier: Apache-2.0
"""Registers of a program's kernels: description, and the module with the kernels behind them."""

from __future__ import annotations

from pathlib import Path

from ..common.errors import KumiError
from ..regs.own import free_kind, generate_block
from .frontend import Program
from .ops import Design, Op
from .print_borders import NodeReg
from .print_program import STATUS, Printed

FALSE = "1'b0"


def words(arg: Op) -> list[tuple[str, int, int]]:
    """Registers of an argument: suffix, lowest bit and bits."""
    count = -(-arg.bits // 32)
    suffixes = [""] if count == 1 else [f"_w{i}" for i in range(count)]
    return [(s, 32 * i, min(32, arg.bits - 32 * i)) for i, s in enumerate(suffixes)]


def wait_words(printed: Printed, kernel: str) -> list[tuple[str, int, int]]:
    """Registers that show where a kernel waits: suffix, lowest bit and bits."""
    count = len(printed.waits[kernel])
    parts = [(i, min(32, count - i)) for i in range(0, count, 32)]
    return [("" if count <= 32 else f"_w{i // 32}", i, bits) for i, bits in parts]


def write_registers(
    name: str, program: Program, printed: Printed, folder: Path, extra: list[NodeReg]
) -> None:
    """Write NAME.rdl and what the project's generator makes of it."""
    lines = [
        f"// Registers of the kernels of {program.source.path.name}, written by `kumi kernel`.",
        f"addrmap {name}_regs {{",
        f'  name = "Kernels of {program.source.path.name}";',
        f'  kumi_type = "{free_kind(name)}";',
        "  kumi_version = 1;",
        "  default regwidth = 32;",
        "  default accesswidth = 32;",
    ]
    at = 0
    for design in printed.designs:
        k = design.name
        lines.append(
            f'  reg {{\n    desc = "Control of {k}.";\n    field {{ sw = w; hw = r; singlepulse; '
            f'desc = "Start; ignored while busy."; }} start[0:0] = 0;\n  }} {k}_ctrl @ {at:#x};'
        )
        lines.append(
            f'  reg {{\n    desc = "State of {k}.";\n    field {{ sw = r; hw = w; '
            'desc = "Running."; } busy[0:0];\n    field { sw = r; hw = w; desc = "A memory access '
            f'was answered with an error."; }} failed[1:1];\n  }} {k}_status @ {at + 4:#x};'
        )
        counters = (
            ("runs", "Runs that have ended."),
            ("cycles", "Cycles of the last run."),
            ("stalls", "Cycles of the last run in which an operation waited."),
        )
        at += 8
        for word, text in counters:
            lines.append(f"  kumi_word_ro {k}_{word} @ {at:#x};")
            lines.append(f'  {k}_{word}->desc = "{text}";')
            at += 4
        for suffix, first, bits in wait_words(printed, k):
            lines.append(f'  reg {{\n    desc = "Where {k} waits now.";')
            for i in range(bits):
                wait = printed.waits[k][first + i]
                lines.append(
                    f'    field {{ sw = r; hw = w; desc = "{wait.text}"; }} {wait.name}[{i}:{i}];'
                )
            lines.append(f"  }} {k}_waits{suffix} @ {at:#x};")
            at += 4
        sources = _sources(program, design)
        for arg in design.args:
            for suffix, low, bits in words(arg):
                text = f"Argument {sources[arg.name]}, bits {low + bits - 1}..{low}."
                lines.append(
                    f'  reg {{\n    desc = "{text}";\n    field {{ sw = rw; hw = r; '
                    f'desc = "Value."; }} value[{bits - 1}:0] = 0;\n  }} '
                    f"{k}_{arg.name}{suffix} @ {at:#x};"
                )
                at += 4
    for reg in extra:
        kind = "kumi_word_rw" if reg.writable else "kumi_word_ro"
        lines.append(f"  {kind} io_{reg.name} @ {at:#x};")
        lines.append(f'  io_{reg.name}->desc = "{reg.text}";')
        at += 4
    lines.append("};")
    if at > 4096:
        raise KumiError("The kernels have more registers than fit into 4 KiB.", "Split the file.")
    file = folder / f"{name}.rdl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    generate_block(file)


def _sources(program: Program, design: Design) -> dict[str, str]:
    """Names in the source and types of a kernel's arguments, by their names here."""
    kernel = next(k for k in program.kernels if k.name == design.name)
    out = {}
    for own, arg in zip(design.args, kernel.function.args, strict=True):
        kind = kernel.readable.get(arg.name, "")
        out[own.name] = f"{arg.name} ({kind})" if kind else arg.name
    return out


def kernels_module(name: str, program: Program, printed: Printed, extra: list[NodeReg]) -> str:
    """The program with its registers."""
    memory = bool(printed.data_bits)
    ports = ["input logic clk", "input logic rst", "kumi_axil_if.slv s_axil"]
    for port in printed.ports:
        way, back = ("input", "output") if port.into else ("output", "input")
        ports.append(f"{way} logic [{port.channel.bits - 1}:0] {port.prefix}_data")
        ports += [f"{way} logic {port.prefix}_valid", f"{back} logic {port.prefix}_ready"]
    for reg in extra:
        ports.append(f"{'output' if reg.writable else 'input'} logic [31:0] io_{reg.name}")
    ports.append("output logic busy")
    if memory:
        ports.append("kumi_axi_if.mst m_axi")
    lines = [
        f"// Generated from {program.source.path.name} by `kumi kernel build`; do not edit.",
        "//",
        f"// The kernels of {program.source.path.name} behind their registers. A write of 1 to "
        "KERNEL_ctrl.start takes the",
        "// arguments over and starts the kernel; it is ignored while the kernel runs.",
        f"module {name}_kernels (",
        ",\n".join(f"    {p}" for p in ports),
        ");",
        f"  {name}_regs_pkg::{name}_regs__in_t hwif_in;",
        f"  {name}_regs_pkg::{name}_regs__out_t hwif_out;",
        "",
        f"  {name}_regs u_regs (\n      .clk,\n      .rst,\n      .s_axil,\n      .hwif_in,\n"
        "      .hwif_out\n  );",
    ]
    for reg in extra:
        word = f"io_{reg.name}"
        if reg.writable:
            lines.append(f"  assign {word} = hwif_out.{word}.value.value;")
        else:
            lines.append(f"  assign hwif_in.{word}.value.next = {word};")
    pins = [".clk", ".rst"]
    for design in printed.designs:
        lines += _control(design)
        k = design.name
        if printed.waits[k]:
            lines += _waits(printed, k)
            pins.append(f".{k}_waits({k}_waits)")
        pins.append(f".{k}_start({k}_start_q)")
        pins += [f".{k}_{word}({k}_{word})" for word in STATUS]
        pins += [f".{k}_{a.name}({k}_{a.name}_q)" for a in design.args]
    for port in printed.ports:
        pins += [f".{port.prefix}_{signal}" for signal in ("data", "valid", "ready")]
    if memory:
        pins.append(".m_axi")
    body = ",\n".join(f"      {p}" for p in pins)
    lines.append(f"\n  {printed.top} u_program (\n{body}\n  );")
    running = [
        f"{d.name}_busy"
        for d in printed.designs
        if not next(k for k in program.kernels if k.name == d.name).autorun
    ]
    lines.append(f"\n  assign busy = {' || '.join(running) or FALSE};")
    return "\n".join([*lines, "endmodule", ""])


def _waits(printed: Printed, kernel: str) -> list[str]:
    """Fields that show where a kernel waits, a cycle later."""
    waits = printed.waits[kernel]
    size = f"[{len(waits) - 1}:0] " if len(waits) > 1 else ""
    lines = [
        f"  logic {size}{kernel}_waits, {kernel}_waits_q;",
        f"  always_ff @(posedge clk) {kernel}_waits_q <= {kernel}_waits;",
    ]
    for suffix, first, bits in wait_words(printed, kernel):
        for i in range(first, first + bits):
            bit = f"[{i}]" if len(waits) > 1 else ""
            field = f"hwif_in.{kernel}_waits{suffix}.{waits[i].name}"
            lines.append(f"  assign {field}.next = {kernel}_waits_q{bit};")
    return lines


def _control(design: Design) -> list[str]:
    k = design.name
    lines = [f"\n  // ---- {k}"]
    lines.append(f"  logic {k}_start_q, {', '.join(f'{k}_{w}' for w in STATUS)};")
    lines.append(f"  logic [31:0] {k}_runs_q, {k}_cycles_q, {k}_stalls_q;")
    for arg in design.args:
        lines.append(f"  logic [{arg.bits - 1}:0] {k}_{arg.name}_q;")
    lines += [
        f"  assign hwif_in.{k}_status.busy.next = {k}_busy || {k}_start_q;",
        f"  assign hwif_in.{k}_status.failed.next = {k}_failed;",
        f"  assign hwif_in.{k}_runs.value.next = {k}_runs_q;",
        f"  assign hwif_in.{k}_cycles.value.next = {k}_cycles_q;",
        f"  assign hwif_in.{k}_stalls.value.next = {k}_stalls_q;",
        "  always_ff @(posedge clk) begin",
        f"    {k}_start_q <= 1'b0;",
        f"    if ({k}_busy) {k}_cycles_q <= {k}_cycles_q + 1'b1;",
        f"    if ({k}_busy && {k}_stall) {k}_stalls_q <= {k}_stalls_q + 1'b1;",
        f"    if ({k}_done) {k}_runs_q <= {k}_runs_q + 1'b1;",
        f"    if (hwif_out.{k}_ctrl.start.value && !{k}_busy && !{k}_start_q) begin",
        f"      {k}_start_q <= 1'b1;",
        f"      {k}_cycles_q <= '0;",
        f"      {k}_stalls_q <= '0;",
    ]
    for arg in design.args:
        for suffix, low, bits in words(arg):
            part = "" if arg.bits <= 32 else f"[{low + bits - 1}:{low}]"
            source = f"hwif_out.{k}_{arg.name}{suffix}.value.value"
            lines.append(f"      {k}_{arg.name}_q{part} <= {source};")
    lines += [
        "    end",
        "    if (rst) begin",
        f"      {k}_start_q <= 1'b0;",
        f"      {k}_runs_q <= '0;",
        f"      {k}_cycles_q <= '0;",
        f"      {k}_stalls_q <= '0;",
        "    end",
        "  end",
    ]
    return lines
