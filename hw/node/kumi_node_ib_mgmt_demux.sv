// SPDX-License-Identifier: Apache-2.0
//
// Separates management datagrams of an InfiniBand port from other packets (IBTA volume 1, clause
// 13.5.3): VL15, or LRH and BTH with destination queue pair 1.
//
// s_axis: packets from LRH to ICRC, 32 or 64 bits, at least 6 words, tdest the VL. m_axis[1]:
//   management, m_axis[0]: all others; unchanged.
// One beat per cycle; a packet waits until the word with its queue pair has come. Latency 4 cycles
// with 64 bits, 6 with 32.
module kumi_node_ib_mgmt_demux
  import kumi_ib_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis[2]
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int QP_WORD = 3;  // with the destination queue pair
  localparam int QP_BEAT = DATA_W == 64 ? QP_WORD / 2 : QP_WORD;
  localparam int DEPTH = 8;  // beats, more than QP_BEAT
  localparam logic [23:0] QP_GMP = 24'd1;

  if (DATA_W != 32 && DATA_W != 64) begin : gen_check_w
    $fatal(0, "DATA_W must be 32 or 64 (%m)");
  end

  // ---- choice -------------------------------------------------------------------------------
  logic [2:0] beat_q;  // stays behind QP_BEAT
  logic local_q, is_local, move, decide, mgmt, choice, choice_valid, choice_take, unused_ready;
  logic [23:0] dest_qp;
  logic [$clog2(DEPTH):0] depth, unused_depth;

  assign move = s_axis.tvalid && s_axis.tready;
  assign is_local = lnh_e'(s_axis.tdata[9:8]) == LNH_LOCAL;
  assign dest_qp = 24'(swap32(s_axis.tdata[DATA_W-1-:32]));
  assign decide = move && beat_q == 3'(QP_BEAT);
  assign mgmt = s_axis.tdest[3:0] == VL_MGMT || (local_q && dest_qp == QP_GMP);
  always_ff @(posedge clk) begin
    if (move) begin
      if (beat_q == '0) local_q <= is_local;
      if (s_axis.tlast) beat_q <= '0;
      else if (beat_q != 3'(QP_BEAT + 1)) beat_q <= beat_q + 1'b1;
    end
    if (rst) beat_q <= '0;
  end

  kumi_fifo #(
      .W(1),
      .DEPTH(DEPTH)
  ) u_choice (
      .clk,
      .rst,
      .s_data (mgmt),
      .s_valid(decide),
      .s_ready(unused_ready),
      .m_data (choice),
      .m_valid(choice_valid),
      .m_ready(choice_take),
      .depth  (unused_depth)
  );

  // ---- packets ------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) held ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) known ();
  logic within_q, pass, no_drop;

  kumi_axis_fifo #(
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_axis,
      .m_axis(held),
      .depth
  );

  assign pass = within_q || choice_valid;
  assign choice_take = !within_q && held.tvalid && known.tready;
  assign known.tdata = held.tdata;
  assign known.tkeep = held.tkeep;
  assign known.tvalid = held.tvalid && pass;
  assign known.tlast = held.tlast;
  assign known.tuser = held.tuser;
  assign known.tid = held.tid;
  assign known.tdest = held.tdest;
  assign held.tready = known.tready && pass;
  always_ff @(posedge clk) begin
    if (known.tvalid && known.tready) within_q <= !known.tlast;
    if (rst) within_q <= 1'b0;
  end

  kumi_axis_demux #(
      .N(2)
  ) u_demux (
      .clk,
      .rst,
      .select (choice),
      .s_axis (known),
      .m_axis,
      .ev_drop(no_drop)
  );

  logic unused;
  assign unused = ^{depth, unused_depth, unused_ready, no_drop};
endmodule
