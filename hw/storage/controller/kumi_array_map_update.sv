// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: the requests of a write or of a heal have ended; what failed is given
// back, and the version is entered in the map, the one before in the list.
//
// go: a pulse with `hand`: TO_WROTE, TO_HEALED, TO_BACK (the heal found no place for `left`),
//   TO_OLD (`mapped` or not). j, step, u: see kumi_array_engine_pkg. done: a step is. stop: begin
//   anew.
// set_number: the highest number in use; forget: the list is empty.
// listed, pending: earlier versions in the list, versions that no log has. pend: a pulse, this
//   context's stripe has one more.
// Leaves to TO_REPLY, TO_PLACE (all over again with other devices).
module kumi_array_map_update
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4,
    parameter int WIDTH = 8
) (
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input hand_t hand,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic [PORTS-1:0] usable,
    input logic set_number,
    input logic [63:0] number,
    input logic forget,
    output logic [31:0] listed,
    output logic [31:0] pending,
    output logic pend,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  localparam int TRIES = 8;
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);

  typedef enum logic [4:0] {
    IDLE,
    WROTE,
    HEALED,
    BACK,
    NEXT,
    GIVE_SLOT,
    GIVE_ROOM,
    UNQUEUE,
    VACATE,
    OLD,
    OLD_EACH,
    HOLD,
    HOLD_DONE,
    LIST,
    LIST_STORE,
    OCCUPY,
    BUILD,
    BUILD_STORE,
    ENTER
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [5:0] i_q, holders_at;
  logic [63:0] number_q;
  logic [31:0] listed_q, pending_q;
  chunks_t left_q, keep_q, good;
  logic all_q, heal_q, mapped_q, last_j, holders_done;
  logic few_q;  // fewer good chunks than k, known a cycle late
  logic [7:0] device_q;
  logic [23:0] slot_q;
  logic [WIDTH-1:0][7:0] devices_q;
  logic [2:0][7:0] holders;

  assign j = j_q;
  assign last_j = j_q + 5'd1 == cfg.width;
  assign holders_at = 6'(cfg.width) + 6'd2;
  assign good = v.ctx.asked & ~v.errors;
  assign listed = listed_q;
  assign pending = pending_q;
  assign pend = state_q == ENTER;

  kumi_array_log_replicas #(
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) u_holders (
      .clk,
      .rst,
      .start(state_q == HOLD),
      .mapped(mapped_q),
      .places(devices_q),
      .old(v.holders),
      .recent(v.ctx.recent),
      .recent_count(v.ctx.recents),
      .width(cfg.width),
      .wanted(cfg.holders),
      .usable,
      .done(holders_done),
      .holders
  );

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      BACK:
      if (left_q == '0 && all_q) begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.tries = v.ctx.tries + 1'b1;
        u.ctx.kind = K_WRITE;
        u.leave = heal_q;  // a heal that found no place has taken no stripe yet
        u.hand = hand_to(TO_PLACE);
      end
      NEXT: begin
        u.place_we = 1'b1;
        u.place = {ABSENT, 24'd0, v.here[31:0]};
      end
      GIVE_SLOT: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_RELEASE, device: device_q, slot: 25'(slot_q)};
      end
      GIVE_ROOM: begin
        step.op   = STEP_EVENT;
        step.note = '{op: PL_RELEASE, device: device_q, value: '0};
      end
      UNQUEUE: begin
        step.op   = STEP_EVENT;
        step.note = '{op: PL_SERVED, device: device_q, value: '0};
      end
      VACATE: begin
        step.op = STEP_EVENT;
        step.note = '{op: PL_VACATE, device: '0, value: '0};
        u.leave = done;
        u.hand = v.ctx.tries == 4'(TRIES) ? reply(END_FAILED, '0, '0) : hand_to(TO_PLACE);
      end
      OLD: begin
        step.op = STEP_LOAD;
        step.addr = entry_of(cfg.map, cfg.stride, v.ctx.logical);
        step.n = holders_at + 6'd1;
      end
      OLD_EACH: begin
        u.place_we = (keep_q & bit_of(j_q)) != '0;
        u.place = v.old;
      end
      LIST: begin
        u.entry_we = 1'b1;
        u.entry_at = holders_at + 6'd1;
        u.entry = v.mapped ? 64'(left_q) : '0;
      end
      LIST_STORE: begin
        step.op = STEP_STORE;
        step.addr = cfg.list + (listed_q << cfg.stride);
        step.n = holders_at + 6'd2;
      end
      OCCUPY: begin
        step.op   = STEP_EVENT;
        step.note = '{op: PL_OCCUPY, device: '0, value: '0};
      end
      BUILD: begin
        u.entry_we = 1'b1;
        u.entry_at = i_q;
        case (i_q)
          6'd0: u.entry = number_q + 1'b1;
          6'd1: u.entry = {24'd0, mapped_q ? 8'd1 : 8'd2, v.ctx.logical};
          default: u.entry = i_q == holders_at ? {40'd0, holders} : mapped_q ? v.here : '0;
        endcase
      end
      BUILD_STORE: begin
        step.op = STEP_STORE;
        step.addr = entry_of(cfg.map, cfg.stride, v.ctx.logical);
        step.n = holders_at + 6'd1;
      end
      ENTER: begin
        u.leave = 1'b1;
        u.hand  = reply(END_OK, 32'd1, number_q + 1'b1);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    few_q <= ones(good) < 6'(cfg.k);
    case (state_q)
      IDLE: begin
        j_q <= '0;
        i_q <= '0;
        keep_q <= '0;
        all_q <= hand.to == TO_BACK;
        heal_q <= hand.to == TO_BACK;
        mapped_q <= hand.to != TO_OLD || hand.mapped;
        left_q <= hand.left;
        if (go) begin
          case (hand.to)
            TO_WROTE:  state_q <= WROTE;
            TO_HEALED: state_q <= HEALED;
            TO_BACK:   state_q <= BACK;
            TO_OLD:    state_q <= OLD;
            default:   ;
          endcase
        end
      end

      // ---- what failed is given back ----------------------------------------------------------
      WROTE: begin  // with too few good chunks all are
        all_q   <= few_q;
        left_q  <= v.ctx.asked & (few_q ? '1 : v.errors);
        state_q <= BACK;
      end
      HEALED: begin  // a chunk that failed again stays where it was
        heal_q  <= 1'b1;
        left_q  <= v.ctx.asked & v.errors;
        keep_q  <= v.ctx.asked & v.errors;
        state_q <= BACK;
      end
      BACK: begin
        j_q <= lowest(left_q);
        if (left_q != '0) state_q <= NEXT;
        else if (!all_q) begin
          j_q <= '0;
          state_q <= OLD;
        end else state_q <= heal_q ? IDLE : VACATE;
      end
      NEXT: begin
        left_q <= left_q & ~bit_of(j_q);
        {device_q, slot_q} <= v.here[63:32];
        state_q <= GIVE_SLOT;
      end
      GIVE_SLOT: if (done) state_q <= GIVE_ROOM;
      GIVE_ROOM: if (done) state_q <= heal_q && all_q ? UNQUEUE : BACK;
      UNQUEUE: if (done) state_q <= BACK;
      VACATE: if (done) state_q <= IDLE;

      // ---- the version before -----------------------------------------------------------------
      OLD: if (done) state_q <= OLD_EACH;
      // left_q: chunks of the version before that are free when this one is safe.
      OLD_EACH: begin
        devices_q[POSITION_W'(j_q)] <= (keep_q & bit_of(j_q)) != '0 ? v.old[63:56] : v.here[63:56];
        if (mapped_q && ((keep_q & bit_of(j_q)) != '0 || v.here[63:32] == v.old[63:32]))
          left_q <= left_q & ~bit_of(j_q);
        else left_q <= left_q | bit_of(j_q);
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= HOLD;
      end
      HOLD: state_q <= HOLD_DONE;
      HOLD_DONE:
      if (holders_done) begin
        j_q <= '0;
        state_q <= v.any ? LIST : BUILD;
      end
      LIST: state_q <= LIST_STORE;
      // A healed stripe's old version takes room until the commit, like any other.
      LIST_STORE: if (done) state_q <= heal_q ? OCCUPY : BUILD;
      OCCUPY: if (done) state_q <= BUILD;

      // ---- this one ---------------------------------------------------------------------------
      BUILD: begin
        i_q <= i_q + 1'b1;
        j_q <= 5'(i_q - 6'd1);
        if (i_q == holders_at) state_q <= BUILD_STORE;
      end
      BUILD_STORE: if (done) state_q <= ENTER;
      default: state_q <= IDLE;  // ENTER
    endcase

    if (pend) begin
      number_q  <= number_q + 1'b1;
      pending_q <= pending_q + 1'b1;
    end
    if (state_q == LIST_STORE && done) listed_q <= listed_q + 1'b1;
    if (set_number) number_q <= number;
    if (forget) begin
      listed_q  <= '0;
      pending_q <= '0;
    end
    if (rst || stop) state_q <= IDLE;
    if (rst) begin
      number_q  <= '0;
      listed_q  <= '0;
      pending_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{v, hand, cfg};
endmodule
