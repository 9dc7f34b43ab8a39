// SPDX-License-Identifier: Apache-2.0
//
// Write unit of kumi_array_engine: receives a stripe from the host, computes parity, places its
// chunks and issues the writes.
//
// start: a pulse with handoff: TO_WRITE, TO_DROP, TO_PLACE, TO_ISSUE. j, step, u:
//   kumi_array_engine_pkg. done, place_ready, pick_valid: the request in step or u is accepted.
//   cancel: a step failed, return to idle.
// Parity of chunks that the parity engine holds is computed as they come; that of longer ones
// afterwards (TO_PARITY), from memory.
// Leaves to TO_IDLE (writes issued, or waiting for queue space), TO_PARITY (then TO_PLACE),
// TO_ABANDON (memory refused a slot) or TO_RESPOND.
// Bad input: a frame marked bad or of the wrong length ends with STATUS_BAD_FRAME before anything
// is written.
module kumi_array_write
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
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
    input logic [31:0] occupied,
    input logic [7:0][7:0] recent,
    input logic [3:0] recent_count,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  typedef enum logic [3:0] {
    IDLE,
    COEF_REQ,
    COEF,
    DATA,
    STORED,
    PARITY,
    PARITY_STORED,
    COPY,
    PLACE,
    PICK,
    CLAIM,
    ASSIGN,
    ASSIGN_ABSENT,
    NEXT_ISSUE,
    ISSUE,
    DROP
  } state_e;
  state_e state_q;
  handoff_t handoff_q;
  place_pick_t pick_q;
  logic [4:0] j_q;
  logic bad_q, has_space_q, has_parity, one_pass, last_data, last_j, full;
  chunk_mask_t unclaimed_q;  // picked, without a slot

  assign has_parity = cfg.p != '0 && cfg.k != 5'd1;
  assign one_pass = has_parity && cfg.last_piece == '0;
  assign last_data = j_q + 5'd1 == cfg.k;
  assign last_j = j_q + 5'd1 == cfg.width;
  assign full = v.placer_idle && !has_space_q && occupied >= cfg.physical;
  assign j = j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COEF_REQ: begin
        step.op = STEP_COEF_REQ;
        step.stripe = '{
            want: cfg.p == 2'd2 ? 2'b11 : 2'b01,
            two: cfg.p == 2'd2,
            lost1: cfg.k + 5'd1,
            lost0: cfg.k,
            p: cfg.p,
            k: cfg.k
        };
      end
      COEF:    step.op = STEP_COEF;
      DATA: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_HOST);
        step.move.check = 1'b0;
        step.move.to_memory = 1'b1;
        step.move.to_parity = one_pass;
        step.move.last = last_data;
      end
      PARITY: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_PARITY);
        step.move.check = 1'b0;
        step.move.to_memory = 1'b1;
        step.move.last = 1'b0;
      end
      STORED, PARITY_STORED, COPY: begin
        u.place_we = 1'b1;
        u.place = {32'd0, v.moved.crc};
        u.leave = state_q == STORED && last_data && has_parity && !one_pass;
        u.handoff = handoff_to(TO_PARITY);
        u.handoff.left = (cfg.p == 2'd2 ? 32'd3 : 32'd1) << cfg.k;
        if (bad_q || v.moved.bad) u.handoff = respond(STATUS_BAD_FRAME, '0, '0);
      end
      PLACE: begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        u.clear = 1'b1;
        u.ask = !bad_q && has_space_q;
        u.exclude = '0;
        u.leave = bad_q || full;
        u.handoff = respond(bad_q ? STATUS_BAD_FRAME : STATUS_NO_SPACE, '0, '0);
      end
      PICK: begin
        u.pick = 1'b1;
        u.context_we = pick_valid && pick.outcome == QUEUES_FULL;
        if (u.context_we) begin
          u.ctx = v.ctx;
          u.ctx.state = CTX_PLACING;
        end
        u.leave   = pick_valid && pick.outcome != PICKED;
        u.handoff = respond(STATUS_NO_SPACE, '0, '0);
        if (pick.outcome == QUEUES_FULL) u.handoff = handoff_to(TO_IDLE);
      end
      CLAIM: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_CLAIM, device: pick_q.device, slot: '0};
      end
      ASSIGN: begin
        u.place_we = 1'b1;
        u.place = {pick_q.device, v.slot_rsp.slot, v.here[31:0]};
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = v.ctx.asked | onehot(j_q);
        u.handoff = handoff_to(TO_ABANDON);
        u.handoff.good = unclaimed_q | (v.slot_rsp.bad ? onehot(j_q) : '0);
        u.handoff.left = u.ctx.asked;
        u.leave = pick_q.last && u.handoff.good != '0;
        if (!u.leave) u.handoff = '0;
      end
      ASSIGN_ABSENT: begin
        u.place_we = 1'b1;
        u.place = {ABSENT, 24'd0, v.here[31:0]};
      end
      NEXT_ISSUE: begin
        if (j_q == '0 && v.placer_idle) begin
          u.context_we       = 1'b1;
          u.ctx              = v.ctx;
          u.ctx.recent       = recent;
          u.ctx.recent_count = recent_count;
        end
        if (j_q == cfg.width) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.state = CTX_BUSY;
          u.leave = 1'b1;
          u.handoff = handoff_to(TO_IDLE);
        end
      end
      ISSUE: begin
        step.op   = STEP_IO;
        step.unit = v.here[63:56];
        step.io   = disk_req(cfg.chunk, v.c, v.here[55:32], v.addr, DISK_WRITE, j_q);
      end
      DROP: begin
        step.op = STEP_MOVE;
        step.move.from = MOVE_FROM_HOST;
        step.move.last = 1'b1;
        step.move.bytes = 26'd512;
        u.leave = done;
        u.handoff = handoff_q;
        u.handoff.to = TO_RESPOND;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        handoff_q <= handoff;
        j_q <= '0;
        bad_q <= 1'b0;
        unclaimed_q <= '0;
        if (start) begin
          case (handoff.to)
            TO_WRITE: state_q <= one_pass ? COEF_REQ : DATA;
            TO_DROP:  state_q <= DROP;
            TO_PLACE: state_q <= PLACE;
            TO_ISSUE: state_q <= NEXT_ISSUE;
            default:  ;
          endcase
        end
      end
      COEF_REQ: if (done) state_q <= COEF;
      COEF:     if (done) state_q <= DATA;
      DATA:     if (done) state_q <= STORED;
      STORED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q   <= j_q + 1'b1;
        if (!last_data) state_q <= one_pass ? COEF : DATA;
        else if (has_parity) state_q <= one_pass ? PARITY : IDLE;
        else state_q <= last_j ? PLACE : COPY;
      end
      PARITY:   if (done) state_q <= PARITY_STORED;
      PARITY_STORED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q <= j_q + 1'b1;
        state_q <= last_j ? PLACE : PARITY;
      end
      COPY: begin  // mirror: all positions share the chunk
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= PLACE;
      end
      PLACE: begin
        if (v.placer_idle) has_space_q <= occupied < cfg.physical;
        if (u.leave) state_q <= IDLE;
        else if (u.ask && place_ready) begin
          has_space_q <= 1'b0;
          state_q <= PICK;
        end
      end
      PICK:
      if (pick_valid) begin
        pick_q  <= pick;
        j_q     <= pick.position;
        state_q <= pick.outcome == PICKED ? CLAIM : IDLE;
      end
      CLAIM:    if (done) state_q <= ASSIGN;
      ASSIGN: begin
        j_q <= '0;
        state_q <= PICK;
        if (v.slot_rsp.bad) unclaimed_q <= unclaimed_q | onehot(j_q);
        if (u.leave) state_q <= IDLE;
        else if (pick_q.last) begin
          state_q <= NEXT_ISSUE;
          if (pick_q.count != cfg.width) begin
            j_q <= pick_q.count;
            state_q <= ASSIGN_ABSENT;
          end
        end
      end
      ASSIGN_ABSENT: begin
        j_q <= last_j ? '0 : j_q + 1'b1;
        if (last_j) state_q <= NEXT_ISSUE;
      end
      NEXT_ISSUE:
      if (u.leave) state_q <= IDLE;
      else if (j_q != '0 || v.placer_idle) begin
        if ((v.ctx.asked & onehot(j_q)) != '0) state_q <= ISSUE;
        else j_q <= j_q + 1'b1;
      end
      ISSUE:
      if (done) begin
        j_q <= j_q + 1'b1;
        state_q <= NEXT_ISSUE;
      end
      default:  if (done) state_q <= IDLE;  // DROP
    endcase
    if (rst || cancel) begin
      state_q <= IDLE;
      has_space_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{v, handoff_q, pick_q, cfg};
endmodule
