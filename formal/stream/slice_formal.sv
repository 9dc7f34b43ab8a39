// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_slice: stability, order by one tracked word, and one word per cycle.
`include "kumi_assert.svh"
module slice_formal #(
    parameter int W    = 4,
    parameter int MODE = 2
) (
    input logic         clk,
    input logic         rst,
    input logic [W-1:0] s_data,
    input logic         s_valid,
    input logic         m_ready,
    input logic         pick
);
  logic s_ready, m_valid;
  logic [W-1:0] m_data;

  kumi_slice #(
      .W(W),
      .MODE(MODE)
  ) u_dut (
      .clk,
      .rst,
      .s_data,
      .s_valid,
      .s_ready,
      .m_data,
      .m_valid,
      .m_ready
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // words_q: accepted and not yet delivered; ahead_q: place of the tracked word among them.
  logic [1:0] words_q, ahead_q, ahead;
  logic [W-1:0] word_q;
  logic tracked_q, push, pop;
  assign push  = s_valid && s_ready;
  assign pop   = m_valid && m_ready;
  assign ahead = ahead_q - 2'(pop);

  always_ff @(posedge clk) begin
    words_q <= words_q + 2'(push) - 2'(pop);
    if (tracked_q) begin
      ahead_q <= ahead;
      if (ahead == 2'd0) tracked_q <= 1'b0;
    end else if (push && pick) begin
      tracked_q <= 1'b1;
      word_q    <= s_data;
      ahead_q   <= words_q + 2'd1 - 2'(pop);
    end
    if (rst) begin
      words_q   <= 2'd0;
      tracked_q <= 1'b0;
    end
  end

  `KUMI_ASSERT(a_order, !(tracked_q && ahead_q == 2'd1 && m_valid) || m_data == word_q)
  `KUMI_ASSERT(a_conserve, m_valid == (words_q != 2'd0))
  `KUMI_ASSERT(a_capacity, words_q <= (MODE == 2 ? 2'd2 : 2'd1))
  `KUMI_ASSERT(i_ahead, !tracked_q || (ahead_q >= 2'd1 && ahead_q <= words_q))
  if (MODE == 2) begin : gen_skid
    `KUMI_ASSERT(i_words, words_q == 2'(m_valid) + 2'(u_dut.gen_skid.skid_valid_q))
    `KUMI_ASSERT(i_second, !(tracked_q && ahead_q == 2'd2) || u_dut.gen_skid.skid_q == word_q)
    `KUMI_ASSERT(a_cut, s_ready == (words_q != 2'd2))
  end

  logic wait_q;
  logic [W-1:0] data_q;
  always_ff @(posedge clk) begin
    wait_q <= !rst && m_valid && !m_ready;
    data_q <= m_data;
  end
  `KUMI_ASSERT(a_stable, !wait_q || (m_valid && m_data == data_q))

  // With ready held high every word offered moves at once (not in half-rate mode).
  logic flow_q;
  always_ff @(posedge clk) flow_q <= !rst && m_ready && (flow_q || words_q == 2'd0);
  if (MODE != 1) begin : gen_rate
    `KUMI_ASSERT(a_rate, !(flow_q && m_ready) || s_ready)
    `KUMI_ASSERT(i_flow, !flow_q || words_q <= 2'd1)
  end

  logic [2:0] run_q;
  logic was_full_q;
  always_ff @(posedge clk) begin
    run_q      <= rst || !(push && pop) ? 3'd0 : run_q + 3'd1;
    was_full_q <= !rst && (was_full_q || words_q == (MODE == 2 ? 2'd2 : 2'd1));
  end
  if (MODE != 1) begin : gen_cover_rate
    `KUMI_COVER(c_rate, run_q == 3'd5)
  end
  `KUMI_COVER(c_drained, was_full_q && words_q == 2'd0)
endmodule
