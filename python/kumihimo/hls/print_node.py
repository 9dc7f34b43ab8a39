# SPDX-License-Identifier: Apache-2.0
"""A node around a program: registers for its kernels, and what its channels are bound to.

Channels whose io names are the Ethernet controller's four go to a controller with the paper's
framing; every other channel that leaves the file becomes a record port of the node. Addresses are
32 bits in the kernels and 48 on the wire: MAC_HIGH stands in front.
"""

from __future__ import annotations

from pathlib import Path

from ..build.flat import write_beside
from ..common.errors import KumiError
from ..regs.own import free_kind, generate_block
from .compile import write
from .errors import HlsError
from .frontend import Program
from .ops import Design, Op
from .print_program import STATUS, Port, Printed

ETHERNET = {
    "set_source_addr": (False, 32),
    "set_dest_addr_count": (False, 64),
    "send_data": (False, 256),
    "receive_data": (True, 256),
}
"""io names of the Ethernet controller: toward the kernels, and bits."""
MAC_HIGH = "16'h0200"  # locally administered, as the addresses of the project's nodes
_ETH_W = 256


def node_name(file: Path) -> str:
    """Name of the design of a .cl file."""
    return "".join(c if c.isalnum() else "_" for c in file.stem.lower())


def write_node(program: Program, printed: Printed, folder: Path) -> Path:
    """Write kernels, registers and node into a folder; returns the node's flat top."""
    name = node_name(program.source.path)
    write(printed, folder)
    _write_registers(name, program, printed, folder)
    bound = {p.name: p for p in printed.ports if p.name in ETHERNET}
    _check(bound, program)
    kernels = folder / f"{name}_kernels.sv"
    kernels.write_text(_kernels(name, program, printed), encoding="utf-8")
    core = folder / f"kumi_node_{name}_core.sv"
    core.write_text(_core(name, program, printed, bound), encoding="utf-8")
    return write_beside(core)


def _check(bound: dict[str, Port], program: Program) -> None:
    for name, port in bound.items():
        into, bits = ETHERNET[name]
        channel = port.channel
        if channel.bits != bits:
            text = f"the channel {channel.source} has {channel.bits} bits, {name} has {bits}."
            kinds = {32: "int", 64: "int2", 256: "int8"}
            raise HlsError(channel.place, text, f"channel {kinds[bits]} {channel.source}")
        if port.into != into:
            verb = "read" if into else "written"
            raise HlsError(channel.place, f"{name} is to be {verb} by kernels.", "")


# ---- registers ----------------------------------------------------------------------------------


