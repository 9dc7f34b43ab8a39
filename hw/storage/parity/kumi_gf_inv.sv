// SPDX-License-Identifier: Apache-2.0
//
// Inverse in GF(2^8) modulo 0x11d, as a^254 = a^2 * a^4 * ... * a^128.
//
// start: samples a; a start during an operation restarts it. done: a pulse 8 cycles later, with y,
//   which holds until the next start.
// Bad input: the inverse of 0 does not exist; y is 0 then.
module kumi_gf_inv
  import kumi_gf_pkg::*;
(
    input  logic       clk,
    input  logic       rst,
    input  logic       start,
    input  logic [7:0] a,
    output logic       done,
    output logic [7:0] y
);
  logic [7:0] power_q, y_q;
  logic [2:0] left_q;
  logic busy_q, done_q;

  assign done = done_q;
  assign y    = y_q;

  always_ff @(posedge clk) begin
    done_q <= 1'b0;
    if (start) begin
      power_q <= gf_square(a);
      y_q     <= 8'd1;
      left_q  <= 3'd7;
      busy_q  <= 1'b1;
    end else if (busy_q) begin
      power_q <= gf_square(power_q);
      y_q     <= gf_mul(y_q, power_q);
      left_q  <= left_q - 1'b1;
      if (left_q == 3'd1) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
    end
    if (rst) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end
  end
endmodule
