// SPDX-License-Identifier: Apache-2.0
//
// Collectives over a ring of nodes joined by TCP: send, receive, scatter, gather, broadcast,
// reduce, all-reduce (32-bit integers or binary32) and barrier.
//
// Every node has this kernel and a connection to the node of the next rank. All nodes start the
//   same operations in the same order; send and receive concern two of them, the others forward the
//   blocks. s_cmd: coll_cmd_t, m_done: tcp_reason_e, one operation at a time; or registers.
// s_local: this node's bytes, whole beats except the last of each part. m_local: what it receives;
//   tid is the rank of the sender, tlast ends a part. docs/blocks/kernels.md lists what each
//   operation takes and delivers; numbers are little-endian.
// A part travels in blocks of CHUNK bytes. Sums travel once around the ring, each node adding its
//   part, and the result once more behind them, with WINDOW blocks in flight; so no node needs
//   memory for a whole part.
// Time-outs: an operation fails when a connection ends or no block moves for timeout_us; then both
//   connections are closed, and reopened while `link` is set.
// A block starts only when this node's bytes for it have arrived and there is space for what it
//   delivers, so a stalled user does not stall the engine; blocks for others continue meanwhile.
// m_app: the TCP engine (kumi_tcp_app_if), whose rings must hold WINDOW * (CHUNK + 64) bytes.
// Cost: about 30 cycles per block beside its beats.
module kumi_coll
  import kumi_tcp_pkg::*;
  import kumi_coll_pkg::*;
