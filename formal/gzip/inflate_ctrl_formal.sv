// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_ctrl: bits that a state has not asked for, and what peek shows while it
// waits, have no influence. Two copies have the same of everything but those bits of peek; their
// states, positions and tokens are always equal. With inflate_position (what is asked for is taken
// when it is there, and never else) and inflate_bits (what is there is the stream's) the control's
// way through a stream does not depend on the pace of the input.
//
// Assumed: a code that is there as a whole is found whatever follows it, so both copies are given
// the same symbols. Both start from the same state, any.
`include "kumi_assert.svh"
`define KUMI_SAME_IF(NAME, COND, STATE) \
  always_comb \
    assume (started_q || gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE); \
  `KUMI_ASSERT(same_``NAME, !(COND) || gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE)
`define KUMI_SAME(NAME, STATE) `KUMI_SAME_IF(NAME, 1'b1, STATE)
module inflate_ctrl_formal
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int POS_W = 9
) (
    input logic                     clk,
    input logic                     rst,
    input gzip_format_e             format,
    input logic         [     31:0] bits,
    input logic         [     31:0] beyond,
    input logic         [      6:0] avail,
    input logic                     ended,
    input logic                     header_done,
    input gzip_error_e              header_error,
    input logic                     header_ask,
    input logic         [      5:0] header_need,
    input logic         [      5:0] header_take,
    input logic                     tables_done,
    input gzip_error_e              tables_error,
    input logic                     tables_ask,
    input logic         [      5:0] tables_need,
    input logic         [      5:0] tables_take,
    input logic         [      3:0] litlen_len,
    input logic         [      8:0] litlen_sym,
    input logic         [      3:0] dist_len,
    input logic         [      4:0] dist_sym,
    input logic                     halted,
    input logic                     halt_stale,
    input logic                     halt_dist,
    input logic         [POS_W-1:0] halt_at,
    input logic                     token_ready,
    input logic                     failed,
    input logic                     finished
);
  logic [1:0][31:0] peek;
  logic [1:0][POS_W-1:0] at;
  logic [1:0] token_valid, header_ok, tables_ok, go, stop, restart, running;
  logic [1:0] header_start, tables_start, tables_fixed;
  inflate_token_t [1:0] token;
  for (genvar c = 0; c < 2; c++) begin : gen_copy
    kumi_inflate_ctrl #(
        .POS_W(POS_W)
    ) u_dut (
        .at(at[c]),
        .peek(peek[c]),
        .discard(),
        .restart(restart[c]),
        .header_start(header_start[c]),
        .header_format(),
        .header_ok(header_ok[c]),
        .tables_start(tables_start[c]),
        .tables_fixed(tables_fixed[c]),
        .tables_cancel(),
        .tables_ok(tables_ok[c]),
        .code(),
        .go(go[c]),
        .go_dist(),
        .go_fetch(),
        .stop(stop[c]),
        .running(running[c]),
        .token(token[c]),
        .token_valid(token_valid[c]),
        .busy(),
        .*
    );
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // ---- bits that are asked for and there ----------------------------------------------------------
  inflate_state_e state;
  logic [5:0] asked;
  logic [31:0] mask, shown;  // shown: bytes of a stored block, which were counted two cycles ago
  assign state = gen_copy[0].u_dut.state_q;
  always_comb begin
    case (state)
      AT_NEXT: asked = 6'd8;
      AT_BLOCK: asked = 6'd3;
      AT_STORED_LEN, AT_SIZE, AT_CHECK: asked = 6'd32;
      AT_EXTRA: asked = 6'(gen_copy[0].u_dut.extra_bits_q);
      default: asked = '0;
    endcase
    if (!gen_copy[0].u_dut.ok) asked = '0;
    for (int i = 0; i < 32; i++) begin
      shown[i] = 6'(i) < {gen_copy[0].u_dut.stored_q[1], 3'b000};
      mask[i]  = 6'(i) < asked || shown[i];
    end
  end
  assign peek = {(bits & mask) | (beyond & ~mask), bits};

  // ---- both are the same --------------------------------------------------------------------------
  `KUMI_SAME(state, state_q)
  `KUMI_SAME(format, format_q)
  `KUMI_SAME(header_start, header_start)
  `KUMI_SAME(tables_start, tables_start)
  `KUMI_SAME(tables_fixed, tables_fixed)
  `KUMI_SAME(error, error_q)
  `KUMI_SAME(late, late_q)
  `KUMI_SAME(fault, fault_q)
  `KUMI_SAME(decode, decode_q)
  `KUMI_SAME(final, final_q)
  `KUMI_SAME(dist, dist_q)
  `KUMI_SAME(stale, stale_q)
  `KUMI_SAME(settled, settled_q)
  `KUMI_SAME(finished, finished_q)
  `KUMI_SAME(short, short_q)
  `KUMI_SAME(base, base_q)
  `KUMI_SAME(extra, extra_bits_q)
  `KUMI_SAME(base_val, base_val_q)
  `KUMI_SAME(mask, mask_q)
  `KUMI_SAME(stored, stored_q)
  `KUMI_SAME(rest, rest_q)
  `KUMI_SAME(more, more_q)
  `KUMI_SAME(dry, dry_q)
  // The length of a stored block is that of the cycle in which it is there; what follows from it
  // is looked at later.
  `KUMI_SAME_IF(left, state == AT_STORED, left_q)
  `KUMI_SAME_IF(left_none, state == AT_STORED && gen_copy[0].u_dut.rest_q >= 2'd1, left_none_q)
  `KUMI_SAME_IF(want, state == AT_STORED && gen_copy[0].u_dut.rest_q >= 2'd1, want_q)
  `KUMI_SAME_IF(rest_count, state == AT_STORED && gen_copy[0].u_dut.rest_q >= 2'd2, rest_count_q)
  `KUMI_SAME(at, u_position.at)
  `KUMI_SAME(wait, u_position.wait_q)
  `KUMI_SAME(align, u_position.align_q)
  `KUMI_SAME(last, u_position.last_q)
  `KUMI_SAME(ready, u_position.ready_q)
  `KUMI_SAME(avail, u_position.avail_q)
  `KUMI_SAME(ended, u_position.ended_q)
  `KUMI_SAME(enough, u_position.enough_q)
  `KUMI_SAME(lacking, u_position.lacking_q)
  `KUMI_SAME(seen, u_position.seen_q)
  `KUMI_SAME(seen_end, u_position.seen_end_q)

  // ---- what leaves --------------------------------------------------------------------------------
  `KUMI_ASSERT(
      a_parts,
      header_ok[0] == header_ok[1] && tables_ok[0] == tables_ok[1] && header_start[0] == header_start[1] && tables_start[0] == tables_start[1] && (!tables_start[0] || tables_fixed[0] == tables_fixed[1]))
  `KUMI_ASSERT(
      a_rows,
      go[0] == go[1] && stop[0] == stop[1] && running[0] == running[1] && restart[0] == restart[1] && at[0] == at[1])
  `KUMI_ASSERT(a_token, token_valid[0] == token_valid[1])
  `KUMI_ASSERT(
      a_token_kind,
      !token_valid[0] || (token[0].kind == token[1].kind && token[0].count == token[1].count && token[0].match == token[1].match && token[0].len == token[1].len))
  `KUMI_ASSERT(
      a_token_data,
      !token_valid[0] || ((token[0].data ^ token[1].data) & (gen_copy[0].u_dut.stored_q[1] != '0 ? shown : '1)) == '0)

  `KUMI_COVER(c_stored, token_valid[0] && state == AT_STORED && peek[0] != peek[1])
endmodule
