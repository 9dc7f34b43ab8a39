// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: a stripe is made whole. Chunks on devices that get none any more, and
// bad ones if all was checked, get new places; if no device outside the stripe is left, bad ones
// are placed anew with the whole of it.
//
// go: a pulse with `hand`: TO_HEAL (the entry of the map is there), TO_MOVE (lost chunks are made;
//   `good`: those that were). j, step, u: see the package. done, place_ready, pick_valid: what u
//   asked for happens. stop: begin anew.
// Leaves to TO_GATHER, TO_OLD (a record needs new holders), TO_SEND, TO_PLACE, TO_BACK (no place),
//   TO_REPLY.
module kumi_array_repair
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
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
    input logic place_ready,
    input logic pick_valid,
    input pick_t pick,
    input logic [PORTS-1:0] usable,
    input logic [7:0] usable_count,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    LOOK,
    COPY,
    ENOUGH,
    WALK,
    JUDGE,
    CHOOSE,
    GOT,
    CLAIM,
    PUT
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [7:0] device_q, count_q;
  logic [PORTS-1:0] members_q;
  chunks_t left_q, good_q;
  logic spoilt_q;  // a chunk on a device that works has to move
  logic last_j, here_works, old_works, bad_here, few, whole;
  logic [1:0] held;

  function automatic logic works(input logic [7:0] device);
    return device < 8'(PORTS) && usable[UNIT_W'(device)];
  endfunction
  assign last_j = j_q + 5'd1 == cfg.width;
  assign here_works = works(v.here[63:56]);
  assign old_works = works(v.old[63:56]);
  assign bad_here = v.ctx.verify && (good_q & bit_of(j_q)) == '0;
  assign j = j_q;

  // Fewer devices that work have its record than could.
  always_comb begin
    held = '0;
    for (int i = 0; i < 3; i++) held += 2'(works(v.holders[i]));
  end
  assign few   = held < cfg.holders && 8'(held) < usable_count;
  assign whole = count_q == usable_count;  // no device is outside the stripe

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      LOOK: begin
        u.leave = !v.mapped;
        u.hand  = reply(END_OK, '0, '0);
        if (v.any && !v.ctx.verify && few) u.hand = hand_to(TO_OLD);
      end
      COPY: begin
        u.place_we = 1'b1;
        u.place = v.old;
      end
      ENOUGH: begin
        u.leave = 1'b1;
        u.hand  = v.ctx.verify || few || left_q != '0 ? hand_to(TO_GATHER) : reply(END_OK, '0, '0);
      end
      JUDGE: begin
        u.clear = 1'b1;
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = '0;
        u.leave = left_q == '0 ? v.ctx.verify : whole;
        u.hand = reply(END_OK, '0, '0);
        if (left_q != '0 && whole && spoilt_q) u.hand = hand_to(TO_PLACE);
        if (left_q != '0 && whole) u.ctx.kind = K_WRITE;
      end
      CHOOSE: begin
        u.ask = left_q != '0;
        u.one = 1'b1;
        u.without = 128'(members_q);
        u.leave = left_q == '0;
        u.hand = hand_to(TO_SEND);
        if (u.leave) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.kind = K_HEAL;
        end
      end
      GOT: begin
        u.pick = 1'b1;
        u.leave = pick_valid && pick.outcome != PICKED;
        u.hand = hand_to(TO_BACK);
        u.hand.left = v.ctx.asked;
      end
      CLAIM: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_CLAIM, device: device_q, slot: '0};
      end
      PUT: begin
        u.place_we = 1'b1;
        u.place = {device_q, v.got.slot, v.here[31:0]};
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.asked = v.ctx.asked | bit_of(j_q);
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
        spoilt_q <= 1'b0;
        good_q <= hand.good;
        if (go) state_q <= hand.to == TO_HEAL ? LOOK : WALK;
      end
      LOOK:   state_q <= v.mapped ? COPY : IDLE;
      COPY: begin
        if (!old_works) left_q <= left_q | bit_of(j_q);
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= ENOUGH;
      end
      ENOUGH: state_q <= IDLE;

      // Other stripes had their turn since: which chunks move is seen now.
      WALK: begin
        if (!here_works || bad_here) left_q <= left_q | bit_of(j_q);
        if (here_works) begin
          members_q[UNIT_W'(v.here[63:56])] <= 1'b1;
          count_q <= count_q + 1'b1;
          if (bad_here) spoilt_q <= 1'b1;
        end
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= JUDGE;
      end
      JUDGE: state_q <= u.leave ? IDLE : CHOOSE;
      CHOOSE: begin
        if (u.leave) state_q <= IDLE;
        else if (place_ready) state_q <= GOT;
      end
      GOT:
      if (pick_valid) begin
        device_q <= pick.device;
        j_q <= lowest(left_q);
        state_q <= u.leave ? IDLE : CLAIM;
      end
      CLAIM: if (done) state_q <= PUT;
      default: begin  // PUT
        left_q <= left_q & ~bit_of(j_q);
        members_q[UNIT_W'(device_q)] <= 1'b1;
        state_q <= CHOOSE;
      end
    endcase
    if (rst || stop) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, hand, pick};
endmodule
