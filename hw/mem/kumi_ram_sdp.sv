// SPDX-License-Identifier: Apache-2.0
//
// Memory of records, a word an entry: one write and one registered read a cycle.
//
// wr_*: written on a clk edge with wr_en high. rd_data: the word at rd_addr on the last edge with
//   rd_en high. A word that is written on the edge that reads it reads as anything: the user passes
//   such a write on to itself.
// LUT RAM up to 64 words, so that what follows the read has the whole cycle; block RAM above.
// Content is arbitrary at first.
module kumi_ram_sdp #(
    parameter int W     = 32,  // bits of a word
    parameter int DEPTH = 16   // words, a power of two, 2 or more
) (
    input  logic                     clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic                     rd_en,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic [            W-1:0] rd_data
);
  if (DEPTH <= 64) begin : gen_lut
    (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
    end
    always_ff @(posedge clk) begin
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end else begin : gen_block
    (* ram_style = "block", no_rw_check *) logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
    end
    always_ff @(posedge clk) begin
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end
endmodule
