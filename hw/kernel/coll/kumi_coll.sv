// SPDX-License-Identifier: Apache-2.0
//
// Collectives over a ring of nodes joined by TCP: send, receive, scatter, gather, broadcast,
// reduce, all-reduce (32-bit integers or binary32) and barrier.
//
// Every node has this kernel and a connection to the node of the next rank. All nodes begin the
//   same operations in the same order; send and receive concern two of them, the others pass the
//   blocks on. s_cmd: coll_cmd_t, m_done: tcp_reason_e, one operation at a time; or registers.
// s_local: this node's bytes, whole beats but the last of each part. m_local: what it gets; tid is
//   the rank it comes from, tlast ends a part. What each operation takes and gives is on the page
//   of the kernels; numbers are little-endian.
// A part goes in blocks of CHUNK bytes. Sums travel once around, each node adding its part, and the
//   result once more behind them, WINDOW blocks under way; so nothing waits for memory for a part.
// Nothing waits for ever: an operation fails when a connection ends or no block moves for
//   timeout_us; then both connections are ended, and come up again while `link` is set.
// A block begins only when this node's bytes for it are there and there is room for what it gets,
//   so users that stop do not stop the engine; blocks for others go on meanwhile.
// The other streams are the application side of the TCP engine, see kumi_tcp_echo. The engine's
//   rings must hold WINDOW * (CHUNK + 64) bytes.
// Cost: about 30 cycles a block beside its beats.
module kumi_coll
  import kumi_tcp_pkg::*;
  import kumi_coll_pkg::*;
