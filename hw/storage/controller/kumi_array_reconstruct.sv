// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: all chunks of a stripe that can be read are read and checked; from them
// comes the one that the host asked for, or all that are lost.
//
// go: a pulse with `hand`: TO_GATHER, TO_VERIFY (the requests have ended). j, step, u: see
//   kumi_array_engine_pkg. done: a step is. stop: begin anew.
// Leaves to TO_IDLE (requests are under way), TO_MOVE (a heal; `good`: chunks that were), TO_REPLY.
module kumi_array_reconstruct
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int PORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input hand_t hand,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic [PORTS-1:0] readable,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    BEGIN,
    EACH,
    SEND,
    VERIFY,
    CHECK,
    VERIFIED,
    JUDGE,
    ASK,
    COEF,
    MEND,
    MENDED,
    MADE,
    MADE_NEXT,
    GIVE,
    GIVEN
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [5:0] count_q;  // of good_q
  logic bad_q, scan, works, broken, wanted_good, enough;
  chunks_t good_q, left_q, all;
  chunks_t lost_q, lost_more_q;  // not good; all but the lowest: one and two cycles behind good_q

  assign all = (32'd1 << cfg.width) - 1'b1;
  assign scan = v.ctx.kind == K_SCAN;
  assign works = v.here[63:56] < 8'(PORTS) && readable[UNIT_W'(v.here[63:56])];
  assign broken = bad_q || v.moved.bad || v.moved.differs;
  assign enough = count_q >= 6'(cfg.k);
  assign wanted_good = (good_q & bit_of(v.ctx.position)) != '0;
  assign j = state_q == MEND ? v.coef.position : j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      BEGIN: begin
        u.clear = 1'b1;
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        if (v.ctx.kind == K_READ) u.ctx.kind = K_GATHER;
      end
      EACH: begin
        u.leave = j_q == cfg.width;
        u.hand  = hand_to(TO_IDLE);
        if (!u.leave && works) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.asked = v.ctx.asked | bit_of(j_q);
        end
      end
      SEND: begin
        step.op   = STEP_IO;
        step.unit = v.here[63:56];
        step.io   = io_of(cfg.chunk, v.c, v.here[55:32], v.addr, IO_READ, j_q);
      end
      CHECK: begin
        step.op   = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_MEMORY);
      end
      JUDGE: begin
        u.leave = !enough || (scan && lost_q == '0);
        u.hand  = reply(END_LOST, '0, '0);
        if (enough) begin
          u.hand = hand_to(TO_MOVE);
          u.hand.good = good_q;
        end
      end
      ASK: begin
        step.op = STEP_ASK;
        step.stripe = '{
            want: {
              lost_more_q != '0 && (scan || lowest(lost_more_q) == v.ctx.position),
              scan || lowest(lost_q) == v.ctx.position
            },
            two: lost_more_q != '0,
            lost1: lowest(lost_more_q),
            lost0: lowest(lost_q),
            p: cfg.p,
            k: cfg.k
        };
      end
      COEF: step.op = STEP_COEF;
      MEND: begin
        step.op = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_MEMORY);
        step.move.check = 1'b0;
        step.move.to_parity = 1'b1;
        if (v.coef.bad) step = '0;
        u.leave = v.coef.bad;
        u.hand  = reply(END_LOST, '0, '0);
      end
      // What was made from good chunks is right by arithmetic; its checksum proves the record, too.
      MADE: begin
        step.op = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_PARITY);
        step.move.to_memory = scan;
        step.move.to_host = !scan;
      end
      MADE_NEXT: begin
        u.leave = left_q == '0;
        u.hand = hand_to(TO_MOVE);
        u.hand.good = good_q;
        if (broken) u.hand = reply(END_LOST, '0, '0);
      end
      GIVE: begin
        step.op = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_MEMORY);
        step.move.to_host = 1'b1;
      end
      GIVEN: begin
        u.leave = 1'b1;
        u.hand  = reply(broken ? END_LOST : END_OK, {30'd0, v.ctx.verify, 1'b1}, '0);
      end
      default: ;
    endcase
    // A frame goes to the host.
    if (done && (state_q == GIVE || (state_q == MADE && !scan))) begin
      u.context_we = 1'b1;
      u.ctx = v.ctx;
      u.ctx.frames = v.ctx.frames + 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    lost_q <= all & ~good_q;
    lost_more_q <= lost_q & (lost_q - 1'b1);
    case (state_q)
      IDLE: begin
        j_q <= '0;
        bad_q <= 1'b0;
        good_q <= '0;
        count_q <= '0;
        if (go) state_q <= hand.to == TO_GATHER ? BEGIN : VERIFY;
      end
      BEGIN: state_q <= EACH;
      EACH: begin
        if (u.leave) state_q <= IDLE;
        else if (works) state_q <= SEND;
        else j_q <= j_q + 1'b1;
      end
      SEND:
      if (done) begin
        j_q <= j_q + 1'b1;
        state_q <= EACH;
      end
      VERIFY: begin
        if (j_q == cfg.width) state_q <= JUDGE;
        else if ((v.ctx.asked & ~v.errors & bit_of(j_q)) != '0) state_q <= CHECK;
        else j_q <= j_q + 1'b1;
      end
      CHECK: if (done) state_q <= VERIFIED;
      VERIFIED: begin
        if (!v.moved.bad && !v.moved.differs) begin
          good_q  <= good_q | bit_of(j_q);
          count_q <= count_q + 1'b1;
        end
        j_q <= j_q + 1'b1;
        state_q <= VERIFY;
      end
      JUDGE: begin
        left_q <= scan ? lost_q : bit_of(v.ctx.position);
        j_q <= cfg.k == 5'd1 ? lowest(good_q) : v.ctx.position;
        if (u.leave) state_q <= IDLE;
        else state_q <= !scan && (cfg.k == 5'd1 || wanted_good) ? GIVE : ASK;
      end
      ASK: if (done) state_q <= COEF;
      COEF: if (done) state_q <= MEND;
      MEND: begin
        if (u.leave) state_q <= IDLE;
        else if (done) state_q <= MENDED;
      end
      MENDED: begin
        bad_q <= bad_q || v.moved.bad;
        j_q <= lowest(left_q);
        state_q <= v.coef.last ? MADE : COEF;
      end
      MADE:
      if (done) begin
        left_q  <= left_q & ~bit_of(j_q);
        state_q <= scan ? MADE_NEXT : GIVEN;
      end
      MADE_NEXT: begin
        bad_q <= broken;
        j_q <= lowest(left_q);
        state_q <= left_q == '0 ? IDLE : MADE;
      end
      GIVE: if (done) state_q <= GIVEN;
      default: state_q <= IDLE;  // GIVEN
    endcase
    if (rst || stop) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, hand};
endmodule
