// SPDX-License-Identifier: Apache-2.0
//
// One's complement sum of 16-bit words (RFC 1071), an adder between registers.
//
// words: in the cycle of in_valid; sum: log2(WORDS) + 2 cycles later, with out_valid. One sum a
//   cycle.
module kumi_ip6_sum #(
    parameter int WORDS = 8  // a power of two
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_valid,
    input  logic [WORDS-1:0][15:0] words,
    output logic                   out_valid,
    output logic [     15:0]       sum
);
  localparam int LEVELS = $clog2(WORDS);
  localparam int W = 16 + LEVELS;

  logic [LEVELS:0][WORDS-1:0][W-1:0] level;
  logic [LEVELS+1:0] valid_q;
  logic [16:0] folded_q;

  for (genvar i = 0; i < WORDS; i++) begin : gen_in
    assign level[0][i] = W'(words[i]);
  end
  for (genvar l = 0; l < LEVELS; l++) begin : gen_level
    for (genvar i = 0; i < WORDS; i++) begin : gen_add
      if (i < WORDS >> (l + 1)) begin : gen_used
        always_ff @(posedge clk) level[l+1][i] <= level[l][2*i] + level[l][2*i+1];
      end else begin : gen_none
        assign level[l+1][i] = '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    valid_q <= {valid_q[LEVELS:0], in_valid};
    folded_q <= {1'b0, level[LEVELS][0][15:0]} + 17'(level[LEVELS][0][W-1:16]);
    sum <= folded_q[15:0] + 16'(folded_q[16]);
    if (rst) valid_q <= '0;
  end

  assign out_valid = valid_q[LEVELS+1];
endmodule
