// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 register over the payload blocks of a chunk, one beat of 0 to LANES blocks per cycle.
//
// step, valid: a beat; `first` with the first of a chunk. state: the register two steps after its
//   beat; see kumi_link_crc_pkg for the final step.
// A partial beat is right-aligned so that zeros precede it: they contribute nothing.
module kumi_link_crc
  import kumi_link_crc_pkg::*;
#(
    parameter int LANES = 1
) (
    input  logic                   clk,
    input  logic                   step,
    input  logic                   flush,  // forget the beat between the two steps
    input  logic                   valid,
    input  logic                   first,
    input  logic [LANES-1:0][63:0] data,
    input  logic [      2:0]       count,
    output logic [     31:0]       state
);
  logic [LANES-1:0][63:0] moved;
  logic [31:0] part, part_q, so_far, result;
  logic valid_q, first_q;
  logic [2:0] count_q;

  always_comb begin
    moved = '0;
    for (int n = 1; n <= LANES; n++) begin
      if (count == 3'(n)) begin
        for (int b = 0; b < n; b++) moved[LANES-n+b] = data[b];
      end
    end
  end

  logic [LANES-1:0][31:0] parts;
  for (genvar b = 0; b < LANES; b++) begin : gen_part
    localparam link_crc_rows_t ROWS = block_rows(LANES - 1 - b);
    for (genvar r = 0; r < 32; r++) begin : gen_row
      assign parts[b][r] = ^(moved[b] & ROWS[r]);
    end
  end

  always_comb begin
    part = '0;
    for (int b = 0; b < LANES; b++) part ^= parts[b];
  end

  logic [LANES:0][31:0] ahead;
  assign so_far   = first_q ? START : state;
  assign ahead[0] = so_far;
  for (genvar n = 1; n <= LANES; n++) begin : gen_ahead
    localparam link_crc_matrix_t ZEROS = zeros(64 * n);
    assign ahead[n] = product(ZEROS, so_far);
  end

  always_comb begin
    result = so_far;
    for (int n = 1; n <= LANES; n++) if (count_q == 3'(n)) result = ahead[n] ^ part_q;
  end

  always_ff @(posedge clk) begin
    if (step) begin
      part_q  <= part;
      first_q <= first;
      count_q <= count;
      valid_q <= valid;
      if (valid_q) state <= result;
    end
    if (flush) valid_q <= 1'b0;
  end
endmodule
