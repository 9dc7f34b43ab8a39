// SPDX-License-Identifier: Apache-2.0
//
// Slot table of kumi_sata_cmd_seq: the states of 32 slots (free, waiting, issued, done) and the
// requests in them.
//
// op: operation on op_slot, see sata_slot_op_e, done one cycle later; touch: one is possible. bits:
//   slots that the device reports as done; issued ones among them are marked. resize: new requests
//   use slots 0..last.
// settled: the lowest slots (done_, waiting_, free_, inflight_: issued and not done) are valid; low
//   for seven cycles after touch, as one encoder finds them in turn.
// none_used, none_issued: three cycles after an operation. stray: bits names a slot that is not
//   issued.
// slot: index of rd_cmd (combinational), known (it is issued), rd_left and rd_retries (one cycle
//   later), written by take with new_cmd, wr_left and wr_retries. SLOT_ISSUE records the time one
//   cycle later, when `slot` must still be the same.
// timeout: timeout_slot has been issued for `limit` ticks without completing.
module kumi_sata_slot_table
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input sata_slot_op_e op,
    input logic [4:0] op_slot,
    input logic touch,
    input logic [31:0] bits,
    input logic bits_valid,
    input logic resize,
    input logic [4:0] last,
    output logic settled,
    output logic none_used,
    output logic none_issued,
    output logic stray,
    output logic done_any,
    output logic [4:0] done_slot,
    output logic waiting_any,
    output logic [4:0] waiting_slot,
    output logic free_any,
    output logic [4:0] free_slot,
    output logic inflight_any,
    output logic [4:0] inflight_slot,
    input logic [4:0] slot,
    output logic known,
    input logic take,
    input blk_cmd_t new_cmd,
    output blk_cmd_t rd_cmd,
    input logic wr_left,
    input logic [23:0] new_left,
    output logic [23:0] rd_left,
    input logic wr_retries,
    input logic [4:0] new_retries,
    output logic [4:0] rd_retries,
    input logic [15:0] now,
    input logic [15:0] limit,
    output logic timeout,
    output logic [4:0] timeout_slot
);
  // State of slot i: {in_q[i], more_q[i]}.
  logic [31:0] in_q, more_q, hit;
  logic [4:0] last_q, at_q;
  sata_slot_op_e op_q;
  logic single, all;

  assign single = op_q inside {SLOT_ISSUE, SLOT_COMPLETE, SLOT_REQUEUE, SLOT_FREE};
  assign all = op_q inside {SLOT_REQUEUE_ALL, SLOT_DONE_ALL};
  assign hit = single ? 32'd1 << at_q : '0;
  assign stray = (bits & ~in_q) != '0;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 32; i++) begin
      if (hit[i]) begin
        in_q[i]   <= op_q == SLOT_ISSUE || op_q == SLOT_COMPLETE;
        more_q[i] <= op_q == SLOT_REQUEUE || op_q == SLOT_COMPLETE;
      end else if (in_q[i]) begin
        if (all || (bits_valid && bits[i])) more_q[i] <= 1'b1;
        if (op_q == SLOT_REQUEUE_ALL && !more_q[i]) in_q[i] <= 1'b0;
      end
    end
    op_q        <= op;
    at_q        <= op_slot;
    known       <= in_q[slot];
    none_used   <= (in_q | more_q) == '0;
    none_issued <= in_q == '0;
    if (resize) last_q <= last;
    if (rst) begin
      op_q   <= SLOT_KEEP;
      in_q   <= '0;
      more_q <= '0;
      last_q <= '1;
    end
  end

  // One encoder for the four states, each every fourth cycle: select, encode, store.
  logic [31:0] match_q;
  logic [1:0] kind_q, kind1_q, kind2_q;
  logic [2:0] age_q;  // cycles until all four are of the present states
  logic found, first_free;
  logic [4:0] index;
  logic [3:0] any_q;
  logic [4:0] slot_q[4];

  kumi_sata_priority_encoder u_lowest (
      .clk,
      .rst,
      .bits (match_q),
      .any  (found),
      .index(index)
  );

  assign settled = age_q == '0;
  assign first_free = index <= last_q;
  assign {done_any, inflight_any, waiting_any, free_any} = any_q;
  assign free_slot = slot_q[SLOT_IS_FREE];
  assign waiting_slot = slot_q[SLOT_IS_WAITING];
  assign inflight_slot = slot_q[SLOT_IS_ISSUED];
  assign done_slot = slot_q[SLOT_IS_DONE];

  always_ff @(posedge clk) begin
    kind_q <= kind_q + 1'b1;
    kind1_q <= kind_q;
    kind2_q <= kind1_q;
    match_q <= ~((in_q ^{32{kind_q[1]}}) | (more_q ^{32{kind_q[0]}}));
    any_q[kind2_q] <= found && (kind2_q != SLOT_IS_FREE || first_free);
    slot_q[kind2_q] <= index;
    if (touch || bits_valid || resize) age_q <= 3'd7;
    else if (!settled) age_q <= age_q - 1'b1;
    if (rst) begin
      kind_q <= '0;
      any_q  <= '0;
      age_q  <= '1;
    end
  end

  kumi_sata_slot_mem u_slots (
      .clk,
      .rst,
      .slot,
      .wr_cmd(take),
      .new_cmd,
      .rd_cmd,
      .wr_left,
      .new_left,
      .rd_left,
      .wr_retries(take || wr_retries),
      .new_retries(take ? '0 : new_retries),
      .rd_retries,
      .stamp(op_q == SLOT_ISSUE),
      .now,
      .issued(in_q & ~more_q),
      .limit,
      .timeout,
      .timeout_slot
  );
endmodule
