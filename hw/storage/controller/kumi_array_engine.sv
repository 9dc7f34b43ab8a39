// SPDX-License-Identifier: Apache-2.0
//
// Command engine of the storage array: accepts commands, gives each a context, passes it from unit
// to unit, and responds.
//
//   WRITE: write, device I/O, map_update        READ: read, on a bad chunk reconstruct
//   REPAIR: repair, reconstruct, repair, device I/O, map_update
//   parity: after write (long chunks) and reconstruct
//   COMMIT, RECLAIM: reclaim                    RAW, MEM, SPEED_TEST: passthrough
//   SET, GET_STATE: config
//
// One unit is active at a time (kumi_array_dispatch). Device I/O of up to CONTEXTS contexts is in
// flight concurrently and completes out of order; a context owns one logical stripe and buffers for
// its chunks. A command for a busy stripe waits. RAW commands and settings run exclusively; a
// COMMIT starts exclusively and then overlaps with READs.
// s_cmd, m_rsp: array_cmd_t, array_rsp_t. The other ports connect the surrounding units, see
//   kumi_storage.
// usable, readable: devices that accept new chunks, that are read. cpl_fails: the completing device
//   is failed now: a write or flush error, a time-out, no device, or more than cfg.errors read
//   errors.
// Latency: docs/blocks/storage.md. Every request to a port or unit is answered, so no command waits
// forever.
module kumi_array_engine
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4,  // 1..128
    parameter int WIDTH = 8,  // maximum stripe width, 1..30
    parameter int CONTEXTS = 8,  // stripe contexts, 2..16
    parameter int CHUNK_BYTES = 1 << 21,  // longest chunk
    parameter int PARITY_BYTES = 65536,  // longest piece of a chunk in the parity engine
    parameter int STRIPES = 1 << 24  // maximum logical stripes
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    // data mover
    kumi_rec_if.src m_move,
    kumi_rec_if.snk s_moved,
    // parity
    kumi_rec_if.src m_stripe,
    kumi_rec_if.snk s_coef,
    kumi_rec_if.src m_coef,
    // placement
    kumi_rec_if.src m_event,
    kumi_rec_if.src m_place,
    kumi_rec_if.snk s_pick,
    input logic [31:0] occupied,
    input logic [7:0][7:0] recent,
    input logic [3:0] recent_count,
    input logic placer_busy,
    kumi_rec_if.src m_slot,
    kumi_rec_if.snk s_slot,
    // ports
    output logic io_valid,
    input logic io_ready,
    output logic [7:0] io_unit,
    output logic io_chunk,  // the sector is a slot number
    output disk_req_t io,
    input logic cpl_valid,
    input logic [7:0] cpl_unit,
    input disk_rsp_t cpl_rsp,
    input logic [31:0] cpl_cycles,
    input logic cpl_over_limit,
    output logic cpl_fails,
    output logic [7:0] query_dev,
    input logic [4:0] query_depth,
    input logic failure_valid,
    input logic [7:0] failure_device,
    output logic failure_take,
    // commits
    output logic commit,
    output logic [3:0] commit_context,  // of its requests
    input logic commit_done,
    input logic [PORTS-1:0] commit_full,
    input logic commit_any_full,
    input logic commit_lost,
    input logic commit_bad,
    output logic dev_written,
    output logic dirty_prepare,
    input logic dirty_prepared,
    input logic dirty_bad,
    output logic dirty_set,
    output logic [31:0] dirty_at,
    output logic dirty_clear,
    input logic dirty_idle,
    // parameters and state
    output array_cfg_t cfg,
    output logic set,
    output array_param_e set_what,
    output logic [7:0] set_unit,
    output logic [63:0] set_arg,
    input logic [PORTS-1:0] usable,
    input logic [PORTS-1:0] readable,
    input logic [PORTS-1:0] failed,
    input logic [7:0] usable_count,
    input logic [15:0] failures,
    output logic raw,  // io_unit is a port
    output logic busy,
    kumi_axi_if.mst m_axi
);
  if (PORTS < 1 || PORTS > 128) begin : gen_check
    $fatal(0, "PORTS must be 1..128 (%m)");
  end

  // ---- units ----------------------------------------------------------------------------------
  localparam int UNITS = ENGINE_UNITS;
  unit_out_t own_out, u;
  unit_out_t [UNITS-1:0] unit_outs;
  array_step_t own_step, asked, step;
  array_step_t [UNITS-1:0] unit_steps;
  logic [UNITS-1:0] start;
  logic [4:0] j, j_write, j_enter, j_read, j_gather, j_heal, j_release, j_parity;
  chunk_offset_t offset;  // of a piece in its chunk
  unit_in_t v;
  handoff_t handoff;
  array_cmd_t cmd;
  place_pick_t pick;
  logic done, bad, place_ready, pick_valid;

  assign u = own_out | unit_outs[0] | unit_outs[1] | unit_outs[2] | unit_outs[3]
      | unit_outs[4] | unit_outs[5] | unit_outs[6] | unit_outs[7] | unit_outs[8];
  // A step starts one cycle after its request: context, place and address are looked up between.
  assign asked = own_step | unit_steps[0] | unit_steps[1] | unit_steps[2] | unit_steps[3]
      | unit_steps[4] | unit_steps[5]
      | unit_steps[6] | unit_steps[7] | unit_steps[8];
  always_ff @(posedge clk) begin
    step <= done ? '0 : asked;
    if (rst) step.op <= NO_STEP;
  end
  assign j = j_write | j_enter | j_read | j_gather | j_heal | j_release | j_parity;
  assign m_place.valid = u.ask;
  assign m_place.data = place_req_t'{one: u.one, least: cfg.k, exclude : u.exclude};
  assign place_ready = m_place.ready;
  assign s_pick.ready = u.pick;
  assign pick_valid = s_pick.valid;
  assign pick = s_pick.data;

  // ---- contexts -------------------------------------------------------------------------------
  logic
      take,
      retire,
      stripe_busy,
      committing,
      commit_ended,
      free_any,
      free_all,
      ready_any,
      placing_any,
      idle_any,
      io_pending;
  logic [3:0] free_c, ready_c, placing_c, idle_c;
  context_kind_e cpl_kind, ready_kind;
  context_t new_ctx;
  logic [31:0] logical;

  kumi_array_context_table #(
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS)
  ) u_contexts (
      .clk,
      .rst,
      .take,
      .new_ctx,
      .at(v.c),
      .we(u.context_we),
      .now(u.ctx),
      .clear(u.clear),
      .done(retire),
      .ctx(v.ctx),
      .errors(v.errors),
      .ctx_io_pending(v.io_pending),
      .j,
      .place_we(u.place_we),
      .place(u.place),
      .here(v.here),
      .issue(io_valid && io_ready),
      .issue_c(io.context_),
      .issue_j(io.position),
      .cpl_valid,
      .cpl_rsp,
      .cpl_kind,
      .logical,
      .stripe_busy,
      .committing,
      .commit_ended,
      .free_any,
      .free_all,
      .free_c,
      .ready_any,
      .ready_c,
      .ready_kind,
      .placing_any,
      .placing_c,
      .idle_any,
      .idle_c,
      .io_pending
  );

  // A mirrored chunk is buffered once.
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);
  logic single;
  assign single = cfg.k == 5'd1 && v.ctx.kind == KIND_WRITE;
  assign v.addr = cfg.stage
      + ((mem_addr_t'({v.c, POSITION_W'(single ? 5'd0 : j)}) << cfg.chunk) | mem_addr_t'(offset));

  // ---- steps ----------------------------------------------------------------------------------
  logic cpl_placed, cpl_commit;
  kumi_array_step_exec #(
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS)
  ) u_steps (
      .clk,
      .rst,
      .cfg,
      .step,
      .done,
      .bad,
      .entry_we(u.entry_we),
      .entry_at(u.entry_at),
      .entry_in(u.entry),
      .old_at(j),
      .old(v.old),
      .has_version(v.has_version),
      .is_mapped(v.is_mapped),
      .holders(v.holders),
      .free(v.free),
      .moved(v.moved),
      .slot_rsp(v.slot_rsp),
      .dirty_prepare,
      .dirty_prepared,
      .dirty_bad,
      .coef(v.coef),
      .placer_idle(v.placer_idle),
      .placer_busy,
      .cpl_placed,
      .cpl_unit,
      .cpl_good(cpl_rsp.status == '0),
      .cpl_cycles,
      .io_valid,
      .io_ready,
      .io_unit,
      .io,
      .m_move,
      .s_moved,
      .m_stripe,
      .s_coef,
      .m_coef,
      .m_event,
      .m_slot,
      .s_slot,
      .m_axi
  );
  assign io_chunk = !raw;
  assign query_dev = v.old[63:56];
  assign dev_written = io_valid && io_ready && io.op == DISK_WRITE && !raw;
  assign cpl_placed = cpl_valid && !raw && (cpl_kind == KIND_WRITE || cpl_kind == KIND_REPAIR);
  assign cpl_commit = cpl_kind == KIND_COMMIT;

  // ---- failing a device -----------------------------------------------------------------------
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);
  logic is_alive;
  assign is_alive = cpl_unit < 8'(PORTS) && readable[UNIT_W'(cpl_unit)];
  assign cpl_fails = cpl_valid && cpl_rsp.status != '0 && !raw && is_alive
      && (cpl_placed || cpl_commit || cpl_rsp.status == 4'(kumi_blk_pkg::BLK_TIMEOUT)
      || cpl_rsp.status == 4'(kumi_blk_pkg::BLK_NO_DEVICE) || (cfg.p != '0 && cpl_over_limit));

  // ---- the course of commands -----------------------------------------------------------------
  logic [31:0] list_count, dirty_count;
  logic [7:0] frames_q;  // frames sent to the host
  always_ff @(posedge clk) begin
    if (done && step.op == STEP_MOVE && step.move.to_host && step.move.last)
      frames_q <= frames_q + 1'b1;
    if (rst) frames_q <= '0;
  end
  kumi_array_dispatch u_turn (
      .clk,
      .rst,
      .s_cmd,
      .m_rsp,
      .cfg,
      .v,
      .leave(u.leave),
      .handoff_in(u.handoff),
      .done,
      .bad,
      .free_any,
      .free_all,
      .free_c,
      .stripe_busy,
      .ready_any,
      .ready_c,
      .ready_kind,
      .placing_any,
      .placing_c,
      .failure_valid,
      .failure_device,
      .failure_take,
      .dirty_count,
      .failures,
      .frames(frames_q),
      .cpl_valid,
      .take,
      .new_ctx,
      .logical,
      .retire,
      .c(v.c),
      .cmd,
      .handoff,
      .start,
      .step(own_step),
      .u(own_out),
      .raw,
      .committing,
      .busy
  );

  kumi_array_write u_write (
      .clk,
      .rst,
      .start(start[U_WRITE]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .place_ready,
      .pick_valid,
      .pick,
      .occupied,
      .recent,
      .recent_count,
      .j(j_write),
      .step(unit_steps[U_WRITE]),
      .u(unit_outs[U_WRITE])
  );
  assign commit_context = v.c;
  logic set_number, list_clear;
  assign set_number = set && set_what == PARAM_SEQ;
  kumi_array_map_update #(
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) u_enter (
      .clk,
      .rst,
      .start(start[U_MAP_UPDATE]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .usable,
      .set_number,
      .number(set_arg),
      .list_clear,
      .list_count,
      .dirty_count,
      .mark_dirty(dirty_set),
      .j(j_enter),
      .step(unit_steps[U_MAP_UPDATE]),
      .u(unit_outs[U_MAP_UPDATE])
  );
  assign dirty_at = v.ctx.logical;
  kumi_array_read #(
      .PORTS(PORTS)
  ) u_read (
      .clk,
      .rst,
      .start(start[U_READ]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .readable,
      .query_depth,
      .j(j_read),
      .step(unit_steps[U_READ]),
      .u(unit_outs[U_READ])
  );
  kumi_array_reconstruct #(
      .PORTS(PORTS)
  ) u_gather (
      .clk,
      .rst,
      .start(start[U_RECONSTRUCT]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .readable,
      .j(j_gather),
      .step(unit_steps[U_RECONSTRUCT]),
      .u(unit_outs[U_RECONSTRUCT])
  );
  kumi_array_parity #(
      .PARITY_BYTES(PARITY_BYTES)
  ) u_parity (
      .clk,
      .rst,
      .start(start[U_PARITY]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .j(j_parity),
      .offset,
      .step(unit_steps[U_PARITY]),
      .u(unit_outs[U_PARITY])
  );
  kumi_array_repair #(
      .PORTS(PORTS)
  ) u_heal (
      .clk,
      .rst,
      .start(start[U_REPAIR]),
      .cancel(bad),
      .handoff,
      .cfg,
      .v,
      .done,
      .place_ready,
      .pick_valid,
      .pick,
      .usable,
      .usable_count,
      .j(j_heal),
      .step(unit_steps[U_REPAIR]),
      .u(unit_outs[U_REPAIR])
  );
  kumi_array_reclaim u_release (
      .clk,
      .rst,
      .start(start[U_RECLAIM]),
      .cancel(bad),
      .handoff,
      .keep_old(cmd.arg[0]),
      .failures_seen(cmd.count[15:0]),
      .cfg,
      .v,
      .done,
      .failures,
      .list_count,
      .commit,
      .commit_done,
      .commit_full(commit_any_full),
      .commit_lost,
      .commit_bad,
      .commit_ended,
      .dirty_clear,
      .dirty_idle,
      .list_clear,
      .j(j_release),
      .step(unit_steps[U_RECLAIM]),
      .u(unit_outs[U_RECLAIM])
  );
  kumi_array_passthrough #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS)
  ) u_raw (
      .clk,
      .rst,
      .start(start[U_PASSTHROUGH]),
      .cancel(bad),
      .cmd,
      .cfg,
      .v,
      .done,
      .cpl_valid,
      .cpl_status(cpl_rsp.status),
      .idle_any,
      .idle_c,
      .io_pending,
      .step(unit_steps[U_PASSTHROUGH]),
      .u(unit_outs[U_PASSTHROUGH])
  );
  kumi_array_config #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CHUNK_BYTES(CHUNK_BYTES),
      .PARITY_BYTES(PARITY_BYTES),
      .STRIPES(STRIPES)
  ) u_settings (
      .clk,
      .rst,
      .start(start[U_CONFIG]),
      .cancel(bad),
      .cmd,
      .v,
      .done,
      .failed,
      .usable,
      .readable,
      .full(commit_full),
      .cfg,
      .set,
      .set_what,
      .set_unit,
      .set_arg,
      .step(unit_steps[U_CONFIG]),
      .u(unit_outs[U_CONFIG])
  );

  logic unused;
  assign unused = ^{cmd, u, v, cpl_unit};
endmodule
