// SPDX-License-Identifier: Apache-2.0
//
// Storage array controller: places stripes on devices of unequal speed, computes parity and
// checksums, keeps the map, commits, reads from the surviving chunks, and repairs. The on-disk
// format is docs/storage-layout.md; commands and memory layout are in docs/blocks/storage.md.
//
//   host: s_cmd, s_axis -> kumi_array_engine -> placer, slots, coefficients -> port_dma [i]
//         m_rsp, m_axis <- kumi_array_data_mover (CRC, parity) <-> memory <-> port_dma [i]
//
// s_cmd, m_rsp: array_cmd_t and array_rsp_t, one response per command, out of order across stripes.
//   s_axis: one frame per command with write data, in command order. m_axis: frames of commands
//   that return data, ahead of their responses.
// cmd[i] .. rd[i]: block-device port i (kumi_blk_pkg) in the same clock. m_axi: memory, 40-bit
//   addresses.
// usable, readable, failed: one bit per device; failures: a count (kumi_array_device_table).
// ev: event pulses in the order of regs/storage.rdl. busy: a command is in progress.
// Bad input: an invalid command ends with STATUS_INVALID, a bad frame with STATUS_BAD_FRAME;
// neither changes the array.
module kumi_storage
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4,  // devices, 1..128
    parameter int WIDTH = 8,  // maximum stripe width, 1..30
    parameter int CONTEXTS = 8,  // stripe contexts, 2..16
    parameter int CHUNK_BYTES = 1 << 21,  // longest chunk, a power of two, up to 4 MiB
    // Longest piece of a chunk in the parity engine, a power of two, 512..CHUNK_BYTES.
    parameter int PARITY_BYTES = CHUNK_BYTES < 65536 ? CHUNK_BYTES : 65536,
    parameter int STRIPES = 1 << 24,  // maximum logical stripes, a power of two
    parameter int SLOTS = 1 << 24,  // maximum slots per device, a power of two
    parameter int BURST_BYTES = 512  // longest burst to memory
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src cmd[PORTS],
    kumi_rec_if.snk rsp[PORTS],
    kumi_rec_if.snk fetch[PORTS],
    kumi_axis_if.src wr[PORTS],
    kumi_rec_if.snk segment[PORTS],
    kumi_axis_if.snk rd[PORTS],
    kumi_axi_if.mst m_axi,
    output logic [PORTS-1:0] usable,
    output logic [PORTS-1:0] readable,
    output logic [PORTS-1:0] failed,
    output logic [15:0] failures,
    output logic [31:0] occupied,
    output logic [5:0] ev,
    output logic busy
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);
  localparam int GROUP = 16;  // ports per group
  localparam int GROUPS = (PORTS + GROUP - 1) / GROUP;
  localparam int INDEX_W = $clog2(GROUP);
  localparam int GROUP_W = GROUPS == 1 ? 1 : $clog2(GROUPS);
  // Memory masters: ports, data mover, map, commits, slots, dirty bitmap.
  localparam int USERS = GROUPS + 5;

  if (s_cmd.W != $bits(array_cmd_t) || m_rsp.W != $bits(array_rsp_t)) begin : gen_check
    $fatal(0, "s_cmd and m_rsp must be as wide as their records (%m)");
  end
  if (m_axi.ADDR_W != MEM_ADDR_W) begin : gen_check_axi
    $fatal(0, "m_axi must have 40 bits of address (%m)");
  end
  if (CHUNK_BYTES > 1 << 22 || CHUNK_BYTES != 1 << $clog2(CHUNK_BYTES)) begin : gen_check_chunk
    $fatal(0, "CHUNK_BYTES must be a power of two, up to 4 MiB (%m)");
  end
  if (PARITY_BYTES > CHUNK_BYTES) begin : gen_check_parity
    $fatal(0, "PARITY_BYTES must not be more than CHUNK_BYTES (%m)");
  end

  // ---- ports, in groups: each has its way to memory, and its ends come together ---------------
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(MEM_ADDR_W)
  ) mem[USERS] ();
  kumi_axi_mux #(
      .N(USERS),
      .BURST_BYTES(BURST_BYTES)
  ) u_mem (
      .clk,
      .rst,
      .s_axi(mem),
      .m_axi
  );

  logic io_valid, io_ready;
  logic [7:0] io_port;
  disk_req_t io;
  logic [PORTS-1:0] port_ready;
  kumi_rec_if #(.W(INDEX_W + $bits(disk_rsp_t))) group_end[GROUPS] ();
  kumi_rec_if #(.W(GROUP_W + INDEX_W + $bits(disk_rsp_t))) any_end ();

  for (genvar g = 0; g < GROUPS; g++) begin : gen_group
    localparam int COUNT = PORTS - g * GROUP < GROUP ? PORTS - g * GROUP : GROUP;
    localparam int COUNT_W = COUNT == 1 ? 1 : $clog2(COUNT);
    kumi_axi_if #(
        .DATA_W(DATA_W),
        .ADDR_W(MEM_ADDR_W)
    ) user[COUNT] ();
    kumi_rec_if #(.W($bits(disk_rsp_t))) ends[COUNT] ();
    kumi_rec_if #(.W(COUNT_W + $bits(disk_rsp_t))) joined ();

    kumi_axi_mux #(
        .N(COUNT),
        .BURST_BYTES(BURST_BYTES)
    ) u_mem (
        .clk,
        .rst,
        .s_axi(user),
        .m_axi(mem[g])
    );
    kumi_rec_arb_tree #(
        .N(COUNT)
    ) u_ends (
        .clk,
        .rst,
        .s_hdr(ends),
        .m_hdr(joined)
    );
    assign group_end[g].data = {
      INDEX_W'(joined.data[$bits(disk_rsp_t)+:COUNT_W]), joined.data[0+:$bits(disk_rsp_t)]
    };
    assign group_end[g].valid = joined.valid;
    assign joined.ready = group_end[g].ready;

    for (genvar n = 0; n < COUNT; n++) begin : gen_port
      localparam int I = g * GROUP + n;
      kumi_rec_if #(.W($bits(disk_req_t))) one ();
      assign one.data = io;
      assign one.valid = io_valid && io_port == 8'(I);
      assign port_ready[I] = one.ready;
      kumi_array_port_dma #(
          .BURST_BYTES(BURST_BYTES)
      ) u_port (
          .clk,
          .rst,
          .s_io(one),
          .m_end(ends[n]),
          .cmd(cmd[I]),
          .rsp(rsp[I]),
          .fetch(fetch[I]),
          .wr(wr[I]),
          .segment(segment[I]),
          .rd(rd[I]),
          .m_axi(user[n])
      );
    end
  end
  assign io_ready = port_ready[UNIT_W'(io_port)];

  kumi_rec_arb_tree #(
      .N(GROUPS)
  ) u_end (
      .clk,
      .rst,
      .s_hdr(group_end),
      .m_hdr(any_end)
  );
  assign any_end.ready = 1'b1;

  // ---- devices --------------------------------------------------------------------------------
  logic seq_io_valid, commit_io_valid, device_ready, raw, seq_chunk, timed_valid;
  logic [7:0] seq_unit, commit_unit, timed_port;
  disk_req_t seq_io, commit_io;
  disk_rsp_t timed_rsp;
  logic [31:0] timed_cycles;
  logic cpl_valid, cpl_over_limit, cpl_fails, set, failure_valid, failure_take;
  logic [7:0] cpl_unit, set_unit, query_dev, failure_device, usable_count;
  disk_rsp_t cpl_rsp;
  logic [31:0] cpl_cycles;
  logic [4:0] query_depth;
  array_param_e set_what;
  logic [63:0] set_arg;
  array_cfg_t cfg;

  kumi_array_latency_timer #(
      .PORTS(PORTS)
  ) u_ends (
      .clk,
      .rst,
      .issue(io_valid && io_ready),
      .issue_unit(io_port),
      .issue_context(io.context_),
      .s_valid(any_end.valid),
      .s_unit(8'(any_end.data[$bits(disk_rsp_t)+:GROUP_W+INDEX_W])),
      .s_rsp(any_end.data[$bits(disk_rsp_t)-1:0]),
      .valid(timed_valid),
      .unit(timed_port),
      .rsp(timed_rsp),
      .timed_cycles
  );

  kumi_array_device_table #(
      .PORTS(PORTS)
  ) u_devices (
      .clk,
      .rst,
      .cfg_chunk(cfg.chunk),
      .cfg_errors(cfg.errors),
      .set,
      .set_what,
      .set_unit,
      .set_arg,
      .raw,
      .s_valid(seq_io_valid || commit_io_valid),
      .s_ready(device_ready),
      .s_unit(seq_io_valid ? seq_unit : commit_unit),
      .s_chunk(seq_io_valid && seq_chunk),
      .s_io(seq_io_valid ? seq_io : commit_io),
      .m_valid(io_valid),
      .m_ready(io_ready),
      .m_port(io_port),
      .m_io(io),
      .e_valid(timed_valid),
      .e_port(timed_port),
      .e_rsp(timed_rsp),
      .e_cycles(timed_cycles),
      .cpl_valid,
      .cpl_unit,
      .cpl_rsp,
      .cpl_cycles,
      .cpl_over_limit,
      .fail(cpl_fails),
      .query_dev,
      .query_depth,
      .failure_valid,
      .failure_device,
      .failure_take,
      .usable,
      .readable,
      .failed,
      .usable_count,
      .failures
  );

  // ---- data, check chunks ---------------------------------------------------------------------
  kumi_rec_if #(.W($bits(move_req_t))) move ();
  kumi_rec_if #(.W($bits(move_rsp_t))) moved ();
  kumi_rec_if #(.W($bits(coef_req_t))) stripe ();
  kumi_rec_if #(.W($bits(coef_t))) coef ();
  kumi_rec_if #(.W($bits(coef_t))) coef_used ();
  kumi_axis_if #(.DATA_W(DATA_W)) to_parity ();
  kumi_axis_if #(.DATA_W(DATA_W)) from_parity ();
  logic parity_bad;

  kumi_array_data_mover #(
      .BURST_BYTES(BURST_BYTES)
  ) u_data (
      .clk,
      .rst,
      .s_move(move),
      .m_moved(moved),
      .s_host(s_axis),
      .m_host(m_axis),
      .m_parity(to_parity),
      .s_parity(from_parity),
      .m_axi(mem[GROUPS])
  );
  kumi_parity_coef u_coef (
      .clk,
      .rst,
      .s_req (stripe),
      .m_coef(coef)
  );
  kumi_parity_engine #(
      .DATA_W(DATA_W),
      .PARITY_BYTES(PARITY_BYTES)
  ) u_parity (
      .clk,
      .rst,
      .s_coef(coef_used),
      .s_axis(to_parity),
      .m_axis(from_parity),
      .ev_bad(parity_bad)
  );

  // ---- placement ------------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(place_event_t))) place_event ();
  kumi_rec_if #(.W($bits(place_req_t))) place_req ();
  kumi_rec_if #(.W($bits(place_pick_t))) pick ();
  kumi_rec_if #(.W($bits(slot_req_t))) slot_req ();
  kumi_rec_if #(.W($bits(slot_rsp_t))) slot_rsp ();
  logic [7:0][7:0] recent;
  logic [3:0] recent_count;
  logic placer_busy;

  kumi_placer #(
      .PORTS(PORTS)
  ) u_placer (
      .clk,
      .rst,
      .cfg_width(cfg.width),
      .cfg_physical(cfg.physical),
      .cfg_dynamic(cfg.depth != '0),
      .cfg_depth(cfg.depth),
      .cfg_unit(cfg.unit),
      .s_event(place_event),
      .s_req(place_req),
      .m_pick(pick),
      .occupied,
      .recent,
      .recent_count,
      .busy(placer_busy)
  );
  logic set_area;
  assign set_area = set && set_what == PARAM_AREA;
  kumi_slot_allocator #(
      .PORTS (PORTS),
      .SLOTS (SLOTS),
      .ADDR_W(MEM_ADDR_W)
  ) u_slots (
      .clk,
      .rst,
      .clear(set_area && set_unit == 8'(AREA_SLOTS)),
      .area (cfg.slots),
      .s_req(slot_req),
      .m_rsp(slot_rsp),
      .m_axi(mem[GROUPS+3])
  );

  // ---- commits --------------------------------------------------------------------------------
  logic
      commit,
      commit_done,
      commit_lost,
      commit_bad,
      dev_written,
      dirty_prepare,
      dirty_prepared,
      dirty_bad,
      dirty_set,
      dirty_clear,
      dirty_idle,
      dirty_scan_bad;
  logic [3:0] commit_context;
  logic commit_scan, dirty_valid, commit_take, commit_any_full;
  logic [PORTS-1:0] commit_full;
  logic [31:0] dirty_set_at, dirty_at;

  kumi_array_dirty_bitmap #(
      .STRIPES(STRIPES),
      .ADDR_W (MEM_ADDR_W)
  ) u_pending (
      .clk,
      .rst,
      .area(cfg.dirty),
      .clear(dirty_clear || (set_area && set_unit == 8'(AREA_DIRTY))),
      .prepare(dirty_prepare),
      .stripe(dirty_set_at),
      .prepared(dirty_prepared),
      .bad(dirty_bad),
      .set(dirty_set),
      .scan(commit_scan),
      .count(cfg.stripes),
      .scan_bad(dirty_scan_bad),
      .idle(dirty_idle),
      .m_at(dirty_at),
      .m_valid(dirty_valid),
      .m_ready(commit_take),
      .m_axi(mem[GROUPS+4])
  );

  kumi_array_commit #(
      .PORTS(PORTS)
  ) u_commit (
      .clk,
      .rst,
      .commit_start(commit),
      .commit_context,
      .done(commit_done),
      .full(commit_full),
      .any_full(commit_any_full),
      .lost(commit_lost),
      .bad(commit_bad),
      .cfg_width(cfg.width),
      .cfg_map(cfg.map),
      .cfg_stride(cfg.stride),
      .cfg_log(cfg.log),
      .cfg_log_room(cfg.log_room),
      .readable,
      .set,
      .set_what,
      .set_unit,
      .set_arg,
      .dev_written,
      .dev_written_unit(seq_unit),
      .scan(commit_scan),
      .p_idle(dirty_idle),
      .p_bad(dirty_scan_bad),
      .p_at(dirty_at),
      .p_valid(dirty_valid),
      .p_ready(commit_take),
      .m_io_valid(commit_io_valid),
      .m_io_ready(device_ready && !seq_io_valid),
      .m_unit(commit_unit),
      .m_io(commit_io),
      .cpl_valid,
      .cpl_context(cpl_rsp.context_),
      .m_axi(mem[GROUPS+2])
  );

  // ---- commands -------------------------------------------------------------------------------
  kumi_array_engine #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(CHUNK_BYTES),
      .PARITY_BYTES(PARITY_BYTES),
      .STRIPES(STRIPES)
  ) u_seq (
      .clk,
      .rst,
      .s_cmd,
      .m_rsp,
      .m_move(move),
      .s_moved(moved),
      .m_stripe(stripe),
      .s_coef(coef),
      .m_coef(coef_used),
      .m_event(place_event),
      .m_place(place_req),
      .s_pick(pick),
      .occupied,
      .recent,
      .recent_count,
      .placer_busy,
      .m_slot(slot_req),
      .s_slot(slot_rsp),
      .io_valid(seq_io_valid),
      .io_ready(device_ready),
      .io_unit(seq_unit),
      .io_chunk(seq_chunk),
      .io(seq_io),
      .cpl_valid,
      .cpl_unit,
      .cpl_rsp,
      .cpl_cycles,
      .cpl_over_limit,
      .cpl_fails,
      .query_dev,
      .query_depth,
      .failure_valid,
      .failure_device,
      .failure_take,
      .commit,
      .commit_context,
      .commit_done,
      .commit_full,
      .commit_any_full,
      .commit_lost,
      .commit_bad,
      .dev_written,
      .dirty_prepare,
      .dirty_prepared,
      .dirty_bad,
      .dirty_set,
      .dirty_at(dirty_set_at),
      .dirty_clear,
      .dirty_idle,
      .cfg,
      .set,
      .set_what,
      .set_unit,
      .set_arg,
      .usable,
      .readable,
      .failed,
      .usable_count,
      .failures,
      .raw,
      .busy,
      .m_axi(mem[GROUPS+1])
  );

  array_rsp_t rsp_out;
  assign rsp_out = m_rsp.data;
  always_ff @(posedge clk) begin
    ev <= {
      parity_bad,
      m_rsp.valid && m_rsp.ready && rsp_out.status == STATUS_DATA_LOST,
      m_rsp.valid && m_rsp.ready && rsp_out.detail[1:0] == 2'b11 && rsp_out.status == STATUS_OK,
      cpl_valid && cpl_rsp.status != '0,
      commit,
      m_rsp.valid && m_rsp.ready
    };
    if (rst) ev <= '0;
  end
  logic unused;
  assign unused = ^{cfg, rsp_out};
endmodule
