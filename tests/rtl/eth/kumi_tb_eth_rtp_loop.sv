// SPDX-License-Identifier: Apache-2.0
//
// Test top: two transport ports, A and B, joined by a wire of no length; mac_clk is the clock of
// the wire. A and B are peer 1 and peer 0 of each other.
module kumi_tb_eth_rtp_loop
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW    = 16,
    parameter int TX_WINDOW = 16,
    parameter int TX_SLOTS  = 32,
    parameter int MTU       = 9216
) (
    input logic clk,
    input logic rst,
    input logic mac_clk,
    input logic mac_rst,

    kumi_rec_if.snk  set_peer_a,
    kumi_rec_if.snk  set_peer_b,
    kumi_axis_if.snk s_msg_a,
    kumi_axis_if.src m_msg_a,
    kumi_axis_if.snk s_msg_b,
    kumi_axis_if.src m_msg_b,
    kumi_rec_if.src  m_status_a,
    kumi_rec_if.src  m_status_b,

    input  logic               [47:0] cfg_addr,
    input  rtp_cfg_t                  cfg,
    output rtp_events_t               ev_a,      // clk
    output rtp_events_t               ev_b,
    output rtp_filter_events_t        rx_a,      // mac_clk
    output rtp_filter_events_t        rx_b,
    output logic                      beat,      // mac_clk: a beat from A to B
    output logic                      unused
);
  localparam int DATA_W = s_msg_a.DATA_W;
  kumi_axis_if #(.DATA_W(DATA_W)) ab ();
  kumi_axis_if #(.DATA_W(DATA_W)) ba ();
  kumi_rec_if #(.W(48)) source_a ();
  kumi_rec_if #(.W(48)) source_b ();
  rtp_cfg_t cfg_b;
  logic up_a, up_b, credit_a, credit_b, busy_a, busy_b;

  assign {source_a.valid, source_b.valid} = '0;
  assign {source_a.data, source_b.data} = '0;
  assign beat = ab.tvalid && ab.tready;
  assign unused = ^{up_a, up_b, credit_a, credit_b, busy_a, busy_b};
  always_comb begin
    cfg_b       = cfg;
    cfg_b.nonce = cfg.nonce + 20'd5000;
  end

  kumi_eth_rtp_port #(
      .PEERS(4),
      .WINDOW(WINDOW),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .MTU(MTU)
  ) u_a (
      .clk,
      .rst,
      .tx_clk(mac_clk),
      .tx_rst(mac_rst),
      .rx_clk(mac_clk),
      .rx_rst(mac_rst),
      .set_source_addr(source_a),
      .set_peer(set_peer_a),
      .s_msg(s_msg_a),
      .m_msg(m_msg_a),
      .m_status(m_status_a),
      .m_frame(ab),
      .s_frame(ba),
      .cfg_addr,
      .cfg,
      .credit_peer(2'd1),
      .credit_up(up_a),
      .credit(credit_a),
      .busy(busy_a),
      .ev(ev_a),
      .rx_ev(rx_a)
  );

  kumi_eth_rtp_port #(
      .PEERS(4),
      .WINDOW(WINDOW),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .MTU(MTU)
  ) u_b (
      .clk,
      .rst,
      .tx_clk(mac_clk),
      .tx_rst(mac_rst),
      .rx_clk(mac_clk),
      .rx_rst(mac_rst),
      .set_source_addr(source_b),
      .set_peer(set_peer_b),
      .s_msg(s_msg_b),
      .m_msg(m_msg_b),
      .m_status(m_status_b),
      .m_frame(ba),
      .s_frame(ab),
      .cfg_addr(cfg_addr + 48'd1),
      .cfg(cfg_b),
      .credit_peer(2'd0),
      .credit_up(up_b),
      .credit(credit_b),
      .busy(busy_b),
      .ev(ev_b),
      .rx_ev(rx_b)
  );
endmodule
