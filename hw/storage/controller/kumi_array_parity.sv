// SPDX-License-Identifier: Apache-2.0
//
// Parity unit of kumi_array_engine: computes chunks of a stripe from others that are in memory, the
// parity chunks of a WRITE or lost chunks. It works in pieces of up to PARITY_BYTES, which is all
// that the parity engine holds: the piece of every chunk that is needed passes from memory to the
// engine, then the results come back, to memory or as a part of the frame to the host.
//
// start: a pulse with handoff TO_PARITY, which holds until leave: `left` are the chunks to compute,
//   at most p, `good` is passed on. j, step, u: kumi_array_engine_pkg. done: the step has ended.
//   cancel: return to idle. offset: of the current piece in its chunk.
// By the context's kind the results are the parity chunks, whose checksums are kept (WRITE), chunks
// to relocate (VERIFY), or one chunk for the host (RECONSTRUCT); the latter two are checked.
// Leaves to TO_PLACE, TO_RELOCATE, or TO_RESPOND: after a READ, with STATUS_MEM_ERROR if memory
// failed, or with STATUS_DATA_LOST if a checksum differs. A frame to the host ends in any case.
module kumi_array_parity
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int PARITY_BYTES = 65536  // longest piece
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic cancel,
    input handoff_t handoff,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    output logic [4:0] j,
    output chunk_offset_t offset,
    output array_step_t step,
    output unit_out_t u
);
  localparam int PIECE_LOG = $clog2(PARITY_BYTES);

  if (PARITY_BYTES < 512 || PARITY_BYTES != 1 << PIECE_LOG) begin : gen_check
    $fatal(0, "PARITY_BYTES must be a power of two of at least 512 (%m)");
  end

  typedef enum logic [2:0] {
    IDLE,
    LOOK,
    COEF_REQ,
    COEF,
    LOAD,
    LOADED,
    STORE,
    STORED
  } state_e;
  state_e state_q;
  logic [4:0] j_q, lost0_q, lost1_q;
  chunk_mask_t other_q;  // lost chunks but the first
  logic two_q, second_q, bad_q, differs_q;  // second_q: result_1 is next
  logic writing, reading, more, move_bad, move_differs;
  chunk_piece_t piece_q;
  logic is_first_q, is_last_q;  // the piece, one cycle later

  assign writing = v.ctx.kind == KIND_WRITE;
  assign reading = v.ctx.kind == KIND_RECONSTRUCT;
  assign more = !second_q && v.coef.want[1];
  assign move_bad = bad_q || v.moved.bad;
  assign move_differs = differs_q || v.moved.differs;
  assign j = state_q == LOAD ? v.coef.position : j_q;
  assign offset = chunk_offset_t'(piece_q) << PIECE_LOG;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COEF_REQ: begin
        step.op = STEP_COEF_REQ;
        step.stripe = '{
            want: {
              two_q && (!reading || lost1_q == v.ctx.position),
              !reading || lost0_q == v.ctx.position
            },
            two: two_q,
            lost1: lost1_q,
            lost0: lost0_q,
            p: cfg.p,
            k: cfg.k
        };
      end
      COEF: step.op = STEP_COEF;
      LOAD: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.piece, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
        step.move.check = 1'b0;
        step.move.to_parity = 1'b1;
        if (v.coef.bad) step = '0;
        u.leave   = v.coef.bad;
        u.handoff = respond(STATUS_DATA_LOST, '0, '0);
      end
      // A lost chunk is correct by arithmetic; its checksum also verifies the record.
      STORE: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.piece, v.here[31:0], v.addr, MOVE_FROM_PARITY);
        step.move.check = is_last_q && !writing;
        step.move.resume = !is_first_q;
        step.move.result = second_q;
        step.move.to_memory = !reading;
        step.move.to_host = reading;
        step.move.last = is_last_q;
        if (done && reading && is_last_q) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.frames = v.ctx.frames + 1'b1;
        end
      end
      STORED: begin
        u.place_we = writing;
        u.place = {32'd0, v.moved.crc};
        u.leave = !more && is_last_q;
        u.handoff = handoff_to(writing ? TO_PLACE : TO_RELOCATE);
        u.handoff.good = handoff.good;
        if (reading) u.handoff = respond(STATUS_OK, {30'd0, v.ctx.verify, 1'b1}, '0);
        if (move_differs) u.handoff = respond(STATUS_DATA_LOST, '0, '0);
        if (move_bad) u.handoff = respond(STATUS_MEM_ERROR, '0, '0);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    is_first_q <= piece_q == '0;
    is_last_q  <= piece_q == cfg.last_piece;
    case (state_q)
      IDLE: begin
        j_q <= '0;
        piece_q <= '0;
        bad_q <= 1'b0;
        differs_q <= 1'b0;
        lost0_q <= lowest_set(handoff.left);
        other_q <= handoff.left & (handoff.left - 1'b1);
        if (start) state_q <= LOOK;
      end
      LOOK: begin
        lost1_q <= lowest_set(other_q);
        two_q   <= other_q != '0;
        state_q <= COEF_REQ;
      end
      COEF_REQ: if (done) state_q <= COEF;
      COEF: if (done) state_q <= LOAD;
      LOAD: begin
        if (u.leave) state_q <= IDLE;
        else if (done) state_q <= LOADED;
      end
      LOADED: begin
        bad_q <= move_bad;
        second_q <= !v.coef.want[0];
        j_q <= v.coef.want[0] ? lost0_q : lost1_q;
        state_q <= v.coef.last ? STORE : COEF;
      end
      STORE: if (done) state_q <= STORED;
      default: begin  // STORED
        bad_q <= move_bad;
        differs_q <= move_differs;
        second_q <= 1'b1;
        j_q <= lost1_q;
        if (!more) piece_q <= piece_q + 1'b1;
        state_q <= u.leave ? IDLE : more ? STORE : COEF_REQ;
      end
    endcase
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, handoff};
endmodule
