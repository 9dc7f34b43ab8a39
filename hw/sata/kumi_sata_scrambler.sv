// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA scrambler, x^16 + x^15 + x^13 + x^4 + 1, 32 bits per step; additive, so it also
// descrambles.
//
// word: to be XORed with the current word. init loads the state of the first word of a frame, en
//   advances by a word; init takes precedence.
module kumi_sata_scrambler
  import kumi_sata_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        init,
    input  logic        en,
    output logic [31:0] word
);
  localparam scr_rows_t ROWS = scr_rows();

  logic [15:0] state_q, state_next;

  for (genvar i = 0; i < 32; i++) begin : gen_word
    assign word[i] = ^(state_q & ROWS[i]);
  end
  for (genvar i = 0; i < 16; i++) begin : gen_state
    assign state_next[i] = ^(state_q & ROWS[32+i]);
  end

  always_ff @(posedge clk) begin
    if (en) state_q <= state_next;
    if (rst || init) state_q <= SCR_INIT;
  end
endmodule
