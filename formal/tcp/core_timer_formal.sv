// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_timer with four sessions: a deadline that has passed is reported within a
// walk, and only sessions whose deadline has passed are.
//
// One session is watched, chosen freely. Assumed: now_us never runs back and stays below 64 (the
// comparison is the same anywhere on the circle); deadlines do not lie behind the first one set;
// reports are taken at any time, for the bound at once.
`include "kumi_assert.svh"
module core_timer_formal (
    input logic clk,
    input logic rst,
    input logic step,
    input logic wr_en,
    input logic [1:0] wr_sid,
    input logic wr_on,
    input logic [31:0] wr_at,
    input logic m_ready
);
  localparam int SESSIONS = 4;
  localparam int WALK = SESSIONS + 3;

  logic m_valid;
  logic [1:0] m_sid;
  logic [31:0] now_us;

  always_ff @(posedge clk) begin
    if (step) now_us <= now_us + 1'b1;
    if (rst) now_us <= '0;
  end

  kumi_tcp_timer #(
      .SESSIONS(SESSIONS)
  ) u_dut (
      .clk,
      .rst,
      .now_us,
      .wr_en,
      .wr_sid,
      .wr_on,
      .wr_at,
      .m_valid,
      .m_sid,
      .m_ready
  );

  // All entries are written once before the scanner starts, as kumi_tcp_core does.
  logic started_q = 1'b0;
  logic [2:0] count_q = '0;
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    if (count_q != 3'd4) count_q <= count_q + 1'b1;
  end
  always_comb begin
    assume (rst == (count_q != 3'd4));
    if (rst) assume (wr_en && wr_sid == count_q[1:0] && !wr_on);
    assume (wr_at < 32'd64 && now_us < 32'd64);
  end

  logic [1:0] who;  // any constant
  always_ff @(posedge clk) who <= who;

  // What was written for it; since when it has been due and the reports were taken at once.
  logic on_q;
  logic [31:0] at_q;
  logic due, was_due_q, was_due2_q, was_due3_q;
  logic [3:0] wait_q;
  logic [2:0] calm_q;  // cycles for which reports were taken at once
  assign due = on_q && at_q <= now_us;

  always_ff @(posedge clk) begin
    if (wr_en && wr_sid == who) begin
      on_q <= wr_on;
      at_q <= wr_at;
    end
    wait_q <= due && m_ready && !(wr_en && wr_sid == who) && !(m_valid && m_sid == who) ?
        wait_q + 1'b1 : '0;
    was_due_q <= on_q && at_q <= now_us + 32'd1;  // it is compared a cycle after it is read
    calm_q <= !m_ready ? 3'd0 : calm_q == 3'd4 ? calm_q : calm_q + 1'b1;
    was_due2_q <= was_due_q;
    was_due3_q <= was_due2_q;
    if (rst) begin
      on_q <= 1'b0;
      calm_q <= 3'd0;
      wait_q <= '0;
      was_due_q <= 1'b0;
      was_due2_q <= 1'b0;
      was_due3_q <= 1'b0;
    end
  end

  `KUMI_ASSERT(a_bounded, wait_q <= 4'(WALK))
  `KUMI_ASSERT(a_held, rst || $past(rst) || !$past(m_valid && !m_ready)
               || (m_valid && m_sid == $past(m_sid)))
  // A report that comes anew is of a session that was due when its entry was read.
  // (a walk that stood still may report what has changed meanwhile).
  `KUMI_ASSERT(a_true,
               calm_q < 3'd4 || !m_valid || m_sid != who || was_due_q || was_due2_q || was_due3_q)
  `KUMI_COVER(c_report, m_valid && m_sid == 2'd2 && at_q > 32'd3)

  logic unused;
  assign unused = started_q;
endmodule
