// SPDX-License-Identifier: Apache-2.0
//
// Quotient of two single-precision numbers (IEEE 754): to nearest even, subnormals exact.
//
// A division starts every cycle; quotient exists 30 stages after a and b: unpacking, 27 bits of
// restoring division, placing, rounding. en[k] moves stage k's content into stage k + 1.
module kumi_hls_fdiv
  import kumi_hls_float_pkg::*;
(
    input  logic        clk,
    input  logic [29:0] en,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] quotient
);
  localparam int BITS = 27;  // one before the point, or none; 24 and two or three to round

  typedef struct packed {
    logic        special;  // result is in `value`
    float_t      value;
    logic        sign;
    logic [9:0]  exp;      // biased, two's complement
    logic [23:0] divisor;
    logic [24:0] rest;
    logic [26:0] bits;
  } fdiv_stage_t;

  fdiv_stage_t first;
  fdiv_stage_t stage_q[BITS+1];
  float_t x, y;

  always_comb begin
    x = float_t'(a);
    y = float_t'(b);
    first = '0;
    first.sign = x.sign ^ y.sign;
    first.exp = exponent(x[30:0]) - exponent(y[30:0]) + 10'd127;
    first.divisor = significand(y[30:0]);
    first.rest = {1'b0, significand(x[30:0])};
    if (is_nan(
            x[30:0]
        ) || is_nan(
            y[30:0]
        ) || (is_inf(
            x[30:0]
        ) && is_inf(
            y[30:0]
        )) || (is_zero(
            x[30:0]
        ) && is_zero(
            y[30:0]
        ))) begin
      first.special = 1'b1;
      first.value   = QNAN;
    end else if (is_inf(x[30:0]) || is_zero(y[30:0])) begin
      first.special = 1'b1;
      first.value   = '{sign: first.sign, exp: 8'hff, frac: '0};
    end else if (is_zero(x[30:0]) || is_inf(y[30:0])) begin
      first.special = 1'b1;
      first.value   = '{sign: first.sign, exp: '0, frac: '0};
    end
  end

  always_ff @(posedge clk) begin
    if (en[0]) stage_q[0] <= first;
  end

  for (genvar i = 0; i < BITS; i++) begin : gen_bit
    logic [24:0] left;
    logic fits, unused;
    assign unused = left[24];  // a rest is less than the divisor
    assign fits   = stage_q[i].rest >= {1'b0, stage_q[i].divisor};
    assign left   = fits ? stage_q[i].rest - {1'b0, stage_q[i].divisor} : stage_q[i].rest;

    always_ff @(posedge clk) begin
      if (en[i+1]) begin
        stage_q[i+1] <= stage_q[i];
        stage_q[i+1].rest <= {left[23:0], 1'b0};
        stage_q[i+1].bits <= {stage_q[i].bits[25:0], fits};
      end
    end
  end

  // The quotient is in (1/2, 2); an exponent below 1 shifts it into the subnormal numbers.
  fdiv_stage_t last;
  logic [9:0] exp_top, exp, exp_q;
  logic [49:0] placed;
  logic [26:0] mant_q;
  logic special_q, sign_q;
  float_t value_q;

  logic   unused;
  assign last   = stage_q[BITS];
  assign unused = ^last.divisor;
  always_comb begin
    exp_top = last.exp - 10'(!last.bits[26]);
    placed = {last.bits[26] ? last.bits : {last.bits[25:0], 1'b0}, 22'd0, last.rest != '0};
    exp = exp_top;
    if ($signed(exp_top) < 10'sd1) begin
      placed = shift_sticky(placed, 10'd1 - exp_top);
      exp = 10'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (en[28]) begin
      special_q <= last.special;
      value_q <= last.value;
      sign_q <= last.sign;
      exp_q <= exp;
      mant_q <= {placed[49:24], |placed[23:0]};
    end
    if (en[29]) quotient <= special_q ? value_q : round_pack(sign_q, exp_q, mant_q);
  end
endmodule
