// SPDX-License-Identifier: Apache-2.0
//
// Stands for kumi_link_crc_pkg in link_llr_formal: a sum that is always right, so that the solver
// need not undo parities. There a broken chunk is marked as such instead.
package kumi_link_crc_pkg;
  localparam logic [31:0] START = 32'd0;

  typedef logic [31:0][31:0] link_crc_matrix_t;
  typedef logic [31:0][63:0] link_crc_rows_t;

  function automatic link_crc_matrix_t zeros(input int n);
    return n < 0 ? '1 : '0;
  endfunction

  function automatic logic [31:0] product(input link_crc_matrix_t m, input logic [31:0] v);
    return m[0] & v;
  endfunction

  function automatic link_crc_rows_t block_rows(input int after);
    return after < 0 ? '1 : '0;
  endfunction

  function automatic logic [31:0] finish(input logic [31:0] state, input logic [23:0] info);
    return (state & 32'd0) | (32'(info) & 32'd0);
  endfunction

  function automatic logic [31:0] wire_order(input logic [31:0] crc);
    return crc;
  endfunction
endpackage
