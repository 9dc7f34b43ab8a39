// SPDX-License-Identifier: Apache-2.0
//
// Reconstruction unit of kumi_array_engine: reads and verifies every readable chunk of a stripe and
// decides which ones are computed from the good ones.
//
// start: a pulse with handoff: TO_RECONSTRUCT, TO_VERIFY (the reads have completed). j, step, u:
//   kumi_array_engine_pkg. done: the step has ended. cancel: return to idle.
// Leaves to TO_IDLE (reads issued), TO_PARITY (handoff.left are the lost chunks), TO_RELOCATE
// (repair, none is lost), both with the good chunks in handoff.good, or TO_RESPOND. Fewer than k
// good chunks end with STATUS_DATA_LOST. A chunk that is good after all, or a copy of it, is
// returned.
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
    RETURN,
    RETURNED
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [5:0] count_q;  // of good_q
  logic scan, is_alive, wanted_good, enough, returns;
  chunk_mask_t good_q, all;
  chunk_mask_t lost_q;  // not good, one cycle after good_q

  assign all = (32'd1 << cfg.width) - 1'b1;
  assign scan = v.ctx.kind == KIND_VERIFY;
  assign is_alive = v.here[63:56] < 8'(PORTS) && readable[UNIT_W'(v.here[63:56])];
  assign enough = count_q >= 6'(cfg.k);
  assign wanted_good = (good_q & onehot(v.ctx.position)) != '0;
  assign returns = enough && !scan && (cfg.k == 5'd1 || wanted_good);
  assign j = j_q;

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
        u.leave   = !returns;
        u.handoff = respond(STATUS_DATA_LOST, '0, '0);
        if (enough) begin
          u.handoff = handoff_to(lost_q == '0 ? TO_RELOCATE : TO_PARITY);
          u.handoff.good = good_q;
          u.handoff.left = lost_q;
        end
      end
      RETURN: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
        step.move.to_host = 1'b1;
      end
      RETURNED: begin
        u.leave   = 1'b1;
        u.handoff = respond(STATUS_OK, {30'd0, v.ctx.verify, 1'b1}, '0);
        if (v.moved.differs) u.handoff = respond(STATUS_DATA_LOST, '0, '0);
        if (v.moved.bad) u.handoff = respond(STATUS_MEM_ERROR, '0, '0);
      end
      default: ;
    endcase
    // A frame is returned to the host.
    if (done && state_q == RETURN) begin
      u.context_we = 1'b1;
      u.ctx = v.ctx;
      u.ctx.frames = v.ctx.frames + 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    lost_q <= all & ~good_q;
    case (state_q)
      IDLE: begin
        j_q <= '0;
        good_q <= '0;
        count_q <= '0;
        if (start) state_q <= handoff.to == TO_RECONSTRUCT ? BEGIN : NEXT_CHECK;
      end
      BEGIN:   state_q <= NEXT_READ;
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
      CHECK:   if (done) state_q <= CHECKED;
      CHECKED: begin
        if (!v.moved.bad && !v.moved.differs) begin
          good_q  <= good_q | onehot(j_q);
          count_q <= count_q + 1'b1;
        end
        j_q <= j_q + 1'b1;
        state_q <= NEXT_CHECK;
      end
      DECIDE: begin
        j_q <= cfg.k == 5'd1 ? lowest_set(good_q) : v.ctx.position;
        state_q <= returns ? RETURN : IDLE;
      end
      RETURN:  if (done) state_q <= RETURNED;
      default: state_q <= IDLE;  // RETURNED
    endcase
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, handoff};
endmodule
