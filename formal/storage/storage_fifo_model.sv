// SPDX-License-Identifier: Apache-2.0
//
// Stands for kumi_fifo in proofs that count what is in it: the same words in the same order, kept
// in a row, the oldest at place 0, and on offer in the next cycle. That kumi_fifo does this, with
// one or two cycles more, is stream/fifo's proof. It holds four words at most, so that the solver
// can count them.
module kumi_fifo #(
    parameter int W     = 8,
    parameter int DEPTH = 16,
    parameter int STYLE = -1
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [          W-1:0] s_data,
    input  logic                   s_valid,
    output logic                   s_ready,
    output logic [          W-1:0] m_data,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [$clog2(DEPTH):0] depth
);
  localparam int WORDS = DEPTH < 4 ? DEPTH : 4;

  logic [WORDS-1:0] full_q;
  logic [WORDS-1:0][W-1:0] word_q;
  logic push, pop;
  assign s_ready = !full_q[WORDS-1];
  assign m_valid = full_q[0];
  assign m_data  = word_q[0];
  assign push    = s_valid && s_ready;
  assign pop     = m_valid && m_ready;
  always_comb begin
    depth = '0;
    for (int i = 0; i < WORDS; i++) depth = depth + ($clog2(DEPTH) + 1)'(full_q[i]);
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < WORDS; i++) begin
      // The place of a new word: behind the last one, one nearer if the oldest leaves.
      if (push && (pop ? full_q[i] && (i == WORDS - 1 || !full_q[i+1]) :
                   !full_q[i] && (i == 0 || full_q[i-1]))) begin
        word_q[i] <= s_data;
      end else if (pop && i != WORDS - 1) begin
        word_q[i] <= word_q[i+1];
      end
    end
    if (push && !pop) full_q <= {full_q[WORDS-2:0], 1'b1};
    if (pop && !push) full_q <= full_q >> 1;
    if (rst) full_q <= '0;
  end
  // No gap among the words.
  always_comb assert (rst || (full_q & (full_q + 1'b1)) == '0);
endmodule