def words(arg: Op) -> list[tuple[str, int, int]]:
    """Registers of an argument: suffix, lowest bit and bits."""
    count = -(-arg.bits // 32)
    suffixes = [""] if count == 1 else [f"_w{i}" for i in range(count)]
    return [(s, 32 * i, min(32, arg.bits - 32 * i)) for i, s in enumerate(suffixes)]


def _write_registers(name: str, program: Program, printed: Printed, folder: Path) -> None:
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
        for arg in design.args:
            for suffix, low, bits in words(arg):
                lines.append(f"  kumi_word_rw {k}_{arg.name}{suffix} @ {at:#x};")
                text = f"Argument {arg.name}, bits {low + bits - 1}..{low}."
                lines.append(f'  {k}_{arg.name}{suffix}->desc = "{text}";')
                at += 4
    lines.append("};")
    if at > 4096:
        raise KumiError("The kernels have more registers than fit into 4 KiB.", "Split the file.")
    file = folder / f"{name}.rdl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    generate_block(file)


def _kernels(name: str, program: Program, printed: Printed) -> str:
    """The program with its registers."""
    memory = bool(printed.data_bits)
    ports = ["input logic clk", "input logic rst", "kumi_axil_if.slv s_axil"]
    for port in printed.ports:
        way, back = ("input", "output") if port.into else ("output", "input")
        ports.append(f"{way} logic [{port.channel.bits - 1}:0] {port.prefix}_data")
        ports += [f"{way} logic {port.prefix}_valid", f"{back} logic {port.prefix}_ready"]
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
    pins = [".clk", ".rst"]
    for design in printed.designs:
        lines += _control(design)
        k = design.name
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
    lines.append(f"\n  assign busy = {' || '.join(running) or _FALSE};")
    return "\n".join([*lines, "endmodule", ""])


_FALSE = "1'b0"


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
            source = f"hwif_out.{k}_{arg.name}{suffix}.value.value"
            part = source if bits == 32 else f"{source}[{bits - 1}:0]"
            whole = arg.bits <= 32
            slot = f"{k}_{arg.name}_q" + ("" if whole else f"[{low + bits - 1}:{low}]")
            lines.append(f"      {slot} <= {part};")
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


# ---- the node -----------------------------------------------------------------------------------


def _core(name: str, program: Program, printed: Printed, bound: dict[str, Port]) -> str:
    """The node with interfaces; its flat top is generated from it."""
    free = [p for p in printed.ports if p.name not in bound]
    decl = ["input logic clk", "input logic rst"]
    if bound:
        associated = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0"
        decl[-1] += f', (* X_INTERFACE_PARAMETER = "{associated}" *)'
        decl += ["input logic eth_clk", "input logic eth_rst",
                 f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={_ETH_W}",
                 f"kumi_axis_if.src m_axis_eth0,  // DATA_W={_ETH_W}"]  # fmt: skip
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
    lines += _ethernet(name, bound) if bound else _bus(name)
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


def _ethernet(name: str, bound: dict[str, Port]) -> list[str]:
    """The shell of Ethernet nodes and a controller with the paper's framing."""
    have = set(bound)

    def net(port: str, signal: str, missing: str) -> str:
        return f"{port}_{signal}" if port in have else missing

    from_kernel = net("set_source_addr", "valid", _FALSE)
    lines = [
        "",
        "  // ---- Ethernet",
        f"  kumi_axis_if #(.DATA_W({_ETH_W})) to_mac ();",
        f"  kumi_axis_if #(.DATA_W({_ETH_W})) from_mac ();",
        f"  kumi_axis_if #(.DATA_W({_ETH_W})) send ();",
        f"  kumi_axis_if #(.DATA_W({_ETH_W})) receive ();",
        "  kumi_rec_if #(.W(48)) reg_addr ();",
        "  kumi_rec_if #(.W(48)) source_addr ();",
        "  kumi_rec_if #(.W(64)) peer_addr ();",
        "  kumi_rec_if #(.W($bits(kumi_eth_controller_pkg::eth_dest_count_t))) dest ();",
        "  kumi_rec_if #(.W($bits(kumi_eth_controller_pkg::eth_rx_info_t))) info ();",
        "  logic [13:0] mtu;",
        "  logic broadcast;",
        "  kumi_eth_controller_pkg::eth_controller_tx_events_t tx_ev;",
        "  kumi_eth_controller_pkg::eth_controller_rx_events_t rx_ev;",
        "",
        "  // The registers' record goes first; it comes from set-up or from a person.",
        f"  assign source_addr.valid = reg_addr.valid || {from_kernel};",
        "  assign source_addr.data = reg_addr.valid ? reg_addr.data : "
        + (f"{{{MAC_HIGH}, set_source_addr_data}};" if "set_source_addr" in have else "48'd0;"),
        "  assign reg_addr.ready = source_addr.ready;",
        "  assign peer_addr.ready = 1'b1;",
    ]
    if "set_source_addr" in have:
        lines.append("  assign set_source_addr_ready = source_addr.ready && !reg_addr.valid;")
    count = "set_dest_addr_count"
    lines.append(f"  assign dest.valid = {net(count, 'valid', _FALSE)};")
    parts = f"{{{MAC_HIGH}, {count}_data[63:32], {count}_data[31:0]}}"
    lines.append(f"  assign dest.data = {parts if count in have else _ZERO};")
    if count in have:
        lines.append(f"  assign {count}_ready = dest.ready;")
    lines += [
        f"  assign send.tdata = {net('send_data', 'data', _ZERO)};",
        f"  assign send.tvalid = {net('send_data', 'valid', _FALSE)};",
        "  assign send.tkeep = '1;",
        "  assign send.tlast = 1'b0;",
        "  assign send.tuser = '0;",
        "  assign send.tid = '0;",
        "  assign send.tdest = '0;",
        f"  assign receive.tready = {net('receive_data', 'ready', _TRUE)};",
        "  assign info.ready = 1'b1;",
    ]
    if "send_data" in have:
        lines.append("  assign send_data_ready = send.tready;")
    if "receive_data" in have:
        lines.append("  assign receive_data_data = receive.tdata;")
        lines.append("  assign receive_data_valid = receive.tvalid;")
    lines += [_CONTROLLER, _SHELL.replace("NAME_", name)]
    return lines


_ZERO, _TRUE = "'0", "1'b1"
_CONTROLLER = """
  kumi_eth_controller #(
      .PAPER_FRAMING(1'b1)
  ) u_controller (
      .clk,
      .rst,
      .tx_clk(eth_clk),
      .tx_rst(eth_rst),
      .rx_clk(eth_clk),
      .rx_rst(eth_rst),
      .set_source_addr(source_addr),
      .set_dest_addr_count(dest),
      .send_data(send),
      .receive_data(receive),
      .receive_info(info),
      .m_mac(to_mac),
      .s_mac(from_mac),
      .cfg_addr(48'h0200_0000_0001),
      .cfg_mtu(mtu),
      .cfg_broadcast(broadcast),
      .tx_ev,
      .rx_ev
  );
"""
_SHELL = """
  kumi_node_eth_shell #(
      .NAME  ("NAME_"),
      .BLOCKS(1),
      .KINDS ({NAME__regs_pkg::BLOCK}),
      .BUILD (BUILD),
      .DATA_W(256)
  ) u_shell (
      .m_mac(to_mac),
      .s_mac(from_mac),
      .set_source_addr(reg_addr),
      .set_peer(peer_addr),
      .m_axil(axil),
      .now,
      .mtu,
      .broadcast,
      .ev({2'b00, tx_ev.empty, tx_ev.long_, tx_ev.short_, tx_ev.message, tx_ev.frame}),
      .eth_ev({
        rx_ev.broken,
        rx_ev.orphan,
        rx_ev.no_room,
        rx_ev.malformed,
        rx_ev.foreign,
        rx_ev.not_ours,
        rx_ev.control,
        rx_ev.bad,
        rx_ev.ok
      }),
      .kernel_busy(kernel_busy || send.tvalid || dest.valid || receive.tvalid),
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  logic unused;
  assign unused = ^{now, peer_addr.valid, peer_addr.data, receive.tkeep, receive.tlast,
                    receive.tuser, receive.tid, receive.tdest, info.valid, info.data};
"""
