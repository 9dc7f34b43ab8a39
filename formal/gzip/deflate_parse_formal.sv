// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_parse without its parts (deflate_reverse, deflate_optimal): for any
// timing of those, each word of N positions is offered from its last position to its first, each
// once, an empty one as one item, with first and last where they belong, and an item stays until it
// is taken; and what makes slots of choices changes with a choice that moves and never else.
`include "kumi_assert.svh"
module deflate_parse_formal
  import kumi_deflate_pkg::*;
#(
    parameter int N = 4
) (
    input logic                             clk,
    input logic                             rst,
    input deflate_match_t [          N-1:0] match,
    input logic           [$clog2(N+1)-1:0] count,
    input logic                             last,
    input logic                             valid,
    input logic                             ready
);
  localparam int CNT_W = $clog2(N + 1);

  logic s_ready, m_valid;
  deflate_slot_t slot;
  kumi_deflate_parse #(
      .N(N),
      .SEGMENT(64),
      .MATCH(8)
  ) u_dut (
      .clk,
      .rst,
      .s_match(match),
      .s_count(count),
      .s_last (last),
      .s_valid(valid),
      .s_ready,
      .m_slot (slot),
      .m_valid,
      .m_ready(ready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);
  always_comb assume (u_dut.back_count <= CNT_W'(N));

  // Items: of the word at hand, how many are to come, in order.
  logic taken, offers, moved, held_q;
  logic [CNT_W-1:0] rest_q, size_q, bytes_q;
  logic first_q, last_q;
  deflate_match_t [N-1:0] word_q;
  assign taken  = u_dut.back_valid && u_dut.back_ready;
  assign offers = u_dut.left_q != '0 && u_dut.there_q[N-1];
  assign moved  = offers && u_dut.item_ready;
  always_ff @(posedge clk) begin
    held_q <= !rst && offers && !u_dut.item_ready;
    if (moved) rest_q <= rest_q - 1'b1;
    if (taken) begin
      rest_q  <= u_dut.back_count == '0 ? CNT_W'(1) : u_dut.back_count;
      size_q  <= u_dut.back_count == '0 ? CNT_W'(1) : u_dut.back_count;
      bytes_q <= u_dut.back_count;
      word_q  <= u_dut.back_match;
      first_q <= u_dut.back_first;
      last_q  <= u_dut.back_last;
    end
    if (rst) rest_q <= '0;
  end
  logic [N-1:0] there;  // as the positions to come would have it
  always_comb begin
    for (int i = 0; i < N; i++) there[i] = CNT_W'(i) < rest_q;
  end
  `KUMI_ASSERT(
      i_left,
      u_dut.left_q == '0 || (u_dut.left_q <= CNT_W'(N) && rest_q <= u_dut.left_q && size_q <= CNT_W'(N)))
  `KUMI_ASSERT(i_empty, u_dut.left_q != '0 || rest_q == '0)
  `KUMI_ASSERT(
      i_rest,
      u_dut.left_q == '0 || (rest_q <= size_q && size_q >= CNT_W'(1) && (rest_q == size_q || rest_q == u_dut.left_q)))
  `KUMI_ASSERT(i_at, u_dut.left_q == '0 || CNT_W'(u_dut.at_q) == u_dut.left_q - 1'b1)
  `KUMI_ASSERT(i_there,
               u_dut.left_q == '0 || u_dut.there_q == N'(there << (CNT_W'(N) - u_dut.left_q)))
  `KUMI_ASSERT(
      i_word,
      u_dut.left_q == '0 || (u_dut.word_q == word_q && u_dut.last_q == last_q && u_dut.none_q == (bytes_q == '0) && u_dut.first_q == (first_q && rest_q == size_q)))
  `KUMI_ASSERT(i_bytes, u_dut.left_q == '0 || size_q == (bytes_q == '0 ? CNT_W'(1) : bytes_q))

  `KUMI_ASSERT(a_place, !offers || (rest_q != '0 && CNT_W'(u_dut.at_q) == rest_q - 1'b1))
  `KUMI_ASSERT(a_all, !taken || rest_q == CNT_W'(moved))
  `KUMI_ASSERT(
      a_last,
      !offers || (last_q && rest_q == CNT_W'(1)) == (u_dut.last_q && u_dut.left_q == CNT_W'(1)))
  `KUMI_ASSERT(a_first, !offers || u_dut.first_q == (first_q && rest_q == size_q))
  `KUMI_ASSERT(a_held, !held_q || (offers && $stable(rest_q)))

  // Slots.
  logic still_q;
  always_ff @(posedge clk) still_q <= !rst && !(m_valid && ready);
  `KUMI_ASSERT(a_still, !still_q || ($stable(u_dut.remain_q) && $stable(u_dut.len3_q) && $stable
               (u_dut.dist1_q)))
  `KUMI_ASSERT(a_slots, m_valid == u_dut.choice_valid && u_dut.choice_ready == ready)

  `KUMI_COVER(c_empty, taken && moved && bytes_q == '0)
  `KUMI_COVER(c_full, moved && taken && bytes_q == CNT_W'(N) && last_q)
endmodule
