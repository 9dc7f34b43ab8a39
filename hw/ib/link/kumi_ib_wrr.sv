// SPDX-License-Identifier: Apache-2.0
//
// Weighted round-robin over a table of virtual lanes: one of the two tables of VL arbitration (IBTA
// volume 1, clause 7.6.9.2).
//
// Each entry has a weight in blocks of 64 bytes. It is served until its packets have used up the
// weight (the last one may go beyond) or its lane has nothing to send, then the next entry that
// has. An entry whose lane always has a packet waits for at most the weights of the other entries,
// in packets. Entries of weight zero or of a lane that does not exist are skipped.
// req: lanes with a packet that may go. any, vl: the choice, combinational. pick: the choice is
//   made; charge, in a cycle behind it and with no pick: blocks of a packet chosen. left: blocks
//   that the entry may still send, from the cycle behind the pick on.
module kumi_ib_wrr
  import kumi_ib_link_pkg::above_first;
  import kumi_ib_link_pkg::FIRST_W;
  import kumi_ib_link_pkg::vl_arb_entry_t;
#(
    parameter int DATA_VLS = 4,
    parameter int ENTRIES  = 8,
    parameter int BLOCK_W  = 7
) (
    input  logic                         clk,
    input  logic                         rst,
    input  vl_arb_entry_t [ ENTRIES-1:0] entries,
    input  logic          [DATA_VLS-1:0] req,
    output logic                         any,
    output logic          [         3:0] vl,
    output logic          [         7:0] left,
    input  logic                         pick,
    input  logic                         charge,
    input  logic          [ BLOCK_W-1:0] charge_blocks
);
  logic [ENTRIES-1:0] eligible, later, first, above;  // above: behind `first`
  logic [ENTRIES-1:0] at_q, past_q;  // the entry in service, and those behind it
  logic [3:0] at_vl, first_vl;
  logic [7:0] left_q, weight;
  logic stay;

  always_comb begin
    logic [15:0] lanes;
    lanes = 16'(req);
    for (int i = 0; i < ENTRIES; i++) begin
      eligible[i] = entries[i].weight != '0 && lanes[entries[i].vl];
    end
  end

  assign later = eligible & past_q;
  assign any = eligible != '0;
  assign stay = (eligible & at_q) != '0 && left_q != '0;
  // The next one behind, else the first of all.
  assign above = ENTRIES'(above_first(FIRST_W'(|later ? later : eligible)));
  assign first = (|later ? later : eligible) & ~above;
  assign left = left_q;
  assign vl = stay ? at_vl : first_vl;

  always_comb begin
    at_vl    = '0;
    first_vl = '0;
    weight   = '0;
    for (int i = 0; i < ENTRIES; i++) begin
      if (at_q[i]) at_vl = at_vl | entries[i].vl;
      if (first[i]) begin
        first_vl = first_vl | entries[i].vl;
        weight   = weight | entries[i].weight;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (pick && !stay) begin
      at_q   <= first;
      past_q <= above;
      left_q <= weight;
    end
    if (charge) left_q <= left_q > 8'(charge_blocks) ? left_q - 8'(charge_blocks) : '0;
    if (rst) begin
      at_q   <= ENTRIES'(1);
      past_q <= ~ENTRIES'(1);
      left_q <= '0;
    end
  end
endmodule
