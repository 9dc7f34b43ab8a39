// SPDX-License-Identifier: Apache-2.0
//
// CRCs of InfiniBand (IBTA volume 1, clause 7.8), 4 bytes a step; a step is an XOR of register and
// data bits. The lowest bit of a byte goes first, as on an Ethernet wire.
//
// ICRC: the CRC-32 of IEEE 802.3 over the bytes that no switch or router changes; the others count
//   as ones. VCRC, and LPCRC of link packets: CRC-16 with x^16 + x^12 + x^3 + x + 1. Both start
//   with all ones and are inverted at the end; low byte first in the packet.
package kumi_ib_crc_pkg;

  localparam logic [15:0] VCRC_POLY = 16'hD008;  // bit-reversed 0x100B
  localparam logic [31:0] ICRC_POLY = 32'hEDB8_8320;
  localparam logic [15:0] VCRC_INIT = 16'hFFFF;
  localparam logic [31:0] ICRC_INIT = 32'hFFFF_FFFF;

  typedef logic [15:0][31:0] vcrc_rows_t;  // [r]: which bits of (register ^ data) bit r sums
  typedef logic [31:0][31:0] icrc_rows_t;

  function automatic vcrc_rows_t vcrc_rows();
    vcrc_rows_t rows;
    logic [15:0] c;
    c = VCRC_POLY;
    for (int bit_no = 31; bit_no >= 0; bit_no--) begin
      for (int r = 0; r < 16; r++) rows[r][bit_no] = c[r];
      c = (c >> 1) ^ (c[0] ? VCRC_POLY : 16'd0);
    end
    return rows;
  endfunction

  function automatic icrc_rows_t icrc_rows();
    icrc_rows_t rows;
    logic [31:0] c;
    c = ICRC_POLY;
    for (int bit_no = 31; bit_no >= 0; bit_no--) begin
      for (int r = 0; r < 32; r++) rows[r][bit_no] = c[r];
      c = (c >> 1) ^ (c[0] ? ICRC_POLY : 32'd0);
    end
    return rows;
  endfunction

  localparam vcrc_rows_t VCRC_ROWS = vcrc_rows();
  localparam icrc_rows_t ICRC_ROWS = icrc_rows();

  // The register after 4 more bytes; word[7:0] is the first.
  function automatic logic [15:0] vcrc_step(input logic [15:0] crc, input logic [31:0] word);
    logic [15:0] next;
    for (int r = 0; r < 16; r++) next[r] = ^((word ^{16'd0, crc}) & VCRC_ROWS[r]);
    return next;
  endfunction

  // The same after 8 more bytes, as one sum: a row of the first word sums rows of the second. They
  // are an argument, as tools may work a parameter out again whenever a function reads it.
  function automatic vcrc_rows_t vcrc_rows_before(input vcrc_rows_t word);
    vcrc_rows_t rows;
    for (int r = 0; r < 16; r++) begin
      rows[r] = '0;
      for (int b = 0; b < 16; b++) if (word[r][b]) rows[r] = rows[r] ^ word[b];
    end
    return rows;
  endfunction

  localparam vcrc_rows_t VCRC_ROWS_BEFORE = vcrc_rows_before(VCRC_ROWS);

  function automatic logic [15:0] vcrc_step2(input logic [15:0] crc, input logic [31:0] word_0,
                                             input logic [31:0] word_1);
    logic [15:0] next;
    for (int r = 0; r < 16; r++) begin
      next[r] = ^{(word_0 ^{16'd0, crc}) & VCRC_ROWS_BEFORE[r], word_1 & VCRC_ROWS[r]};
    end
    return next;
  endfunction

  function automatic icrc_rows_t icrc_rows_before(input icrc_rows_t word);
    icrc_rows_t rows;
    for (int r = 0; r < 32; r++) begin
      rows[r] = '0;
      for (int b = 0; b < 32; b++) if (word[r][b]) rows[r] = rows[r] ^ word[b];
    end
    return rows;
  endfunction

  localparam icrc_rows_t ICRC_ROWS_BEFORE = icrc_rows_before(ICRC_ROWS);

  // The register after `words` words of zeros, 0 to 2; with what the words themselves add, which
  // needs no register, it is the register after them.
  function automatic logic [31:0] icrc_ahead(input logic [31:0] crc, input logic [1:0] words);
    logic [31:0] next;
    for (int r = 0; r < 32; r++) begin
      next[r] = words == 2'd2 ? ^(crc & ICRC_ROWS_BEFORE[r]) :
          words == 2'd1 ? ^(crc & ICRC_ROWS[r]) : crc[r];
    end
    return next;
  endfunction

endpackage
