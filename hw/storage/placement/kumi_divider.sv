// SPDX-License-Identifier: Apache-2.0
//
// Unsigned integer division, one bit per cycle.
//
// start: samples both operands; a start during an operation restarts it. done: a pulse DIVIDEND_W +
//   1 cycles later; quotient and remainder hold until the next start.
// Bad input: division by zero yields a quotient of all ones.
module kumi_divider #(
    parameter int DIVIDEND_W = 48,  // bits of dividend and quotient
    parameter int DIVISOR_W  = 32   // bits of divisor and remainder
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  start,
    input  logic [DIVIDEND_W-1:0] dividend,
    input  logic [ DIVISOR_W-1:0] divisor,
    output logic                  done,
    output logic [DIVIDEND_W-1:0] quotient,
    output logic [ DIVISOR_W-1:0] remainder
);
  localparam int COUNT_W = $clog2(DIVIDEND_W + 1);

  logic [DIVIDEND_W-1:0] bits_q;
  logic [DIVISOR_W-1:0] remainder_q, divisor_q;
  logic [DIVISOR_W:0] shifted, difference;
  logic [COUNT_W-1:0] left_q;
  logic done_q;

  // difference is negative if its top bit is set: then this quotient bit is zero.
  assign shifted    = {remainder_q, bits_q[DIVIDEND_W-1]};
  assign difference = shifted - {1'b0, divisor_q};
  assign quotient   = bits_q;
  assign remainder  = remainder_q;
  assign done       = done_q;

  always_ff @(posedge clk) begin
    done_q <= left_q == COUNT_W'(1) && !start && !rst;
    if (start) begin
      bits_q    <= dividend;
      divisor_q <= divisor;
      remainder_q    <= '0;
      left_q    <= COUNT_W'(DIVIDEND_W);
    end else if (left_q != 0) begin
      bits_q <= {bits_q[DIVIDEND_W-2:0], shifted >= {1'b0, divisor_q}};
      remainder_q <= shifted >= {1'b0, divisor_q} ? difference[DIVISOR_W-1:0]
          : shifted[DIVISOR_W-1:0];
      left_q <= left_q - 1'b1;
    end
    if (rst) left_q <= '0;
  end

  logic unused;
  assign unused = difference[DIVISOR_W];
endmodule
