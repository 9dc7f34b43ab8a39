// SPDX-License-Identifier: Apache-2.0
//
// Accumulator memory of one result of kumi_parity_engine: XORs words into the stored ones.
//
// add_*: starts an addition of `value`, supplied one cycle later, to the word at `at`; with `first`
//   the word is replaced. Read in the first cycle, added in the second, written in the third; the
//   same word may recur from the fourth cycle on.
// show_*: the word at `at`, one cycle after show_en, until the next show_en. Not together with
//   add_en, nor for a word with an addition in progress.
module kumi_xor_accumulator #(
    parameter int DATA_W = 64,  // bits of a word
    parameter int DEPTH  = 16   // words, a power of two
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic [$clog2(DEPTH)-1:0] at,
    input  logic                     add_en,
    input  logic                     first,
    input  logic [       DATA_W-1:0] value,
    input  logic                     show_en,
    output logic [       DATA_W-1:0] show
);
  logic [$clog2(DEPTH)-1:0] at_q, write_at_q;
  logic [DATA_W-1:0] sum_q;
  logic add_q, first_q, write_q;

  kumi_ram_sdp #(
      .W(DATA_W),
      .DEPTH(DEPTH)
  ) u_ram (
      .clk,
      .wr_en  (write_q),
      .wr_addr(write_at_q),
      .wr_data(sum_q),
      .rd_en  (add_en || show_en),
      .rd_addr(at),
      .rd_data(show)
  );

  always_ff @(posedge clk) begin
    at_q       <= at;
    add_q      <= add_en && !rst;
    first_q    <= first;
    write_at_q <= at_q;
    write_q    <= add_q && !rst;
    sum_q      <= value ^ (show & {DATA_W{!first_q}});
  end
endmodule
