// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: a stripe comes from the host, its check chunks are made, it gets
// places, and its chunks are sent to the devices.
//
// go: a pulse with `hand`: TO_WRITE, TO_DROP, TO_PLACE, TO_SEND. j, step, u: see the package.
// done, place_ready, pick_valid: what u asked for happens. stop: a step failed, begin anew.
// Leaves to TO_IDLE (its requests are under way, or the queues are full), TO_REPLY.
module kumi_array_write
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input hand_t hand,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic place_ready,
    input logic pick_valid,
    input pick_t pick,
    input logic [31:0] occupied,
    input logic [7:0][7:0] recent,
    input logic [3:0] recent_count,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  typedef enum logic [3:0] {
    IDLE,
    ASK,
    COEF,
    DATA,
    MOVED,
    CHECK,
    CHECKED,
    COPY,
    PLACE,
    PICK,
    CLAIM,
    CHOSEN,
    MISSING,
    SEND,
    SENT,
    DROP
  } state_e;
  state_e state_q;
  hand_t hand_q;
  pick_t pick_q;
  logic [4:0] j_q;
  logic bad_q, room_q, checks, last_j, full;

  assign checks = cfg.p != '0 && cfg.k != 5'd1;
  assign last_j = j_q + 5'd1 == cfg.width;
  assign full = v.settled && !room_q && occupied >= cfg.physical;
  assign j = j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      ASK: begin
        step.op = STEP_ASK;
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
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_HOST);
        step.move.check = 1'b0;
        step.move.to_memory = 1'b1;
        step.move.to_parity = checks;
        step.move.last = j_q + 5'd1 == cfg.k;
      end
      CHECK: begin
        step.op = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_PARITY);
        step.move.check = 1'b0;
        step.move.to_memory = 1'b1;
        step.move.last = 1'b0;
      end
      MOVED, CHECKED, COPY: begin
        u.place_we = 1'b1;
        u.place = {32'd0, v.moved.crc};
      end
      PLACE: begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        u.clear = 1'b1;
        u.ask = !bad_q && room_q;
        u.without = '0;
        u.leave = bad_q || full;
        u.hand = reply(bad_q ? END_SOURCE : END_NO_ROOM, '0, '0);
      end
      PICK: begin
        u.pick = 1'b1;
        u.context_we = pick_valid && pick.outcome == QUEUES_FULL;
        if (u.context_we) begin
          u.ctx = v.ctx;
          u.ctx.state = PLACING;
        end
        u.leave = pick_valid && pick.outcome != PICKED;
        u.hand  = reply(END_NO_ROOM, '0, '0);
        if (pick.outcome == QUEUES_FULL) u.hand = hand_to(TO_IDLE);
      end
      CLAIM: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_CLAIM, device: pick_q.device, slot: '0};
      end
      CHOSEN: begin
        u.place_we = 1'b1;
        u.place = {pick_q.device, v.got.slot, v.here[31:0]};
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = v.ctx.asked | bit_of(j_q);
      end
      MISSING: begin
        u.place_we = 1'b1;
        u.place = {ABSENT, 24'd0, v.here[31:0]};
      end
      SEND: begin
        if (j_q == '0 && v.settled) begin
          u.context_we  = 1'b1;
          u.ctx         = v.ctx;
          u.ctx.recent  = recent;
          u.ctx.recents = recent_count;
        end
        if (j_q == cfg.width) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.state = BUSY;
          u.leave = 1'b1;
          u.hand = hand_to(TO_IDLE);
        end
      end
      SENT: begin
        step.op   = STEP_IO;
        step.unit = v.here[63:56];
        step.io   = io_of(cfg.chunk, v.c, v.here[55:32], v.addr, IO_WRITE, j_q);
      end
      DROP: begin
        step.op = STEP_MOVE;
        step.move.from = FROM_HOST;
        step.move.last = 1'b1;
        step.move.bytes = 26'd512;
        u.leave = done;
        u.hand = hand_q;
        u.hand.to = TO_REPLY;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        hand_q <= hand;
        j_q <= '0;
        bad_q <= 1'b0;
        if (go) begin
          case (hand.to)
            TO_WRITE: state_q <= checks ? ASK : DATA;
            TO_DROP:  state_q <= DROP;
            TO_PLACE: state_q <= PLACE;
            TO_SEND:  state_q <= SEND;
            default:  ;
          endcase
        end
      end
      ASK:     if (done) state_q <= COEF;
      COEF:    if (done) state_q <= DATA;
      DATA:    if (done) state_q <= MOVED;
      MOVED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q   <= j_q + 1'b1;
        if (j_q + 5'd1 != cfg.k) state_q <= checks ? COEF : DATA;
        else state_q <= checks ? CHECK : last_j ? PLACE : COPY;
      end
      CHECK:   if (done) state_q <= CHECKED;
      CHECKED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q <= j_q + 1'b1;
        state_q <= last_j ? PLACE : CHECK;
      end
      COPY: begin  // a mirror: each position has the one chunk
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= PLACE;
      end
      PLACE: begin
        if (v.settled) room_q <= occupied < cfg.physical;
        if (u.leave) state_q <= IDLE;
        else if (u.ask && place_ready) begin
          room_q  <= 1'b0;
          state_q <= PICK;
        end
      end
      PICK:
      if (pick_valid) begin
        pick_q  <= pick;
        j_q     <= pick.position;
        state_q <= pick.outcome == PICKED ? CLAIM : IDLE;
      end
      CLAIM:   if (done) state_q <= CHOSEN;
      CHOSEN: begin
        j_q <= '0;
        state_q <= PICK;
        if (pick_q.last) begin
          state_q <= SEND;
          if (pick_q.count != cfg.width) begin
            j_q <= pick_q.count;
            state_q <= MISSING;
          end
        end
      end
      MISSING: begin
        j_q <= last_j ? '0 : j_q + 1'b1;
        if (last_j) state_q <= SEND;
      end
      SEND:
      if (u.leave) state_q <= IDLE;
      else if (j_q != '0 || v.settled) begin
        if ((v.ctx.asked & bit_of(j_q)) != '0) state_q <= SENT;
        else j_q <= j_q + 1'b1;
      end
      SENT:
      if (done) begin
        j_q <= j_q + 1'b1;
        state_q <= SEND;
      end
      default: if (done) state_q <= IDLE;  // DROP
    endcase
    if (rst || stop) begin
      state_q <= IDLE;
      room_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{v, hand_q, pick_q, cfg};
endmodule
