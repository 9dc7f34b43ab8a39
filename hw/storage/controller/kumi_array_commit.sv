// SPDX-License-Identifier: Apache-2.0
//
// Commit of the storage array (docs/storage-layout.md, "Commit"): flushes all devices written to,
// appends the dirty records to the logs of their replicas, and flushes those.
//
// commit_start: a pulse; done: a pulse with full, the devices whose logs lack space (nothing was
//   appended there; any_full: any of them), and lost, a record has no working replica. cfg_* are
//   constant meanwhile; readable changes only by failures. bad: a memory error; the logs of some
//   devices may have their records.
// set: a pulse with PARAM_LOG_OWNER, PARAM_LOG_BASE or PARAM_LOG_SPACE of a device.
// dev_written: a device has been written to. m_io: requests for device m_unit, at most one per
//   device, with context commit_context; cpl_valid, cpl_context: any completion.
// scan, p_*: kumi_array_dirty_bitmap, p_bad: its scan_bad. m_axi: 64-bit words of memory.
// Latency: three passes over the devices at one or two cycles each; per device with records, one
// pass over all dirty stripes with one memory access each and 2 + w per matching record; 64
// accesses per sector.
// Every request completes and memory answers, so a commit always ends.
module kumi_array_commit
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4  // devices, 1..128
) (
    input logic clk,
    input logic rst,
    input logic commit_start,
    input logic [3:0] commit_context,
    output logic done,
    output logic [PORTS-1:0] full,
    output logic any_full,
    output logic lost,
    output logic bad,
    input logic [4:0] cfg_width,
    input mem_addr_t cfg_map,  // of the entries in memory
    input logic [4:0] cfg_stride,  // size of an entry, log2
    input mem_addr_t cfg_log,  // buffer of log sectors
    input logic [4:0] cfg_log_room,  // bytes per device, log2
    input logic [PORTS-1:0] readable,
    input logic set,
    input array_param_e set_what,
    input logic [7:0] set_unit,
    input logic [63:0] set_arg,
    input logic dev_written,
    input logic [7:0] dev_written_unit,
    output logic scan,
    input logic p_idle,
    input logic p_bad,
    input logic [31:0] p_at,
    input logic p_valid,
    output logic p_ready,
    output logic m_io_valid,
    input logic m_io_ready,
    output logic [7:0] m_unit,
    output disk_req_t m_io,
    input logic cpl_valid,
    input logic [3:0] cpl_context,
    kumi_axi_if.mst m_axi
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  if (PORTS < 1 || PORTS > 128) begin : gen_check
    $fatal(0, "PORTS must be 1..128 (%m)");
  end

  typedef enum logic [4:0] {
    IDLE,
    FLUSH,
    DRAIN,
    COUNT,
    COUNT_GO,
    COUNT_LOAD,
    COUNT_REPLICA,
    COUNT_SUM,
    LOG_LOAD,
    LOG,
    LOG_CMD,
    LOG_SCAN,
    LOG_NEXT,
    LOG_REPLICAS,
    LOG_MATCH,
    LOG_WORD,
    LOG_BEAT,
    LOG_DONE,
    LOG_IO,
    LOG_ABORT,  // zeros complete the records of the formatter
    FLUSH_LOGS,
    DONE
  } state_e;
  state_e state_q, after_q;

  // ---- the logs: settings, and how many records and sectors each gets -------------------------
  typedef struct packed {
    logic [31:0] owner;
    logic [31:0] generation;
  } log_id_t;
  typedef struct packed {
    logic [31:0] records;
    logic [31:0] sectors;
    logic [4:0]  fill;     // records in the last sector
  } log_count_t;
  log_id_t log_id_mem[1 << UNIT_W], log_id_q;
  logic [47:0] lba_mem[1 << UNIT_W], lba_q;
  logic [31:0] half_mem[1 << UNIT_W], half_q;
  logic [31:0] next_mem[1 << UNIT_W], next_q, next_in;
  log_count_t count_mem[1 << UNIT_W], count_q, count_in;
  logic next_we, count_we;
  logic [PORTS-1:0] unflushed_q, full_q, logged_q;
  logic [7:0] open_q;  // outstanding requests
  logic lost_q;
  logic [3:0] context_q;
  logic io_done;

  logic [UNIT_W-1:0] unit_q;
  logic last_unit, flush_now;
  logic [31:0] at_q;
  mem_addr_t entry;
  logic [4:0] n_q;
  logic [31:0] put_q;
  logic draining_q, composed_q, any_alive_q, any_full_q;
  logic [63:0] word_q;

  assign last_unit = unit_q == UNIT_W'(PORTS - 1);
  assign entry = cfg_map + (mem_addr_t'(at_q) << cfg_stride);

  // ---- words of memory ------------------------------------------------------------------------
  logic req, we, w_done, w_bad, bad_q;
  mem_addr_t addr;
  logic [63:0] rdata, wdata;
  kumi_axi_single #(
      .PLACE_W(MEM_ADDR_W)
  ) u_word (
      .clk,
      .rst,
      .req,
      .we,
      .addr,
      .wdata,
      .done(w_done),
      .bad (w_bad),
      .rdata,
      .m_axi
  );

  // ---- composer of log sectors ----------------------------------------------------------------
  kumi_rec_if #(.W($bits(log_cmd_t))) cmd ();
  kumi_axis_if #(.DATA_W(64)) rec ();
  kumi_axis_if #(.DATA_W(64)) sector ();
  logic composed;
  logic [31:0] composed_sectors;
  kumi_log_formatter u_log (
      .clk,
      .rst,
      .s_cmd(cmd),
      .s_rec(rec),
      .m_axis(sector),
      .done(composed),
      .done_sectors(composed_sectors)
  );
  assign cmd.valid = state_q == LOG_CMD;
  assign cmd.data = log_cmd_t'{
          head: 1'b0,
          w: cfg_width,
          owner: log_id_q.owner,
          generation: log_id_q.generation,
          index: next_q,
          count: count_q.records,
          seq: '0
      };
  assign rec.tvalid = (state_q == LOG_BEAT && !draining_q) || (state_q == LOG_ABORT && !composed_q);
  assign rec.tdata = state_q == LOG_ABORT ? '0 : word_q;
  assign rec.tkeep = '1;
  assign rec.tlast = n_q == cfg_width + 5'd1;
  assign rec.tuser = 1'b0;
  assign rec.tid = '0;
  assign rec.tdest = '0;

  // Sector beats are written to memory first.
  assign sector.tready = draining_q ? w_done : state_q == LOG_ABORT;
  always_comb begin
    we = draining_q;
    wdata = sector.tdata;
    addr = entry + mem_addr_t'({n_q, 3'b000});
    req = (state_q == COUNT_LOAD || state_q == LOG_REPLICAS || state_q == LOG_WORD) && !draining_q;
    if (draining_q) begin
      req  = 1'b1;
      addr = cfg_log + (mem_addr_t'(unit_q) << cfg_log_room) + mem_addr_t'(put_q);
    end
    if (w_done) req = 1'b0;
  end

  // The word after the positions holds the replicas in bytes 0 to 2, no device twice.
  logic [1:0] replica_q;
  logic [7:0] replica;
  logic is_alive, is_replica;
  assign replica = word_q[8*replica_q+:8];
  assign is_alive = replica < 8'(PORTS) && readable[UNIT_W'(replica)];
  assign is_replica   = word_q[7:0] == 8'(unit_q) || word_q[15:8] == 8'(unit_q)
      || word_q[23:16] == 8'(unit_q);

  // Table reads take one cycle.
  logic [UNIT_W-1:0] count_at;
  assign count_at = state_q == COUNT_REPLICA || state_q == COUNT_SUM ? UNIT_W'(replica) : unit_q;
  assign count_we = state_q == FLUSH || (state_q == COUNT_SUM && is_alive);
  always_comb begin
    count_in = '0;
    if (state_q == COUNT_SUM) begin
      count_in.records = count_q.records + 1'b1;
      count_in.sectors = count_q.sectors + 32'(count_q.fill == '0);
      count_in.fill = count_q.fill + 1'b1 == records_a_sector(cfg_width) ? '0 : count_q.fill + 1'b1;
    end
  end
  logic set_log;
  logic [UNIT_W-1:0] next_at;
  assign set_log = set && set_unit < 8'(PORTS);
  assign next_we = (set_log && set_what == PARAM_LOG_SPACE) || (state_q == LOG_IO && m_io_ready);
  assign next_at = state_q == LOG_IO ? unit_q : UNIT_W'(set_unit);
  assign next_in = state_q == LOG_IO ? next_q + count_q.sectors : set_arg[63:32];
  always_ff @(posedge clk) begin
    if (count_we) count_mem[count_at] <= count_in;
    if (next_we) next_mem[next_at] <= next_in;
    if (set_log && set_what == PARAM_LOG_OWNER)
      log_id_mem[UNIT_W'(set_unit)] <= '{owner: set_arg[31:0], generation: set_arg[63:32]};
    if (set_log && set_what == PARAM_LOG_BASE) lba_mem[UNIT_W'(set_unit)] <= set_arg[47:0];
    if (set_log && set_what == PARAM_LOG_SPACE) half_mem[UNIT_W'(set_unit)] <= set_arg[31:0];
    count_q <= count_mem[count_at];
    log_id_q <= log_id_mem[unit_q];
    lba_q <= lba_mem[unit_q];
    half_q <= half_mem[unit_q];
    next_q <= next_mem[unit_q];
  end

  assign scan = state_q == COUNT || state_q == LOG_SCAN;
  assign p_ready = (state_q == COUNT_SUM && replica_q == 2'd2) || (state_q == LOG_MATCH
      && !is_replica)
      || (state_q == LOG_BEAT && rec.tvalid && rec.tready && rec.tlast) || state_q == LOG_ABORT;

  assign flush_now = (state_q == FLUSH && unflushed_q[unit_q])
      || (state_q == FLUSH_LOGS && logged_q[unit_q]);
  assign m_unit = 8'(unit_q);
  assign m_io_valid = (flush_now && readable[unit_q]) || state_q == LOG_IO;
  assign m_io = disk_req_t'{
          position: '0,
          context_: context_q,
          op: state_q == LOG_IO ? DISK_WRITE : DISK_FLUSH,
          sectors: state_q == LOG_IO ? 17'(count_q.sectors) : '0,
          lba: lba_q + 48'(next_q),
          addr: cfg_log + (mem_addr_t'(unit_q) << cfg_log_room)
      };

  assign io_done = cpl_valid && state_q != IDLE && cpl_context == context_q;
  assign done = state_q == DONE;
  assign full = full_q;
  assign any_full = any_full_q;
  assign lost = lost_q;
  assign bad = bad_q;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        unit_q <= '0;
        if (commit_start) begin
          state_q <= FLUSH;
          context_q <= commit_context;
          full_q <= '0;
          logged_q <= '0;
          lost_q <= 1'b0;
          any_full_q <= 1'b0;
          bad_q <= 1'b0;
        end
      end
      FLUSH:
      if (!m_io_valid || m_io_ready) begin
        unflushed_q[unit_q] <= 1'b0;
        unit_q <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= COUNT;
        if (last_unit) state_q <= DRAIN;
      end
      DRAIN: if (open_q == '0) state_q <= after_q;
      // Count the records and sectors of each replica.
      COUNT: state_q <= COUNT_GO;
      COUNT_GO: begin
        at_q <= p_at;
        n_q <= cfg_width + 5'd2;
        replica_q <= '0;
        any_alive_q <= 1'b0;
        if (p_valid) state_q <= COUNT_LOAD;
        else if (p_idle) state_q <= p_bad || bad_q ? DONE : LOG_LOAD;
        if (p_bad) bad_q <= 1'b1;
      end
      COUNT_LOAD:
      if (w_done) begin
        word_q  <= rdata;
        state_q <= COUNT_REPLICA;
      end
      COUNT_REPLICA: state_q <= COUNT_SUM;
      COUNT_SUM: begin
        replica_q <= replica_q + 1'b1;
        any_alive_q <= any_alive_q || is_alive;
        state_q <= COUNT_REPLICA;
        if (replica_q == 2'd2) begin
          if (!is_alive && !any_alive_q) lost_q <= 1'b1;
          state_q <= COUNT_GO;
        end
      end
      // Per device: format its records into sectors in memory, then issue the write.
      LOG_LOAD: state_q <= LOG;
      LOG: begin
        put_q <= '0;
        composed_q <= 1'b0;
        if (count_q.records != '0 && readable[unit_q]) begin
          if (next_q + count_q.sectors > half_q
              || count_q.sectors > (32'd1 << (cfg_log_room - 5'd9))) begin
            full_q[unit_q] <= 1'b1;
            any_full_q <= 1'b1;
            state_q <= LOG_DONE;
          end else state_q <= LOG_CMD;
        end else state_q <= LOG_DONE;
      end
      LOG_CMD: if (cmd.ready) state_q <= LOG_SCAN;
      LOG_SCAN: state_q <= LOG_NEXT;
      LOG_NEXT:
      if (!draining_q) begin
        at_q <= p_at;
        n_q  <= cfg_width + 5'd2;
        if (p_valid) state_q <= LOG_REPLICAS;
        else if (p_idle && composed_q) state_q <= LOG_IO;
        // After a memory error nothing more is written to any log.
        if (p_bad) bad_q <= 1'b1;
        if (p_bad || bad_q) state_q <= LOG_ABORT;
      end
      LOG_REPLICAS:
      if (w_done && !draining_q) begin
        word_q  <= rdata;
        state_q <= LOG_MATCH;
      end
      LOG_MATCH: begin
        n_q <= '0;
        state_q <= is_replica && !bad_q ? LOG_WORD : LOG_NEXT;
      end
      LOG_WORD:
      if (w_done && !draining_q) begin
        word_q  <= rdata;
        state_q <= LOG_BEAT;
      end
      LOG_BEAT:
      if (rec.tvalid && rec.tready) begin
        n_q <= n_q + 1'b1;
        state_q <= rec.tlast ? LOG_NEXT : LOG_WORD;
      end
      LOG_ABORT: begin
        if (rec.tvalid && rec.tready) n_q <= rec.tlast ? '0 : n_q + 1'b1;
        if (composed_q && p_idle && !draining_q) begin
          after_q <= DONE;
          state_q <= DRAIN;
        end
      end
      LOG_IO:
      if (m_io_ready) begin
        logged_q[unit_q] <= 1'b1;
        state_q <= LOG_DONE;
      end
      LOG_DONE: begin
        unit_q  <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= FLUSH_LOGS;
        state_q <= last_unit ? DRAIN : LOG_LOAD;
      end
      FLUSH_LOGS:
      if (!m_io_valid || m_io_ready) begin
        unit_q  <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= DONE;
        if (last_unit) state_q <= DRAIN;
      end
      default: state_q <= IDLE;  // DONE
    endcase

    // An access in progress completes before draining starts.
    if (!draining_q && sector.tvalid && (state_q == LOG_NEXT || state_q == LOG_BEAT))
      draining_q <= !(rec.tvalid && rec.tready);
    if (draining_q && w_done) begin
      put_q <= put_q + 32'd8;
      if (sector.tlast) draining_q <= 1'b0;
    end
    if (composed) composed_q <= 1'b1;
    if (w_done && w_bad) bad_q <= 1'b1;
    if (dev_written) unflushed_q[UNIT_W'(dev_written_unit)] <= 1'b1;
    open_q <= open_q + 8'(m_io_valid && m_io_ready) - 8'(io_done);
    if (rst) begin
      state_q <= IDLE;
      draining_q <= 1'b0;
      unflushed_q <= '0;
      open_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{composed_sectors, sector.tkeep, sector.tuser, sector.tid, sector.tdest,
                    set_unit, set_arg, dev_written_unit, replica};
endmodule
