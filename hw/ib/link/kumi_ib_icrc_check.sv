// SPDX-License-Identifier: Apache-2.0
//
// Checks the ICRC (IBTA volume 1, clause 7.8.1) of each packet.
//
// s_axis: packets from LRH to ICRC, multiples of 4 bytes. m_axis: the same, ICRC included; a packet
//   whose ICRC is wrong has tuser[0] set at tlast (ev_bad), and whoever ends the path drops it.
//   Widths 32 and 64. Latency 2 cycles, one beat a cycle.
module kumi_ib_icrc_check
  import kumi_ib_crc_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_bad  // one-cycle pulse
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int USER_W = s_axis.USER_W;
  localparam int SIDE_W = s_axis.ID_W + s_axis.DEST_W;

  // ---- 1: what a beat adds ----------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) beat ();
  logic [31:0] sum;
  logic [ 1:0] words;

  kumi_ib_icrc_sum #(
      .FOUND(1'b1)
  ) u_sum (
      .clk,
      .rst,
      .s_axis,
      .m_axis(beat),
      .sum,
      .words
  );

  // ---- 2: the sum, and at the end whether it is the ICRC ----------------------------------------
  logic [31:0] crc_q, crc;
  logic [USER_W-1:0] user;
  logic moves, wrong;

  assign moves = beat.tvalid && beat.tready;
  assign crc   = icrc_ahead(crc_q, words) ^ sum;
  assign wrong = beat.tlast && crc != '0;
  always_comb begin
    user = beat.tuser;
    if (wrong) user[0] = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (moves) crc_q <= beat.tlast ? ICRC_INIT : crc;
    ev_bad <= moves && wrong && !rst;
    if (rst) crc_q <= ICRC_INIT;
  end

  kumi_slice #(
      .W(SIDE_W + USER_W + 1 + DATA_W / 8 + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({beat.tdest, beat.tid, user, beat.tlast, beat.tkeep, beat.tdata}),
      .s_valid(beat.tvalid),
      .s_ready(beat.tready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
