// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ib_wrr: an entry whose lane always has a packet is served after at most as many
// packets of others as their weights add up to, and the choice is always a lane that asks.
//
// Any entry is watched; weights are any up to 3 (so that the bound is reached in a short run),
// packets 1 to 3 blocks; each entry has a lane of its own. The potential, what may still be served
// before the watched entry, makes it inductive.
`include "kumi_assert.svh"
module ib_wrr_formal
  import kumi_ib_link_pkg::vl_arb_entry_t;
#(
    parameter int ENTRIES = 4
) (
    input logic               clk,
    input logic               rst,
    input logic [ENTRIES-1:0] req,
    input logic               take,
    input logic [        2:0] blocks
);
  localparam int IDX_W = $clog2(ENTRIES);

  vl_arb_entry_t [ENTRIES-1:0] entries;
  logic [ENTRIES-1:0][1:0] weight;  // never driven but by itself: any constant
  logic [IDX_W-1:0] who;
  always_ff @(posedge clk) begin
    weight <= weight;
    who    <= who;
  end
  for (genvar i = 0; i < ENTRIES; i++) begin : gen_entry
    assign entries[i].vl = 4'(i);
    assign entries[i].weight = 8'(weight[i]);
  end

  logic any, pick, charge_q;
  assign pick = take && any && !charge_q;
  always_ff @(posedge clk) charge_q <= pick && !rst;

  logic [3:0] vl;
  logic [7:0] left;
  kumi_ib_wrr #(
      .DATA_VLS(ENTRIES),
      .ENTRIES (ENTRIES)
  ) u_dut (
      .clk,
      .rst,
      .entries,
      .req,
      .any,
      .vl,
      .left,
      .pick,
      .charge(charge_q),
      .charge_blocks(7'(blocks))
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb begin
    assume (started_q ? !rst : rst);
    assume (blocks != '0 && blocks <= 3'd3);
    assume (32'(who) < ENTRIES);
    assume (weight[who] != '0);
  end

  logic [4:0] seen_q, bound, potential;
  logic [IDX_W-1:0] at;
  always_comb begin
    at = '0;
    for (int i = 0; i < ENTRIES; i++) begin
      if (u_dut.at_q[i]) at |= IDX_W'(i);
    end
  end

  always_ff @(posedge clk) begin
    if (rst || !req[who] || (pick && vl == 4'(who))) seen_q <= '0;
    else if (pick) seen_q <= seen_q + 1'b1;
  end

  always_comb begin
    logic [IDX_W-1:0] gap, place;
    bound = '0;
    potential = at == who ? '0 : 5'(left) - 5'(charge_q);
    gap = who - at;  // entries is a power of two: the distance around the table
    for (int i = 0; i < ENTRIES; i++) begin
      place = IDX_W'(i) - at;
      if (i != 32'(who)) begin
        bound = bound + 5'(weight[i]);
        // Behind the present entry and before the watched one.
        if (at == who ? left == '0 : place != '0 && place < gap) begin
          potential = potential + 5'(weight[i]);
        end
      end
    end
  end

  `KUMI_ASSERT(a_bounded, seen_q <= bound)
  `KUMI_ASSERT(a_asked, !any || req[vl[IDX_W-1:0]])
  `KUMI_ASSERT(a_busy, any || !req[who])
  `KUMI_ASSERT(i_one, u_dut.at_q == ENTRIES'(1) << at)
  `KUMI_ASSERT(i_past, u_dut.past_q == ENTRIES'(~((1 << (32'(at) + 1)) - 1)))
  `KUMI_ASSERT(i_charged, !charge_q || left != '0)
  `KUMI_ASSERT(i_served, at != who || seen_q == '0)
  `KUMI_ASSERT(i_left, left <= 8'(weight[at]))
  `KUMI_ASSERT(i_potential, seen_q + potential <= bound)
  `KUMI_COVER(c_bound, bound >= 5'd6 && seen_q == bound && pick && vl == 4'(who))
endmodule
