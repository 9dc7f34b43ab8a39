// SPDX-License-Identifier: Apache-2.0
//
// IEEE 754 single precision for generated kernels: fields, rounding, comparison.
//
// Rounding is to nearest, ties to even; subnormal numbers are exact; a NaN result is QNAN.
package kumi_hls_float_pkg;

  typedef struct packed {
    logic        sign;
    logic [7:0]  exp;
    logic [22:0] frac;
  } float_t;

  localparam float_t QNAN = '{sign: 1'b0, exp: 8'hff, frac: 23'h40_0000};

  function automatic logic is_nan(input logic [30:0] x);
    return x[30:23] == 8'hff && x[22:0] != '0;
  endfunction

  function automatic logic is_inf(input logic [30:0] x);
    return x == {8'hff, 23'd0};
  endfunction

  function automatic logic is_zero(input logic [30:0] x);
    return x == '0;
  endfunction

  // Leading zeros, 64 if there is no one.
  function automatic logic [6:0] leading_zeros(input logic [63:0] x);
    leading_zeros = 7'd64;
    for (int i = 0; i < 64; ++i) if (x[i]) leading_zeros = 7'(63 - i);
  endfunction

  // Significand with its highest bit set, zero for zero; x is a number without its sign.
  function automatic logic [23:0] significand(input logic [30:0] x);
    logic [23:0] m;
    m = {x[30:23] != '0, x[22:0]};
    return m << leading_zeros({m, 40'd0});
  endfunction

  // Biased exponent that belongs to it, two's complement.
  function automatic logic [9:0] exponent(input logic [30:0] x);
    logic [23:0] m;
    m = {x[30:23] != '0, x[22:0]};
    return 10'(x[30:23] == '0 ? 8'd1 : x[30:23]) - 10'(leading_zeros({m, 40'd0}));
  endfunction

  // Right shift; the lowest bit collects all ones that leave.
  function automatic logic [49:0] shift_sticky(input logic [49:0] x, input logic [9:0] by);
    logic [49:0] kept;
    if (by >= 10'd50) return {49'd0, x != '0};
    kept = x >> by;
    return kept | 50'((kept << by) != x);
  endfunction

  // A significand with its highest bit at 26 (bit 26 clear: subnormal, exponent 1), three bits
  // below the last place, and a biased exponent from 1 on.
  function automatic float_t round_pack(input logic sign, input logic [9:0] exp,
                                        input logic [26:0] mant);
    logic [30:0] whole;
    logic up;
    up = mant[2] && (mant[1] || mant[0] || mant[3]);
    if (exp >= 10'd255) return '{sign: sign, exp: 8'hff, frac: '0};
    // A carry out of the fraction is a carry into the exponent, up to infinity.
    whole = {mant[26] ? exp[7:0] : 8'd0, mant[25:3]} + 31'(up);
    return '{sign: sign, exp: whole[30:23], frac: whole[22:0]};
  endfunction

  function automatic logic unordered(input logic [30:0] a, input logic [30:0] b);
    return is_nan(a) || is_nan(b);
  endfunction

  function automatic logic equal(input logic [31:0] a, input logic [31:0] b);
    return !unordered(a[30:0], b[30:0]) && (a == b || (a[30:0] == '0 && b[30:0] == '0));
  endfunction

  function automatic logic less(input logic [31:0] a, input logic [31:0] b);
    if (unordered(a[30:0], b[30:0]) || (a[30:0] == '0 && b[30:0] == '0)) return 1'b0;
    if (a[31] != b[31]) return a[31];
    return a[31] ? b[30:0] < a[30:0] : a[30:0] < b[30:0];
  endfunction

endpackage
