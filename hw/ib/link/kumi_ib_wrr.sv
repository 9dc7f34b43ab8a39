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
//   made; charge, in the cycle behind a pick and with no pick: the blocks of the packet chosen.
module kumi_ib_wrr
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
    input  logic                         pick,
    input  logic                         charge,
    input  logic          [ BLOCK_W-1:0] charge_blocks
);
  localparam int IDX_W = $clog2(ENTRIES);

  logic [ENTRIES-1:0] eligible, later, first, chosen, past_q;  // past_q: behind at_q
  logic [IDX_W-1:0] at_q, index;
  logic [7:0] left_q, weight, left;
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
  assign stay = eligible[at_q] && left_q != '0;
  assign first = |later ? later & (~later + 1'b1) : eligible & (~eligible + 1'b1);
  assign chosen = stay ? ENTRIES'(1) << at_q : first;

  always_comb begin
    index  = '0;
    vl     = '0;
    weight = '0;
    for (int i = 0; i < ENTRIES; i++) begin
      if (chosen[i]) begin
        index  = index | IDX_W'(i);
        vl     = vl | entries[i].vl;
        weight = weight | entries[i].weight;
      end
    end
    left = stay ? left_q : weight;
  end

  always_ff @(posedge clk) begin
    if (pick) begin
      at_q   <= index;
      past_q <= ~(chosen | (chosen - 1'b1));
      left_q <= left;
    end
    if (charge) left_q <= left_q > 8'(charge_blocks) ? left_q - 8'(charge_blocks) : '0;
    if (rst) begin
      at_q   <= '0;
      past_q <= ~ENTRIES'(1);
      left_q <= '0;
    end
  end
endmodule
