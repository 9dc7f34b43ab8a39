// SPDX-License-Identifier: Apache-2.0
//
// Adder for one lane of a reduction: 32-bit two's complement, or IEEE 754 binary32.
//
// Floating point: round to nearest, ties to even; subnormal operands and results; signed zeros and
//   infinities as in the standard (6.3, 7.2). Every NaN result is 0x7FC00000.
// Latency 5 cycles, one sum a cycle. en[k] moves stage k's content on, en[0] takes operands; with a bit
//   low that stage's register holds. `is_float` accompanies its operands.
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
    logic        is_float;
    logic        special;   // `exact` is the result
    logic [31:0] exact;
    logic        sign;
    logic        minus;     // magnitudes are subtracted
    logic [7:0]  exponent;  // of the greater one; 1 for subnormal numbers
  } add_stage_t;

  // ---- 1: the greater magnitude first, special cases -------------------------------------------
  add_stage_t s1_d, s1_q, s2_q, s3_q, s4_q;
  logic [31:0] great, less;
  logic [23:0] big1_q, small1_q;
  logic [7:0] shift1_q, less_exponent;
  logic a_nan, b_nan, a_inf, b_inf, swap;

  assign a_nan = &a[30:23] && a[22:0] != '0;
  assign b_nan = &b[30:23] && b[22:0] != '0;
  assign a_inf = &a[30:23] && a[22:0] == '0;
  assign b_inf = &b[30:23] && b[22:0] == '0;
  assign swap = b[30:0] > a[30:0];
  assign great = swap ? b : a;
  assign less = swap ? a : b;
  assign less_exponent = less[30:23] == '0 ? 8'd1 : less[30:23];

  always_comb begin
    s1_d.is_float = is_float;
    s1_d.special = !is_float || a_nan || b_nan || a_inf || b_inf;
    s1_d.exact = great;
    if (a_nan || b_nan || (a_inf && b_inf && a[31] != b[31])) s1_d.exact = 32'h7FC0_0000;
    if (!is_float) s1_d.exact = a + b;
    s1_d.minus = a[31] != b[31];
    s1_d.sign = great[31];
    s1_d.exponent = great[30:23] == '0 ? 8'd1 : great[30:23];
  end

  always_ff @(posedge clk) begin
    if (en[0]) begin
      s1_q <= s1_d;
      big1_q <= {great[30:23] != '0, great[22:0]};
      small1_q <= {less[30:23] != '0, less[22:0]};
      shift1_q <= s1_d.exponent - less_exponent;
    end
  end

  // ---- 2: align ------------------------------------------------------------------------------
  logic [26:0] big2_q, small2_q;
  logic [53:0] wide;

  assign wide = {small1_q, 30'd0} >> (shift1_q > 8'd27 ? 8'd27 : shift1_q);

  always_ff @(posedge clk) begin
    if (en[1]) begin
      s2_q <= s1_q;
      big2_q <= {big1_q, 3'd0};
      small2_q <= {wide[53:28], |wide[27:0]};
    end
  end

  // ---- 3: add or subtract ----------------------------------------------------------------------
  logic [27:0] sum3_q;

  always_ff @(posedge clk) begin
    if (en[2]) begin
      s3_q   <= s2_q;
      sum3_q <= s2_q.minus ? 28'(big2_q) - 28'(small2_q) : 28'(big2_q) + 28'(small2_q);
    end
  end

  // ---- 4: normalise --------------------------------------------------------------------------
  logic [26:0] frac4_q;
  logic [8:0] exponent4_q;
  logic zero4_q;
  logic [4:0] zeros, left;

  always_comb begin
    zeros = 5'd27;
    for (int i = 0; i < 27; i++) if (sum3_q[i]) zeros = 5'(26 - i);
    // A subnormal result stays at exponent 1.
    left = 8'(zeros) >= s3_q.exponent ? 5'(s3_q.exponent - 8'd1) : zeros;
  end

  always_ff @(posedge clk) begin
    if (en[3]) begin
      s4_q <= s3_q;
      zero4_q <= sum3_q == '0;
      if (sum3_q[27]) begin
        frac4_q <= {sum3_q[27:2], |sum3_q[1:0]};
        exponent4_q <= 9'(s3_q.exponent) + 9'd1;
      end else begin
        frac4_q <= sum3_q[26:0] << left;
        exponent4_q <= 9'(s3_q.exponent) - 9'(left);
      end
    end
  end

  // ---- 5: round ------------------------------------------------------------------------------
  logic [31:0] packed_sum, rounded;
  logic up;

  // The implied one is the exponent's lowest bit, so a carry out of the fraction corrects it.
  assign packed_sum = {(frac4_q[26] ? exponent4_q - 9'd1 : 9'd0), 23'd0} + 32'(frac4_q[26:3]);
  assign up = frac4_q[2] && (frac4_q[1] || frac4_q[0] || frac4_q[3]);
  assign rounded = packed_sum + 32'(up);

  always_ff @(posedge clk) begin
    if (en[4]) begin
      if (s4_q.special) sum <= s4_q.exact;
      else if (zero4_q) sum <= {s4_q.sign && !s4_q.minus, 31'd0};
      else if (rounded[31:23] >= 9'd255) sum <= {s4_q.sign, 8'hFF, 23'd0};
      else sum <= {s4_q.sign, rounded[30:0]};
    end
  end

  logic unused;
  assign unused = ^{s4_q, less[31]};
endmodule
