// SPDX-License-Identifier: Apache-2.0
//
// Counts the symbols of a lane's segments, in two banks that take turns.
//
// s_*: slots as they are parsed, one in each cycle with s_valid and s_ready high. A segment goes to
//   one bank; the next one waits (s_ready low) until its own bank has been read and released.
// done[b]: bank b holds the counts of a whole segment. rd_lit and rd_dist are the counts of symbol
//   rd_sym one cycle after it is given (rd_sym[4:0] for a distance); rd_clear_* in that next cycle
//   zeroes them. release[b] gives the bank back; whoever does has zeroed all.
// After reset s_ready is low for 512 cycles.
module kumi_deflate_hist
  import kumi_deflate_pkg::*;
#(
    parameter int COUNT_W = 13  // bits of a count
) (
    input  logic                        clk,
    input  logic                        rst,
    input  deflate_slot_t               s_slot,
    input  logic                        s_valid,
    output logic                        s_ready,
    output logic          [        1:0] done,
    input  logic          [        1:0] release_bank,
    input  logic                        rd_bank,
    input  logic          [        8:0] rd_sym,
    input  logic                        rd_clear_lit,
    input  logic                        rd_clear_dist,
    output logic          [COUNT_W-1:0] rd_lit,
    output logic          [COUNT_W-1:0] rd_dist
);
  logic bank_q;
  logic [1:0] busy_q, done_q;
  logic [1:0] clearing_lit, clearing_dist;

  // Stage 1: symbols. Stage 2: counted.
  logic [8:0] lit_q;
  logic [4:0] dist_q;
  logic lit_on_q, dist_on_q, end_q, bank_1_q;
  logic lit_op_q, dist_op_q, end_op_q, bank_2_q;

  assign s_ready = !busy_q[bank_q] && clearing_lit == '0 && clearing_dist == '0;
  assign done = done_q;

  always_ff @(posedge clk) begin
    lit_on_q <= s_valid && s_ready && (s_slot.kind == SLOT_LITERAL || s_slot.kind == SLOT_MATCH);
    dist_on_q <= s_valid && s_ready && s_slot.kind == SLOT_MATCH;
    end_q <= s_valid && s_ready && s_slot.last;
    bank_1_q <= bank_q;
    lit_q <= s_slot.kind == SLOT_LITERAL ? {1'b0, s_slot.data}
        : 9'd257 + 9'(kumi_gzip_pkg::length_symbol(
        s_slot.len3
    ));
    dist_q <= kumi_gzip_pkg::dist_symbol(s_slot.dist1);
    lit_op_q <= lit_on_q;
    dist_op_q <= dist_on_q;
    end_op_q <= end_q;
    bank_2_q <= bank_1_q;
    if (s_valid && s_ready && s_slot.last) begin
      bank_q <= !bank_q;
      busy_q[bank_q] <= 1'b1;
    end
    if (end_op_q) done_q[bank_2_q] <= 1'b1;
    for (int b = 0; b < 2; b++) begin
      if (release_bank[b]) begin
        busy_q[b] <= 1'b0;
        done_q[b] <= 1'b0;
      end
    end
    if (rst) begin
      bank_q <= 1'b0;
      busy_q <= '0;
      done_q <= '0;
      lit_on_q <= 1'b0;
      dist_on_q <= 1'b0;
      end_q <= 1'b0;
      lit_op_q <= 1'b0;
      dist_op_q <= 1'b0;
      end_op_q <= 1'b0;
    end
  end

  logic [1:0][COUNT_W-1:0] lit_now, dist_now;
  for (genvar b = 0; b < 2; b++) begin : gen_bank
    kumi_ram_rmw #(
        .W(COUNT_W),
        .DEPTH(512)
    ) u_lit (
        .clk,
        .rst,
        .at(done_q[b] ? rd_sym : lit_q),
        .now(lit_now[b]),
        .op(done_q[b] ? rd_clear_lit && rd_bank == 1'(b) : lit_op_q && bank_2_q == 1'(b)),
        .next(done_q[b] ? '0 : lit_now[b] + 1'b1),
        .clearing(clearing_lit[b])
    );
    kumi_ram_rmw #(
        .W(COUNT_W),
        .DEPTH(32)
    ) u_dist (
        .clk,
        .rst,
        .at(done_q[b] ? rd_sym[4:0] : dist_q),
        .now(dist_now[b]),
        .op(done_q[b] ? rd_clear_dist && rd_bank == 1'(b) : dist_op_q && bank_2_q == 1'(b)),
        .next(done_q[b] ? '0 : dist_now[b] + 1'b1),
        .clearing(clearing_dist[b])
    );
  end
  assign rd_lit  = lit_now[rd_bank];
  assign rd_dist = dist_now[rd_bank];
endmodule
