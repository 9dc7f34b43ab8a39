// SPDX-License-Identifier: Apache-2.0
//
// GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), generator 2: the field of RAID-6 parity (H. P.
// Anvin, "The mathematics of RAID-6").
package kumi_gf_pkg;
  function automatic logic [7:0] gf_twice(input logic [7:0] v);
    return {v[6:0], 1'b0} ^ (v[7] ? 8'h1d : 8'h00);
  endfunction

  // v * 2^i for i = 0 to 7: the columns of multiplication by v.
  typedef logic [7:0][7:0] gf_columns_t;
  function automatic gf_columns_t gf_columns(input logic [7:0] v);
    gf_columns_t c;
    c[0] = v;
    for (int i = 1; i < 8; i++) c[i] = gf_twice(c[i-1]);
    return c;
  endfunction

  function automatic logic [7:0] gf_apply(input gf_columns_t c, input logic [7:0] v);
    logic [7:0] y;
    y = '0;
    for (int i = 0; i < 8; i++) y ^= c[i] & {8{v[i]}};
    return y;
  endfunction

  function automatic logic [7:0] gf_mul(input logic [7:0] a, input logic [7:0] b);
    return gf_apply(gf_columns(a), b);
  endfunction

  // Squaring is linear.
  function automatic logic [7:0] gf_square(input logic [7:0] v);
    logic [7:0] y, power;
    y = '0;
    power = 8'd1;
    for (int i = 0; i < 8; i++) begin
      y ^= power & {8{v[i]}};
      power = gf_twice(gf_twice(power));
    end
    return y;
  endfunction

  // Powers of 2.
  typedef logic [31:0][7:0] gf_powers_t;
  function automatic gf_powers_t gf_powers();
    gf_powers_t p;
    p[0] = 8'd1;
    for (int i = 1; i < 32; i++) p[i] = gf_twice(p[i-1]);
    return p;
  endfunction
  localparam gf_powers_t GF_POWER = gf_powers();
endpackage
