// SPDX-License-Identifier: Apache-2.0
//
// Commands of the storage array: takes them, gives each a context, hands it from unit to unit and
// answers.
//
//   WRITE: write -> requests -> enter -> map     HEAL: heal -> gather -> heal -> write -> enter
//   READ: read, of a bad chunk: gather           COMMIT, RELEASE: release
//   RAW, MEM, MEASURE: raw                       SET, STATE: settings
//
// One unit is at work at a time (kumi_array_engine_pkg, kumi_array_dispatch); requests to devices are
//   under way in CONTEXTS contexts at once, each with a logical stripe and room for its chunks in
//   memory, and are ended in any order. A command for a stripe that is under way waits. RAW and
//   settings run alone; a COMMIT begins alone, then reads go on beside it.
// s_cmd, m_rsp: array_cmd_t, array_rsp_t. The other ports: the units around it, see kumi_storage.
// usable, readable: devices that new chunks go to, that are read. end_fails: a device is given up,
//   for it failed a write or a flush, answered too late, is gone, or has failed cfg_errors reads.
// Nothing waits for ever: ports answer every request, the units each of theirs.
module kumi_array_engine
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4,  // 1..128
    parameter int WIDTH = 8,  // chunks of a stripe at most, 1..30
    parameter int CONTEXTS = 8,  // stripes under way, 2..16
    parameter int CHUNK_BYTES = 65536,  // longest chunk
    parameter int STRIPES = 65536  // logical stripes at most
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    // data engine
    kumi_rec_if.src m_move,
    kumi_rec_if.snk s_moved,
    // check chunks
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
    output logic io_chunk,  // its sector is a slot
    output io_t io,
    input logic end_valid,
    input logic [7:0] end_unit,
    input io_end_t end_what,
    input logic [31:0] end_took,
    input logic end_many,
    output logic end_fails,
    output logic [7:0] look,
    input logic [4:0] look_open,
    input logic gone_valid,
    input logic [7:0] gone_device,
    output logic gone_take,
    // commits
    output logic commit,
    output logic [3:0] commit_context,  // of its requests
    input logic commit_done,
    input logic [PORTS-1:0] commit_full,
    input logic commit_any_full,
    input logic commit_lost,
    output logic wrote,
    output logic pend_set,
    output logic [31:0] pend_at,
    output logic pend_scan,
    output logic pend_clear,
    input logic pend_idle,
    // settings and state
    output shape_t cfg,
    output logic set,
    output set_e set_what,
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
  localparam int UNITS = 8;
  unit_t own, u;
  unit_t [UNITS-1:0] of;
  step_t own_step, asked, step;
  step_t [UNITS-1:0] steps;
  logic  [UNITS-1:0] go;
  logic [4:0] j, j_write, j_enter, j_read, j_gather, j_heal, j_release;
  view_t v;
  hand_t hand;
  array_cmd_t cmd;
  pick_t pick;
  logic done, bad, place_ready, pick_valid;

  assign u = own | of[0] | of[1] | of[2] | of[3] | of[4] | of[5] | of[6] | of[7];
  // A step begins a cycle after it is asked for: a context, a place and an address are in between.
  assign asked = own_step | steps[0] | steps[1] | steps[2] | steps[3] | steps[4] | steps[5]
      | steps[6] | steps[7];
  always_ff @(posedge clk) begin
    step <= done ? '0 : asked;
    if (rst) step.op <= NO_STEP;
  end
  assign j = j_write | j_enter | j_read | j_gather | j_heal | j_release;
  assign m_place.valid = u.ask;
  assign m_place.data = place_req_t'{one: u.one, least: cfg.k, without: u.without};
  assign place_ready = m_place.ready;
  assign s_pick.ready = u.pick;
  assign pick_valid = s_pick.valid;
  assign pick = s_pick.data;

  // ---- contexts -------------------------------------------------------------------------------
  logic
      take,
      replied,
      same,
      committing,
      over,
      free_any,
      free_all,
      ready_any,
      placing_any,
      idle_any,
      waits;
  logic [3:0] free_c, ready_c, placing_c, idle_c;
  kind_e end_kind, ready_kind;
  context_t fresh;
  logic [31:0] logical;

  kumi_array_context_table #(
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS)
  ) u_contexts (
      .clk,
      .rst,
      .take,
      .fresh,
      .at(v.c),
      .we(u.context_we),
      .now(u.ctx),
      .clear(u.clear),
      .done(replied),
      .ctx(v.ctx),
      .errors(v.errors),
      .ctx_waits(v.waits),
      .j,
      .place_we(u.place_we),
      .place(u.place),
      .here(v.here),
      .issue(io_valid && io_ready),
      .issue_c(io.context_),
      .issue_j(io.position),
      .end_valid,
      .end_what,
      .end_kind,
      .logical,
      .same,
      .committing,
      .over,
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
      .waits
  );

  // A mirror's chunk is in memory once while it is written.
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);
  logic single;
  assign single = cfg.k == 5'd1 && v.ctx.kind == K_WRITE;
  assign v.addr = cfg.stage + (32'({v.c, POSITION_W'(single ? 5'd0 : j)}) << cfg.chunk);

  // ---- steps ----------------------------------------------------------------------------------
  logic end_placed, end_commit;
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
      .any(v.any),
      .mapped(v.mapped),
      .holders(v.holders),
      .free(v.free),
      .moved(v.moved),
      .got(v.got),
      .coef(v.coef),
      .settled(v.settled),
      .placer_busy,
      .end_placed,
      .end_unit,
      .end_good(end_what.reason == '0),
      .end_took,
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
  assign look = v.old[63:56];
  assign wrote = io_valid && io_ready && io.op == IO_WRITE && !raw;
  assign end_placed = end_valid && !raw && (end_kind == K_WRITE || end_kind == K_HEAL);
  assign end_commit = end_kind == K_COMMIT;

  // ---- a device is given up -------------------------------------------------------------------
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);
  logic works;
  assign works = end_unit < 8'(PORTS) && readable[UNIT_W'(end_unit)];
  assign end_fails = end_valid && end_what.reason != '0 && !raw && works
      && (end_placed || end_commit || end_what.reason == 4'(kumi_sata_cmd_pkg::RSP_TIMEOUT)
      || end_what.reason == 4'(kumi_sata_cmd_pkg::RSP_GONE) || (cfg.p != '0 && end_many));

  // ---- the course of commands -----------------------------------------------------------------
  logic [31:0] listed, pending;
  logic [7:0] frames_q;  // sent to the host; each is one move
  always_ff @(posedge clk) begin
    if (done && step.op == STEP_MOVE && step.move.to_host) frames_q <= frames_q + 1'b1;
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
      .hand_in(u.hand),
      .done,
      .bad,
      .free_any,
      .free_all,
      .free_c,
      .same,
      .ready_any,
      .ready_c,
      .ready_kind,
      .placing_any,
      .placing_c,
      .gone_valid,
      .gone_device,
      .gone_take,
      .pending,
      .failures,
      .frames(frames_q),
      .end_valid,
      .take,
      .fresh,
      .logical,
      .replied,
      .c(v.c),
      .cmd,
      .hand,
      .go,
      .step(own_step),
      .u(own),
      .raw,
      .committing,
      .busy
  );

  kumi_array_write u_write (
      .clk,
      .rst,
      .go(go[U_WRITE]),
      .stop(bad),
      .hand,
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
      .step(steps[U_WRITE]),
      .u(of[U_WRITE])
  );
  assign commit_context = v.c;
  logic set_number, forget;
  assign set_number = set && set_what == SET_NUMBER;
  kumi_array_map_update #(
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) u_enter (
      .clk,
      .rst,
      .go(go[U_ENTER]),
      .stop(bad),
      .hand,
      .cfg,
      .v,
      .done,
      .usable,
      .set_number,
      .number(set_arg),
      .forget,
      .listed,
      .pending,
      .pend(pend_set),
      .j(j_enter),
      .step(steps[U_ENTER]),
      .u(of[U_ENTER])
  );
  assign pend_at = v.ctx.logical;
  kumi_array_read #(
      .PORTS(PORTS)
  ) u_read (
      .clk,
      .rst,
      .go(go[U_READ]),
      .stop(bad),
      .hand,
      .cfg,
      .v,
      .done,
      .readable,
      .look_open,
      .j(j_read),
      .step(steps[U_READ]),
      .u(of[U_READ])
  );
  kumi_array_reconstruct #(
      .PORTS(PORTS)
  ) u_gather (
      .clk,
      .rst,
      .go(go[U_GATHER]),
      .stop(bad),
      .hand,
      .cfg,
      .v,
      .done,
      .readable,
      .j(j_gather),
      .step(steps[U_GATHER]),
      .u(of[U_GATHER])
  );
  kumi_array_repair #(
      .PORTS(PORTS)
  ) u_heal (
      .clk,
      .rst,
      .go(go[U_HEAL]),
      .stop(bad),
      .hand,
      .cfg,
      .v,
      .done,
      .place_ready,
      .pick_valid,
      .pick,
      .usable,
      .usable_count,
      .j(j_heal),
      .step(steps[U_HEAL]),
      .u(of[U_HEAL])
  );
  kumi_array_reclaim u_release (
      .clk,
      .rst,
      .go(go[U_RELEASE]),
      .stop(bad),
      .hand,
      .hold(cmd.arg[0]),
      .told(cmd.count[15:0]),
      .cfg,
      .v,
      .done,
      .failures,
      .listed,
      .commit,
      .commit_done,
      .commit_full(commit_any_full),
      .commit_lost,
      .over,
      .pend_scan,
      .pend_clear,
      .pend_idle,
      .forget,
      .j(j_release),
      .step(steps[U_RELEASE]),
      .u(of[U_RELEASE])
  );
  kumi_array_passthrough #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS)
  ) u_raw (
      .clk,
      .rst,
      .go(go[U_RAW]),
      .stop(bad),
      .cmd,
      .cfg,
      .v,
      .done,
      .end_valid,
      .end_reason(end_what.reason),
      .idle_any,
      .idle_c,
      .waits,
      .step(steps[U_RAW]),
      .u(of[U_RAW])
  );
  kumi_array_config #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CHUNK_BYTES(CHUNK_BYTES),
      .STRIPES(STRIPES)
  ) u_settings (
      .clk,
      .rst,
      .go(go[U_SETTINGS]),
      .stop(bad),
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
      .step(steps[U_SETTINGS]),
      .u(of[U_SETTINGS])
  );

  logic unused;
  assign unused = ^{cmd, u, v, end_unit};
endmodule
