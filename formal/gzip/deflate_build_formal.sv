// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_build: where it waits, and that nothing it has found changes there. It
// waits for a row and its counts, for the header before, for the lanes, and for the queue of
// blocks; in between it runs for as many cycles as the counts say. While it waits, no length, list,
// item or code is written and no result changes, but for the one entry of the first codes on which
// it rests (length 15 of an alphabet that has 7), so when it goes on makes no difference. A header
// is sent from items and codes that nobody writes meanwhile; and a bank of codes is written while
// no block of it is pending, as deflate_encode assumes.
//
// Any counts, any row, any pauses; one lane, whose blocks end at any time.
`include "kumi_assert.svh"
module deflate_build_formal
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
(
    input logic               clk,
    input logic               rst,
    input deflate_row_t       row,
    input logic               row_valid,
    input logic         [1:0] hist_done,
    input logic         [2:0] hist_lit,
    input logic         [2:0] hist_dist,
    input logic               finish,
    input logic               block_ready,
    input logic               ready
);
  // States of kumi_deflate_build, in order.
  typedef enum logic [3:0] {
    ST_IDLE,
    ST_LENGTHS,
    ST_WAIT,
    ST_RUNS,
    ST_COST,
    ST_SETTLE,
    ST_DECIDE,
    ST_FIRST,
    ST_CODES,
    ST_ISSUE
  } state_e;

  logic row_ready, hist_bank, clear_lit, clear_dist, code_lit, code_dist, code_bank;
  logic block_valid, go, m_valid, lanes_free_q;
  logic [1:0] release_bank;
  logic [8:0] hist_sym, code_at;
  deflate_code_t  code_data;
  deflate_block_t block;
  deflate_word_t  word;
  kumi_deflate_build #(
      .N(1),
      .COUNT_W(3)
  ) u_dut (
      .clk,
      .rst,
      .row,
      .row_valid,
      .row_ready,
      .hist_done,
      .hist_release(release_bank),
      .hist_bank,
      .hist_sym,
      .hist_clear_lit(clear_lit),
      .hist_clear_dist(clear_dist),
      .hist_lit,
      .hist_dist,
      .lanes_free(lanes_free_q),
      .code_lit,
      .code_dist,
      .code_bank,
      .code_at,
      .code_data,
      .block,
      .block_valid,
      .block_ready,
      .go,
      .m_word(word),
      .m_valid,
      .m_ready(ready)
  );

  logic [1:0] started_q = '0;  // reset: the first two cycles
  always_ff @(posedge clk) started_q <= {started_q[0], 1'b1};
  always_comb assume (rst == !started_q[1]);

  // What is offered stays.
  logic row_waits_q;
  deflate_row_t row_q;
  always_ff @(posedge clk) begin
    row_waits_q <= !rst && row_valid && !row_ready;
    row_q <= row;
  end
  always_comb assume (!rst || !row_valid);
  always_comb assume (!started_q[0] || !row_waits_q || (row_valid && row == row_q));

  // The lane: blocks begun and ended, modulo 4; bank b is used by those of that parity.
  logic [1:0] begun_q, ended_q, left, used, used_q, used_2_q;
  assign left = begun_q - ended_q;
  always_comb begin
    used = '0;
    if (left != 2'd0) used[ended_q[0]] = 1'b1;
    if (left == 2'd2) used[!ended_q[0]] = 1'b1;
  end
  always_ff @(posedge clk) begin
    begun_q <= rst ? '0 : begun_q + 2'(go);
    ended_q <= rst ? '0 : ended_q + 2'(finish);
    used_q <= rst ? '0 : used;
    used_2_q <= rst ? '0 : used_q;
    lanes_free_q <= !left[1] && !go;  // as kumi_deflate has it
    if (rst) lanes_free_q <= 1'b0;
  end
  always_comb assume (!finish || left != '0);

  // Waiting.
  state_e state;
  logic waits, waited_q, writes, pass;
  assign state = state_e'(u_dut.state_q);
  assign waits = (state == ST_IDLE && !(row_valid && u_dut.all_done))
      || (state == ST_WAIT && u_dut.head_busy)
      || (state == ST_FIRST && u_dut.step_q[5:0] == 6'd47 && !lanes_free_q)
      || (state == ST_ISSUE && !go);
  always_ff @(posedge clk) waited_q <= !rst && waits;
  assign writes = code_lit || code_dist;
  assign pass   = state == ST_LENGTHS;

  always_comb begin  // after the first cycle of reset
    if (started_q == 2'b01) assert (!u_dut.code_on_q && !u_dut.code_on_2_q && !u_dut.item_valid);
    if (started_q == 2'b01) assert (state == ST_IDLE && !u_dut.u_runs.active_q);
    assert (started_q != 2'b10);
  end
  `KUMI_ASSERT(i_state, state <= ST_ISSUE && u_dut.tree_q != 2'd3)
  `KUMI_ASSERT(
      i_lengths,
      pass || (u_dut.u_lengths.state_q == 3'd0 && !u_dut.len_start && !u_dut.u_lengths.issue_q))
  `KUMI_ASSERT(i_start, !u_dut.len_start || (u_dut.u_lengths.state_q == 3'd0 && !u_dut.len_done))
  `KUMI_ASSERT(i_row, state == ST_IDLE || row_valid)
  `KUMI_ASSERT(i_found, !u_dut.len_done || u_dut.u_lengths.state_q == 3'd0)
  `KUMI_ASSERT(
      i_no_pass,
      !u_dut.u_lengths.issue_q || u_dut.u_lengths.state_q == 3'd1 || u_dut.u_lengths.state_q >= 3'd4)
  `KUMI_ASSERT(i_pass, u_dut.u_lengths.state_q <= 3'd5)
  logic drains;
  always_comb begin
    drains = 1'b1;
    for (int i = 0; i < 5; i++) begin
      if (u_dut.u_lengths.valid_q[i]) begin
        drains &= u_dut.u_lengths.state_q == 3'd1
            && (u_dut.u_lengths.issue_q || 32'(u_dut.u_lengths.drain_q) >= 7 - i);
      end
    end
  end
  `KUMI_ASSERT(i_drains, drains)
  `KUMI_ASSERT(
      i_runs,
      !(u_dut.u_runs.active_q || u_dut.runs_start || u_dut.runs_done || u_dut.item_valid) || state == ST_RUNS)
  `KUMI_ASSERT(
      i_done,
      !(u_dut.runs_done || u_dut.runs_start) || !(u_dut.u_runs.active_q || u_dut.item_valid || (u_dut.runs_done && u_dut.runs_start)))
  `KUMI_ASSERT(i_item, !u_dut.item_valid || u_dut.u_runs.active_q)
  `KUMI_ASSERT(i_run,
               state != ST_RUNS || u_dut.u_runs.active_q || u_dut.runs_start || u_dut.runs_done)
  `KUMI_ASSERT(i_left, left <= 2'd2 && u_dut.bank_q == begun_q[0])
  `KUMI_ASSERT(i_free, !lanes_free_q || left < 2'd2)
  `KUMI_ASSERT(
      i_codes,
      !(state == ST_CODES || state == ST_ISSUE) || u_dut.kind_q == BLOCK_STORED || left < 2'd2)
  `KUMI_ASSERT(i_code_on, !(u_dut.code_on_q || u_dut.code_on_2_q) || state == ST_CODES)
  `KUMI_ASSERT(i_coded, !writes || state == ST_CODES)
  `KUMI_ASSERT(i_not_stored,
               (state != ST_CODES && state != ST_FIRST) || u_dut.kind_q != BLOCK_STORED)
  `KUMI_ASSERT(i_cost_on, !u_dut.cost_on_q || state == ST_COST)
  `KUMI_ASSERT(
      i_head,
      !u_dut.head_busy || state == ST_IDLE || state == ST_WAIT || (pass && u_dut.tree_q != 2'd2))
  `KUMI_ASSERT(i_tree,
               !(pass && u_dut.u_lengths.state_q == 3'd0 && !u_dut.len_start) || u_dut.len_done)

  // What is proved.
  // Found when it waits: always, from the first wait on, and from the second on.
  logic [$bits(deflate_code_t)*20:0] codes, codes_q;
  logic [17:0] numbers, numbers_q;
  logic [15:0] ways, ways_q;
  state_e state_q;
  assign codes   = {u_dut.own_q, u_dut.end_q, u_dut.bank_q};
  assign numbers = {u_dut.lit_used_q, u_dut.dist_used_q};
  assign ways    = {u_dut.kind_q, u_dut.head_used_q, u_dut.items_q};
  always_ff @(posedge clk) begin
    state_q <= state;
    codes_q <= codes;
    numbers_q <= numbers;
    ways_q <= ways;
  end
  `KUMI_ASSERT(a_codes_kept, !waited_q || codes == codes_q)
  `KUMI_ASSERT(a_numbers_kept, !waited_q || state_q == ST_IDLE || numbers == numbers_q)
  `KUMI_ASSERT(a_ways_kept, !waited_q || state_q == ST_IDLE || state_q == ST_WAIT || ways == ways_q)
  `KUMI_ASSERT(
      a_lengths,
      !waits || !(u_dut.u_lengths.wr_bits || u_dut.u_lengths.wr_list || u_dut.u_lengths.tap_valid))
  `KUMI_ASSERT(a_items, !waits || !(u_dut.item_valid || u_dut.take))
  `KUMI_ASSERT(a_codes, !waits || !(u_dut.code_on_q || u_dut.code_on_2_q || u_dut.cost_on_q))
  `KUMI_ASSERT(a_first, !(waits && waited_q && state == ST_FIRST) || u_dut.u_codes.next_at == 6'd47)
  `KUMI_ASSERT(
      a_header,
      !u_dut.head_busy || (!u_dut.item_valid && !(u_dut.code_on_2_q && u_dut.tree_q == 2'd2)))
  `KUMI_ASSERT(a_begin, !go || (left < 2'd2 && !writes && !u_dut.head_busy))
  `KUMI_ASSERT(a_bank, !writes || !(used[code_bank] || used_q[code_bank] || used_2_q[code_bank]))
  logic held_q, block_held_q;
  always_ff @(posedge clk) begin
    held_q <= !rst && m_valid && !ready;
    block_held_q <= !rst && block_valid && !block_ready;
  end
  `KUMI_ASSERT(a_stable, !held_q || (m_valid && $stable(word)))
  `KUMI_ASSERT(a_block, !block_held_q || (block_valid && $stable(block)))

  `KUMI_COVER(c_issue, waits && state == ST_ISSUE)
  `KUMI_COVER(c_next, left != '0 && pass && u_dut.tree_q == 2'd1)
endmodule
