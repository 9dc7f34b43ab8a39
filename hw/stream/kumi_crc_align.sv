// SPDX-License-Identifier: Apache-2.0
//
// Delays a frame stream by the latency of its CRC-32, so that the CRC of a frame is available with
// its last beat. The core of kumi_axis_fcs_insert and kumi_axis_fcs_check.
//
// s_*, m_*: beats, moved with valid and ready, one a cycle each; side is any side-band. m_crc is
//   the CRC of the frame whose last beat is at m_*; it is consumed with that beat.
// s_crc_*: what the CRC sees in place of this beat: nothing unless s_crc_valid, other bytes, fewer
//   of them. Each frame has one s_crc_last, no later than with its last beat, and nothing behind
//   it.
// Every beat is delayed equally, so the output has no gap that the input did not have.
// Latency: that of kumi_crc32 + 2 cycles. No combinational path joins the two sides.
`include "kumi_assert.svh"
module kumi_crc_align #(
    parameter int DATA_W = 64,  // bits of data
    parameter int SIDE_W = 1    // bits of side-band
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [  DATA_W-1:0] s_data,
    input  logic [DATA_W/8-1:0] s_keep,
    input  logic                s_last,
    input  logic [  SIDE_W-1:0] s_side,
    input  logic                s_crc_valid,
    input  logic [  DATA_W-1:0] s_crc_data,
    input  logic [DATA_W/8-1:0] s_crc_keep,
    input  logic                s_crc_last,
    input  logic                s_valid,
    output logic                s_ready,
    output logic [  DATA_W-1:0] m_data,
    output logic [DATA_W/8-1:0] m_keep,
    output logic                m_last,
    output logic [  SIDE_W-1:0] m_side,
    output logic                m_valid,
    input  logic                m_ready,
    output logic [        31:0] m_crc
);
  // LATENCY of kumi_crc32; a_there below fails if the two part.
  localparam int KEEP_W = DATA_W / 8;
  localparam int STEPS = $clog2(KEEP_W);
  localparam int LATENCY = DATA_W <= 64 ? 2 + (STEPS + 1) / 2 : 3 + STEPS;
  localparam int DEPTH = 16;  // at least LATENCY + 4 for one beat a cycle
  localparam int ADDR_W = $clog2(DEPTH);

  // occupied_q: beats in the memory; ripe_q: of those, the ones held long enough.
  logic [LATENCY-1:0] age_q;
  logic [ADDR_W:0] occupied_q, ripe_q;
  logic [ADDR_W-1:0] wr_q, rd_q;
  logic push, take;

  assign s_ready = !occupied_q[ADDR_W];
  assign push    = s_valid && s_ready;

  always_ff @(posedge clk) begin
    age_q <= {age_q[LATENCY-2:0], push};
    if (push) wr_q <= wr_q + 1'b1;
    if (take) rd_q <= rd_q + 1'b1;
    if (push != take) occupied_q <= occupied_q + {{ADDR_W{take}}, 1'b1};
    if (age_q[LATENCY-1] != take) ripe_q <= ripe_q + {{ADDR_W{take}}, 1'b1};
    if (rst) begin
      age_q      <= '0;
      wr_q       <= '0;
      rd_q       <= '0;
      occupied_q <= '0;
      ripe_q     <= '0;
    end
  end

  kumi_fifo_ram #(
      .W(SIDE_W + 1 + KEEP_W + DATA_W),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(push),
      .wr_addr(wr_q),
      .wr_data({s_side, s_last, s_keep, s_data}),
      .clk,
      .rst,
      .rd_avail(ripe_q != '0),
      .rd_addr(rd_q),
      .rd_take(take),
      .m_data({m_side, m_last, m_keep, m_data}),
      .m_valid,
      .m_ready
  );

  logic crc_valid, there, room;
  logic [31:0] crc;
  logic [ADDR_W+1:0] waiting;

  kumi_crc32 #(
      .DATA_W(DATA_W)
  ) u_crc (
      .clk,
      .rst,
      .in_valid (push && s_crc_valid),
      .in_last  (s_crc_last),
      .in_data  (s_crc_data),
      .in_keep  (s_crc_keep),
      .out_valid(crc_valid),
      .out_crc  (crc)
  );

  kumi_fifo #(
      .W(32),
      .DEPTH(2 * DEPTH),
      .STYLE(0)
  ) u_crcs (
      .clk,
      .rst,
      .s_data (crc),
      .s_valid(crc_valid),
      .s_ready(room),
      .m_data (m_crc),
      .m_valid(there),
      .m_ready(m_valid && m_ready && m_last),
      .depth  (waiting)
  );
  logic unused;
  assign unused = ^{waiting, room, there};
  `KUMI_ASSERT(a_there, !(m_valid && m_last) || there)
  `KUMI_ASSERT(a_room, !crc_valid || room)
endmodule
