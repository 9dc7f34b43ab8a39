// SPDX-License-Identifier: Apache-2.0
//
// Preamble and the CRC-32 matrix of the Ethernet MACs (IEEE 802.3 clauses 3.2.1, 3.2.2, 3.2.9).
package kumi_mac_pkg;

  localparam logic [7:0] PREAMBLE = 8'h55;
  localparam logic [7:0] SFD = 8'hD5;

  // ---- CRC-32 of 802.3, reflected: bit 0 of a byte goes in first --------------------------------
  localparam logic [31:0] CRC_POLY = 32'hEDB8_8320;
  localparam logic [31:0] CRC_INIT = 32'hFFFF_FFFF;
  localparam logic [31:0] CRC_RESIDUE = 32'hDEBB_20E3;  // state after data and its own FCS

  typedef logic [31:0][63:0] crc_matrix_t;

  // State after `bits` zero bits; negative runs backwards.
  function automatic logic [31:0] crc_zeros(input logic [31:0] state, input int bits);
    logic [31:0] s;
    s = state;
    for (int i = 0; i < bits; i++) s = s[0] ? (s >> 1) ^ CRC_POLY : s >> 1;
    for (int i = 0; i < -bits; i++) s = s[31] ? ((s ^ CRC_POLY) << 1) | 32'h1 : s << 1;
    return s;
  endfunction

  // Row i: which bits of a 64-bit word reach bit i of the state, from state zero.
  function automatic crc_matrix_t crc_matrix();
    logic [31:0] column;
    crc_matrix_t m;
    column = CRC_POLY;
    for (int c = 63; c >= 0; c--) begin
      for (int r = 0; r < 32; r++) m[r][c] = column[r];
      column = crc_zeros(column, 1);
    end
    return m;
  endfunction

  localparam crc_matrix_t CRC_MATRIX = crc_matrix();

  // State after eight bytes whose first four have the old state folded in by exclusive or.
  function automatic logic [31:0] crc_fold64(input logic [63:0] word);
    logic [31:0] s;
    for (int r = 0; r < 32; r++) s[r] = ^(word & CRC_MATRIX[r]);
    return s;
  endfunction

  // Rows of the matrix that takes back 8*k zero bits.
  typedef logic [31:0][31:0] crc_back_t;

  function automatic crc_back_t crc_back_matrix(input int k);
    logic [31:0] column;
    crc_back_t m;
    for (int c = 0; c < 32; c++) begin
      column = crc_zeros(32'h1 << c, -8 * k);
      for (int r = 0; r < 32; r++) m[r][c] = column[r];
    end
    return m;
  endfunction

  localparam crc_back_t CRC_BACK_1 = crc_back_matrix(1);
  localparam crc_back_t CRC_BACK_2 = crc_back_matrix(2);
  localparam crc_back_t CRC_BACK_3 = crc_back_matrix(3);

  // FCS of a frame whose last byte is in lane n - 1 (modulo 4), each byte in its lane, from the
  // state after zeros have filled the group of four lanes.
  function automatic logic [31:0] crc_fcs_lanes(input logic [31:0] state, input logic [1:0] n);
    logic [31:0] s;
    for (int j = 0; j < 4; j++) begin
      for (int b = 0; b < 8; b++) begin
        unique case (n)
          2'd0: s[8*j+b] = ~state[8*j+b];
          2'd1: s[8*j+b] = ~^(state & CRC_BACK_3[8*((j+3)%4)+b]);
          2'd2: s[8*j+b] = ~^(state & CRC_BACK_2[8*((j+2)%4)+b]);
          default: s[8*j+b] = ~^(state & CRC_BACK_1[8*((j+1)%4)+b]);
        endcase
      end
    end
    return s;
  endfunction

  // State after one byte.
  function automatic logic [31:0] crc_byte(input logic [31:0] state, input logic [7:0] data);
    logic [31:0] s;
    for (int r = 0; r < 32; r++) begin
      s[r] = ^({state[7:0] ^ data, 56'h0} & CRC_MATRIX[r]) ^ ((r < 24) ? state[(r+8)%32] : 1'b0);
    end
    return s;
  endfunction

endpackage
