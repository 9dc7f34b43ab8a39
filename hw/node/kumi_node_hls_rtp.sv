// SPDX-License-Identifier: Apache-2.0
//
// The Ethernet transport of a node whose kernels use it, with its registers (regs/eth_rtp.rdl).
//
// s_msg, m_msg, credit_*: see kumi_eth_rtp. set_peer: {number, address}, 64 bits, from the port's
//   registers; m_peer: the same as the transport takes it. eth_ev: events of the receive filter in
//   the order of regs/eth_port.rdl, eth_clk. down: a peer has ended its association, or words were
//   lost (lost), since reset: what follows would not continue a channel.
// Latency: see docs/blocks/eth-rtp.md.
module kumi_node_hls_rtp
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS = 16  // entries of the peer table
) (
    input logic clk,
    input logic rst,
    input logic eth_clk,
    input logic eth_rst,
    kumi_axil_if.slv s_axil,

    kumi_rec_if.snk  set_source_addr,
    kumi_rec_if.snk  set_peer,
    kumi_rec_if.src  m_peer,
    kumi_axis_if.snk s_msg,
    kumi_axis_if.src m_msg,
    kumi_axis_if.src m_mac,
    kumi_axis_if.snk s_mac,

    input logic [13:0] mtu,
    input logic [$clog2(PEERS)-1:0] credit_peer,
    output logic credit_up,
    input logic lost,
    output logic down,
    output logic busy,
    output logic [8:0] eth_ev
);
  kumi_rec_if #(.W($bits(rtp_peer_t))) peer ();
  kumi_rec_if #(.W($bits(rtp_status_t))) status ();
  rtp_cfg_t cfg;
  rtp_events_t ev;
  rtp_filter_events_t filter_ev;
  rtp_status_t record;
  logic credit;

  assign peer.valid = set_peer.valid;
  assign peer.data = set_peer.data[$bits(rtp_peer_t)-1:0];
  assign set_peer.ready = peer.ready;
  assign m_peer.valid = peer.valid && peer.ready;
  assign m_peer.data = peer.data;

  kumi_eth_rtp_port #(
      .PEERS(PEERS),
      .TX_SLOTS(64)
  ) u_transport (
      .clk,
      .rst,
      .tx_clk(eth_clk),
      .tx_rst(eth_rst),
      .rx_clk(eth_clk),
      .rx_rst(eth_rst),
      .set_source_addr,
      .set_peer(peer),
      .s_msg,
      .m_msg,
      .m_status(status),
      .m_frame(m_mac),
      .s_frame(s_mac),
      .cfg_addr(48'h0200_0000_0001),
      .cfg,
      .credit_peer,
      .credit_up,
      .credit,
      .busy,
      .ev,
      .rx_ev(filter_ev)
  );

  kumi_node_eth_rtp_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .s_status(status),
      .mtu,
      .cfg,
      .ev
  );

  assign record = rtp_status_t'(status.data);

  always_ff @(posedge clk) begin
    if ((status.valid && record.code != RTP_UP) || lost) down <= 1'b1;
    if (rst) down <= 1'b0;
  end

  assign eth_ev = {
    2'b00, filter_ev.no_room, 1'b0, filter_ev.foreign, filter_ev.not_ours, 1'b0, 1'b0, filter_ev.ok
  };

  logic unused;
  assign unused = ^{credit, record.peer, m_peer.ready};
endmodule
