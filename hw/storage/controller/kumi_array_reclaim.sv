// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: a commit, and the release of what earlier versions took.
//
// go: a pulse with `hand`: TO_COMMIT, with hold (release nothing) and told (the failures that the
//   host had told the other devices of when it asked), while nothing else is under way;
//   TO_RELEASE, when that commit is over (K_COMMIT; reads may be under way: what becomes free is in
//   no current version) or by itself. j, step, u: see kumi_array_engine_pkg. done: a step is.
//   stop: begin anew.
// commit, commit_*: see kumi_array_commit; over: it has ended. A commit before whose end more
//   devices have failed than that releases nothing: the others have to be told first.
// listed: entries in the list; forget: a pulse, the list and the pending bits are empty now
//   (pend_scan, pend_clear, pend_idle: see kumi_array_dirty_bitmap).
// Leaves to TO_IDLE (the commit is under way), TO_REPLY.
module kumi_array_reclaim
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input hand_t hand,
    input logic hold,
    input logic [15:0] told,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic [15:0] failures,
    input logic [31:0] listed,
    output logic commit,
    input logic commit_done,
    input logic commit_full,
    input logic commit_lost,
    output logic over,
    output logic pend_scan,
    output logic pend_clear,
    input logic pend_idle,
    output logic forget,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  typedef enum logic [3:0] {
    IDLE,
    COMMIT,
    JUDGE,
    NEXT,
    LOAD,
    LOADED,
    EACH,
    ONE,
    SLOT,
    ROOM,
    VACATE,
    FORGET,
    FORGETTING
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [31:0] item_q;
  logic [15:0] told_q;
  chunks_t left_q;
  logic hold_q, over_q, stays;

  assign j = j_q;
  assign stays = hold_q || failures != told_q;
  assign over = over_q;
  assign commit = state_q == COMMIT;
  assign pend_scan = state_q == FORGET;
  assign pend_clear = state_q == FORGET || state_q == FORGETTING;
  assign forget = state_q == FORGETTING && pend_idle;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COMMIT: begin
        u.leave = 1'b1;
        u.hand  = hand_to(TO_IDLE);
      end
      JUDGE: begin
        u.leave = commit_lost || commit_full || stays;
        u.hand  = reply(END_OK, '0, {listed, 32'd0});
        if (commit_lost) u.hand = reply(END_FAILED, '0, '0);
        else if (commit_full) u.hand.reason = END_LOG;
      end
      LOAD: begin
        step.op = STEP_LOAD;
        step.addr = cfg.list + (item_q << cfg.stride);
        step.n = 6'(cfg.width) + 6'd4;
      end
      SLOT: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_RELEASE, device: v.old[63:56], slot: 25'(v.old[55:32])};
      end
      ROOM: begin
        step.op   = STEP_EVENT;
        step.note = '{op: PL_RELEASE, device: v.old[63:56], value: '0};
      end
      VACATE: begin
        step.op   = STEP_EVENT;
        step.note = '{op: PL_VACATE, device: '0, value: '0};
      end
      FORGETTING: begin
        u.leave = pend_idle;
        u.hand  = reply(END_OK, '0, 64'd1);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        j_q <= '0;
        item_q <= '0;
        if (go) begin
          if (hand.to == TO_COMMIT) state_q <= COMMIT;
          else state_q <= v.ctx.kind == K_COMMIT ? JUDGE : NEXT;
        end
        if (go && hand.to == TO_COMMIT) begin
          hold_q <= hold;
          told_q <= told;
        end
      end
      COMMIT: state_q <= IDLE;
      JUDGE: state_q <= u.leave ? IDLE : NEXT;
      NEXT: state_q <= item_q == listed ? FORGET : LOAD;
      LOAD: if (done) state_q <= LOADED;
      LOADED: begin
        item_q  <= item_q + 1'b1;
        left_q  <= v.free;
        state_q <= v.mapped ? EACH : NEXT;
      end
      EACH: begin
        j_q <= lowest(left_q);
        state_q <= left_q != '0 ? ONE : VACATE;
      end
      ONE: begin
        left_q  <= left_q & ~bit_of(j_q);
        state_q <= v.old[63:56] == ABSENT ? EACH : SLOT;
      end
      SLOT: if (done) state_q <= ROOM;
      ROOM: if (done) state_q <= EACH;
      VACATE: if (done) state_q <= NEXT;
      FORGET: state_q <= FORGETTING;
      default: if (pend_idle) state_q <= IDLE;  // FORGETTING
    endcase
    if (commit_done) over_q <= 1'b1;
    if (commit) over_q <= 1'b0;
    if (rst || stop) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, hand};
endmodule
