// SPDX-License-Identifier: Apache-2.0
//
// A commit of the storage array: all devices written to are flushed, each holder of a pending
// record gets it at the end of its log, then those are flushed (docs/storage-layout.md, "Commit").
//
// go: a pulse; done: a pulse with full, the devices whose logs have no room (nothing was written
//   there: their logs must move), and lost, a record has no holder that works. Constant from go
//   to done: cfg_*, readable changes only with failures.
// log_*: sets what SET_OWNER, SET_HALF and SET_ROOM say of a device's log.
// wrote: a device has been written to. m_io: requests, one each device at a time, for port m_unit;
//   end_*: their ends.
// scan, p_*: kumi_array_pending. m_axi: words of memory.
// Cost: per pending record and device some 4 + w accesses to memory, 64 for a sector.
// Nothing waits for ever: every request has its end, and memory answers.
module kumi_array_commit
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4  // devices
) (
    input logic clk,
    input logic rst,
    input logic go,
    output logic done,
    output logic [PORTS-1:0] full,
    output logic lost,
    input logic [4:0] cfg_width,
    input logic [31:0] cfg_map,  // of the entries in memory
    input logic [4:0] cfg_stride,  // of an entry, logarithm
    input logic [31:0] cfg_log,  // sectors are composed here
    input logic [4:0] cfg_log_room,  // bytes for a device, logarithm
    input logic [PORTS-1:0] readable,
    input logic log_set,
    input set_e log_what,
    input logic [7:0] log_unit,
    input logic [63:0] log_arg,
    input logic wrote,
    input logic [7:0] wrote_unit,
    output logic scan,
    input logic p_idle,
    input logic [31:0] p_at,
    input logic p_valid,
    output logic p_ready,
    output logic m_io_valid,
    input logic m_io_ready,
    output logic [7:0] m_unit,
    output io_t m_io,
    input logic end_valid,
    input logic [7:0] end_unit,
    kumi_axi_if.mst m_axi
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  if (PORTS < 1 || PORTS > 16) begin : gen_check
    $fatal(0, "PORTS must be 1..16 (%m)");
  end

  typedef enum logic [4:0] {
    IDLE,
    FLUSH,
    SETTLE,
    COUNT,
    COUNT_GO,
    COUNT_HOLD,
    COUNT_SUM,
    LOG,
    LOG_CMD,
    LOG_SCAN,
    LOG_NEXT,
    LOG_HOLD,
    LOG_LOOK,
    LOG_WORD,
    LOG_BEAT,
    LOG_ENDS,
    LOG_IO,
    AGAIN,
    DONE
  } state_e;
  state_e state_q, after_q;

  // ---- the logs -------------------------------------------------------------------------------
  logic [31:0] owner_q[PORTS], generation_q[PORTS], next_q[PORTS], records_q[PORTS];
  logic [31:0] sectors_q[PORTS], half_q[PORTS];
  logic [47:0] lba_q [PORTS];
  logic [ 4:0] fill_q[PORTS];  // records in the last sector
  logic [PORTS-1:0] unflushed_q, open_q, full_q, logged_q;
  logic lost_q;

  logic [UNIT_W-1:0] unit_q;
  logic last_unit, flush_now;
  logic [31:0] at_q, entry;
  logic [ 4:0] n_q;
  logic [31:0] put_q;
  logic draining_q, composed_q;
  logic [63:0] held_q;

  assign last_unit = unit_q == UNIT_W'(PORTS - 1);
  assign entry = cfg_map + (at_q << cfg_stride);

  // ---- words of memory ------------------------------------------------------------------------
  logic req, we, w_done, w_bad, bad_q;
  logic [31:0] addr;
  logic [63:0] rdata, wdata;
  kumi_array_word u_word (
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
  kumi_hdr_if #(.W($bits(log_cmd_t))) cmd ();
  kumi_axis_if #(.DATA_W(64)) rec ();
  kumi_axis_if #(.DATA_W(64)) sector ();
  logic composed;
  logic [31:0] composed_sectors;
  kumi_storage_log u_log (
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
          owner: owner_q[unit_q],
          generation: generation_q[unit_q],
          index: next_q[unit_q],
          count: records_q[unit_q],
          seq: '0
      };
  assign rec.tvalid = state_q == LOG_BEAT && !draining_q;
  assign rec.tdata = held_q;
  assign rec.tkeep = '1;
  assign rec.tlast = n_q == cfg_width + 5'd1;
  assign rec.tuser = 1'b0;
  assign rec.tid = '0;
  assign rec.tdest = '0;

  // A beat of a sector goes to memory before anything else does.
  assign sector.tready = draining_q && w_done;
  always_comb begin
    we = draining_q;
    wdata = sector.tdata;
    addr = entry + {24'd0, n_q, 3'b000};
    req = (state_q == COUNT_HOLD || state_q == LOG_HOLD || state_q == LOG_WORD) && !draining_q;
    if (draining_q) begin
      req  = 1'b1;
      addr = cfg_log + (32'(unit_q) << cfg_log_room) + put_q;
    end
    if (w_done) req = 1'b0;
  end

  // A holder is named in bytes 0 to 2 of the word behind the positions.
  function automatic logic [PORTS-1:0] held_by(input logic [63:0] word);
    held_by = '0;
    for (int d = 0; d < PORTS; d++) begin
      for (int i = 0; i < 3; i++) if (word[8*i+:8] == 8'(d)) held_by[d] = 1'b1;
    end
  endfunction
  logic [PORTS-1:0] holders;
  assign holders = held_by(held_q) & readable;

  assign scan = state_q == COUNT || state_q == LOG_SCAN;
  assign p_ready = (state_q == COUNT_SUM) || (state_q == LOG_LOOK && !holders[unit_q])
      || (state_q == LOG_BEAT && rec.tvalid && rec.tready && rec.tlast);

  assign flush_now = (state_q == FLUSH && unflushed_q[unit_q])
      || (state_q == AGAIN && logged_q[unit_q]);
  assign m_unit = 8'(unit_q);
  assign m_io_valid = (flush_now && readable[unit_q]) || state_q == LOG_IO;
  assign m_io = io_t'{
          position: '0,
          context_: '0,
          op: state_q == LOG_IO ? IO_WRITE : IO_FLUSH,
          sectors: state_q == LOG_IO ? 17'(sectors_q[unit_q]) : '0,
          lba: lba_q[unit_q] + 48'(next_q[unit_q]),
          addr: cfg_log + (32'(unit_q) << cfg_log_room)
      };

  assign done = state_q == DONE;
  assign full = full_q;
  assign lost = lost_q || bad_q;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        unit_q <= '0;
        if (go) begin
          state_q <= FLUSH;
          full_q <= '0;
          logged_q <= '0;
          lost_q <= 1'b0;
          bad_q <= 1'b0;
          for (int d = 0; d < PORTS; d++) begin
            records_q[d] <= '0;
            sectors_q[d] <= '0;
            fill_q[d] <= '0;
          end
        end
      end
      FLUSH:
      if (!m_io_valid || m_io_ready) begin
        unflushed_q[unit_q] <= 1'b0;
        unit_q <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= COUNT;
        if (last_unit) state_q <= SETTLE;
      end
      SETTLE: if (open_q == '0) state_q <= after_q;
      // How many records and sectors each holder gets.
      COUNT: state_q <= COUNT_GO;
      COUNT_GO: begin
        at_q <= p_at;
        n_q  <= cfg_width + 5'd2;
        if (p_valid) state_q <= COUNT_HOLD;
        else if (p_idle) state_q <= LOG;
      end
      COUNT_HOLD:
      if (w_done) begin
        held_q  <= rdata;
        state_q <= COUNT_SUM;
      end
      COUNT_SUM: begin
        for (int d = 0; d < PORTS; d++) begin
          if (holders[d]) begin
            records_q[d] <= records_q[d] + 1'b1;
            if (fill_q[d] == '0) sectors_q[d] <= sectors_q[d] + 1'b1;
            fill_q[d] <= fill_q[d] + 1'b1 == records_a_sector(cfg_width) ? '0 : fill_q[d] + 1'b1;
          end
        end
        if (holders == '0) lost_q <= 1'b1;
        state_q <= COUNT_GO;
      end
      // One device after the other: records to sectors in memory, then the request.
      LOG: begin
        put_q <= '0;
        composed_q <= 1'b0;
        if (records_q[unit_q] != '0 && readable[unit_q]) begin
          if (next_q[unit_q] + sectors_q[unit_q] > half_q[unit_q]
              || sectors_q[unit_q] > (32'd1 << (cfg_log_room - 5'd9))) begin
            full_q[unit_q] <= 1'b1;
            state_q <= LOG_ENDS;
          end else state_q <= LOG_CMD;
        end else state_q <= LOG_ENDS;
      end
      LOG_CMD: if (cmd.ready) state_q <= LOG_SCAN;
      LOG_SCAN: state_q <= LOG_NEXT;
      LOG_NEXT:
      if (!draining_q) begin
        at_q <= p_at;
        n_q  <= cfg_width + 5'd2;
        if (p_valid) state_q <= LOG_HOLD;
        else if (p_idle && composed_q) state_q <= LOG_IO;
      end
      LOG_HOLD:
      if (w_done && !draining_q) begin
        held_q  <= rdata;
        state_q <= LOG_LOOK;
      end
      LOG_LOOK: begin
        n_q <= '0;
        state_q <= holders[unit_q] ? LOG_WORD : LOG_NEXT;
      end
      LOG_WORD:
      if (w_done && !draining_q) begin
        held_q  <= rdata;
        state_q <= LOG_BEAT;
      end
      LOG_BEAT:
      if (rec.tvalid && rec.tready) begin
        n_q <= n_q + 1'b1;
        state_q <= rec.tlast ? LOG_NEXT : LOG_WORD;
      end
      LOG_IO:
      if (m_io_ready) begin
        logged_q[unit_q] <= 1'b1;
        next_q[unit_q] <= next_q[unit_q] + sectors_q[unit_q];
        state_q <= LOG_ENDS;
      end
      LOG_ENDS: begin
        unit_q  <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= AGAIN;
        state_q <= last_unit ? SETTLE : LOG;
      end
      AGAIN:
      if (!m_io_valid || m_io_ready) begin
        unit_q  <= last_unit ? '0 : unit_q + 1'b1;
        after_q <= DONE;
        if (last_unit) state_q <= SETTLE;
      end
      default: state_q <= IDLE;  // DONE
    endcase

    // A word access that has begun is ended before the drain takes over.
    if (!draining_q && sector.tvalid && (state_q == LOG_NEXT || state_q == LOG_BEAT))
      draining_q <= !(rec.tvalid && rec.tready);
    if (draining_q && w_done) begin
      put_q <= put_q + 32'd8;
      if (sector.tlast) draining_q <= 1'b0;
    end
    if (composed) composed_q <= 1'b1;
    if (w_done && w_bad) bad_q <= 1'b1;
    if (wrote) unflushed_q[UNIT_W'(wrote_unit)] <= 1'b1;
    if (m_io_valid && m_io_ready) open_q[unit_q] <= 1'b1;
    if (end_valid && state_q != IDLE) open_q[UNIT_W'(end_unit)] <= 1'b0;
    if (log_set) begin
      case (log_what)
        SET_OWNER: {generation_q[UNIT_W'(log_unit)], owner_q[UNIT_W'(log_unit)]} <= log_arg;
        SET_HALF:  lba_q[UNIT_W'(log_unit)] <= log_arg[47:0];
        default:   {next_q[UNIT_W'(log_unit)], half_q[UNIT_W'(log_unit)]} <= log_arg;  // SET_ROOM
      endcase
    end
    if (rst) begin
      state_q <= IDLE;
      draining_q <= 1'b0;
      unflushed_q <= '0;
      open_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{composed_sectors, sector.tkeep, sector.tuser, sector.tid, sector.tdest,
                    log_unit, wrote_unit, end_unit};
endmodule
