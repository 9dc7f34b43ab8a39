// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_gf_scale and kumi_gf_inv: products by any factor, squares and powers equal the
// definition, and a * inverse(a) = 1 for every nonzero a, 8 cycles after start.
//
// Definition: bytes are polynomials over GF(2), multiplied and reduced modulo x^8 + x^4 + x^3 + x^2
// + 1 by long division. Nothing is assumed; a start may come at any time.
`include "kumi_assert.svh"
module gf_formal
  import kumi_gf_pkg::*;
(
    input logic       clk,
    input logic       rst,
    input logic       start,
    input logic [7:0] a,
    input logic [7:0] b
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  function automatic logic [7:0] by_definition(input logic [7:0] x, input logic [7:0] y);
    logic [14:0] product;
    product = '0;
    for (int i = 0; i < 8; i++) begin
      if (y[i]) product ^= 15'(x) << i;
    end
    for (int i = 14; i >= 8; i--) begin
      if (product[i]) product ^= 15'h11d << (i - 8);
    end
    return product[7:0];
  endfunction

  logic [15:0] product;
  kumi_gf_scale #(
      .DATA_W(16)
  ) u_scale (
      .columns(gf_columns(a)),
      .data({a, b}),
      .product
  );
  `KUMI_ASSERT(a_low, product[7:0] == by_definition(a, b))
  `KUMI_ASSERT(a_high, product[15:8] == by_definition(a, a))
  `KUMI_ASSERT(a_square, gf_square(a) == by_definition(a, a))
  `KUMI_ASSERT(a_one, GF_POWER[0] == 8'd1)
  `KUMI_ASSERT(a_power, b[4:0] == 0 || GF_POWER[b[4:0]] == by_definition(GF_POWER[b[4:0]-1'b1], 2))
  // Powers with exponents below 32 differ: what makes any two equations solvable.
  `KUMI_ASSERT(a_differ, a[4:0] == b[4:0] || GF_POWER[a[4:0]] != GF_POWER[b[4:0]])

  logic done;
  logic [7:0] y, asked_q;
  logic [3:0] age_q;
  kumi_gf_inv u_inv (
      .clk,
      .rst,
      .start,
      .a,
      .done,
      .y
  );

  // age_q: cycles since the last start; 0 when there was none, or when it is answered.
  always_ff @(posedge clk) begin
    if (start) begin
      asked_q <= a;
      age_q   <= 4'd1;
    end else if (age_q != 0) begin
      age_q <= done ? 4'd0 : age_q + 1'b1;
    end
    if (rst) age_q <= '0;
  end

  // What the work should have come to: v^(2^age), and v^(2 + 4 + ... + 2^(age - 1)).
  typedef logic [8:1][255:0][15:0] steps_t;
  function automatic steps_t steps();
    steps_t t;
    for (int v = 0; v < 256; v++) begin
      t[1][v] = {by_definition(8'(v), 8'(v)), 8'd1};
      for (int i = 2; i <= 8; i++) begin
        t[i][v][15:8] = by_definition(t[i-1][v][15:8], t[i-1][v][15:8]);
        t[i][v][7:0]  = by_definition(t[i-1][v][15:8], t[i-1][v][7:0]);
      end
    end
    return t;
  endfunction
  localparam steps_t STEPS = steps();

  // In rows of 16 values, which keeps the chains of gates short.
  logic [8:1][15:0][15:0] row;
  logic [15:0] expected;
  always_comb begin
    row = '0;
    expected = '0;
    for (int i = 1; i <= 8; i++) begin
      for (int v = 0; v < 256; v++) begin
        if (age_q == 4'(i) && asked_q == 8'(v)) row[i][v/16] |= STEPS[i][v];
      end
      for (int v = 0; v < 16; v++) expected |= row[i][v];
    end
  end

  `KUMI_ASSERT(a_when, done == (age_q == 4'd8))
  `KUMI_ASSERT(a_inverse, !done || by_definition(asked_q, y) == (asked_q == 0 ? 8'd0 : 8'd1))
  `KUMI_ASSERT(i_busy, u_inv.busy_q == (age_q >= 4'd1 && age_q <= 4'd7))
  `KUMI_ASSERT(i_left, !u_inv.busy_q || 4'(u_inv.left_q) == 4'd8 - age_q)
  `KUMI_ASSERT(i_age, age_q <= 4'd8)
  `KUMI_ASSERT(i_power, !u_inv.busy_q || u_inv.power_q == expected[15:8])
  `KUMI_ASSERT(i_product, age_q == 0 || y == expected[7:0])
  `KUMI_COVER(c_again, done && start && asked_q > 8'd1)
endmodule
