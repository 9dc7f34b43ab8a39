// SPDX-License-Identifier: Apache-2.0
//
// Carries a value that changes rarely from one clock to another, never a mixture of two.
//
// d: in s_clk. q: in m_clk, a value that d once had, in order; the last one always arrives, 5 to 8
//   cycles of both clocks later; values that d has for a shorter time than that may be left out.
// The value crosses while it cannot change: constrain as paths of one period. Both sides are reset
// together; q is RESET then.
module kumi_cdc_handshake #(
    parameter int W = 8,
    parameter logic [W-1:0] RESET = '0
) (
    input logic s_clk,
    input logic s_rst,
    input logic [W-1:0] d,
    input logic m_clk,
    input logic m_rst,
    output logic [W-1:0] q
);
  logic [W-1:0] value_q;
  logic ask_q, answer_q, asked, answered;

  kumi_cdc_sync u_ask (
      .clk(m_clk),
      .d  (ask_q),
      .q  (asked)
  );
  kumi_cdc_sync u_answer (
      .clk(s_clk),
      .d  (answer_q),
      .q  (answered)
  );

  always_ff @(posedge s_clk) begin
    if (ask_q == answered && value_q != d) begin
      value_q <= d;
      ask_q   <= !ask_q;
    end
    if (s_rst) begin
      value_q <= RESET;
      ask_q   <= 1'b0;
    end
  end

  always_ff @(posedge m_clk) begin
    if (asked != answer_q) begin
      q        <= value_q;
      answer_q <= asked;
    end
    if (m_rst) begin
      q        <= RESET;
      answer_q <= 1'b0;
    end
  end
endmodule
