// SPDX-License-Identifier: Apache-2.0
//
// Adder for one lane of a reduction: 32-bit two's complement, or IEEE 754 binary32.
//
// Floating point: round to nearest, ties to even; subnormal operands and results; signed zeros and
//   infinities as in the standard (6.3, 7.2). Every NaN result is 0x7FC00000.
// Latency 5 cycles, one sum a cycle. en[k] moves stage k's content on, en[0] takes operands; with a
//   bit low that stage's register holds. `is_float` accompanies its operands.
module kumi_int_fp32_add (
    input  logic        clk,
    input  logic [ 4:0] en,
    input  logic        is_float,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum
);
  // Fractions carry three bits below the last place: guard, round, sticky.
  typedef struct packed {
    logic        special;   // `exact` is the result
    logic [31:0] exact;
    logic        sign;
    logic        minus;     // magnitudes are subtracted
    logic [7:0]  exponent;  // of the greater one; 1 for subnormal numbers
  } add_stage_t;

  // ---- 1: the greater magnitude first, special cases -------------------------------------------
  // Both differences of the exponents are there before it is known which one counts.
  add_stage_t s1_d, s1_q, s2_q, s3_q;
  logic [31:0] great, less;
  logic [23:0] big1_q, small1_q;
  logic [7:0] shift1_q, a_exponent, b_exponent, a_above, b_above;
  logic a_nan, b_nan, a_inf, b_inf, swap;

  assign a_nan = &a[30:23] && a[22:0] != '0;
  assign b_nan = &b[30:23] && b[22:0] != '0;
  assign a_inf = &a[30:23] && a[22:0] == '0;
  assign b_inf = &b[30:23] && b[22:0] == '0;
  assign swap = b[30:0] > a[30:0];
  assign great = swap ? b : a;
  assign less = swap ? a : b;
  assign a_exponent = {a[30:24], a[23] || a[30:23] == '0};
  assign b_exponent = {b[30:24], b[23] || b[30:23] == '0};
  assign a_above = a_exponent - b_exponent;
  assign b_above = b_exponent - a_exponent;

  always_comb begin
    s1_d.special = !is_float || a_nan || b_nan || a_inf || b_inf;
    s1_d.exact   = great;
    if (a_nan || b_nan || (a_inf && b_inf && a[31] != b[31])) s1_d.exact = 32'h7FC0_0000;
    if (!is_float) s1_d.exact = a + b;
    s1_d.minus = a[31] != b[31];
    s1_d.sign = great[31];
    s1_d.exponent = swap ? b_exponent : a_exponent;
  end

  always_ff @(posedge clk) begin
    if (en[0]) begin
      s1_q <= s1_d;
      big1_q <= {great[30:23] != '0, great[22:0]};
      small1_q <= {less[30:23] != '0, less[22:0]};
      shift1_q <= swap ? b_above : a_above;
    end
  end

  // ---- 2: align ------------------------------------------------------------------------------
  logic [26:0] big2_q, small2_q;
  logic [54:0] wide;
  logic far;  // only the sticky bit is left

  assign far  = shift1_q[7:5] != '0;
  assign wide = {small1_q, 31'd0} >> shift1_q[4:0];

  always_ff @(posedge clk) begin
    if (en[1]) begin
      s2_q <= s1_q;
      big2_q <= {big1_q, 3'd0};
      small2_q <= far ? {26'd0, |small1_q} : {wide[54:29], |wide[28:0]};
    end
  end

  // ---- 3: add or subtract; how far the sum may move to the left ------------------------------
  logic [27:0] sum3_q, limit3_q;

  always_ff @(posedge clk) begin
    if (en[2]) begin
      s3_q   <= s2_q;
      sum3_q <= s2_q.minus ? 28'(big2_q) - 28'(small2_q) : 28'(big2_q) + 28'(small2_q);
      // A subnormal result stays at exponent 1: a one at this place ends the count of zeros.
      for (int i = 0; i < 28; i++) limit3_q[i] <= s2_q.exponent == 8'(27 - i);
    end
  end

  // ---- 4: leading zeros, by groups of four; whole bytes to the left ---------------------------
  logic [31:0] ones;
  logic [7:0] some;  // groups with a one, the highest in bit 7
  logic [7:0][1:0] skip;  // zeros above the first one of a group
  logic [4:0] zeros;
  logic [8:0] exponent4_q;
  logic [27:0] sum4_q;
  logic [2:0] left4_q;
  logic special4_q, sign4_q, above4_q;
  logic [31:0] exact4_q;
  logic [ 8:0] exponent;

  assign ones = {sum3_q | limit3_q, 4'hF};
  for (genvar g = 0; g < 8; g++) begin : gen_group
    assign some[g] = |ones[4*g+:4];
    assign skip[g] = ones[4*g+3] ? 2'd0 : ones[4*g+2] ? 2'd1 : ones[4*g+1] ? 2'd2 : 2'd3;
  end
  always_comb begin
    zeros = {3'd7, skip[0]};
    for (int g = 1; g < 8; g++) if (some[g]) zeros = {3'(7 - g), skip[g]};
  end
  assign exponent = 9'(s3_q.exponent) + 9'd1 - 9'(zeros);

  always_ff @(posedge clk) begin
    if (en[3]) begin
      special4_q <= s3_q.special;
      exact4_q <= s3_q.exact;
      sign4_q <= s3_q.sign && !(s3_q.minus && sum3_q == '0);
      sum4_q <= sum3_q << {zeros[4:3], 3'd0};
      left4_q <= zeros[2:0];
      exponent4_q <= exponent;
      above4_q <= s3_q.exponent == 8'd254 && sum3_q[27];
    end
  end

  // ---- 5: the last bits to the left, round ----------------------------------------------------
  logic [27:0] normal;
  logic [26:0] frac;
  logic [31:0] rounded;
  logic up;

  assign normal = sum4_q << left4_q;
  assign frac = {normal[27:2], |normal[1:0]};
  assign up = frac[2] && (frac[1] || frac[0] || frac[3]);
  // A carry out of the fraction counts the exponent up, also to that of infinity.
  assign rounded = {(frac[26] ? exponent4_q : 9'd0), frac[25:3]} + 32'(up);

  always_ff @(posedge clk) begin
    if (en[4]) begin
      if (special4_q) sum <= exact4_q;
      else if (above4_q) sum <= {sign4_q, 8'hFF, 23'd0};
      else sum <= {sign4_q, rounded[30:0]};
    end
  end

  logic unused;
  assign unused = ^{rounded[31], less[31], s3_q};
endmodule
