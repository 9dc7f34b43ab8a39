// SPDX-License-Identifier: Apache-2.0
//
// Sum of two single-precision numbers (IEEE 754): to nearest even, subnormals exact. The adder of
// the collectives without its integers.
//
// An addition starts every cycle; sum exists 5 stages after a and b. en[k] moves stage k's content
// into stage k + 1.
module kumi_hls_fadd (
    input  logic        clk,
    input  logic [ 4:0] en,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum
);
  kumi_int_fp32_add u_add (
      .clk,
      .en,
      .is_float(1'b1),
      .a,
      .b,
      .sum
  );
endmodule
