// SPDX-License-Identifier: Apache-2.0
//
// Slot table of a circuit switch, two banks: what an output takes, or an input does, at each
// position.
//
// Switch side: entry is that of {bank, pos} two cycles before.
// Software side: wr writes wr_data to {sw_bank, sw_pos}; sw_data is the entry at that address one
//   cycle later (the old one in the cycle of a write). After reset the owner writes zeros to all
//   entries; until then their contents are undefined. One block memory with a read port and a
//   read/write port.
module kumi_stdm_slot_table #(
    parameter int W     = 13,  // bits of an entry
    parameter int POS_W = 9    // bits of a position
) (
    input  logic             clk,
    input  logic             bank,
    input  logic [POS_W-1:0] pos,
    output logic [    W-1:0] entry,
    input  logic             wr,
    input  logic             sw_bank,
    input  logic [POS_W-1:0] sw_pos,
    input  logic [    W-1:0] wr_data,
    output logic [    W-1:0] sw_data
);
  (* ram_style = "block", no_rw_check *)logic [W-1:0] mem    [2**(POS_W+1)];
  logic [W-1:0] read_q;

  always_ff @(posedge clk) begin
    read_q <= mem[{bank, pos}];
    entry  <= read_q;
  end

  always_ff @(posedge clk) begin
    if (wr) mem[{sw_bank, sw_pos}] <= wr_data;
    sw_data <= mem[{sw_bank, sw_pos}];
  end
endmodule
