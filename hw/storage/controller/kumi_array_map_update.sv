// SPDX-License-Identifier: Apache-2.0
//
// Map-update unit of kumi_array_engine: after the I/O of a write or repair, releases what failed,
// installs the new version in the map and appends the superseded one to the list.
//
// start: a pulse with handoff: TO_WRITTEN, TO_REPAIRED, TO_UNDO (no device for the chunks in
//   handoff.left), TO_ABANDON (memory refused a slot), TO_SUPERSEDE (mapped or unmapped). j, step,
//   u: kumi_array_engine_pkg. done: the step has ended. cancel: return to idle.
// set_number: sets the highest sequence number in use. list_clear: the list is empty now.
// list_count, dirty_count: superseded versions in the list, versions without a log record.
//   mark_dirty: a pulse, the stripe of this context has a new version.
// Leaves to TO_RESPOND, or to TO_PLACE to retry on other devices.
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
    input logic start,
    input logic cancel,
    input handoff_t handoff,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    input logic [PORTS-1:0] usable,
    input logic set_number,
    input logic [63:0] number,
    input logic list_clear,
    output logic [31:0] list_count,
    output logic [31:0] dirty_count,
    output logic mark_dirty,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  localparam int TRIES = 8;
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);

  typedef enum logic [4:0] {
    IDLE,
    WRITTEN,
    REPAIRED,
    UNDO,
    NEXT,
    FREE_SLOT,
    FREE_SPACE,
    UNQUEUE,
    VACATE,
    DIRTY,
    LOAD_OLD,
    COMPARE_OLD,
    REPLICAS,
    REPLICAS_WAIT,
    APPEND,
    APPEND_STORE,
    OCCUPY,
    BUILD,
    BUILD_STORE,
    INSTALL
  } state_e;
  state_e state_q;
  logic [4:0] j_q;
  logic [5:0] i_q, replicas_at;
  logic [63:0] number_q;
  logic [31:0] list_count_q, dirty_count_q;
  chunk_mask_t release_q, keep_q, good, unclaimed_q;
  logic all_q, abandon_q, repair_q, mapped_q, last_j, replicas_done;
  logic too_few_q;  // fewer than k good chunks, registered
  logic [7:0] device_q;
  logic [23:0] slot_q;
  logic [WIDTH-1:0][7:0] devices_q;
  logic [2:0][7:0] holders;

  assign j = j_q;
  assign last_j = j_q + 5'd1 == cfg.width;
  assign replicas_at = 6'(cfg.width) + 6'd2;
  assign good = v.ctx.asked & ~v.errors;
  assign list_count = list_count_q;
  assign dirty_count = dirty_count_q;
  assign mark_dirty = state_q == INSTALL;

  kumi_array_log_replicas #(
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) u_holders (
      .clk,
      .rst,
      .start(state_q == REPLICAS),
      .has_old(v.has_version),
      .is_mapped(mapped_q),
      .places(devices_q),
      .old(v.holders),
      .recent(v.ctx.recent),
      .recent_count(v.ctx.recent_count),
      .width(cfg.width),
      .wanted(cfg.holders),
      .usable,
      .done(replicas_done),
      .holders
  );

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      UNDO:
      if (release_q == '0 && all_q) begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.tries = v.ctx.tries + 1'b1;
        u.ctx.kind = KIND_WRITE;
        u.leave = repair_q;  // a repair without a device has not occupied a stripe yet
        u.handoff = abandon_q ? respond(STATUS_MEM_ERROR, '0, '0) : handoff_to(TO_PLACE);
      end
      NEXT: begin
        u.place_we = 1'b1;
        u.place = {ABSENT, 24'd0, v.here[31:0]};
      end
      FREE_SLOT: begin
        step.op   = STEP_SLOT;
        step.slot = '{op: SL_RELEASE, device: device_q, slot: 25'(slot_q)};
      end
      FREE_SPACE: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_RELEASE, device: device_q, value: '0};
      end
      UNQUEUE: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_SERVED, device: device_q, value: '0};
      end
      VACATE: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_VACATE, device: '0, value: '0};
        u.leave = done;
        u.handoff = v.ctx.tries == 4'(TRIES) ? respond(STATUS_IO_ERROR, '0, '0) :
            handoff_to(TO_PLACE);
        if (abandon_q) u.handoff = respond(STATUS_MEM_ERROR, '0, '0);
      end
      DIRTY:   step.op = STEP_DIRTY;
      LOAD_OLD: begin
        step.op = STEP_LOAD;
        step.addr = entry_addr(cfg.map, cfg.stride, v.ctx.logical);
        step.n = replicas_at + 6'd1;
      end
      COMPARE_OLD: begin
        u.place_we = (keep_q & onehot(j_q)) != '0;
        u.place = v.old;
      end
      APPEND: begin
        u.entry_we = 1'b1;
        u.entry_at = replicas_at + 6'd1;
        u.entry = v.is_mapped ? 64'(release_q) : '0;
      end
      APPEND_STORE: begin
        step.op = STEP_STORE;
        step.addr = entry_addr(cfg.list, cfg.stride, list_count_q);
        step.n = replicas_at + 6'd2;
      end
      OCCUPY: begin
        step.op = STEP_EVENT;
        step.place_ev = '{op: PL_OCCUPY, device: '0, value: '0};
      end
      BUILD: begin
        u.entry_we = 1'b1;
        u.entry_at = i_q;
        case (i_q)
          6'd0: u.entry = number_q + 1'b1;
          6'd1: u.entry = {24'd0, mapped_q ? 8'd1 : 8'd2, v.ctx.logical};
          default: u.entry = i_q == replicas_at ? {40'd0, holders} : mapped_q ? v.here : '0;
        endcase
      end
      BUILD_STORE: begin
        step.op = STEP_STORE;
        step.addr = entry_addr(cfg.map, cfg.stride, v.ctx.logical);
        step.n = replicas_at + 6'd1;
      end
      INSTALL: begin
        u.leave   = 1'b1;
        u.handoff = respond(STATUS_OK, 32'd1, number_q + 1'b1);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    too_few_q <= ones(good) < 6'(cfg.k);
    case (state_q)
      IDLE: begin
        j_q <= '0;
        i_q <= '0;
        keep_q <= '0;
        all_q <= handoff.to == TO_UNDO || handoff.to == TO_ABANDON;
        abandon_q <= handoff.to == TO_ABANDON;
        repair_q <= handoff.to == TO_UNDO || (handoff.to == TO_ABANDON && v.ctx.kind != KIND_WRITE);
        unclaimed_q <= handoff.to == TO_ABANDON ? handoff.good : '0;
        mapped_q <= handoff.to != TO_SUPERSEDE || handoff.is_mapped;
        release_q <= handoff.left;
        if (start) begin
          case (handoff.to)
            TO_WRITTEN: state_q <= WRITTEN;
            TO_REPAIRED: state_q <= REPAIRED;
            TO_UNDO, TO_ABANDON: state_q <= UNDO;
            TO_SUPERSEDE: state_q <= DIRTY;
            default: ;
          endcase
        end
      end

      // ---- what failed is given back ----------------------------------------------------------
      WRITTEN: begin  // with too few good chunks release all
        all_q <= too_few_q;
        release_q <= v.ctx.asked & (too_few_q ? '1 : v.errors);
        state_q <= UNDO;
      end
      REPAIRED: begin  // a chunk that failed again keeps its old place
        repair_q <= 1'b1;
        release_q <= v.ctx.asked & v.errors;
        keep_q <= v.ctx.asked & v.errors;
        state_q <= UNDO;
      end
      UNDO: begin
        j_q <= lowest_set(release_q);
        if (release_q != '0) state_q <= NEXT;
        else if (!all_q) begin
          j_q <= '0;
          state_q <= DIRTY;
        end else state_q <= repair_q ? IDLE : VACATE;
      end
      NEXT: begin
        release_q <= release_q & ~onehot(j_q);
        {device_q, slot_q} <= v.here[63:32];
        state_q <= (unclaimed_q & onehot(j_q)) != '0 ? FREE_SPACE : FREE_SLOT;
      end
      FREE_SLOT: if (done) state_q <= FREE_SPACE;
      // No request will be served for a place of TO_UNDO or TO_ABANDON.
      FREE_SPACE: if (done) state_q <= abandon_q || (repair_q && all_q) ? UNQUEUE : UNDO;
      UNQUEUE: if (done) state_q <= UNDO;
      VACATE: if (done) state_q <= IDLE;

      // ---- the version before: its dirty bit first, so that nothing can fail after the map ---
      DIRTY: if (done) state_q <= LOAD_OLD;
      LOAD_OLD: if (done) state_q <= COMPARE_OLD;
      // release_q: chunks of the previous version that become free with the next commit.
      COMPARE_OLD: begin
        devices_q[POSITION_W'(j_q)] <= (keep_q & onehot(j_q)) != '0 ? v.old[63:56] : v.here[63:56];
        if (mapped_q && ((keep_q & onehot(j_q)) != '0 || v.here[63:32] == v.old[63:32]))
          release_q <= release_q & ~onehot(j_q);
        else release_q <= release_q | onehot(j_q);
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= REPLICAS;
      end
      REPLICAS: state_q <= REPLICAS_WAIT;
      REPLICAS_WAIT:
      if (replicas_done) begin
        j_q <= '0;
        state_q <= v.has_version ? APPEND : BUILD;
      end
      APPEND: state_q <= APPEND_STORE;
      // The old version of a repaired stripe occupies space until the commit, like any other.
      APPEND_STORE: if (done) state_q <= repair_q ? OCCUPY : BUILD;
      OCCUPY: if (done) state_q <= BUILD;

      // ---- this one ---------------------------------------------------------------------------
      BUILD: begin
        i_q <= i_q + 1'b1;
        j_q <= 5'(i_q - 6'd1);
        if (i_q == replicas_at) state_q <= BUILD_STORE;
      end
      BUILD_STORE: if (done) state_q <= INSTALL;
      default: state_q <= IDLE;  // INSTALL
    endcase

    if (mark_dirty) begin
      number_q <= number_q + 1'b1;
      dirty_count_q <= dirty_count_q + 1'b1;
    end
    if (state_q == APPEND_STORE && done) list_count_q <= list_count_q + 1'b1;
    if (set_number) number_q <= number;
    if (list_clear) begin
      list_count_q  <= '0;
      dirty_count_q <= '0;
    end
    if (rst || cancel) state_q <= IDLE;
    if (rst) begin
      number_q <= '0;
      list_count_q <= '0;
      dirty_count_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{v, handoff, cfg};
endmodule
