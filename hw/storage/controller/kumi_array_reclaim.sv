// SPDX-License-Identifier: Apache-2.0
//
// Commit and reclaim unit of kumi_array_engine: starts a commit and afterwards frees the slots of
// superseded versions.
//
// start: a pulse with handoff: TO_COMMIT, with keep_old (free nothing) and failures_seen (device
//   failures known to the host when it issued the command), while no other command is active;
//   TO_RECLAIM, after that commit (KIND_COMMIT; READs may be active, since freed slots belong to no
//   current version) or on its own. j, step, u: kumi_array_engine_pkg. done: the step has ended.
//   cancel: a step failed, return to idle; the next start goes on with the chunk that failed.
// commit, commit_*: kumi_array_commit; commit_ended: it has finished. If more devices failed during
//   the commit than failures_seen tells, nothing is freed: the superblocks must record the failures
//   first.
// list_count: superseded versions. list_clear: a pulse, the list and the dirty bitmap are empty
//   (dirty_clear, dirty_idle: kumi_array_dirty_bitmap).
// Leaves to TO_IDLE (commit running) or TO_RESPOND.
module kumi_array_reclaim
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic start,
    input logic cancel,
    input handoff_t handoff,
    input logic keep_old,
    input logic [15:0] failures_seen,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    input logic [15:0] failures,
    input logic [31:0] list_count,
    output logic commit,
    input logic commit_done,
    input logic commit_full,
    input logic commit_lost,
    input logic commit_bad,
    output logic commit_ended,
    output logic dirty_clear,
    input logic dirty_idle,
    output logic list_clear,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  typedef enum logic [3:0] {
    IDLE,
    COMMIT,
    RESULT,
    NEXT,
    LOAD,
    LOADED,
    NEXT_CHUNK,
    CHECK_CHUNK,
    FREE_SLOT,
    FREE_SPACE,
    VACATE,
    CLEAR,
    CLEARING
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [31:0] item_q;
  logic [15:0] failures_seen_q;
  chunk_mask_t left_q;
  logic keep_old_q, commit_ended_q, must_keep, begun_q;  // begun_q: the item is in left_q

  assign j = j_q;
  assign must_keep = keep_old_q || failures != failures_seen_q;
  assign commit_ended = commit_ended_q;
  assign commit = state_q == COMMIT;
  assign dirty_clear = state_q == CLEAR;
  assign list_clear = state_q == CLEARING && dirty_idle;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COMMIT: begin
        u.leave   = 1'b1;
        u.handoff = handoff_to(TO_IDLE);
      end
      RESULT: begin
        u.leave   = commit_lost || commit_bad || commit_full || must_keep;
        u.handoff = respond(STATUS_OK, '0, {list_count, 32'd0});
        if (commit_bad) u.handoff = respond(STATUS_MEM_ERROR, '0, '0);
        else if (commit_lost) u.handoff = respond(STATUS_IO_ERROR, '0, '0);
        else if (commit_full) u.handoff.status = STATUS_LOG_FULL;
      end
      LOAD: begin
        step.op = STEP_LOAD;
        step.addr = entry_addr(cfg.list, cfg.stride, item_q);
        step.n = 6'(cfg.width) + 6'd4;
      end
      FREE_SLOT: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_RELEASE, device: v.old[63:56], slot: 25'(v.old[55:32])};
      end
      FREE_SPACE: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_RELEASE, device: v.old[63:56], value: '0};
      end
      VACATE: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_VACATE, device: '0, value: '0};
      end
      CLEARING: begin
        u.leave   = dirty_idle;
        u.handoff = respond(STATUS_OK, '0, 64'd1);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        j_q <= '0;
        if (start) begin
          if (handoff.to == TO_COMMIT) state_q <= COMMIT;
          else state_q <= v.ctx.kind == KIND_COMMIT ? RESULT : NEXT;
        end
        if (start && handoff.to == TO_COMMIT) begin
          keep_old_q <= keep_old;
          failures_seen_q <= failures_seen;
        end
      end
      COMMIT: state_q <= IDLE;
      RESULT: state_q <= u.leave ? IDLE : NEXT;
      NEXT: state_q <= item_q == list_count ? CLEAR : LOAD;
      LOAD: if (done) state_q <= LOADED;
      LOADED: begin
        if (!begun_q) left_q <= v.free;
        begun_q <= v.is_mapped;
        if (!v.is_mapped) item_q <= item_q + 1'b1;
        state_q <= v.is_mapped ? NEXT_CHUNK : NEXT;
      end
      NEXT_CHUNK: begin
        j_q <= lowest_set(left_q);
        state_q <= left_q != '0 ? CHECK_CHUNK : VACATE;
      end
      CHECK_CHUNK: begin
        if (v.old[63:56] == ABSENT) left_q <= left_q & ~onehot(j_q);
        state_q <= v.old[63:56] == ABSENT ? NEXT_CHUNK : FREE_SLOT;
      end
      FREE_SLOT:
      if (done) begin
        if (!cancel) left_q <= left_q & ~onehot(j_q);
        state_q <= FREE_SPACE;
      end
      FREE_SPACE: if (done) state_q <= NEXT_CHUNK;
      VACATE:
      if (done) begin
        item_q  <= item_q + 1'b1;
        begun_q <= 1'b0;
        state_q <= NEXT;
      end
      CLEAR: state_q <= CLEARING;
      default: if (dirty_idle) state_q <= IDLE;  // CLEARING
    endcase
    if (commit_done) commit_ended_q <= 1'b1;
    if (commit) commit_ended_q <= 1'b0;
    if (rst || cancel) state_q <= IDLE;
    if (rst || list_clear) begin
      item_q  <= '0;
      begun_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{v, cfg, handoff};
endmodule
