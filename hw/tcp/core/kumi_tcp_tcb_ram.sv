// SPDX-License-Identifier: Apache-2.0
//
// One entry a session: one writer, one reader. rd_data follows rd_addr by one cycle and stays until
// the next rd_en. A read in the cycle of a write to the same entry gives the old content.
module kumi_tcp_tcb_ram #(
    parameter int W     = 32,  // bits of an entry
    parameter int DEPTH = 64   // entries, a power of two
) (
    input  logic                     clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic                     rd_en,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic [            W-1:0] rd_data
);
  (* no_rw_check *) logic [W-1:0] mem[DEPTH];

  always_ff @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    if (rd_en) rd_data <= mem[rd_addr];
  end
endmodule
