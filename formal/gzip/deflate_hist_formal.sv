// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_hist: for any pauses of the slots and any time at which a bank is read
// and given back, a bank that is reported holds how often each symbol occurs in its segment, no
// slot of another segment is counted in it, and segments take the banks in turn.
//
// One symbol of each alphabet and bank is watched, any. Assumed: a bank is given back when it has
// been reported and its counts are zero; only a reported bank is zeroed. Counts of 4 bits; the
// memory is replaced by one entry of it (its forwarding is tested, not proved).
`include "kumi_assert.svh"
module deflate_hist_formal
  import kumi_deflate_pkg::*;
(
    input logic                clk,
    input logic                rst,
    input deflate_slot_t       slot,
    input logic                valid,
    input logic          [1:0] release_bank,
    input logic                rd_bank,
    input logic          [8:0] rd_sym,
    input logic                clear_lit,
    input logic                clear_dist
);
  logic s_ready;
  logic [1:0] done;
  logic [3:0] rd_lit, rd_dist;
  kumi_deflate_hist #(
      .COUNT_W(4)
  ) u_dut (
      .clk,
      .rst,
      .s_slot(slot),
      .s_valid(valid),
      .s_ready,
      .done,
      .release_bank,
      .rd_bank,
      .rd_sym,
      .rd_clear_lit(clear_lit),
      .rd_clear_dist(clear_dist),
      .rd_lit,
      .rd_dist
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // Segments, numbered modulo 4; bank b is that of numbers of its parity.
  logic taken;
  logic [1:0] begun_q;
  assign taken = valid && s_ready;
  always_ff @(posedge clk) begin
    begun_q <= rst ? '0 : begun_q + 2'(taken && slot.last);
  end

  logic [8:0] lit_sym;
  logic [4:0] dist_sym;
  logic is_lit, is_dist;
  assign is_lit = slot.kind == SLOT_LITERAL || slot.kind == SLOT_MATCH;
  assign is_dist = slot.kind == SLOT_MATCH;
  assign lit_sym = slot.kind == SLOT_LITERAL ? {1'b0, slot.data}
      : 9'd257 + 9'(kumi_gzip_pkg::length_symbol(
      slot.len3
  ));
  assign dist_sym = kumi_gzip_pkg::dist_symbol(slot.dist1);
  `KUMI_ASSERT(i_bank, u_dut.bank_q == begun_q[0])
  `KUMI_ASSERT(i_ends, !(u_dut.end_q && u_dut.end_op_q && u_dut.bank_1_q == u_dut.bank_2_q))

  for (genvar b = 0; b < 2; b++) begin : gen_bank
    // Counted where a slot is taken, and on the way to the memory.
    logic [3:0] lit_q, dist_q, lit_way, dist_way, lit_there, dist_there;
    logic ending;  // the end of its segment is on the way
    always_ff @(posedge clk) begin
      if (taken && u_dut.bank_q == 1'(b)) begin
        if (is_lit && lit_sym == u_dut.gen_bank[b].u_lit.watch) lit_q <= lit_q + 1'b1;
        if (is_dist && dist_sym == u_dut.gen_bank[b].u_dist.watch) dist_q <= dist_q + 1'b1;
      end
      if (rst || release_bank[b]) begin
        lit_q  <= '0;
        dist_q <= '0;
      end
    end
    always_comb begin
      lit_there = u_dut.gen_bank[b].u_lit.entry;
      dist_there = u_dut.gen_bank[b].u_dist.entry;
      lit_way = 4'(u_dut.lit_on_q && u_dut.bank_1_q == 1'(b)
                   && u_dut.lit_q == u_dut.gen_bank[b].u_lit.watch)
          + 4'(u_dut.lit_op_q && u_dut.bank_2_q == 1'(b)
               && u_dut.gen_bank[b].u_lit.at_q == u_dut.gen_bank[b].u_lit.watch);
      dist_way = 4'(u_dut.dist_on_q && u_dut.bank_1_q == 1'(b)
                    && u_dut.dist_q == u_dut.gen_bank[b].u_dist.watch)
          + 4'(u_dut.dist_op_q && u_dut.bank_2_q == 1'(b)
               && u_dut.gen_bank[b].u_dist.at_q == u_dut.gen_bank[b].u_dist.watch);
      ending = (u_dut.end_q && u_dut.bank_1_q == 1'(b))
          || (u_dut.end_op_q && u_dut.bank_2_q == 1'(b));
    end
    // Given back when it is zero, and zeroed only when it is reported.
    logic fresh_q;  // nothing has been zeroed since it was reported
    always_ff @(posedge clk) begin
      fresh_q <= !done[b] || (fresh_q && !((clear_lit || clear_dist) && rd_bank == 1'(b)));
    end
    always_comb
      assume (!release_bank[b] || (done[b] && lit_there == '0 && dist_there == '0
                        && !((clear_lit || clear_dist) && rd_bank == 1'(b))));
    `KUMI_ASSERT(i_busy, u_dut.busy_q[b] == (done[b] || ending))
    `KUMI_ASSERT(i_closed,
                 !done[b] || (lit_way == '0 && dist_way == '0 && !ending
                 && !((u_dut.lit_op_q || u_dut.dist_op_q) && u_dut.bank_2_q == 1'(b))
                 && !((u_dut.lit_on_q || u_dut.dist_on_q) && u_dut.bank_1_q == 1'(b))))
    `KUMI_ASSERT(i_lit, done[b] || lit_there + lit_way == lit_q)
    `KUMI_ASSERT(i_dist, done[b] || dist_there + dist_way == dist_q)
    `KUMI_ASSERT(i_one_end,
                 !(u_dut.end_op_q && u_dut.bank_2_q == 1'(b))
                 || !((u_dut.lit_on_q || u_dut.dist_on_q || u_dut.end_q)
                      && u_dut.bank_1_q == 1'(b)))
    `KUMI_ASSERT(i_next, !ending || u_dut.bank_q != 1'(b) || u_dut.busy_q[b])

    `KUMI_ASSERT(a_lit, !(done[b] && fresh_q) || lit_there == lit_q)
    `KUMI_ASSERT(a_dist, !(done[b] && fresh_q) || dist_there == dist_q)
    `KUMI_COVER(c_done, done[b] && fresh_q && lit_q == 4'd3 && dist_q == 4'd1)
  end
endmodule