#(
    parameter int CHUNK  = 1024,  // bytes of a block, a power of two, 64..16384
    parameter int WINDOW = 3,     // blocks of an all-reduce under way, 1..15
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
    kumi_rec_if.src m_listen,
    kumi_rec_if.snk s_listened,
    kumi_rec_if.src m_open,
    kumi_rec_if.snk s_opened,
    kumi_rec_if.src m_close,
    kumi_rec_if.snk s_note,
    kumi_rec_if.src m_read,
    kumi_rec_if.snk s_read,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_write,
    kumi_rec_if.snk s_write,
    kumi_axis_if.src m_axis,
    output logic busy
);
  localparam int EVENTS = 6;
  localparam int KEEP_W = m_axis.KEEP_W;
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
      .s_axil_awready(s_axil.awready),
      .s_axil_awvalid(s_axil.awvalid),
      .s_axil_awaddr (s_axil.awaddr[11:0]),
      .s_axil_awprot (s_axil.awprot),
      .s_axil_wready (s_axil.wready),
      .s_axil_wvalid (s_axil.wvalid),
      .s_axil_wdata  (s_axil.wdata),
      .s_axil_wstrb  (s_axil.wstrb),
      .s_axil_bready (s_axil.bready),
      .s_axil_bvalid (s_axil.bvalid),
      .s_axil_bresp  (s_axil.bresp),
      .s_axil_arready(s_axil.arready),
      .s_axil_arvalid(s_axil.arvalid),
      .s_axil_araddr (s_axil.araddr[11:0]),
      .s_axil_arprot (s_axil.arprot),
      .s_axil_rready (s_axil.rready),
      .s_axil_rvalid (s_axil.rvalid),
      .s_axil_rdata  (s_axil.rdata),
      .s_axil_rresp  (s_axil.rresp),
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
  logic before_up, next_up, take, lost, cut;
  logic [SID_W-1:0] before_sid, next_sid;
  logic [31:0] bytes;
  logic [15:0] taken;
  tcp_reason_e lost_reason;

  kumi_coll_conn #(
      .RETRY(RETRY)
  ) u_link (
      .clk,
      .rst,
      .link(hwif_out.ctrl.link.value),
      .cut,
      .port(hwif_out.place.port.value),
      .next_ip(hwif_out.next_ip.value.value),
      .m_listen,
      .s_listened,
      .m_open,
      .s_opened,
      .m_close,
      .s_note,
      .before_up,
      .before_sid,
      .bytes,
      .take,
      .taken,
      .next_up,
      .next_sid,
      .lost,
      .reason(lost_reason)
  );

  // ---- this node's bytes: buffers, and what is in them -----------------------------------------
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
    PICK,
    BEGIN,
    HEAD_READ,
    HEAD_RSP,
    HEAD_DATA,
    HEAD_CHECK,
    WRITE,
    WROTE,
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
  coll_cmd_t cmd_q;
  coll_xfer_t in_move, out_move, move_q;
  block_t head_q;
  tcp_write_rsp_t wrote;
  tcp_read_rsp_t told;
  tcp_reason_e reason_q, lost_reason_q;
  logic running_q, by_stream_q, head_valid_q, in_go_q, out_go_q, in_turn_q, move_in_q, dry_q;
  logic lost_q, counts_q, counts, first_q;
  logic [3:0] inflight_q;
  logic [7:0] pieces_q, piece_q, lasts_q, needed_q, passed_q, all_pieces, all_needed;
  logic [31:0] left_q, mark_q, cycles_q;
  logic [5:0] hold_q;
  logic
      in_go,
      out_go,
      sums,
      impossible,
      complete,
      stalled,
      data_ready,
      part_last,
      head_beat,
      pass_one;
  logic [15:0] size;

  function automatic logic [ROOM_W-1:0] beats_of(logic [15:0] count);
    return ROOM_W'((count + 16'(KEEP_W - 1)) >> LOG_W);
  endfunction

  assign wrote = tcp_write_rsp_t'(s_write.data);
  assign told = tcp_read_rsp_t'(s_read.data);
  assign complete = running_q && pieces_q == '0
      && (cmd_q.op == COLL_PASS ? passed_q != '0 : lasts_q == needed_q);
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
      .pieces(pieces_q),
      .piece(piece_q),
      .lasts(lasts_q),
      .needed(needed_q),
      .inflight(inflight_q),
      .left(left_q),
      .head(head_q),
      .all_pieces,
      .all_needed,
      .sums,
      .impossible,
      .in_move,
      .in_go,
      .counts,
      .out_move,
      .out_go,
      .size,
      .part_last
  );

  // ---- streams of the engine -------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(8 * KEEP_W)) came ();
  kumi_axis_if #(.DATA_W(8 * KEEP_W)) to_next ();

  assign m_write.valid = state_q == WRITE;
  assign m_write.data = {next_sid, 16'(HEAD_BYTES) + move_q.head.length};
  assign s_write.ready = state_q == WROTE;
  assign m_read.valid = state_q == READ || state_q == HEAD_READ;
  assign m_read.data = {before_sid, state_q == READ ? move_q.head.length : 16'(HEAD_BYTES)};
  assign s_read.ready = state_q == READ_RSP || state_q == HEAD_RSP;
  assign take = m_read.valid && m_read.ready;
  assign taken = m_read.data[15:0];

  assign came.tdata = s_axis.tdata;
  assign came.tkeep = s_axis.tkeep;
  assign came.tlast = s_axis.tlast;
  assign came.tvalid = s_axis.tvalid && state_q == RUN;
  assign came.tuser = '0;
  assign came.tid = '0;
  assign came.tdest = '0;
  assign s_axis.tready = state_q == RUN ? came.tready : state_q == HEAD_DATA || state_q == DROP;
  assign m_axis.tdata = to_next.tdata;
  assign m_axis.tkeep = to_next.tkeep;
  assign m_axis.tlast = to_next.tlast;
  assign m_axis.tvalid = to_next.tvalid;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign to_next.tready = m_axis.tready;

  kumi_coll_datapath u_data (
      .clk,
      .rst,
      .start(state_q == START),
      .move(move_q),
      .ready(data_ready),
      .s_before(came),
      .s_local(local_in),
      .m_next(to_next),
      .m_local(local_out)
  );

  // ---- one thing after the other ---------------------------------------------------------------
  assign s_cmd.ready = state_q == LOOP && !running_q && !hwif_out.ctrl.start.value && !m_done.valid;
  assign cut = state_q == FAIL;
  assign pass_one = state_q == FINISH && running_q && reason_q == TCP_OK && cmd_q.op == COLL_PASS;

  always_ff @(posedge clk) begin
    cycles_q <= cycles_q + 32'(running_q);
    if (hold_q != '0) hold_q <= hold_q - 1'b1;
    case (state_q)
      LOOP: begin
        // What could be done next; chosen in the cycle after.
        in_go_q <= head_valid_q && in_go && before_up && bytes >= 32'(head_q.length)
            && (!in_move.from_local || in_q >= beats_of(
            head_q.length
        )) && (!in_move.to_local || 32'(out_q) + 32'(beats_of(
            head_q.length
        )) <= ROOM) && (!in_move.to_next || (next_up && hold_q == '0));
        out_go_q <= out_go && (!out_move.from_local || in_q >= beats_of(
            size
        )) && (!out_move.to_local || 32'(out_q) + 32'(beats_of(
            size
        )) <= ROOM) && (!out_move.to_next || (next_up && hold_q == '0));
        state_q <= PICK;
        if (lost_q && running_q) begin
          reason_q <= lost_reason_q;
          state_q  <= FAIL;
        end else if (complete) begin
          reason_q <= TCP_OK;
          state_q  <= FINISH;
        end else if (stalled) begin
          reason_q <= TCP_TIMEOUT;
          state_q  <= FAIL;
        end else if (!running_q && hwif_out.ctrl.start.value) begin
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
        // Parts that this node brings, and ends of parts that it is to see.
        running_q <= 1'b1;
        mark_q <= now_us;
        cycles_q <= '0;
        inflight_q <= '0;
        piece_q <= '0;
        lasts_q <= '0;
        left_q <= cmd_q.op == COLL_BARRIER ? '0 : cmd_q.length;
        pieces_q <= all_pieces;
        needed_q <= all_needed;
        first_q <= sums && rank == '0 && nodes != 8'd1;
        state_q <= LOOP;
        if (impossible) begin
          // Nothing of it was done, so the ring stays as it is.
          reason_q <= TCP_NO_SESSION;
          state_q  <= FINISH;
        end
      end
      PICK: begin
        state_q <= LOOP;
        dry_q <= 1'b0;
        counts_q <= counts;
        if (!head_valid_q && before_up && bytes >= 32'(HEAD_BYTES)) begin
          state_q <= HEAD_READ;
        end else if (in_go_q && (in_turn_q || !out_go_q)) begin
          move_q <= in_move;
          move_in_q <= 1'b1;
          in_turn_q <= 1'b0;
          state_q <= in_move.to_next ? WRITE : in_move.from_before ? READ : START;
        end else if (out_go_q) begin
          move_q <= out_move;
          move_in_q <= 1'b0;
          in_turn_q <= 1'b1;
          state_q <= out_move.to_next ? WRITE : START;
        end
      end
      // ---- head of a block
      HEAD_READ: if (m_read.ready) state_q <= HEAD_RSP;
      HEAD_RSP:
      if (s_read.valid) begin
        reason_q <= TCP_RESET;
        dry_q <= told.length != 16'(HEAD_BYTES);
        state_q <= told.length == '0 ? FAIL : HEAD_DATA;
      end
      HEAD_DATA:
      if (s_axis.tvalid) begin
        if (!head_beat) head_q <= block_t'(s_axis.tdata[BLOCK_W-1:0]);
        if (s_axis.tlast) state_q <= HEAD_CHECK;
      end
      HEAD_CHECK: begin
        head_valid_q <= 1'b1;
        state_q <= LOOP;
        if (dry_q || head_q.mark != BLOCK_MARK || 32'(head_q.length) > CHUNK) state_q <= FAIL;
      end
      // ---- a block
      WRITE: if (m_write.ready) state_q <= WROTE;
      WROTE:
      if (s_write.valid) begin
        reason_q <= wrote.reason;
        if (wrote.reason == TCP_OK) begin
          state_q <= move_q.from_before ? READ : START;
        end else if (wrote.reason == TCP_NO_SPACE) begin
          hold_q  <= '1;
          state_q <= LOOP;
        end else begin
          state_q <= FAIL;
        end
      end
      READ: if (m_read.ready) state_q <= READ_RSP;
      READ_RSP:
      if (s_read.valid) begin
        state_q <= START;
        if (told.length != move_q.head.length) begin
          // Given up: what was promised to the next node is filled up, then all ends.
          move_q.from_before <= 1'b0;
          dry_q <= 1'b1;
          reason_q <= TCP_RESET;
          if (told.length != '0) state_q <= DROP;
          else if (!move_q.to_next) state_q <= FAIL;
        end
      end
      DROP: if (s_axis.tvalid && s_axis.tlast) state_q <= move_q.to_next ? START : FAIL;
      START: state_q <= RUN;
      RUN: if (data_ready) state_q <= NEXT;
      NEXT: begin
        state_q <= dry_q ? FAIL : LOOP;
        mark_q  <= now_us;
        if (move_in_q) begin
          head_valid_q <= 1'b0;
          if (counts_q) lasts_q <= lasts_q + 1'b1;
          if (first_q && head_q.kind == BLOCK_RESULT) inflight_q <= inflight_q - 1'b1;
        end else begin
          left_q <= left_q - 32'(size);
          if (first_q) inflight_q <= inflight_q + 1'b1;
          if (part_last) begin
            left_q   <= cmd_q.length;
            pieces_q <= pieces_q - 1'b1;
            piece_q  <= piece_q + 1'b1;
          end
        end
      end
      FINISH: begin
        running_q <= 1'b0;
        state_q   <= LOOP;
      end
      default: begin
        running_q <= 1'b0;
        head_valid_q <= 1'b0;
        hold_q <= '0;
        state_q <= LOOP;
      end
    endcase
    // Messages for others that passed and were not waited for yet.
    if (state_q == NEXT && move_in_q && head_q.kind == BLOCK_DATA && head_q.last && move_q.to_next)
      passed_q <= passed_q + 1'b1;
    else if (pass_one) passed_q <= passed_q - 1'b1;
    if (state_q == HEAD_RSP) head_beat <= 1'b0;
    else if (state_q == HEAD_DATA && s_axis.tvalid) head_beat <= 1'b1;
    if (lost) begin
      lost_q <= 1'b1;
      lost_reason_q <= lost_reason;
    end
    if (!before_up) head_valid_q <= 1'b0;
    if (!before_up || state_q == FAIL) passed_q <= '0;
    if (rst) begin
      state_q <= LOOP;
      running_q <= 1'b0;
      head_valid_q <= 1'b0;
      hold_q <= '0;
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

  assign busy = running_q || state_q != LOOP && state_q != PICK || out_q != '0 || head_valid_q;

  // In the order of regs/coll.rdl.
  assign ev = {
    state_q == WROTE && s_write.valid && wrote.reason == TCP_NO_SPACE,  // no_space
    lost,  // links_lost
    state_q == NEXT && move_q.to_next,  // blocks_out
    state_q == NEXT && move_in_q,  // blocks_in
    ended && !ended_ok,  // failed
    ended_ok  // done
  };

  assign hwif_in.status.before_up.next = before_up;
  assign hwif_in.status.next_up.next = next_up;
  assign hwif_in.status.running.next = running_q;
  assign hwif_in.status.reason.next = shown_q;
  assign hwif_in.cycles.value.next = shown_cycles_q;

  logic unused;
  assign unused = ^{wrote, told, s_axis.tuser, s_axis.tid, s_axis.tdest};
endmodule
