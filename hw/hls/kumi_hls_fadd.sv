// SPDX-License-Identifier: Apache-2.0
//
// Sum of two single-precision numbers (IEEE 754): to nearest even, subnormals exact.
//
// An addition starts every cycle; sum exists 5 stages after a and b. en[k] moves stage k's content
// into stage k + 1.
module kumi_hls_fadd
  import kumi_hls_float_pkg::*;
(
    input  logic        clk,
    input  logic [ 4:0] en,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum
);
  typedef struct packed {
    logic        special;   // result is in `value`
    float_t      value;
    logic        sign;
    logic        subtract;
    logic [7:0]  exp;       // of the larger one, at least 1
    logic [7:0]  apart;     // difference of the exponents
    logic [23:0] larger;
    logic [23:0] smaller;
  } unpacked_t;
  typedef struct packed {
    logic        special;
    float_t      value;
    logic        sign;
    logic        subtract;
    logic [7:0]  exp;
    logic [26:0] larger;
    logic [26:0] smaller;
  } aligned_t;
  typedef struct packed {
    logic        special;
    float_t      value;
    logic        sign;
    logic [7:0]  exp;
    logic [27:0] total;
  } added_t;
  typedef struct packed {
    logic        special;
    float_t      value;
    logic        sign;
    logic [9:0]  exp;
    logic [26:0] mant;
  } normal_t;

  unpacked_t unpacked, s0_q;
  aligned_t s1_q;
  added_t   s2_q;
  normal_t normal, s3_q;
  float_t x, y, big;
  logic [30:0] low;  // the smaller one's exponent and fraction
  logic [7:0] big_exp, low_exp;

  always_comb begin
    x = float_t'(a);
    y = float_t'(b);
    big = a[30:0] >= b[30:0] ? x : y;
    low = a[30:0] >= b[30:0] ? y[30:0] : x[30:0];
    big_exp = big.exp == '0 ? 8'd1 : big.exp;
    low_exp = low[30:23] == '0 ? 8'd1 : low[30:23];
    unpacked = '0;
    unpacked.sign = big.sign;
    unpacked.subtract = x.sign != y.sign;
    unpacked.exp = big_exp;
    unpacked.apart = big_exp - low_exp;
    unpacked.larger = {big.exp != '0, big.frac};
    unpacked.smaller = {low[30:23] != '0, low[22:0]};
    if (is_nan(
            x[30:0]
        ) || is_nan(
            y[30:0]
        ) || (is_inf(
            x[30:0]
        ) && is_inf(
            y[30:0]
        ) && x.sign != y.sign)) begin
      unpacked.special = 1'b1;
      unpacked.value   = QNAN;
    end else if (is_inf(big[30:0])) begin
      unpacked.special = 1'b1;
      unpacked.value   = big;
    end else if (big[30:0] == low && x.sign != y.sign) begin
      unpacked.special = 1'b1;  // x - x is +0
      unpacked.value   = '0;
    end
  end

  logic [49:0] shifted;
  assign shifted = shift_sticky({s0_q.smaller, 26'd0}, {2'd0, s0_q.apart});

  logic [6:0] zeros;
  logic [7:0] left;
  always_comb begin
    zeros = leading_zeros({s2_q.total[26:0], 37'd0});
    left = 8'(zeros) < s2_q.exp ? 8'(zeros) : s2_q.exp - 1'b1;
    normal.special = s2_q.special;
    normal.value = s2_q.value;
    normal.sign = s2_q.sign;
    if (s2_q.total[27]) begin
      normal.exp  = 10'(s2_q.exp) + 1'b1;
      normal.mant = {s2_q.total[27:2], s2_q.total[1] | s2_q.total[0]};
    end else begin
      normal.exp  = 10'(s2_q.exp - left);
      normal.mant = s2_q.total[26:0] << left;
    end
  end

  always_ff @(posedge clk) begin
    if (en[0]) s0_q <= unpacked;
    if (en[1]) begin
      s1_q <= '{
          special: s0_q.special,
          value: s0_q.value,
          sign: s0_q.sign,
          subtract: s0_q.subtract,
          exp: s0_q.exp,
          larger: {s0_q.larger, 3'd0},
          smaller: {shifted[49:24], |shifted[23:0]}
      };
    end
    if (en[2]) begin
      s2_q <= '{
          special: s1_q.special,
          value: s1_q.value,
          sign: s1_q.sign,
          exp: s1_q.exp,
          total:
          s1_q.subtract
          ?
          {1'b0, s1_q.larger} - {1'b0, s1_q.smaller}
          : {
          1'b0
          ,
          s1_q.larger
          } + {
          1'b0
          ,
          s1_q.smaller
          }
      };
    end
    if (en[3]) s3_q <= normal;
    if (en[4]) sum <= s3_q.special ? s3_q.value : round_pack(s3_q.sign, s3_q.exp, s3_q.mant);
  end
endmodule
