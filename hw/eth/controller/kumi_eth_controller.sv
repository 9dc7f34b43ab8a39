// SPDX-License-Identifier: Apache-2.0
//
// Ethernet controller for kernels: four channels on one side, frames without FCS on the other, each
// side in its own clock (the I/O channels of the paper on FPGA-to-FPGA Ethernet from OpenCL).
//
// clk: set_source_addr (48-bit addresses), set_dest_addr_count (eth_dest_count_t, before the data),
//   send_data, receive_data, receive_info (eth_rx_info_t, beside receive_data).
// tx_clk: m_mac, to the MAC. With TX_STORE a frame is complete before its first beat is offered, so
//   the MAC never underruns. rx_clk: s_mac, from the MAC, tready always high.
// Frames, messages, bad input: docs/blocks/eth-controller.md, kumi_eth_controller_tx and
//   kumi_eth_controller_rx.
// Latency: a single-beat frame takes 3 to 4 cycles of tx_clk from kernel to MAC and 4 to 5 of clk
//   from MAC to kernel. With stores, longer frames also wait for their last beat. Throughput: one
//   beat per cycle in both directions.
// Reset: all clocks together for at least 4 cycles of the slowest.
module kumi_eth_controller
  import kumi_eth_controller_pkg::*;
#(
    parameter bit PAPER_FRAMING = 1'b0,            // addresses in a whole first word, no header
    parameter bit TX_STORE      = 1'b1,            // 0: cut-through
    parameter bit RX_STORE      = 1'b1,            // 0: cut-through
    parameter bit USE_LAST      = !PAPER_FRAMING,  // tlast of send_data ends a message
    parameter bit JOIN          = !PAPER_FRAMING,  // receive_data: messages; 0: frames
    parameter int TX_BYTES      = 16384,           // send buffer, at least MAX_MTU with TX_STORE
    parameter int RX_BYTES      = 32768,           // receive buffer
    parameter int TX_FRAMES     = 16,              // frames in the send buffer
    parameter int RX_FRAMES     = 64               // frames in the receive buffer
) (
    input logic clk,
    input logic rst,
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_rec_if.snk  set_source_addr,
    kumi_rec_if.snk  set_dest_addr_count,
    kumi_axis_if.snk send_data,
    kumi_axis_if.src receive_data,
    kumi_rec_if.src  receive_info,

    kumi_axis_if.src m_mac,
    kumi_axis_if.snk s_mac,

    input logic [47:0] cfg_addr,      // own address until set_source_addr; constant during reset
    input logic [13:0] cfg_mtu,       // bytes of the longest frame without FCS, constant in use
    input logic        cfg_broadcast, // accept broadcast frames, constant in use

    output eth_controller_tx_events_t tx_ev,  // clk
    output eth_controller_rx_events_t rx_ev   // rx_clk
);
  localparam int DATA_W = send_data.DATA_W;
  localparam int KEEP_W = DATA_W / 8;
  localparam int COUNT_W = $clog2(KEEP_W);
  localparam int META_W = $bits(eth_rx_info_t) + 2;

  if (receive_data.DATA_W != DATA_W || m_mac.DATA_W != DATA_W || s_mac.DATA_W != DATA_W)
  begin : gen_check_if
    $fatal(0, "send_data, receive_data, m_mac and s_mac differ in width (%m)");
  end
  if (TX_STORE && TX_BYTES < MAX_MTU) begin : gen_check_tx
    $fatal(0, "TX_BYTES is less than a frame (%m)");
  end
  if (PAPER_FRAMING && JOIN) begin : gen_check_join
    $fatal(0, "paper framing does not know messages: JOIN must be 0 (%m)");
  end

  logic [47:0] src, own;

  kumi_eth_src_addr_cdc u_own (
      .clk,
      .rst,
      .s_source(set_source_addr),
      .cfg_addr,
      .src,
      .rx_clk,
      .rx_rst,
      .own
  );

  // ---- Kernel to MAC ----------------------------------------------------------------------------
  logic t_en, t_ready, t_last, t_commit, t_bad, t_lost;
  logic [DATA_W-1:0] t_data;
  logic [COUNT_W-1:0] t_count, o_count;
  logic o_meta, o_bad;

  kumi_eth_controller_tx #(
      .PAPER(PAPER_FRAMING),
      .STORE(TX_STORE),
      .USE_LAST(USE_LAST)
  ) u_tx (
      .clk,
      .rst,
      .s_dest(set_dest_addr_count),
      .s_axis(send_data),
      .src,
      .cfg_mtu,
      .w_en(t_en),
      .w_ready(t_ready),
      .w_data(t_data),
      .w_count(t_count),
      .w_last(t_last),
      .w_commit(t_commit),
      .w_bad(t_bad),
      .ev(tx_ev)
  );

  kumi_eth_async_frame_fifo #(
      .DATA_W(DATA_W),
      .DEPTH (TX_BYTES / KEEP_W),
      .FRAMES(TX_FRAMES),
      .STORE (TX_STORE),
      .DROP  (1'b0)
  ) u_tx_fifo (
      .w_clk(clk),
      .w_rst(rst),
      .w_en(t_en),
      .w_ready(t_ready),
      .w_data(t_data),
      .w_count(t_count),
      .w_last(t_last),
      .w_commit(t_commit),
      .w_bad(t_bad),
      .w_meta(1'b0),
      .w_lost(t_lost),
      .m_clk(tx_clk),
      .m_rst(tx_rst),
      .m_data(m_mac.tdata),
      .m_count(o_count),
      .m_last(m_mac.tlast),
      .m_bad(o_bad),
      .m_meta(o_meta),
      .m_valid(m_mac.tvalid),
      .m_ready(m_mac.tready)
  );

  kumi_eth_last_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_tx_keep (
      .count(o_count),
      .last (m_mac.tlast),
      .keep (m_mac.tkeep)
  );

  assign m_mac.tuser = (m_mac.USER_W)'(o_bad);
  assign m_mac.tid   = '0;
  assign m_mac.tdest = '0;

  // ---- MAC to kernel ----------------------------------------------------------------------------
  logic r_en, r_ready, r_last, r_commit, r_bad, r_lost;
  logic [ DATA_W-1:0] r_data;
  logic [COUNT_W-1:0] r_count;
  logic [ META_W-1:0] r_meta;
  logic f_last, f_bad, f_valid, f_ready;
  logic [ DATA_W-1:0] f_data;
  logic [COUNT_W-1:0] f_count;
  logic [ META_W-1:0] f_meta;

  kumi_eth_controller_rx #(
      .PAPER(PAPER_FRAMING),
      .STORE(RX_STORE),
      .JOIN (JOIN)
  ) u_rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .s_axis(s_mac),
      .own,
      .cfg_broadcast,
      .w_en(r_en),
      .w_data(r_data),
      .w_count(r_count),
      .w_last(r_last),
      .w_commit(r_commit),
      .w_bad(r_bad),
      .w_meta(r_meta),
      .w_lost(r_lost),
      .ev(rx_ev)
  );

  kumi_eth_async_frame_fifo #(
      .DATA_W(DATA_W),
      .META_W(META_W),
      .DEPTH (RX_BYTES / KEEP_W),
      .FRAMES(RX_FRAMES),
      .STORE (RX_STORE),
      .DROP  (1'b1)
  ) u_rx_fifo (
      .w_clk(rx_clk),
      .w_rst(rx_rst),
      .w_en(r_en),
      .w_ready(r_ready),
      .w_data(r_data),
      .w_count(r_count),
      .w_last(r_last),
      .w_commit(r_commit),
      .w_bad(r_bad),
      .w_meta(r_meta),
      .w_lost(r_lost),
      .m_clk(clk),
      .m_rst(rst),
      .m_data(f_data),
      .m_count(f_count),
      .m_last(f_last),
      .m_bad(f_bad),
      .m_meta(f_meta),
      .m_valid(f_valid),
      .m_ready(f_ready)
  );

  kumi_eth_controller_reassembly #(
      .JOIN(JOIN)
  ) u_out (
      .clk,
      .rst,
      .f_data,
      .f_count,
      .f_last,
      .f_bad,
      .f_meta,
      .f_valid,
      .f_ready,
      .m_axis(receive_data),
      .m_info(receive_info)
  );

  logic unused;
  assign unused = ^{t_lost, o_meta, r_ready};
endmodule
