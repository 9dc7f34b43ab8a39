// SPDX-License-Identifier: Apache-2.0
//
// RTP core with the clock domain crossings to the MAC and the receive filter for its frames.
//
// Handshake: as kumi_eth_rtp. m_frame belongs to tx_clk, s_frame to rx_clk with tready always high.
// Latency: that of the core, one frame of buffering towards tx_clk, 3 to 4 cycles from rx_clk.
// Bad input: a frame that finds no buffer space is dropped and counted in rx_ev.no_room.
module kumi_eth_rtp_port
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,     // entries of the peer table, 2..1024
    parameter int WINDOW    = 16,     // receive window of each peer in frames, 2..64, power of two
    parameter int TX_WINDOW = 16,     // maximum frames in flight to one peer, 2..64, power of two
    parameter int TX_SLOTS  = 32,     // slots of the retransmission buffer, power of two, 4..256
    parameter int MTU       = 9216,   // bytes of the longest frame without FCS: size of the slots
    parameter int TX_BYTES  = 16384,  // buffer of the crossing to tx_clk
    parameter int RX_BYTES  = 32768,  // buffer of the crossing from rx_clk
    parameter int TX_FRAMES = 64,     // their capacity in frames
    parameter int RX_FRAMES = 64
) (
    input logic clk,
    input logic rst,
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    // clk
    kumi_rec_if.snk  set_source_addr,  // 48 bits
    kumi_rec_if.snk  set_peer,         // rtp_peer_t, 60 bits
    kumi_axis_if.snk s_msg,            // one message per frame, tdest: peer
    kumi_axis_if.src m_msg,            // tid: peer; tuser, 3 bits: {last, first, bad}
    kumi_rec_if.src  m_status,         // rtp_status_t, 16 bits

    kumi_axis_if.src m_frame,  // tx_clk: to the MAC
    kumi_axis_if.snk s_frame,  // rx_clk: from the MAC, tready always high

    input logic     [47:0] cfg_addr,  // own address until set_source_addr; constant during reset
    input rtp_cfg_t        cfg,       // clk, constant in use

    // clk. Two cycles after credit_peer: the peer is up; a single-frame message would be sent
    // immediately.
    input  logic [$clog2(PEERS)-1:0] credit_peer,
    output logic                     credit_up,
    output logic                     credit,

    output logic               busy,  // clk: frames, timers or messages are in flight
    output rtp_events_t        ev,    // clk
    output rtp_filter_events_t rx_ev  // rx_clk
);
  localparam int DATA_W = s_msg.DATA_W;
  localparam int KEEP_W = DATA_W / 8;
  localparam int COUNT_W = $clog2(KEEP_W);

  if (TX_BYTES < MTU) begin : gen_check_tx
    $fatal(0, "TX_BYTES is less than a frame (%m)");
  end

  // ---- Own address ------------------------------------------------------------------------------
  kumi_rec_if #(.W(48)) source ();
  logic [47:0] src, own;

  kumi_eth_src_addr_cdc u_src_addr_cdc (
      .clk,
      .rst,
      .s_source(set_source_addr),
      .cfg_addr,
      .src,
      .rx_clk,
      .rx_rst,
      .own
  );

  // The core's copy follows a cycle later.
  assign source.data  = src;
  assign source.valid = 1'b1;

  // ---- To the line ------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) out ();
  logic [  COUNT_W:0] out_count;
  logic [COUNT_W-1:0] m_count;
  logic lost, m_bad, m_meta;

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_out_count (
      .keep (out.tkeep),
      .count(out_count)
  );

  kumi_eth_async_frame_fifo #(
      .DATA_W(DATA_W),
      .DEPTH (TX_BYTES / KEEP_W),
      .FRAMES(TX_FRAMES),
      .STORE (1'b1),
      .DROP  (1'b0)
  ) u_tx_fifo (
      .w_clk(clk),
      .w_rst(rst),
      .w_en(out.tvalid),
      .w_ready(out.tready),
      .w_data(out.tdata),
      .w_count(COUNT_W'(out_count)),
      .w_last(out.tlast),
      .w_commit(out.tvalid && out.tlast),
      .w_bad(1'b0),
      .w_meta(1'b0),
      .w_lost(lost),
      .m_clk(tx_clk),
      .m_rst(tx_rst),
      .m_data(m_frame.tdata),
      .m_count,
      .m_last(m_frame.tlast),
      .m_bad,
      .m_meta,
      .m_valid(m_frame.tvalid),
      .m_ready(m_frame.tready)
  );

  kumi_eth_last_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_tx_keep (
      .count(m_count),
      .last (m_frame.tlast),
      .keep (m_frame.tkeep)
  );

  assign m_frame.tuser = '0;
  assign m_frame.tid   = '0;
  assign m_frame.tdest = '0;

  // ---- From the line ----------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) in ();
  logic r_en, r_ready, r_last, r_bad, r_lost, in_bad, in_meta;
  logic [DATA_W-1:0] r_data;
  logic [COUNT_W-1:0] r_count, in_count;

  kumi_eth_rtp_rx_filter u_rx_filter (
      .clk(rx_clk),
      .rst(rx_rst),
      .s_frame,
      .own,
      .w_en(r_en),
      .w_data(r_data),
      .w_count(r_count),
      .w_last(r_last),
      .w_bad(r_bad),
      .w_lost(r_lost),
      .ev(rx_ev)
  );

  // Cut-through: the core's receiver commits a frame at its end by itself.
  kumi_eth_async_frame_fifo #(
      .DATA_W(DATA_W),
      .DEPTH (RX_BYTES / KEEP_W),
      .FRAMES(RX_FRAMES),
      .STORE (1'b0),
      .DROP  (1'b1)
  ) u_rx_fifo (
      .w_clk(rx_clk),
      .w_rst(rx_rst),
      .w_en(r_en),
      .w_ready(r_ready),
      .w_data(r_data),
      .w_count(r_count),
      .w_last(r_last),
      .w_commit(r_en && r_last),
      .w_bad(r_bad),
      .w_meta(1'b0),
      .w_lost(r_lost),
      .m_clk(clk),
      .m_rst(rst),
      .m_data(in.tdata),
      .m_count(in_count),
      .m_last(in.tlast),
      .m_bad(in_bad),
      .m_meta(in_meta),
      .m_valid(in.tvalid),
      .m_ready(in.tready)
  );

  kumi_eth_last_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_rx_keep (
      .count(in_count),
      .last (in.tlast),
      .keep (in.tkeep)
  );

  assign in.tuser = in_bad;
  assign in.tid   = '0;
  assign in.tdest = '0;

  kumi_eth_rtp #(
      .PEERS(PEERS),
      .WINDOW(WINDOW),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .MTU(MTU)
  ) u_core (
      .clk,
      .rst,
      .set_source_addr(source),
      .set_peer,
      .s_msg,
      .m_msg,
      .m_status,
      .m_frame(out),
      .s_frame(in),
      .cfg_addr,
      .cfg,
      .credit_peer,
      .credit_up,
      .credit,
      .busy,
      .ev
  );

  logic unused;
  assign unused = ^{lost, m_bad, m_meta, r_ready, in_meta, out_count};
endmodule
