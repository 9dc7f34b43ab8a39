// SPDX-License-Identifier: Apache-2.0
//
// Repair unit of kumi_array_engine: relocates chunks from devices that are no longer usable, and
// bad ones after a full check, to other devices. With no device outside the stripe left, a stripe
// with bad chunks is placed again as a whole.
//
// start: a pulse with handoff: TO_REPAIR (the map entry is loaded), TO_RELOCATE (lost chunks are
//   computed; handoff.good are those that were good). j, step, u: kumi_array_engine_pkg. done,
//   place_ready, pick_valid: the request in step or u is accepted. cancel: return to idle.
// Leaves to TO_RECONSTRUCT, TO_SUPERSEDE (the record needs more replicas), TO_ISSUE, TO_PLACE,
// TO_UNDO (no device), TO_ABANDON (memory refused a slot), TO_RESPOND.
module kumi_array_repair
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic cancel,
    input handoff_t handoff,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    input logic place_ready,
    input logic pick_valid,
    input place_pick_t pick,
    input logic [PORTS-1:0] usable,
    input logic [7:0] usable_count,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    CHECK_MAP,
    COPY,
    DECIDE,
    SURVEY,
    SELECT,
    PLACE,
    PICKED_ONE,
    CLAIM,
    ASSIGN
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [7:0] device_q, count_q;
  logic [PORTS-1:0] members_q;
  chunk_mask_t left_q, good_q;
  logic bad_live_q;  // a chunk on a working device is bad
  logic last_j, cur_alive, old_alive, bad_chunk, few_replicas, no_spare;
  logic [1:0] live_replicas;

  function automatic logic is_alive(input logic [7:0] device);
    return device < 8'(PORTS) && usable[UNIT_W'(device)];
  endfunction
  assign last_j = j_q + 5'd1 == cfg.width;
  assign cur_alive = is_alive(v.here[63:56]);
  assign old_alive = is_alive(v.old[63:56]);
  assign bad_chunk = v.ctx.verify && (good_q & onehot(j_q)) == '0;
  assign j = j_q;

  // Fewer working replicas of its record than possible.
  always_comb begin
    live_replicas = '0;
    for (int i = 0; i < 3; i++) live_replicas += 2'(is_alive(v.holders[i]));
  end
  assign few_replicas = live_replicas < cfg.holders && 8'(live_replicas) < usable_count;
  assign no_spare = count_q == usable_count;  // every usable device is in the stripe

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      CHECK_MAP: begin
        u.leave   = !v.is_mapped;
        u.handoff = respond(STATUS_OK, '0, '0);
        if (v.has_version && !v.ctx.verify && few_replicas) u.handoff = handoff_to(TO_SUPERSEDE);
      end
      COPY: begin
        u.place_we = 1'b1;
        u.place = v.old;
      end
      DECIDE: begin
        u.leave = 1'b1;
        u.handoff = v.ctx.verify || few_replicas || left_q != '0 ? handoff_to(TO_RECONSTRUCT) :
            respond(STATUS_OK, '0, '0);
      end
      SELECT: begin
        u.clear = 1'b1;
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        u.leave = left_q == '0 ? v.ctx.verify : no_spare;
        u.handoff = respond(STATUS_OK, '0, '0);
        if (left_q != '0 && no_spare && bad_live_q) u.handoff = handoff_to(TO_PLACE);
        if (left_q != '0 && no_spare) u.ctx.kind = KIND_WRITE;
      end
      PLACE: begin
        u.ask = left_q != '0;
        u.one = 1'b1;
        u.exclude = 128'(members_q);
        u.leave = left_q == '0;
        u.handoff = handoff_to(TO_ISSUE);
        if (u.leave) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.kind = KIND_REPAIR;
        end
      end
      PICKED_ONE: begin
        u.pick = 1'b1;
        u.leave = pick_valid && pick.outcome != PICKED;
        u.handoff = handoff_to(TO_UNDO);
        u.handoff.left = v.ctx.asked;
      end
      CLAIM: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_CLAIM, device: device_q, slot: '0};
      end
      ASSIGN: begin
        u.place_we = 1'b1;
        u.place = {device_q, v.slot_rsp.slot, v.here[31:0]};
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = v.ctx.asked | onehot(j_q);
        u.leave = v.slot_rsp.bad;
        u.handoff = handoff_to(TO_ABANDON);
        u.handoff.left = u.ctx.asked;
        u.handoff.good = onehot(j_q);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        j_q <= '0;
        left_q <= '0;
        members_q <= '0;
        count_q <= '0;
        bad_live_q <= 1'b0;
        good_q <= handoff.good;
        if (start) state_q <= handoff.to == TO_REPAIR ? CHECK_MAP : SURVEY;
      end
      CHECK_MAP: state_q <= v.is_mapped ? COPY : IDLE;
      COPY: begin
        if (!old_alive) left_q <= left_q | onehot(j_q);
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= DECIDE;
      end
      DECIDE: state_q <= IDLE;

      // Device states may have changed since: select the chunks to relocate now.
      SURVEY: begin
        if (!cur_alive || bad_chunk) left_q <= left_q | onehot(j_q);
        if (cur_alive) begin
          members_q[UNIT_W'(v.here[63:56])] <= 1'b1;
          count_q <= count_q + 1'b1;
          if (bad_chunk) bad_live_q <= 1'b1;
        end
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= SELECT;
      end
      SELECT: state_q <= u.leave ? IDLE : PLACE;
      PLACE: begin
        if (u.leave) state_q <= IDLE;
        else if (place_ready) state_q <= PICKED_ONE;
      end
      PICKED_ONE:
      if (pick_valid) begin
        device_q <= pick.device;
        j_q <= lowest_set(left_q);
        state_q <= u.leave ? IDLE : CLAIM;
      end
      CLAIM:  if (done) state_q <= ASSIGN;
      default: begin  // ASSIGN
        left_q <= left_q & ~onehot(j_q);
        members_q[UNIT_W'(device_q)] <= 1'b1;
        state_q <= u.leave ? IDLE : PLACE;
      end
    endcase
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, handoff, pick};
endmodule
