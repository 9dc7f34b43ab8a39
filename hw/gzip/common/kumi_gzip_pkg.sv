// SPDX-License-Identifier: Apache-2.0
//
// Constants of the deflate format (RFC 1951) and of its zlib (RFC 1950) and gzip (RFC 1952)
// wrappers, shared by compressor and decompressor.
//
// Lengths and distances are kept without their smallest value where a comment says so: a length
// minus 3 has 8 bits, a distance minus 1 has 15.
package kumi_gzip_pkg;

  localparam int WINDOW = 32768;  // largest distance
  localparam int MIN_MATCH = 3;
  localparam int MAX_MATCH = 258;
  localparam int LITLEN_SYMS = 286;  // literals, end of block, lengths; 286 and 287 are reserved
  localparam int DIST_SYMS = 30;  // 30 and 31 are reserved
  localparam int CODELEN_SYMS = 19;
  localparam int END_OF_BLOCK = 256;
  localparam int MAX_CODE_BITS = 15;  // of literal/length and distance codes
  localparam int MAX_CODELEN_BITS = 7;  // of codes for code lengths

  // Wrapper around the deflate stream.
  typedef enum logic [1:0] {
    FORMAT_RAW  = 2'd0,
    FORMAT_ZLIB = 2'd1,
    FORMAT_GZIP = 2'd2
  } gzip_format_e;

  // BTYPE of a block (3.2.3).
  typedef enum logic [1:0] {
    BLOCK_STORED  = 2'd0,
    BLOCK_FIXED   = 2'd1,
    BLOCK_DYNAMIC = 2'd2
  } gzip_block_e;

  // What is wrong with a compressed stream. The first error found ends it.
  typedef enum logic [4:0] {
    GZIP_OK                = 5'd0,
    GZIP_ERR_MAGIC         = 5'd1,   // gzip: ID1 and ID2; zlib: the header check (FCHECK)
    GZIP_ERR_METHOD        = 5'd2,   // method other than deflate, or zlib window above 32 KiB
    GZIP_ERR_FLAGS         = 5'd3,   // gzip: reserved flags; zlib: preset dictionary
    GZIP_ERR_HEADER_CRC    = 5'd4,   // gzip: FHCRC does not match
    GZIP_ERR_BLOCK_TYPE    = 5'd5,   // BTYPE 3
    GZIP_ERR_STORED_LEN    = 5'd6,   // NLEN is not the complement of LEN
    GZIP_ERR_CODE_COUNT    = 5'd7,   // HLIT above 286 or HDIST above 30 codes
    GZIP_ERR_CODELEN_CODE  = 5'd8,   // code of the code lengths oversubscribed or incomplete
    GZIP_ERR_REPEAT        = 5'd9,   // repeat without a length before, or beyond the last code
    GZIP_ERR_NO_END        = 5'd10,  // no code for end of block
    GZIP_ERR_LITLEN_CODE   = 5'd11,  // literal/length code oversubscribed or incomplete
    GZIP_ERR_DIST_CODE     = 5'd12,  // distance code oversubscribed or incomplete
    GZIP_ERR_LITLEN_SYMBOL = 5'd13,  // an unused or reserved literal/length code
    GZIP_ERR_DIST_SYMBOL   = 5'd14,  // an unused or reserved distance code
    GZIP_ERR_DISTANCE      = 5'd15,  // distance beyond the start of the data or the window
    GZIP_ERR_CHECKSUM      = 5'd16,  // CRC-32 or Adler-32
    GZIP_ERR_SIZE          = 5'd17,  // ISIZE
    GZIP_ERR_TRUNCATED     = 5'd18   // input ends within the stream
  } gzip_error_e;

  // Length symbols (3.2.5), counted from 257: extra bits, and the smallest length minus 3.
  function automatic logic [2:0] length_extra(input logic [4:0] sym);
    return sym < 5'd8 || sym >= 5'd28 ? 3'd0 : sym[4:2] - 3'd1;
  endfunction
  function automatic logic [7:0] length_base(input logic [4:0] sym);
    if (sym >= 5'd28) return 8'd255;
    if (sym < 5'd8) return {3'd0, sym};
    return {5'd0, 1'b1, sym[1:0]} << (sym[4:2] - 3'd1);
  endfunction

  // Distance symbols (3.2.5): extra bits, and the smallest distance minus 1.
  function automatic logic [3:0] dist_extra(input logic [4:0] sym);
    return sym < 5'd2 ? 4'd0 : sym[4:1] - 4'd1;
  endfunction
  function automatic logic [14:0] dist_base(input logic [4:0] sym);
    if (sym < 5'd2) return {10'd0, sym};
    return {13'd0, 1'b1, sym[0]} << (sym[4:1] - 4'd1);
  endfunction

  // Order in which the lengths of the code for code lengths are sent (3.2.7), [0] first.
  localparam logic [18:0][4:0] CODELEN_ORDER = {
    5'd15,
    5'd1,
    5'd14,
    5'd2,
    5'd13,
    5'd3,
    5'd12,
    5'd4,
    5'd11,
    5'd5,
    5'd10,
    5'd6,
    5'd9,
    5'd7,
    5'd8,
    5'd0,
    5'd18,
    5'd17,
    5'd16
  };

  // Code lengths of the fixed code (3.2.6).
  function automatic logic [3:0] fixed_litlen_bits(input logic [8:0] sym);
    return sym < 9'd144 ? 4'd8 : sym < 9'd256 ? 4'd9 : sym < 9'd280 ? 4'd7 : 4'd8;
  endfunction

  // Symbol of a length minus 3, counted from 257.
  function automatic logic [4:0] length_symbol(input logic [7:0] len3);
    logic [4:0] sym;
    sym = {2'b0, len3[2:0]};  // up to 7 each length has its own
    for (int k = 3; k < 8; k++) begin
      if (len3[k]) sym = {3'(k - 1), 2'(len3 >> (k - 2))};
    end
    return &len3 ? 5'd28 : sym;
  endfunction

  // Symbol of a distance minus 1.
  function automatic logic [4:0] dist_symbol(input logic [14:0] dist1);
    logic [4:0] sym;
    sym = {4'b0, dist1[0]};
    for (int k = 1; k < 15; k++) begin
      if (dist1[k]) sym = {4'(k), 1'(dist1 >> (k - 1))};
    end
    return sym;
  endfunction
endpackage
