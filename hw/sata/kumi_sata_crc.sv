// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of Serial ATA over 32-bit words: polynomial 0x04C11DB7, initial value 0x52325032, MSB
// first, no final inversion.
//
// crc: over the words so far; zero after a frame that includes its own CRC. init starts a frame, en
//   adds a word; init takes precedence.
module kumi_sata_crc
  import kumi_sata_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        init,
    input  logic        en,
    input  logic [31:0] data,
    output logic [31:0] crc
);
  localparam crc_rows_t ROWS = crc_rows();

  logic [31:0] crc_q, sum, next;
  assign crc = crc_q;
  assign sum = crc_q ^ data;
  for (genvar i = 0; i < 32; i++) begin : gen_next
    assign next[i] = ^(sum & ROWS[i]);
  end

  always_ff @(posedge clk) begin
    if (en) crc_q <= next;
    if (rst || init) crc_q <= CRC_INIT;
  end
endmodule
