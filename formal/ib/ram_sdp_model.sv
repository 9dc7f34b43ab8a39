// SPDX-License-Identifier: Apache-2.0
//
// Stand-in of kumi_ram_sdp for a proof that looks into its contents: registers
// instead of a memory, whatever RDW and STYLE say. A read returns the old word.
module kumi_ram_sdp #(
    parameter int W     = 32,
    parameter int DEPTH = 16,
    parameter int RDW   = 1,
    parameter int STYLE = 2
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
  logic [DEPTH-1:0][W-1:0] mem;
  always_ff @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    if (rd_en) rd_data <= mem[rd_addr];
  end
endmodule
