// SPDX-License-Identifier: Apache-2.0
//
// Proof top of scrambler and descrambler: from any state of the descrambler the data come back
// after 58 bits of line, and for good.
`include "kumi_assert.svh"
module scrambler_formal #(
    parameter int W = 64
) (
    input logic         clk,
    input logic         rst,
    input logic         en,
    input logic [W-1:0] d
);
  localparam int SETTLE = (57 + W) / W;  // words that hold 58 bits

  logic [W-1:0] line, back;

  kumi_64b66b_scrambler #(
      .W(W)
  ) tx (
      .clk,
      .rst,
      .en,
      .d,
      .q(line)
  );

  kumi_64b66b_descrambler #(
      .W(W)
  ) rx (
      .clk,
      .en,
      .d(line),
      .q(back)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic [6:0] words_q;
  always_ff @(posedge clk) begin
    if (en && words_q != 7'(SETTLE)) words_q <= words_q + 7'd1;
    if (rst) words_q <= '0;
  end

  // The states agree in every bit that has been on the line since reset.
  logic same;
  always_comb begin
    same = 1'b1;
    for (int i = 0; i < 58; i++) begin
      if (i >= 58 - W * int'(words_q) && tx.state_q[i] != rx.state_q[i]) same = 1'b0;
    end
  end

  `KUMI_ASSERT(i_same, same)
  `KUMI_ASSERT(a_round_trip, words_q != 7'(SETTLE) || back == d)
  `KUMI_COVER(c_settled, words_q == 7'(SETTLE) && back == d && line != d)
endmodule
