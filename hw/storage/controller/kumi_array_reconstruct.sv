// SPDX-License-Identifier: Apache-2.0
//
// Reconstruction unit of kumi_array_engine: reads and verifies every readable chunk of a stripe and
// computes the requested chunk, or all lost ones, from the good ones.
//
// start: a pulse with handoff: TO_RECONSTRUCT, TO_VERIFY (the reads have completed). j, step, u:
//   kumi_array_engine_pkg. done: the step has ended. cancel: return to idle.
// Leaves to TO_IDLE (reads issued), TO_RELOCATE (repair; handoff.good are the chunks that were
// good), TO_RESPOND. Fewer than k good chunks, or a computed chunk whose checksum does not match,
// end with STATUS_DATA_LOST.
module kumi_array_reconstruct
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
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
    input logic [PORTS-1:0] readable,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    BEGIN,
    NEXT_READ,
    READ,
    NEXT_CHECK,
    CHECK,
    CHECKED,
    DECIDE,
    COEF_REQ,
    COEF,
    ACCUMULATE,
    ACCUMULATED,
    STORE,
    STORE_NEXT,
    RETURN,
    RETURNED
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [5:0] count_q;  // of good_q
  logic bad_q, scan, is_alive, move_failed, wanted_good, enough;
  chunk_mask_t good_q, left_q, all;
  chunk_mask_t
      lost_q, lost_other_q;  // not good; the second of them: one and two cycles after good_q

  assign all = (32'd1 << cfg.width) - 1'b1;
  assign scan = v.ctx.kind == KIND_VERIFY;
  assign is_alive = v.here[63:56] < 8'(PORTS) && readable[UNIT_W'(v.here[63:56])];
  assign move_failed = bad_q || v.moved.bad || v.moved.differs;
  assign enough = count_q >= 6'(cfg.k);
  assign wanted_good = (good_q & onehot(v.ctx.position)) != '0;
  assign j = state_q == ACCUMULATE ? v.coef.position : j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      BEGIN: begin
        u.clear = 1'b1;
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        if (v.ctx.kind == KIND_READ) u.ctx.kind = KIND_RECONSTRUCT;
      end
      NEXT_READ: begin
        u.leave   = j_q == cfg.width;
        u.handoff = handoff_to(TO_IDLE);
        if (!u.leave && is_alive) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.asked = v.ctx.asked | onehot(j_q);
        end
      end
      READ: begin
        step.op   = STEP_IO;
        step.unit = v.here[63:56];
        step.io   = disk_req(cfg.chunk, v.c, v.here[55:32], v.addr, DISK_READ, j_q);
      end
      CHECK: begin
        step.op   = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
      end
      DECIDE: begin
        u.leave   = !enough || (scan && lost_q == '0);
        u.handoff = respond(STATUS_DATA_LOST, '0, '0);
        if (enough) begin
          u.handoff = handoff_to(TO_RELOCATE);
          u.handoff.good = good_q;
        end
      end
      COEF_REQ: begin
        step.op = STEP_COEF_REQ;
        step.stripe = '{
            want: {
              lost_other_q != '0 && (scan || lowest_set(lost_other_q) == v.ctx.position),
              scan || lowest_set(lost_q) == v.ctx.position
            },
            two: lost_other_q != '0,
            lost1: lowest_set(lost_other_q),
            lost0: lowest_set(lost_q),
            p: cfg.p,
            k: cfg.k
        };
      end
      COEF: step.op = STEP_COEF;
      ACCUMULATE: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
        step.move.check = 1'b0;
        step.move.to_parity = 1'b1;
        if (v.coef.bad) step = '0;
        u.leave   = v.coef.bad;
        u.handoff = respond(STATUS_DATA_LOST, '0, '0);
      end
      // A computed chunk is correct by arithmetic; its checksum also verifies the record.
      STORE: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_PARITY);
        step.move.to_memory = scan;
        step.move.to_host = !scan;
      end
      STORE_NEXT: begin
        u.leave = left_q == '0;
        u.handoff = handoff_to(TO_RELOCATE);
        u.handoff.good = good_q;
        if (move_failed) u.handoff = respond(STATUS_DATA_LOST, '0, '0);
      end
      RETURN: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
        step.move.to_host = 1'b1;
      end
      RETURNED: begin
        u.leave = 1'b1;
        u.handoff =
            respond(move_failed ? STATUS_DATA_LOST : STATUS_OK, {30'd0, v.ctx.verify, 1'b1}, '0);
      end
      default: ;
    endcase
    // A frame is returned to the host.
    if (done && (state_q == RETURN || (state_q == STORE && !scan))) begin
      u.context_we = 1'b1;
      u.ctx = v.ctx;
      u.ctx.frames = v.ctx.frames + 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    lost_q <= all & ~good_q;
    lost_other_q <= lost_q & (lost_q - 1'b1);
    case (state_q)
      IDLE: begin
        j_q <= '0;
        bad_q <= 1'b0;
        good_q <= '0;
        count_q <= '0;
        if (start) state_q <= handoff.to == TO_RECONSTRUCT ? BEGIN : NEXT_CHECK;
      end
      BEGIN: state_q <= NEXT_READ;
      NEXT_READ: begin
        if (u.leave) state_q <= IDLE;
        else if (is_alive) state_q <= READ;
        else j_q <= j_q + 1'b1;
      end
      READ:
      if (done) begin
        j_q <= j_q + 1'b1;
        state_q <= NEXT_READ;
      end
      NEXT_CHECK: begin
        if (j_q == cfg.width) state_q <= DECIDE;
        else if ((v.ctx.asked & ~v.errors & onehot(j_q)) != '0) state_q <= CHECK;
        else j_q <= j_q + 1'b1;
      end
      CHECK: if (done) state_q <= CHECKED;
      CHECKED: begin
        if (!v.moved.bad && !v.moved.differs) begin
          good_q  <= good_q | onehot(j_q);
          count_q <= count_q + 1'b1;
        end
        j_q <= j_q + 1'b1;
        state_q <= NEXT_CHECK;
      end
      DECIDE: begin
        left_q <= scan ? lost_q : onehot(v.ctx.position);
        j_q <= cfg.k == 5'd1 ? lowest_set(good_q) : v.ctx.position;
        if (u.leave) state_q <= IDLE;
        else state_q <= !scan && (cfg.k == 5'd1 || wanted_good) ? RETURN : COEF_REQ;
      end
      COEF_REQ: if (done) state_q <= COEF;
      COEF: if (done) state_q <= ACCUMULATE;
      ACCUMULATE: begin
        if (u.leave) state_q <= IDLE;
        else if (done) state_q <= ACCUMULATED;
      end
      ACCUMULATED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q <= lowest_set(left_q);
        state_q <= v.coef.last ? STORE : COEF;
      end
      STORE:
      if (done) begin
        left_q  <= left_q & ~onehot(j_q);
        state_q <= scan ? STORE_NEXT : RETURNED;
      end
      STORE_NEXT: begin
        bad_q <= move_failed;
        j_q <= lowest_set(left_q);
        state_q <= left_q == '0 ? IDLE : STORE;
      end
      RETURN: if (done) state_q <= RETURNED;
      default: state_q <= IDLE;  // RETURNED
    endcase
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, handoff};
endmodule
