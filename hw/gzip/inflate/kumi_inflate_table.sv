// SPDX-License-Identifier: Apache-2.0
//
// Decoding table: a memory with two read ports, one of which also writes.
//
// a_*, b_*: the word at the address on the last clk edge with en high. wr_en: wr_data goes to
//   a_addr instead; b_data is then undefined for the next cycle if it reads the same word.
// Latency 1 cycle, a read of each port every cycle. Contents are undefined at first.
module kumi_inflate_table #(
    parameter int W      = 12,  // bits of a word
    parameter int ADDR_W = 10
) (
    input  logic              clk,
    input  logic              en,
    input  logic              wr_en,
    input  logic [     W-1:0] wr_data,
    input  logic [ADDR_W-1:0] a_addr,
    output logic [     W-1:0] a_data,
    input  logic [ADDR_W-1:0] b_addr,
    output logic [     W-1:0] b_data
);
  (* ram_style = "block", no_rw_check *) logic [W-1:0] mem[2**ADDR_W];

  always_ff @(posedge clk) begin
    if (wr_en) mem[a_addr] <= wr_data;
    if (en) a_data <= mem[a_addr];
  end

  always_ff @(posedge clk) begin
    if (en) b_data <= mem[b_addr];
  end
endmodule
