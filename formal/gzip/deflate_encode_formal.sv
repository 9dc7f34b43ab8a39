// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_encode: for any pauses of the slots and any back-pressure of the words,
// the queue before the packer takes every code (so the pipeline before it never has to wait), each
// slot goes the way of its own block, in order, its codes are read when nobody writes that bank,
// and what is offered to the packer stays until it is taken, a match's two codes in turn. What the
// packer makes of them is proved in deflate_pack, the queue in stream/fifo.
//
// Assumed, as deflate_build proves: a block begins while at most one is pending; a bank is written
// while no block of it was pending in the two cycles before, and none begins meanwhile.
`include "kumi_assert.svh"
module deflate_encode_formal
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
(
    input logic                clk,
    input logic                rst,
    input logic                go,
    input logic          [1:0] kind,
    input logic                code_lit,
    input logic                code_dist,
    input logic                code_bank,
    input logic          [8:0] code_at,
    input deflate_code_t       code_data,
    input deflate_slot_t       slot,
    input logic                valid,
    input logic                ready,
    input logic                pick
);
  logic [1:0] pending;
  logic s_ready, m_valid;
  deflate_word_t word;
  kumi_deflate_encode u_dut (
      .clk,
      .rst,
      .go,
      .go_kind(gzip_block_e'(kind)),
      .pending,
      .code_lit,
      .code_dist,
      .code_bank,
      .code_at,
      .code_data,
      .s_slot (slot),
      .s_valid(valid),
      .s_ready,
      .m_word (word),
      .m_valid,
      .m_ready(ready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // Blocks, numbered modulo 4; bank b is used by blocks of that parity.
  logic taken, finish;
  logic [1:0] begun_q, ended_q, left;
  logic [1:0] used, used_q, used_2_q;  // banks of pending blocks, now and in the two cycles before
  assign taken  = valid && s_ready;
  assign finish = taken && slot.last;
  assign left   = begun_q - ended_q;
  always_comb begin
    used = '0;
    if (left != 2'd0) used[ended_q[0]] = 1'b1;
    if (left == 2'd2) used[!ended_q[0]] = 1'b1;
  end
  always_ff @(posedge clk) begin
    begun_q  <= rst ? '0 : begun_q + 2'(go);
    ended_q  <= rst ? '0 : ended_q + 2'(finish);
    used_q   <= rst ? '0 : used;
    used_2_q <= rst ? '0 : used_q;
  end
  logic writes;
  assign writes = code_lit || code_dist;
  always_comb assume (!go || (pending < 2'd2 && !writes));
  always_comb assume (!writes || !(used[code_bank] || used_q[code_bank] || used_2_q[code_bank]));

  // One block and its kind.
  logic picked_q;
  logic [1:0] number_q, kind_q;
  always_ff @(posedge clk) begin
    if (!picked_q && go && pick) begin
      picked_q <= 1'b1;
      number_q <= begun_q;
      kind_q   <= kind;
    end
    if (picked_q && finish && ended_q == number_q) picked_q <= 1'b0;
    if (rst) picked_q <= 1'b0;
  end

  logic [4:0] flight;
  assign flight = 5'(u_dut.valid_q[0]) + 5'(u_dut.valid_q[1]) + 5'(u_dut.token_valid_q);
  `KUMI_ASSERT(i_pending, pending == left && left <= 2'd2)
  `KUMI_ASSERT(i_banks, u_dut.put_q == begun_q[0] && u_dut.bank_q == ended_q[0])
  `KUMI_ASSERT(i_picked, !picked_q || 2'(number_q - ended_q) < left)
  `KUMI_ASSERT(i_kind, !picked_q || u_dut.kind_q[number_q[0]] == gzip_block_e'(kind_q))
  `KUMI_ASSERT(i_room, 6'(u_dut.depth) + 6'(flight) <= 6'd11)

  // What is proved.
  `KUMI_ASSERT(a_queue, !u_dut.token_valid_q || u_dut.unused_ready)
  `KUMI_ASSERT(
      a_kind,
      !taken || !picked_q || ended_q != number_q || u_dut.stored == (kind_q == 2'(BLOCK_STORED)))
  // A slot's codes are read in the cycle after it was taken.
  `KUMI_ASSERT(a_literal, !(u_dut.valid_q[0] && code_lit) || u_dut.lit_at_q[9] != code_bank)
  `KUMI_ASSERT(a_distance, !(u_dut.valid_q[0] && code_dist) || u_dut.dist_at_q[5] != code_bank)
  logic held_q, wait_q, half_q;
  always_ff @(posedge clk) begin
    held_q <= !rst && m_valid && !ready;
    wait_q <= !rst && u_dut.token_valid && !u_dut.pack_ready;
    half_q <= !rst && u_dut.token_valid && u_dut.pack_ready && u_dut.split;
  end
  `KUMI_ASSERT(a_offer, !wait_q || (u_dut.token_valid && $stable(u_dut.token) && $stable
               (u_dut.second_q)))
  `KUMI_ASSERT(a_second, !half_q || (u_dut.token_valid && u_dut.second_q && $stable(u_dut.token)))
  `KUMI_ASSERT(i_second, !u_dut.second_q || (u_dut.token_valid && u_dut.token.match))
  `KUMI_ASSERT(a_stable, !held_q || (m_valid && $stable(word)))

  `KUMI_COVER(c_full, u_dut.depth == 5'd10)
  `KUMI_COVER(c_two, pending == 2'd2 && m_valid && word.last && ready)
endmodule
