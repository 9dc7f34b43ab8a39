// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_write_fence with few records of few bursts: for any record and any burst, the
// record leaves in its place and not before its bursts are in memory, then within 4 cycles; it is
// bad if one of them failed, and only if one failed up to its last burst and after the record
// before it; `empty` never says so too early.
//
// Bursts and records are numbered from reset on. The bound is 12 cycles: the fence's own numbers, of
// four bits, are half round by then, where a comparison that is not modulo would be wrong.
// Assumed: bursts come in order, at most those of two records before the records themselves.
`include "kumi_assert.svh"
module write_fence_formal #(
    parameter int FAST = 0
) (
    input logic clk,
    input logic rst,
    input logic s_bursts,
    input logic s_valid,
    input logic b_valid,
    input logic b_bad,
    input logic m_ready
);
  localparam int N = 5;

  logic s_ready, m_bad, m_valid, empty;
  logic [N-1:0] m_data, pushed_q, popped_q, sum_q, came_q;

  kumi_write_fence #(
      .W(N),
      .BURST_W(1),
      .DEPTH(2),
      .FAST(FAST)
  ) u_dut (
      .s_data(pushed_q),
      .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);
  always_comb assume (!b_valid || came_q <= sum_q + 1'b1);
  always_comb assume (FAST == 0 || !b_bad);

  logic push, pop;
  assign push = s_valid && s_ready;
  assign pop  = m_valid && m_ready;

  // ---- any record and any burst -----------------------------------------------------------------
  logic [N-1:0] who, which;  // never driven but by themselves: any constants
  always_ff @(posedge clk) {who, which} <= {who, which};

  logic known_q, failed_q, some_q;
  logic [N-1:0] start_q, until_q;  // numbers of the last burst before the record's, and of its last
  logic [N-1:0] first_bad_q, last_bad_q;
  logic [2:0] waits_q;

  always_ff @(posedge clk) begin
    pushed_q <= pushed_q + N'(push);
    popped_q <= popped_q + N'(pop);
    came_q   <= came_q + N'(b_valid);
    if (push) sum_q <= sum_q + N'(s_bursts);
    if (push && pushed_q == who) begin
      known_q <= 1'b1;
      start_q <= sum_q;
      until_q <= sum_q + N'(s_bursts);
    end
    if (b_valid && b_bad) begin
      some_q     <= 1'b1;
      last_bad_q <= came_q + 1'b1;
      if (!some_q) first_bad_q <= came_q + 1'b1;
      if (came_q + 1'b1 == which) failed_q <= 1'b1;
    end
    waits_q <= known_q && popped_q == who && came_q >= until_q && !m_valid ? waits_q + 1'b1 : '0;
    if (rst) begin
      {pushed_q, popped_q, came_q, sum_q}  <= '0;
      {known_q, failed_q, some_q, waits_q} <= '0;
    end
  end

  `KUMI_ASSERT(a_order, !pop || m_data == popped_q)
  `KUMI_ASSERT(a_there, !pop || popped_q != who || (known_q && came_q >= until_q))
  `KUMI_ASSERT(a_soon, waits_q < 3'd4)
  `KUMI_ASSERT(a_empty, !empty || pushed_q == popped_q)
  if (FAST == 0) begin : gen_bad
    `KUMI_ASSERT(
        a_bad, !pop || popped_q != who || !failed_q || which <= start_q || which > until_q || m_bad)
    `KUMI_ASSERT(a_good,
                 !pop || popped_q != who || !m_bad
                         || (some_q && first_bad_q <= until_q && last_bad_q > start_q))
  end
  `KUMI_COVER(c_bad, pop && m_bad && popped_q == 5'd3)
  `KUMI_COVER(c_half, pop && came_q > 5'd8)
endmodule
