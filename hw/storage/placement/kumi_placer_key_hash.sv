// SPDX-License-Identifier: Apache-2.0
//
// Hash that spreads the keys of a device's chunks, 0 to 15 sixteenths of a cost, so that equally
// fast devices do not always meet in the same stripes (docs/storage-layout.md, "Placement").
//
// start: samples phase = (i + 1) * ((2 n + 1) * 0x9e3779b1) modulo 2^32. done: a pulse 9 cycles
//   later, with hash = (h xor (h >> 13)) >> 28, h = (phase xor (phase >> 15)) * 0x85ebca6b modulo
//   2^32, which holds until then. A start during an operation restarts it.
// The multiplication takes four bits of the factor per cycle, highest first.
module kumi_placer_key_hash (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [31:0] phase,
    output logic        done,
    output logic [ 3:0] hash
);
  logic [31:0] mixed_q, sum_q, factor_q, partial_product;
  logic [3:0] left_q;
  logic done_q;

  always_comb begin
    partial_product = '0;
    for (int i = 0; i < 4; i++) partial_product += (mixed_q << i) & {32{factor_q[28+i]}};
  end

  always_ff @(posedge clk) begin
    done_q <= left_q == 4'd1 && !start && !rst;
    if (start) begin
      mixed_q  <= phase ^ (phase >> 15);
      factor_q <= 32'h85eb_ca6b;
      sum_q    <= '0;
      left_q   <= 4'd8;
    end else if (left_q != 0) begin
      sum_q    <= (sum_q << 4) + partial_product;
      factor_q <= factor_q << 4;
      left_q   <= left_q - 1'b1;
    end
    if (rst) left_q <= '0;
  end

  assign done = done_q;
  assign hash = sum_q[31:28];  // h >> 13 does not reach the top four bits
endmodule
