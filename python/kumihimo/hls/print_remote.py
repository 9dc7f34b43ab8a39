# SPDX-License-Identifier: Apache-2.0
"""Channels to and from kernels of other nodes, over the Ethernet transport: remote_NAME.

Which channel of which node one leads to stands in the cluster file (`channels:`); the set-up writes
it to the registers io_remote_NAME. Words are at most 256 bits wide, each a beat of the transport.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..build.flat import REMOTE_MAP
from .print_borders import Blocks, Border, Bound, Ends, NodeReg

PREFIX = "remote_"
_W = 256  # of kumi_hls_remote_pkg
_PEERS = 16


def ends(bound: Bound, into: bool) -> list[str]:
    """The channels of a direction in the order of their numbers."""
    return sorted(name for name, port in bound.items() if port.into == into)


def write_map(name: str, bound: Bound, folder: Path) -> None:
    """Say which remote channels a node has: direction, number, bits, and register of each."""
    out = {
        channel.removeprefix(PREFIX): {
            "reads": into,
            "number": number,
            "bits": bound[channel].channel.bits,
            "register": "" if into else f"{name}.io_{channel}",
        }
        for into in (False, True)
        for number, channel in enumerate(ends(bound, into))
    }
    (folder / REMOTE_MAP).write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


def ports(bound: Bound) -> list[str]:
    """Ports of the node."""
    del bound
    associated = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0"
    return [
        f'(* X_INTERFACE_PARAMETER = "{associated}" *)\n    input logic eth_clk',
        "input logic eth_rst",
        f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={_W}",
        f"kumi_axis_if.src m_axis_eth0,  // DATA_W={_W}",
    ]


def regs(bound: Bound) -> list[NodeReg]:
    """Where each channel out leads, and whether words were lost."""
    text = "number of the channel there; bits 15..8: number of the peer; bit 31: connected"
    out = [NodeReg(n, f"{n}: bits 7..0: {text}.", True) for n in ends(bound, False)]
    state = (
        "bit 0: a peer has failed, words are lost, all of these channels are closed; bits 31..16"
    )
    return [*out, NodeReg("remote", f"Remote channels: {state}: messages dropped.", False)]


def body(name: str, bound: Bound, blocks: Blocks, first: int) -> list[str]:
    """Words to messages and back, the transport and the shell of Ethernet nodes."""
    sends, receives = ends(bound, False), ends(bound, True)
    most_out, most_in = max(len(sends), 1), max(len(receives), 1)
    lines = [
        "\n  // ---- channels to other nodes",
        f"  logic [{most_out - 1}:0][{_W - 1}:0] out_data;",
        f"  logic [{most_out - 1}:0] out_valid, out_ready;",
        f"  kumi_hls_remote_pkg::remote_dest_t [{most_out - 1}:0] dest;",
        f"  logic [{most_in - 1}:0][{_W - 1}:0] in_data;",
        f"  logic [{most_in - 1}:0] in_valid, in_ready;",
    ]
    for i, channel in enumerate(sends):
        fields = f"connected: io_{channel}[31], peer: io_{channel}[15:8], to: io_{channel}[7:0]"
        lines += [
            f"  assign out_data[{i}] = {_W}'({channel}_data);",
            f"  assign out_valid[{i}] = {channel}_valid;",
            f"  assign {channel}_ready = out_ready[{i}];",
            f"  assign dest[{i}] = '{{{fields}}};",
        ]
    if not sends:
        lines += ["  assign out_data = '0;", "  assign out_valid = '0;", "  assign dest = '0;"]
    for i, channel in enumerate(receives):
        bits = bound[channel].channel.bits
        lines += [
            f"  assign {channel}_data = in_data[{i}][{bits - 1}:0];",
            f"  assign {channel}_valid = in_valid[{i}];",
            f"  assign in_ready[{i}] = {channel}_ready;",
        ]
    if not receives:
        lines.append("  assign in_ready = '0;")
    spare = ["in_data", "out_ready", "in_valid"] + [f"io_{channel}" for channel in sends]
    text = _TRANSPORT.replace("PEERS_", str(_PEERS)).replace("FIRST_", str(first))
    text = text.replace("SENDS_", str(most_out)).replace("RECEIVES_", str(most_in))
    return [*lines, blocks.fill(text.replace("NAME_", name).replace("SPARE_", ", ".join(spare)))]


_TRANSPORT = """
  kumi_axis_if #(.DATA_W(256), .DEST_W($clog2(PEERS_))) tx ();
  kumi_axis_if #(.DATA_W(256), .USER_W(3), .ID_W($clog2(PEERS_))) rx ();
  kumi_axis_if #(.DATA_W(256)) to_mac ();
  kumi_axis_if #(.DATA_W(256)) from_mac ();
  kumi_rec_if #(.W(48)) source_addr ();
  kumi_rec_if #(.W(64)) peer_addr ();
  kumi_rec_if #(.W($bits(kumi_eth_rtp_pkg::rtp_peer_t))) peer ();
  kumi_hls_remote_pkg::remote_report_t [RECEIVES_-1:0] report;
  logic [$clog2(PEERS_)-1:0] ask_peer;
  logic report_sent, credit_valid, up, lost, down, ev_drop, tx_busy, rx_busy, rtp_busy, broadcast;
  logic [7:0] report_index, credit_to;
  logic [15:0] credit_count, drops_q;
  logic [13:0] mtu;
  logic [8:0] eth_ev;

  kumi_hls_remote_tx #(
      .SENDS(SENDS_),
      .RECEIVES(RECEIVES_),
      .PEER_W($clog2(PEERS_))
  ) u_remote_tx (
      .clk,
      .rst,
      .s_data(out_data),
      .s_valid(out_valid),
      .s_ready(out_ready),
      .dest,
      .credit_valid,
      .credit_to,
      .credit_count,
      .report,
      .report_sent,
      .report_index,
      .m_msg(tx),
      .ask_peer,
      .up,
      .stop(down),
      .busy(tx_busy)
  );

  kumi_hls_remote_rx #(
      .RECEIVES(RECEIVES_),
      .SENDS(SENDS_),
      .PEER_W($clog2(PEERS_))
  ) u_remote_rx (
      .clk,
      .rst,
      .s_msg(rx),
      .m_data(in_data),
      .m_valid(in_valid),
      .m_ready(in_ready),
      .report,
      .report_sent,
      .report_index,
      .credit_valid,
      .credit_to,
      .credit_count,
      .stop(down),
      .lost,
      .ev_drop,
      .busy(rx_busy)
  );

  kumi_node_hls_rtp #(
      .PEERS(PEERS_)
  ) u_transport (
      .clk,
      .rst,
      .eth_clk,
      .eth_rst,
      .s_axil(axil[FIRST_]),
      .set_source_addr(source_addr),
      .set_peer(peer_addr),
      .m_peer(peer),
      .s_msg(tx),
      .m_msg(rx),
      .m_mac(to_mac),
      .s_mac(from_mac),
      .mtu,
      .credit_peer(ask_peer),
      .credit_up(up),
      .lost,
      .down,
      .busy(rtp_busy),
      .eth_ev
  );
  assign peer.ready = 1'b1;

  always_ff @(posedge clk) begin
    if (ev_drop && drops_q != '1) drops_q <= drops_q + 1'b1;
    if (rst) drops_q <= '0;
  end
  assign io_remote = {drops_q, 15'd0, down};

  kumi_node_eth_shell #(
      .NAME  ("NAME_"),
      .BLOCKS(BLOCKS_),
      .KINDS (KINDS_),
      .BUILD (BUILD),
      .DATA_W(256)
  ) u_shell (
      .m_mac(to_mac),
      .s_mac(from_mac),
      .set_source_addr(source_addr),
      .set_peer(peer_addr),
      .m_axil(axil),
      .now,
      .mtu,
      .broadcast,
      .ev('0),
      .eth_ev,
      .kernel_busy(kernel_busy || tx_busy || rx_busy || rtp_busy),
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  logic unused;
  assign unused = ^{now, broadcast, SPARE_};
"""


BORDER = Border(
    "channels to other nodes",
    {rf"{PREFIX}[A-Za-z]\w*": Ends(None, tuple(range(8, _W + 8, 8)))},
    ports,
    body,
    kinds=lambda bound: ["kumi_regs_pkg::BLOCK_ETH_RTP"],
    regs=regs,
)
