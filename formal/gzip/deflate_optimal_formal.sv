// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_optimal: while it waits nothing of it changes, inside a segment it
// moves with a position only, one choice comes out for each position that went in, and what is
// offered stays until it is taken. So its state is a function of the positions and of how many
// empty steps lie between two segments, and of nothing else in time.
//
// Any positions, MAX_LEN 16.
`include "kumi_assert.svh"
module deflate_optimal_formal
  import kumi_deflate_pkg::*;
(
    input logic           clk,
    input logic           rst,
    input deflate_match_t match,
    input logic           has_byte,
    input logic           first,
    input logic           last,
    input logic           valid,
    input logic           ready
);
  localparam int MAX_LEN = 16;

  logic s_ready, m_last, m_valid;
  deflate_choice_t m_choice;
  kumi_deflate_optimal #(
      .MAX_LEN(MAX_LEN)
  ) u_dut (
      .clk,
      .rst,
      .s_match(match),
      .s_has_byte(has_byte),
      .s_first(first),
      .s_last(last),
      .s_valid(valid),
      .s_ready,
      .m_choice,
      .m_last,
      .m_valid,
      .m_ready(ready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // Positions inside, and what rests.
  logic [4:0] inside_q, flight;
  logic taken, moved, rested_q, held_q, open_q;
  assign taken = valid && s_ready;
  assign moved = m_valid && ready;
  always_comb begin
    flight = 5'(m_valid) + 5'(u_dut.valid_q[1]) + 5'(u_dut.valid_q[2]) + 5'(u_dut.valid_3_q);
    for (int l = 1; l <= MAX_LEN; l++) flight += 5'(u_dut.late_valid_q[l]);
  end
  always_ff @(posedge clk) begin
    inside_q <= rst ? '0 : inside_q + 5'(taken) - 5'(moved);
    rested_q <= !rst && !u_dut.step;
    held_q   <= !rst && m_valid && !ready;
    if (taken) open_q <= !last;  // a segment has begun
    if (rst) open_q <= 1'b0;
  end
  `KUMI_ASSERT(i_open, !open_q || !u_dut.between_q)

  `KUMI_ASSERT(a_counted, inside_q == flight)
  `KUMI_ASSERT(a_segment, !open_q || !u_dut.step || taken)
  `KUMI_ASSERT(a_chain, !rested_q || ($stable(u_dut.chain_q) && $stable(u_dut.late_q) && $stable
               (u_dut.late_valid_q)))
  `KUMI_ASSERT(a_stages, !rested_q || ($stable(u_dut.one_q) && $stable(u_dut.left_q) && $stable
               (u_dut.same_1_q) && $stable(u_dut.same_2_q) && $stable(u_dut.data_2_q) && $stable
               (u_dut.dist1_2_q) && $stable(u_dut.has_q) && $stable(u_dut.last_q) && $stable
               (u_dut.length_q) && $stable(u_dut.whole_q) && $stable(u_dut.item_3_q) && $stable
               (u_dut.valid_q) && $stable(u_dut.valid_3_q) && $stable(u_dut.between_q)))
  `KUMI_ASSERT(a_costs, !rested_q || ($stable(u_dut.cost_q) && $stable(u_dut.with_match_q)
               && $stable(u_dut.match_q) && $stable(u_dut.compared_q) && $stable(u_dut.len3_q)))
  `KUMI_ASSERT(a_stable, !held_q || (m_valid && $stable(m_choice) && $stable(m_last)))

  `KUMI_COVER(c_waits, held_q && m_valid && inside_q > 5'd4 && !m_last)
endmodule
