// SPDX-License-Identifier: Apache-2.0
//
// Small table of the transport: one writer, one reader, rd_data one cycle after rd_addr. A read in
// the cycle of a write to the same place gives the old content. A table with several readers is
// several of these with the same writes.
module kumi_eth_rtp_ram #(
    parameter int W     = 32,  // bits of an entry
    parameter int DEPTH = 64   // entries
) (
    input  logic                     clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic [            W-1:0] rd_data
);
  logic [W-1:0] mem[DEPTH];

  always_ff @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    rd_data <= mem[rd_addr];
  end
endmodule
