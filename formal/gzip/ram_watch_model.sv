// SPDX-License-Identifier: Apache-2.0
//
// Stand-in of kumi_ram_sdp for proofs: the same memory, whose read returns the old word, and a view
// of one of its words, `word` at `watch`, any address that never changes.
module kumi_ram_sdp #(
    parameter int W     = 32,
    parameter int DEPTH = 16,
    parameter int RDW   = 0,
    parameter int STYLE = -1
) (
    input  logic                     clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic                     rd_en,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic [            W-1:0] rd_data
);
  if (RDW < 0 || STYLE < -1) begin : gen_check
    $fatal(0, "RDW and STYLE are those of kumi_ram_sdp (%m)");
  end
  logic [W-1:0] mem[DEPTH];
  logic [W-1:0] word;
  logic [$clog2(DEPTH)-1:0] watch;
  always_ff @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    if (rd_en) rd_data <= mem[rd_addr];
    watch <= watch;
  end
  assign word = mem[watch];
endmodule
