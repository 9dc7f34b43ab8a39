# SPDX-License-Identifier: Apache-2.0
"""The paper's four channels: the Ethernet controller with its framing, or the reliable transport.

The parameter TRANSPORT of the node takes the transport: then every word arrives once and in order
although the network loses frames, and the cluster file's other nodes with such channels are peers.
Addresses are 32 bits in the kernels and 48 on the wire: MAC_HIGH stands in front.
"""

from __future__ import annotations

from .print_borders import FALSE, TRUE, ZERO, Blocks, Border, Bound, Ends, NodeReg

MAC_HIGH = "16'h0200"  # locally administered, as the addresses of the project's nodes
_ETH_W = 256


def ports(bound: Bound) -> list[str]:
    """Ports of the node."""
    associated = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0"
    return [
        f'(* X_INTERFACE_PARAMETER = "{associated}" *)\n    input logic eth_clk',
        "input logic eth_rst",
        f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={_ETH_W}",
        f"kumi_axis_if.src m_axis_eth0,  // DATA_W={_ETH_W}",
    ]


def body(name: str, bound: Bound, blocks: Blocks, first: int) -> list[str]:
    """The shell of Ethernet nodes, and a controller or a transport."""
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
        "  logic [13:0] mtu;",
        "  logic broadcast, eth_busy, down;",
        "  logic [6:0] ev;",
        "  logic [8:0] eth_ev;",
        "  assign io_transport = {31'd0, down};",
        "",
        "  // The registers' record goes first; it comes from set-up or from a person.",
        f"  assign source_addr.valid = reg_addr.valid || {from_kernel};",
        "  assign source_addr.data = reg_addr.valid ? reg_addr.data : "
        + (f"{{{MAC_HIGH}, set_source_addr_data}};" if "set_source_addr" in have else "48'd0;"),
        "  assign reg_addr.ready = source_addr.ready;",
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
    ]
    if "send_data" in have:
        lines.append("  assign send_data_ready = send.tready;")
    if "receive_data" in have:
        lines.append("  assign receive_data_data = receive.tdata;")
        lines.append("  assign receive_data_valid = receive.tvalid;")
    text = _PORT.replace("FIRST_", str(first)) + _SHELL.replace("NAME_", name)
    return [*lines, blocks.fill(text)]


_PORT = """
  if (TRANSPORT) begin : gen_transport
    localparam int PEERS = 16;
    kumi_rec_if #(.W($bits(kumi_eth_rtp_pkg::rtp_peer_t))) peer ();
    kumi_axis_if #(.DATA_W(256), .DEST_W($clog2(PEERS))) tx ();
    kumi_axis_if #(.DATA_W(256), .USER_W(3), .ID_W($clog2(PEERS))) rx ();
    logic [$clog2(PEERS)-1:0] credit_peer;
    logic credit_up, lost, rtp_busy, msg_busy, ev_message, ev_empty, ev_no_peer;

    kumi_node_hls_messages #(
        .PEERS(PEERS)
    ) u_messages (
        .clk,
        .rst,
        .s_peer(peer),
        .s_dest(dest),
        .s_data(send),
        .m_data(receive),
        .m_msg(tx),
        .s_msg(rx),
        .credit_peer,
        .credit_up,
        .stop(down),
        .lost,
        .busy(msg_busy),
        .ev_message,
        .ev_empty,
        .ev_no_peer
    );

    kumi_node_hls_rtp #(
        .PEERS(PEERS)
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
        .credit_peer,
        .credit_up,
        .lost,
        .down,
        .busy(rtp_busy),
        .eth_ev
    );
    assign peer.ready = 1'b1;
    assign ev = {1'b0, ev_no_peer, ev_empty, 2'b00, ev_message, 1'b0};
    assign eth_busy = rtp_busy || msg_busy;
  end else begin : gen_controller
    kumi_rec_if #(.W($bits(kumi_eth_controller_pkg::eth_rx_info_t))) info ();
    kumi_eth_controller_pkg::eth_controller_tx_events_t tx_ev;
    kumi_eth_controller_pkg::eth_controller_rx_events_t rx_ev;

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

    kumi_axil_err_slv u_none (
        .clk,
        .rst,
        .s_axil(axil[FIRST_])
    );
    assign info.ready = 1'b1;
    assign peer_addr.ready = 1'b1;
    assign ev = {2'b00, tx_ev.empty, tx_ev.long_, tx_ev.short_, tx_ev.message, tx_ev.frame};
    assign eth_ev = {
      rx_ev.broken,
      rx_ev.orphan,
      rx_ev.no_room,
      rx_ev.malformed,
      rx_ev.foreign,
      rx_ev.not_ours,
      rx_ev.control,
      rx_ev.bad,
      rx_ev.ok
    };
    assign down = 1'b0;
    assign eth_busy = send.tvalid || dest.valid || receive.tvalid;

    logic unused_info;
    assign unused_info = ^{info.valid, info.data, peer_addr.valid, peer_addr.data};
  end
"""
_SHELL = """
  kumi_node_eth_shell #(
      .NAME  ("NAME_"),
      .BLOCKS(BLOCKS_),
      .KINDS (KINDS_),
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
      .ev,
      .eth_ev,
      .kernel_busy(kernel_busy || eth_busy),
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  logic unused;
  assign unused = ^{now, broadcast, receive.tkeep, receive.tlast, receive.tuser, receive.tid,
                    receive.tdest};
"""

_STATE = "With TRANSPORT: bit 0: a peer has failed, words are lost, the channels are closed."

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
    kinds=lambda bound: ["TRANSPORT ? kumi_regs_pkg::BLOCK_ETH_RTP : '0"],
    regs=lambda bound: [NodeReg("transport", _STATE, False)],
    params=(
        "parameter bit TRANSPORT = 1'b0,  // 1: reliable transport in place of the controller",
    ),
)
