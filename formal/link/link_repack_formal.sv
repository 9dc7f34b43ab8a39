// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_link_repack: blocks are conserved and in order, frames end where they ended, and
// the end of a frame waits for no further input.
//
// One block is picked when it goes in, with its place among all that are inside. When it comes out
// it must be unchanged, at its turn, and be the last of its frame if it came with `last` (HOLD = 0:
// exactly if). Assumed: the contract of kumi_link_if; size is constant, any of 1..LANES.
`include "kumi_assert.svh"
module link_repack_formal #(
    parameter int LANES       = 2,
    parameter bit HOLD        = 0,
    parameter int SPLIT_BEATS = 0
) (
    input logic                   clk,
    input logic                   rst,
    input logic [LANES-1:0][63:0] data,
    input logic [      2:0]       count,
    input logic                   last,
    input logic                   valid,
    input logic                   ready,
    input logic                   pick,
    input logic [      2:0]       pick_block,
    input logic [      2:0]       any_size
);
  kumi_link_if #(.LANES(LANES)) s ();
  kumi_link_if #(.LANES(LANES)) m ();
  logic m_split;
  logic [2:0] size_q;

  assign s.data  = data;
  assign s.count = count;
  assign s.last  = last;
  assign s.pad   = '0;
  assign s.bad   = 1'b0;
  assign s.valid = valid;
  assign m.ready = ready;

  kumi_link_repack #(
      .LANES(LANES),
      .HOLD(HOLD),
      .SPLIT_BEATS(SPLIT_BEATS),
      .SPLIT_BLOCKS(1)
  ) u_dut (
      .clk,
      .rst,
      .clear(1'b0),
      .size (size_q),
      .s,
      .m,
      .m_split
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    if (!started_q) size_q <= any_size;
  end
  always_comb assume (started_q || rst);
  always_comb assume (!started_q || (size_q >= 3'd1 && size_q <= 3'(LANES)));
  always_comb assume (SPLIT_BEATS == 0 || !started_q || size_q == 3'(LANES));

  // The source: beats of 1 to LANES blocks, with HOLD perhaps none on the last.
  always_comb assume (count <= 3'(LANES) && (count != '0 || (HOLD && last)));
  logic waiting_q;
  logic [LANES-1:0][63:0] data_q;
  logic [2:0] count_q;
  logic last_q;
  always_ff @(posedge clk) begin
    waiting_q <= !rst && s.valid && !s.ready;
    data_q    <= data;
    count_q   <= count;
    last_q    <= last;
  end
  always_comb
    assume (!started_q || !waiting_q
            || (valid && data == data_q && count == count_q && last == last_q));

  // ---- One block --------------------------------------------------------------------------------
  logic picked_q, ends_q;
  logic [63:0] word_q;
  logic [3:0] place_q, gone, blocks;  // blocks before it
  logic taken, leaves;

  assign taken  = s.valid && s.ready;
  assign gone   = m.valid && m.ready ? 4'(m.count) : '0;
  assign blocks = (m.valid ? 4'(m.count) : '0) + 4'(u_dut.left_q);
  assign leaves = picked_q && m.valid && m.ready && place_q < 4'(m.count);

  always_ff @(posedge clk) begin
    if (leaves) picked_q <= 1'b0;
    else if (picked_q) place_q <= place_q - gone;
    else if (taken && pick && pick_block < count) begin
      picked_q <= 1'b1;
      word_q   <= data[pick_block%LANES];
      ends_q   <= last && pick_block == count - 3'd1;
      place_q  <= blocks + 4'(pick_block) - gone;
    end
    if (rst) picked_q <= 1'b0;
  end

  logic in_out;
  logic [3:0] held_place;
  assign in_out     = m.valid && place_q < 4'(m.count);
  assign held_place = place_q - (m.valid ? 4'(m.count) : '0);

  logic last_held, last_out, counts_fit;
  assign last_held  = held_place + 4'd1 == 4'(u_dut.left_q);
  assign last_out   = place_q + 4'd1 == 4'(m.count);
  assign counts_fit = u_dut.left_q <= 3'(LANES) && (!m.valid || m.count - 3'd1 < 3'(LANES));

  // Invariants: where it is.
  `KUMI_ASSERT(i_counts, counts_fit)
  `KUMI_ASSERT(i_flush, !u_dut.flush_q || u_dut.left_q != '0)
  `KUMI_ASSERT(i_inside, !picked_q || place_q < blocks)
  `KUMI_ASSERT(i_held, !picked_q || in_out || u_dut.held_q[held_place[1:0]%LANES] == word_q)
  `KUMI_ASSERT(i_ends, !picked_q || in_out || !ends_q || (u_dut.flush_q && last_held))
  `KUMI_ASSERT(i_ends_only, !picked_q || in_out || HOLD || ends_q || !(u_dut.flush_q && last_held))

  // What is proved.
  `KUMI_ASSERT(a_word, !picked_q || !in_out || m.data[place_q[1:0]%LANES] == word_q)
  `KUMI_ASSERT(a_ends, !picked_q || !in_out || !ends_q || (m.last && last_out))
  `KUMI_ASSERT(a_ends_only, !picked_q || !in_out || HOLD || ends_q || !(m.last && last_out))
  `KUMI_ASSERT(a_full, !m.valid || m.last || m.count == (m_split ? 3'd1 : size_q))

  // The end of a frame that is held follows the beat that is on offer; it waits for nothing else.
  `KUMI_ASSERT(a_moves, !u_dut.flush_q || m.valid)

  `KUMI_COVER(c_left_over, leaves && ends_q && place_q != '0)
  `KUMI_COVER(c_back_to_back, leaves && ends_q && u_dut.left_q != '0)
endmodule
