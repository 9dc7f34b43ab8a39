// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of IEEE 802.3 over blocks of 8 bytes (byte 0 in [63:56]) and over the 3 bytes of a chunk
// trailer or message, as matrices, so that a block or a beat is one step.
package kumi_link_crc_pkg;

  localparam logic [31:0] POLY = 32'hedb8_8320;  // bit-reversed, low bit first on the wire
  localparam logic [31:0] START = 32'hffff_ffff;

  typedef logic [31:0][31:0] link_crc_matrix_t;  // [r]: the register bits whose parity is bit r

  // The register `n` zero bits later.
  function automatic logic [31:0] forward(input logic [31:0] start, input int n);
    logic [31:0] c;
    c = start;
    for (int i = 0; i < n; i++) c = (c >> 1) ^ (c[0] ? POLY : 32'd0);
    return c;
  endfunction

  function automatic link_crc_matrix_t zeros(input int n);
    link_crc_matrix_t m;
    logic [31:0] image;
    for (int c = 0; c < 32; c++) begin
      image = forward(32'd1 << c, n);
      for (int r = 0; r < 32; r++) m[r][c] = image[r];
    end
    return m;
  endfunction

  function automatic logic [31:0] product(input link_crc_matrix_t m, input logic [31:0] v);
    logic [31:0] y;
    for (int r = 0; r < 32; r++) y[r] = ^(m[r] & v);
    return y;
  endfunction

  // Rows of what one block adds when `after` blocks follow it.
  typedef logic [31:0][63:0] link_crc_rows_t;
  function automatic link_crc_rows_t block_rows(input int after);
    link_crc_rows_t rows;
    logic [31:0] c;
    rows = '0;
    c = forward(POLY, 64 * after);
    for (int t = 63; t >= 0; t--) begin  // bit t in the order of the wire's bytes, low bit first
      for (int r = 0; r < 32; r++) rows[r][56-8*(t/8)+(t%8)] = c[r];
      c = forward(c, 1);
    end
    return rows;
  endfunction

  // Three bytes more, [23:16] first, and the final inversion.
  localparam link_crc_matrix_t ZEROS_24 = zeros(24);
  function automatic logic [31:0] finish(input logic [31:0] state, input logic [23:0] info);
    logic [23:0] first_low;  // bits in the order of the wire
    logic [31:0] c;
    first_low = {info[7:0], info[15:8], info[23:16]};
    c = product(ZEROS_24, state ^ {8'h0, first_low});
    return ~c;
  endfunction

  // The CRC as it stands on the wire: low byte first.
  function automatic logic [31:0] wire_order(input logic [31:0] crc);
    return {crc[7:0], crc[15:8], crc[23:16], crc[31:24]};
  endfunction

endpackage
