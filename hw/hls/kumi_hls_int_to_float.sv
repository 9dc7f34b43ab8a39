// SPDX-License-Identifier: Apache-2.0
//
// 64-bit integer to single precision (IEEE 754), to nearest even.
//
// A conversion starts every cycle; result exists 3 stages after value. en[k] moves stage k's
// content into stage k + 1.
module kumi_hls_int_to_float
  import kumi_hls_float_pkg::*;
#(
    parameter bit SIGNED = 1'b1  // two's complement
) (
    input  logic        clk,
    input  logic [ 2:0] en,
    input  logic [63:0] value,
    output logic [31:0] result
);
  logic sign0_q, sign1_q, zero1_q;
  logic [63:0] magnitude_q, placed, placed_q;
  logic [6:0] zeros;
  logic [9:0] exp_q;

  assign zeros  = leading_zeros(magnitude_q);
  assign placed = magnitude_q << zeros;

  always_ff @(posedge clk) begin
    if (en[0]) begin
      sign0_q <= SIGNED && value[63];
      magnitude_q <= SIGNED && value[63] ? -value : value;
    end
    if (en[1]) begin
      sign1_q <= sign0_q;
      zero1_q <= magnitude_q == '0;
      placed_q <= placed;
      exp_q <= 10'd190 - 10'(zeros);  // 127 + 63 for a one in the highest bit
    end
    if (en[2]) begin
      result <= zero1_q ? '0 : round_pack(sign1_q, exp_q, {placed_q[63:38], |placed_q[37:0]});
    end
  end
endmodule
