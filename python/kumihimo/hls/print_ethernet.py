# SPDX-License-Identifier: Apache-2.0
"""The Ethernet controller with the paper's framing, for nodes whose channels are bound to it.

Addresses are 32 bits in the kernels and 48 on the wire: MAC_HIGH stands in front.
"""

from __future__ import annotations

from .print_borders import FALSE, TRUE, ZERO, Border, Ends
from .print_program import Port

MAC_HIGH = "16'h0200"  # locally administered, as the addresses of the project's nodes
_ETH_W = 256


def ports(bound: dict[str, Port]) -> list[str]:
    """Ports of the node."""
    associated = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0"
    return [
        f'(* X_INTERFACE_PARAMETER = "{associated}" *)\n    input logic eth_clk',
        "input logic eth_rst",
        f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={_ETH_W}",
        f"kumi_axis_if.src m_axis_eth0,  // DATA_W={_ETH_W}",
    ]


def body(name: str, bound: dict[str, Port]) -> list[str]:
    """The shell of Ethernet nodes and a controller."""
    have = set(bound)

    def net(port: str, signal: str, missing: str) -> str:
        return f"{port}_{signal}" if port in have else missing

    from_kernel = net("set_source_addr", "valid", FALSE)
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
    lines.append(f"  assign dest.valid = {net(count, 'valid', FALSE)};")
    parts = f"{{{MAC_HIGH}, {count}_data[63:32], {count}_data[31:0]}}"
    lines.append(f"  assign dest.data = {parts if count in have else ZERO};")
    if count in have:
        lines.append(f"  assign {count}_ready = dest.ready;")
    lines += [
        f"  assign send.tdata = {net('send_data', 'data', ZERO)};",
        f"  assign send.tvalid = {net('send_data', 'valid', FALSE)};",
        "  assign send.tkeep = '1;",
        "  assign send.tlast = 1'b0;",
        "  assign send.tuser = '0;",
        "  assign send.tid = '0;",
        "  assign send.tdest = '0;",
        f"  assign receive.tready = {net('receive_data', 'ready', TRUE)};",
        "  assign info.ready = 1'b1;",
    ]
    if "send_data" in have:
        lines.append("  assign send_data_ready = send.tready;")
    if "receive_data" in have:
        lines.append("  assign receive_data_data = receive.tdata;")
        lines.append("  assign receive_data_valid = receive.tvalid;")
    lines += [_CONTROLLER, _SHELL.replace("NAME_", name)]
    return lines


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


BORDER = Border(
    "the Ethernet controller",
    {
        "set_source_addr": Ends(False, (32,)),
        "set_dest_addr_count": Ends(False, (64,)),
        "send_data": Ends(False, (256,)),
        "receive_data": Ends(True, (256,)),
    },
    ports,
    body,
)
