// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_match: its state is a function of the groups alone. Two copies take the
// same groups, with any waiting of their own between two of them on either side: after each group
// all their registers and tables are equal, and while a copy waits none of its own changes. So the
// matches do not depend on time, and each group comes out once, unchanged while it waits.
//
// The copies are compared where they take a group; that a copy may be made to wait there changes
// nothing, since nothing moves meanwhile. Both start from the same state, any. Small: a byte a
// group, one way, tables of 2 buckets.
`include "kumi_assert.svh"
// State of a copy rests while it waits, and is that of the other, if it was so at first.
`define KUMI_SAME(NAME, STATE) \
  `KUMI_ASSERT(rest_``NAME, !waited_q || $stable(gen_copy[0].u_dut.STATE)) \
  if (BOTH != 0) begin : gen_``NAME \
    always_comb assume (started_q || gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE); \
    `KUMI_ASSERT(same_``NAME, gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE) \
  end
module deflate_match_formal
  import kumi_deflate_pkg::*;
#(
    parameter int N    = 1,
    parameter int BOTH = 1   // compare the copies, else only that one rests
) (
    input logic                   clk,
    input logic                   rst,
    input logic [        8*N-1:0] data,
    input logic [$clog2(N+1)-1:0] count,
    input logic                   last,
    input logic                   final_,
    input logic [            1:0] valid,
    input logic [            1:0] ready,
    input logic                   clear_on,
    input logic                   clear_at
);
  localparam int WAYS = 1;
  localparam int MATCH = 8;
  localparam int TAIL = 3 + MATCH / N + match_levels(N, WAYS);

  logic [1:0] s_ready, m_valid, m_last, m_final;
  deflate_match_t [1:0][N-1:0] m_match;
  logic [1:0][$clog2(N+1)-1:0] m_count;

  for (genvar c = 0; c < 2; c++) begin : gen_copy
    kumi_deflate_match #(
        .N(N),
        .WAYS(WAYS),
        .HASH_W(1),
        .MATCH(MATCH)
    ) u_dut (
        .clk,
        .rst,
        .s_data (data),
        .s_count(count),
        .s_last (last),
        .s_final(final_),
        .s_valid(valid[c]),
        .s_ready(s_ready[c]),
        .clear_on,
        .clear_at,
        .m_match(m_match[c]),
        .m_count(m_count[c]),
        .m_last (m_last[c]),
        .m_final(m_final[c]),
        .m_valid(m_valid[c]),
        .m_ready(ready[c])
    );
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // Groups are taken at the same time, and none while the tables are cleared.
  logic [1:0] step;
  logic waited_q;
  assign step = valid & s_ready;
  always_comb assume (step[0] == step[1]);
  always_comb assume (!clear_on || step == '0);
  always_ff @(posedge clk) begin
    waited_q <= !rst && !clear_on && step == '0;
  end

  `KUMI_SAME(window, win_q)
  `KUMI_SAME(look, look_q)
  `KUMI_SAME(read, read_q)
  `KUMI_SAME(compare, cmp_q)
  `KUMI_SAME(positions, win_pos_q)
  `KUMI_SAME(look_positions, look_pos_q)
  `KUMI_SAME(read_positions, read_pos_q)
  `KUMI_SAME(compare_positions, cmp_pos_q)
  `KUMI_SAME(look_hash, look_hash_q)
  `KUMI_SAME(read_hash, read_hash_q)
  `KUMI_SAME(compare_hash, cmp_hash_q)
  `KUMI_SAME(groups, groups_q)
  `KUMI_SAME(sweep, sweep_at_q)
  `KUMI_SAME(collides, collides_q)
  `KUMI_SAME(found, found)
  `KUMI_SAME(equal, equal_q)
  `KUMI_SAME(differences, diff_q)
  `KUMI_SAME(valid, valid_q)
  `KUMI_SAME(near, near_valid_q)
  `KUMI_SAME(raw, raw_q)
  `KUMI_SAME(candidates, cand_q)
  `KUMI_SAME(late, late_q)
  for (genvar k = 0; k < N; k++) begin : gen_place
    `KUMI_SAME(all, gen_select[k].u_best.level)
    for (genvar c = 0; c <= N; c++) begin : gen_bucket
      `KUMI_SAME(bucket, gen_select[k].gen_bucket[c].u_best.level)
    end
    for (genvar c = 0; c < N; c++) begin : gen_table
      `KUMI_SAME(table, gen_reader[k].gen_table[c].u_table.mem)
      if (match_waits(N) > 0) begin : gen_waits
        `KUMI_SAME(word, gen_reader[k].gen_table[c].word)
        `KUMI_SAME(stored, gen_reader[k].gen_table[c].gen_waits.stored_q)
        `KUMI_SAME(meets, gen_reader[k].gen_table[c].gen_waits.meets_q)
      end
    end
  end

  // A group at the output: it was the next, and waits unchanged until it moves.
  logic pends_q, held_q;
  always_ff @(posedge clk) begin
    if (step[0])
      pends_q <= gen_copy[0].u_dut.late_q[TAIL-2].keep[0] || gen_copy[0].u_dut.late_q[TAIL-2].last;
    else if (ready[0]) pends_q <= 1'b0;
    held_q <= !rst && m_valid[0] && !ready[0];
    if (rst) pends_q <= 1'b0;
  end
  `KUMI_ASSERT(a_once, m_valid[0] == pends_q)
  `KUMI_ASSERT(a_stable, !held_q || (m_valid[0] && $stable(m_match[0]) && $stable(m_count[0])
               && $stable(m_last[0]) && $stable(m_final[0])))
  if (BOTH != 0) begin : gen_both
    `KUMI_ASSERT(a_match, m_match[0] == m_match[1])
    `KUMI_ASSERT(a_group,
                 {m_count[0], m_last[0], m_final[0]} == {m_count[1], m_last[1], m_final[1]})
  end

  // A match that waits at the output.
  `KUMI_COVER(c_waits, held_q && m_valid[0] && m_last[0] && m_match[0][0].length != '0)
endmodule
