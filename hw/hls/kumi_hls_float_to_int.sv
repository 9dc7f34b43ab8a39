// SPDX-License-Identifier: Apache-2.0
//
// Single precision (IEEE 754) to a 64-bit integer, towards zero, as a conversion in C.
//
// A conversion starts every cycle; result exists 2 stages after value. en[k] moves stage k's
// content into stage k + 1. The low bits of result are the value of any narrower type.
// Bad input: what does not fit into 64 bits, infinity and NaN give an arbitrary number; C leaves
//   them undefined.
module kumi_hls_float_to_int
  import kumi_hls_float_pkg::*;
(
    input  logic        clk,
    input  logic [ 1:0] en,
    input  logic [31:0] value,
    output logic [63:0] result
);
  float_t x;
  logic sign_q;
  logic [87:0] wide;  // 64 bits before the point, 24 behind it
  logic [63:0] whole_q;
  logic [7:0] up;

  assign x = float_t'(value);
  assign up = x.exp - 8'd127;
  assign wide = 88'({x.exp != '0, x.frac}) << up;

  always_ff @(posedge clk) begin
    if (en[0]) begin
      sign_q  <= x.sign;
      whole_q <= x.exp < 8'd127 ? '0 : {wide[86:23]};
    end
    if (en[1]) result <= sign_q ? -whole_q : whole_q;
  end

  logic unused;
  assign unused = ^{wide[87], wide[22:0]};
endmodule