#(
    parameter int CHUNK  = 1024,  // bytes of a block, a power of two, 64..16384
    parameter int WINDOW = 3,     // blocks of an all-reduce in flight, 1..15
    parameter int RETRY  = 65536  // cycles between two tries to connect
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_done,
    kumi_axis_if.snk s_local,
    kumi_axis_if.src m_local,
    kumi_tcp_app_if m_app,
    output logic busy
);
  localparam int EVENTS = 6;
  localparam int KEEP_W = m_app.DATA_W / 8;
  localparam int LOG_W = $clog2(KEEP_W);
  localparam int ROOM = 2 * CHUNK / KEEP_W;  // beats of the buffers on this node's side
  localparam int ROOM_W = $clog2(ROOM + 3);

  if (CHUNK < 64 || CHUNK > 16384 || (CHUNK & (CHUNK - 1)) != 0) begin : gen_check_chunk
    $fatal(0, "CHUNK must be a power of two, 64..16384 (%m)");
  end
  if (WINDOW < 1 || WINDOW > 15) begin : gen_check_window
    $fatal(0, "WINDOW must be 1..15 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_coll_regs_pkg::kumi_coll_regs__in_t  hwif_in;
  kumi_coll_regs_pkg::kumi_coll_regs__out_t hwif_out;

  kumi_coll_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [EVENTS-1:0] ev;
  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[4:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic [7:0] rank, nodes;
  assign rank  = hwif_out.place.rank.value;
  assign nodes = hwif_out.place.nodes.value;

  // ---- connections -----------------------------------------------------------------------------
  logic prev_up, next_up, take, lost, cancel;
  logic [SID_W-1:0] prev_sid, next_sid;
  logic [31:0] bytes;
  logic [15:0] taken;
  tcp_reason_e lost_reason;

  kumi_coll_conn #(
      .RETRY(RETRY)
  ) u_link (
      .clk,
      .rst,
      .link(hwif_out.ctrl.link.value),
      .cancel,
      .port(hwif_out.place.port.value),
      .next_ip(hwif_out.next_ip.value.value),
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .m_open(m_app.open),
      .s_open_rsp(m_app.open_rsp),
      .m_close(m_app.close),
      .s_notify(m_app.notify),
      .prev_up,
      .prev_sid,
      .bytes,
      .take,
      .taken,
      .next_up,
      .next_sid,
      .lost,
      .reason(lost_reason)
  );

  // ---- this node's bytes: buffers and fill levels ---------------------------------------------
  kumi_axis_if #(.DATA_W(8 * KEEP_W)) local_in ();
  kumi_axis_if #(
      .DATA_W(8 * KEEP_W),
      .ID_W  (m_local.ID_W),
      .USER_W(m_local.USER_W),
      .DEST_W(m_local.DEST_W)
  ) local_out ();
  logic [ROOM_W-1:0] in_q, out_q;  // beats

  kumi_coll_buffer #(
      .ROOM(ROOM)
  ) u_local (
      .clk,
      .rst,
      .s_local,
      .m_in(local_in),
      .s_out(local_out),
      .m_local,
      .in_beats(in_q),
      .out_beats(out_q)
  );

  // ---- the operation ---------------------------------------------------------------------------
  typedef enum logic [4:0] {
    LOOP,
    SELECT,
    BEGIN,
    HDR_READ,
    HDR_RSP,
    HDR_DATA,
    HDR_CHECK,
    WRITE,
    WRITE_RSP,
    READ,
    READ_RSP,
    DROP,
    START,
    RUN,
    NEXT,
    FINISH,
    FAIL
  } state_e;

  state_e state_q;
  logic start, start_q;
  coll_cmd_t cmd_q;
  coll_xfer_t in_xfer, out_xfer, xfer_q;
  coll_block_t hdr_q;
  tcp_write_rsp_t write_rsp;
  tcp_read_rsp_t read_rsp;
  tcp_reason_e reason_q, lost_reason_q;
  logic running_q, by_stream_q, hdr_valid_q, in_go_q, out_go_q, in_turn_q, xfer_in_q, dry_q;
  logic lost_q, counts_q, counts, first_q;
  logic [3:0] inflight_q;
  logic [7:0]
      parts_left_q,
      part_index_q,
      parts_seen_q,
      parts_needed_q,
      passed_q,
      initial_parts,
      initial_needed;
  logic [31:0] left_q, mark_q, cycles_q;
  logic [5:0] retry_q;
  logic in_go, out_go, sums, illegal, complete, stalled, data_ready, part_last, hdr_beat, pass_one;
  logic [15:0] size;

  function automatic logic [ROOM_W-1:0] beats_of(logic [15:0] count);
    return ROOM_W'((count + 16'(KEEP_W - 1)) >> LOG_W);
  endfunction

  assign write_rsp = tcp_write_rsp_t'(m_app.write_rsp.data);
  assign read_rsp = tcp_read_rsp_t'(m_app.read_rsp.data);
  assign complete = running_q && parts_left_q == '0
      && (cmd_q.op == COLL_PASS ? passed_q != '0 : parts_seen_q == parts_needed_q);
  assign stalled = running_q && hwif_out.timeout_us.value.value != '0
      && now_us - mark_q >= hwif_out.timeout_us.value.value;

  kumi_coll_sched #(
      .CHUNK (CHUNK),
      .WINDOW(WINDOW)
  ) u_plan (
      .cmd(cmd_q),
      .rank,
      .nodes,
      .running(running_q),
      .parts_left(parts_left_q),
      .part_index(part_index_q),
      .parts_seen(parts_seen_q),
      .parts_needed(parts_needed_q),
      .inflight(inflight_q),
      .left(left_q),
      .hdr(hdr_q),
      .initial_parts,
      .initial_needed,
      .sums,
      .illegal,
      .in_xfer,
      .in_go,
      .counts,
      .out_xfer,
      .out_go,
      .size,
      .part_last
  );

  // ---- streams of the engine -------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(8 * KEEP_W)) came ();
  kumi_axis_if #(.DATA_W(8 * KEEP_W)) to_next ();

  assign m_app.write.valid = state_q == WRITE;
  assign m_app.write.data = {next_sid, 16'(COLL_HDR_BYTES) + xfer_q.hdr.length};
  assign m_app.write_rsp.ready = state_q == WRITE_RSP;
  assign m_app.read.valid = state_q == READ || state_q == HDR_READ;
  assign m_app.read.data = {prev_sid, state_q == READ ? xfer_q.hdr.length : 16'(COLL_HDR_BYTES)};
  assign m_app.read_rsp.ready = state_q == READ_RSP || state_q == HDR_RSP;
  assign take = m_app.read.valid && m_app.read.ready;
  assign taken = m_app.read.data[15:0];

  assign came.tdata = m_app.rx.tdata;
  assign came.tkeep = m_app.rx.tkeep;
  assign came.tlast = m_app.rx.tlast;
  assign came.tvalid = m_app.rx.tvalid && state_q == RUN;
  assign came.tuser = '0;
  assign came.tid = '0;
  assign came.tdest = '0;
  assign m_app.rx.tready = state_q == RUN ? came.tready : state_q == HDR_DATA || state_q == DROP;
  assign m_app.tx.tdata = to_next.tdata;
  assign m_app.tx.tkeep = to_next.tkeep;
  assign m_app.tx.tlast = to_next.tlast;
  assign m_app.tx.tvalid = to_next.tvalid;
  assign m_app.tx.tuser = '0;
  assign m_app.tx.tid = '0;
  assign m_app.tx.tdest = '0;
  assign to_next.tready = m_app.tx.tready;

  kumi_coll_datapath u_data (
      .clk,
      .rst,
      .start(state_q == START),
      .xfer(xfer_q),
      .ready(data_ready),
      .s_prev(came),
      .s_local(local_in),
      .m_next(to_next),
      .m_local(local_out)
  );

  // ---- state machine ---------------------------------------------------------------------------
  // A start by register is a pulse of one cycle: it waits for LOOP.
  assign start = start_q || hwif_out.ctrl.start.value;
  assign s_cmd.ready = state_q == LOOP && !running_q && !start && !m_done.valid;
  assign cancel = state_q == FAIL;
  assign pass_one = state_q == FINISH && running_q && reason_q == TCP_OK && cmd_q.op == COLL_PASS;

  always_ff @(posedge clk) begin
    cycles_q <= cycles_q + 32'(running_q);
    if (retry_q != '0) retry_q <= retry_q - 1'b1;
    case (state_q)
      LOOP: begin
        // Candidates for the next block; selected in the cycle after.
        in_go_q <= hdr_valid_q && in_go && prev_up && bytes >= 32'(hdr_q.length)
            && (!in_xfer.from_local || in_q >= beats_of(
            hdr_q.length
        )) && (!in_xfer.to_local || 32'(out_q) + 32'(beats_of(
            hdr_q.length
        )) <= ROOM) && (!in_xfer.to_next || (next_up && retry_q == '0));
        out_go_q <= out_go && (!out_xfer.from_local || in_q >= beats_of(
            size
        )) && (!out_xfer.to_local || 32'(out_q) + 32'(beats_of(
            size
        )) <= ROOM) && (!out_xfer.to_next || (next_up && retry_q == '0));
        state_q <= SELECT;
        if (lost_q && running_q) begin
          reason_q <= lost_reason_q;
          state_q  <= FAIL;
        end else if (complete) begin
          reason_q <= TCP_OK;
          state_q  <= FINISH;
        end else if (stalled) begin
          reason_q <= TCP_TIMEOUT;
          state_q  <= FAIL;
        end else if (!running_q && start) begin
          cmd_q <= '{
              op: coll_op_e'(hwif_out.command.op.value),
              is_float: hwif_out.command.is_float.value,
              root: hwif_out.command.root.value,
              length: hwif_out.length.value.value
          };
          by_stream_q <= 1'b0;
          state_q <= BEGIN;
        end else if (s_cmd.valid && s_cmd.ready) begin
          cmd_q <= s_cmd.data;
          by_stream_q <= 1'b1;
          state_q <= BEGIN;
        end
        if (!running_q) lost_q <= 1'b0;
      end
      BEGIN: begin
        // Parts that this node contributes, and ends of parts that it has to see.
        running_q <= 1'b1;
        mark_q <= now_us;
        cycles_q <= '0;
        inflight_q <= '0;
        part_index_q <= '0;
        parts_seen_q <= '0;
        left_q <= cmd_q.op == COLL_BARRIER ? '0 : cmd_q.length;
        parts_left_q <= initial_parts;
        parts_needed_q <= initial_needed;
        first_q <= sums && rank == '0 && nodes != 8'd1;
        state_q <= LOOP;
        if (illegal) begin
          // Nothing was done, so the ring stays as it is.
          reason_q <= TCP_NO_SESSION;
          state_q  <= FINISH;
        end
      end
      SELECT: begin
        state_q <= LOOP;
        dry_q <= 1'b0;
        counts_q <= counts;
        if (!hdr_valid_q && prev_up && bytes >= 32'(COLL_HDR_BYTES)) begin
          state_q <= HDR_READ;
        end else if (in_go_q && (in_turn_q || !out_go_q)) begin
          xfer_q <= in_xfer;
          xfer_in_q <= 1'b1;
          in_turn_q <= 1'b0;
          state_q <= in_xfer.to_next ? WRITE : in_xfer.from_prev ? READ : START;
        end else if (out_go_q) begin
          xfer_q <= out_xfer;
          xfer_in_q <= 1'b0;
          in_turn_q <= 1'b1;
          state_q <= out_xfer.to_next ? WRITE : START;
        end
      end
      // ---- header of a block
      HDR_READ: if (m_app.read.ready) state_q <= HDR_RSP;
      HDR_RSP:
      if (m_app.read_rsp.valid) begin
        reason_q <= TCP_RESET;
        dry_q <= read_rsp.length != 16'(COLL_HDR_BYTES);
        state_q <= read_rsp.length == '0 ? FAIL : HDR_DATA;
      end
      HDR_DATA:
      if (m_app.rx.tvalid) begin
        if (!hdr_beat) hdr_q <= coll_block_t'(m_app.rx.tdata[COLL_BLOCK_W-1:0]);
        if (m_app.rx.tlast) state_q <= HDR_CHECK;
      end
      HDR_CHECK: begin
        hdr_valid_q <= 1'b1;
        state_q <= LOOP;
        if (dry_q || hdr_q.mark != COLL_MAGIC || 32'(hdr_q.length) > CHUNK) state_q <= FAIL;
      end
      // ---- a block
      WRITE: if (m_app.write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (m_app.write_rsp.valid) begin
        reason_q <= write_rsp.reason;
        if (write_rsp.reason == TCP_OK) begin
          state_q <= xfer_q.from_prev ? READ : START;
        end else if (write_rsp.reason == TCP_NO_SPACE) begin
          retry_q <= '1;
          state_q <= LOOP;
        end else begin
          state_q <= FAIL;
        end
      end
      READ: if (m_app.read.ready) state_q <= READ_RSP;
      READ_RSP:
      if (m_app.read_rsp.valid) begin
        state_q <= START;
        if (read_rsp.length != xfer_q.hdr.length) begin
          // Aborted: what was announced to the next node is padded, then all ends.
          xfer_q.from_prev <= 1'b0;
          dry_q <= 1'b1;
          reason_q <= TCP_RESET;
          if (read_rsp.length != '0) state_q <= DROP;
          else if (!xfer_q.to_next) state_q <= FAIL;
        end
      end
      DROP: if (m_app.rx.tvalid && m_app.rx.tlast) state_q <= xfer_q.to_next ? START : FAIL;
      START: state_q <= RUN;
      RUN: if (data_ready) state_q <= NEXT;
      NEXT: begin
        state_q <= dry_q ? FAIL : LOOP;
        mark_q  <= now_us;
        if (xfer_in_q) begin
          hdr_valid_q <= 1'b0;
          if (counts_q) parts_seen_q <= parts_seen_q + 1'b1;
          if (first_q && hdr_q.kind == COLL_BLOCK_RESULT) inflight_q <= inflight_q - 1'b1;
        end else begin
          left_q <= left_q - 32'(size);
          if (first_q) inflight_q <= inflight_q + 1'b1;
          if (part_last) begin
            left_q <= cmd_q.length;
            parts_left_q <= parts_left_q - 1'b1;
            part_index_q <= part_index_q + 1'b1;
          end
        end
      end
      FINISH: begin
        running_q <= 1'b0;
        state_q   <= LOOP;
      end
      default: begin
        running_q <= 1'b0;
        hdr_valid_q <= 1'b0;
        retry_q <= '0;
        state_q <= LOOP;
      end
    endcase
    if (state_q == BEGIN) start_q <= 1'b0;
    else if (hwif_out.ctrl.start.value && !running_q) start_q <= 1'b1;
    // Messages between others that have passed and were not awaited yet.
    if (state_q == NEXT && xfer_in_q && hdr_q.kind == COLL_BLOCK_DATA && hdr_q.last
        && xfer_q.to_next)
      passed_q <= passed_q + 1'b1;
    else if (pass_one) passed_q <= passed_q - 1'b1;
    if (state_q == HDR_RSP) hdr_beat <= 1'b0;
    else if (state_q == HDR_DATA && m_app.rx.tvalid) hdr_beat <= 1'b1;
    if (lost) begin
      lost_q <= 1'b1;
      lost_reason_q <= lost_reason;
    end
    if (!prev_up) hdr_valid_q <= 1'b0;
    if (!prev_up || state_q == FAIL) passed_q <= '0;
    if (rst) begin
      state_q <= LOOP;
      running_q <= 1'b0;
      start_q <= 1'b0;
      hdr_valid_q <= 1'b0;
      retry_q <= '0;
      in_turn_q <= 1'b0;
      lost_q <= 1'b0;
      passed_q <= '0;
      reason_q <= TCP_OK;
    end
  end

  logic ended, ended_ok;
  tcp_reason_e shown_q;
  logic [31:0] shown_cycles_q;
  assign ended = (state_q == FINISH || state_q == FAIL) && running_q;
  assign ended_ok = ended && state_q == FINISH && reason_q == TCP_OK;

  always_ff @(posedge clk) begin
    if (m_done.ready) m_done.valid <= 1'b0;
    if (ended) begin
      m_done.valid <= by_stream_q;
      m_done.data <= reason_q;
      shown_q <= reason_q;
      shown_cycles_q <= cycles_q;
    end
    if (rst) begin
      m_done.valid <= 1'b0;
      shown_q <= TCP_OK;
      shown_cycles_q <= '0;
    end
  end

  assign busy = running_q || start_q || state_q != LOOP && state_q != SELECT || out_q != '0
      || hdr_valid_q;

  // In the order of regs/coll.rdl.
  assign ev = {
    state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_NO_SPACE,  // no_space
    lost,  // connections_lost
    state_q == NEXT && xfer_q.to_next,  // blocks_out
    state_q == NEXT && xfer_in_q,  // blocks_in
    ended && !ended_ok,  // failed
    ended_ok  // done
  };

  assign hwif_in.status.prev_up.next = prev_up;
  assign hwif_in.status.next_up.next = next_up;
  assign hwif_in.status.running.next = running_q;
  assign hwif_in.status.reason.next = shown_q;
  assign hwif_in.cycles.value.next = shown_cycles_q;

  logic unused;
  assign unused = ^{write_rsp, read_rsp, m_app.rx.tuser, m_app.rx.tid, m_app.rx.tdest};
endmodule
