// SPDX-License-Identifier: Apache-2.0
//
// Product of two single-precision numbers (IEEE 754): to nearest even, subnormals exact.
//
// A multiplication starts every cycle; product exists 5 stages after a and b. en[k] moves stage k's
// content into stage k + 1.
module kumi_hls_fmul
  import kumi_hls_float_pkg::*;
(
    input  logic        clk,
    input  logic [ 4:0] en,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] product
);
  typedef struct packed {
    logic       special;  // result is in `value`
    float_t     value;
    logic       sign;
    logic [9:0] exp;      // biased, two's complement
  } fmul_head_t;

  fmul_head_t head, s0_q, s1_q, s2_q, s3_q;
  logic [23:0] left, right, left_q, right_q;
  logic [47:0] product1_q, product2_q;
  logic [26:0] mant, mant_q;
  logic [9:0] exp;
  float_t x, y;

  always_comb begin
    x = float_t'(a);
    y = float_t'(b);
    left = significand(x[30:0]);
    right = significand(y[30:0]);
    head = '0;
    head.sign = x.sign ^ y.sign;
    head.exp = exponent(x[30:0]) + exponent(y[30:0]) - 10'd127;
    if (is_nan(
            x[30:0]
        ) || is_nan(
            y[30:0]
        ) || (is_inf(
            x[30:0]
        ) && is_zero(
            y[30:0]
        )) || (is_zero(
            x[30:0]
        ) && is_inf(
            y[30:0]
        ))) begin
      head.special = 1'b1;
      head.value   = QNAN;
    end else if (is_inf(x[30:0]) || is_inf(y[30:0])) begin
      head.special = 1'b1;
      head.value   = '{sign: head.sign, exp: 8'hff, frac: '0};
    end else if (is_zero(x[30:0]) || is_zero(y[30:0])) begin
      head.special = 1'b1;
      head.value   = '{sign: head.sign, exp: '0, frac: '0};
    end
  end

  // The product is in [1, 4); an exponent below 1 shifts it into the subnormal numbers.
  logic [9:0] exp_top, under;
  logic [49:0] placed;
  always_comb begin
    exp_top = s2_q.exp + 10'(product2_q[47]);
    placed = {product2_q[47] ? product2_q : {product2_q[46:0], 1'b0}, 2'd0};
    under = 10'd1 - exp_top;
    exp = exp_top;
    if ($signed(exp_top) < 10'sd1) begin
      placed = shift_sticky(placed, under);
      exp = 10'd1;
    end
    mant = {placed[49:24], |placed[23:0]};
  end

  always_ff @(posedge clk) begin
    if (en[0]) begin
      s0_q <= head;
      left_q <= left;
      right_q <= right;
    end
    if (en[1]) begin
      s1_q <= s0_q;
      product1_q <= left_q * right_q;
    end
    if (en[2]) begin
      s2_q <= s1_q;
      product2_q <= product1_q;
    end
    if (en[3]) begin
      s3_q <= s2_q;
      s3_q.exp <= exp;
      mant_q <= mant;
    end
    if (en[4]) product <= s3_q.special ? s3_q.value : round_pack(s3_q.sign, s3_q.exp, mant_q);
  end
endmodule
