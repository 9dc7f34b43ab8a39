// SPDX-License-Identifier: Apache-2.0
//
// TCP echo (RFC 862), discard (RFC 863) or character generator (RFC 864), any number of sessions.
//
// m_app: the TCP engine (kumi_tcp_app_if). now_us: microseconds, wraps.
// Echo: reserves space first and reads only what it may write, so bytes wait in the session's own
//   ring and no session blocks another. Sessions take turns of at most CHUNK bytes. One whose peer
//   does not read is set aside and retried. After the peer's FIN the rest is echoed, then this side
//   closes.
// Discard: reads everything, closes after the peer's FIN. Character generator: also writes 62
//   printable characters, CR and LF for as long as the session lives.
// A session that ends otherwise is read to its end and released. One in which no byte moved for
//   `idle_limit` is aborted: a peer that reads nothing or says nothing holds no session for ever.
// Handshakes: valid and ready, held; it opens no connections. Notifications are accepted every 8
//   cycles at worst.
// Throughput: one beat a cycle; about 15 cycles of control per turn, overlapped with the data of
//   earlier turns.
// Bad input: a read that returns less than was notified counts, and zeros are sent in its place
//   (the session has no reader any more).
module kumi_tcp_echo
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int          SESSIONS = 64,     // session numbers, a power of two
    parameter int          CHUNK    = 4096,   // bytes of a turn, a multiple of 64, at most 65472
    parameter logic [15:0] PORT     = 16'd7,  // port after reset
    parameter int          MODE     = 0       // after reset: 0 echo, 1 discard, 2 characters
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    output logic busy
);
  localparam int EVENTS = 9;
  localparam int APP_W = 2;
  // Less room than this is not worth a segment: wait for more.
  localparam int WORTH = 1024;

  if (CHUNK < 64 || CHUNK % 64 != 0 || CHUNK > 65472) begin : gen_check_chunk
    $fatal(0, "CHUNK must be a multiple of 64, 64..65472 (%m)");
  end
  if (MODE < 0 || MODE > 2) begin : gen_check_mode
    $fatal(0, "MODE must be 0, 1 or 2 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_tcp_echo_regs_pkg::kumi_tcp_echo_regs__in_t  hwif_in;
  kumi_tcp_echo_regs_pkg::kumi_tcp_echo_regs__out_t hwif_out;

  kumi_tcp_echo_regs u_regs (
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
      .req_index(6'(hwif_out.counters.addr[5:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic [15:0] port;
  logic [ 1:0] mode;
  logic echo, chars, listening;
  tcp_reason_e listen_reason;

  assign port  = hwif_out.port.value.value == '0 ? PORT : hwif_out.port.value.value;
  assign mode  = &hwif_out.mode.value.value ? 2'(MODE) : hwif_out.mode.value.value;
  assign echo  = mode == 2'd0;
  assign chars = mode == 2'd2;

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(hwif_out.ctrl.enable.value),
      .port,
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .open(listening),
      .reason(listen_reason)
  );

  assign m_app.open.valid   = 1'b0;
  assign m_app.open.data    = '0;
  assign m_app.open_rsp.ready = 1'b1;

  // ---- sessions ------------------------------------------------------------------------------
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(OPEN_RSP_W)) none ();
  kumi_rec_if #(.W(WORK_W + APP_W)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + APP_W)) done_s ();
  logic [15:0] open_count;
  logic ev_opened, ev_ended, ev_stray, work_busy;

  assign none.valid = 1'b0;
  assign none.data  = '0;

  // 1024 us, taken as a millisecond.
  logic [23:0] ticks_q;
  logic half_q;
  always_ff @(posedge clk) begin
    half_q <= now_us[10];
    if (half_q != now_us[10]) ticks_q <= ticks_q + 1'b1;
    if (rst) ticks_q <= '0;
  end

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(APP_W)
  ) u_work (
      .clk,
      .rst,
      .s_notify(m_app.notify),
      .s_open_rsp(none),
      .s_short_read(lost_s),
      .m_work(work_s),
      .s_done(done_s),
      .now_ticks(ticks_q),
      .idle_ticks({1'b0, hwif_out.idle_limit.ms.value}),
      .open_count,
      .ev_opened,
      .ev_ended,
      .ev_stray,
      .busy(work_busy)
  );

  // The kernel's own bits of a session.
  typedef struct packed {
    logic closed;  // this side has closed
    logic dead;    // nothing can be written
  } echo_session_t;

  typedef enum logic [3:0] {
    REST,
    SIZE,
    CHOOSE,
    WRITE,
    WRITE_RSP,
    READ,
    MOVE,
    CLOSE,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_app_work_t work_q;
  echo_session_t session_q;
  tcp_write_rsp_t write_rsp;
  tcp_app_move_t move_q;
  tcp_app_op_e op_q;
  logic [31:0] taken_q;
  logic [15:0] length_q;  // bytes of this turn
  logic no_write, retried_q, abort_q;

  kumi_rec_if #(.W(MOVE_W)) move_s ();

  assign write_rsp = tcp_write_rsp_t'(m_app.write_rsp.data);
  assign no_write = work_q.ended || session_q.dead || session_q.closed;  // nothing is to be written
  assign work_s.ready = state_q == REST && move_s.ready;
  assign m_app.write.valid = state_q == WRITE;
  assign m_app.write.data = {work_q.sid, length_q};
  assign m_app.write_rsp.ready = state_q == WRITE_RSP;
  assign m_app.read.valid = state_q == READ;
  assign m_app.read.data = {work_q.sid, length_q};
  assign move_s.valid = state_q == MOVE;
  assign move_s.data = move_q;
  assign m_app.close.valid = state_q == CLOSE;
  assign m_app.close.data = {work_q.sid, abort_q};
  assign done_s.valid = state_q == ANSWER;
  assign done_s.data = {session_q, work_q.sid, op_q, taken_q};

  always_ff @(posedge clk) begin
    case (state_q)
      REST:
      if (work_s.valid && work_s.ready) begin
        {session_q, work_q} <= work_s.data;
        state_q <= SIZE;
      end
      SIZE: begin
        length_q <= work_q.bytes > 32'(CHUNK) ? 16'(CHUNK) : work_q.bytes[15:0];
        taken_q <= '0;
        op_q <= WORK_IDLE;
        retried_q <= 1'b0;
        abort_q <= work_q.idle && !work_q.ended && !session_q.dead;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        move_q <= '{read: 1'b1, write: 1'b0, keep: 1'b0, gen: work_q.gen, length: length_q};
        if (abort_q) begin
          state_q <= CLOSE;
        end else if (work_q.bytes != '0 && (no_write || !echo)) begin
          state_q <= READ;
        end else if (echo && work_q.bytes != '0) begin
          state_q <= WRITE;
        end else if (work_q.fin && !no_write) begin
          state_q <= CLOSE;
        end else if (chars && !no_write) begin
          length_q <= 16'(CHUNK);
          state_q  <= WRITE;
        end else begin
          state_q <= ANSWER;
        end
      end
      WRITE: if (m_app.write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (m_app.write_rsp.valid) begin
        retried_q <= 1'b1;
        move_q <= '{read: echo, write: 1'b1, keep: 1'b0, gen: work_q.gen, length: length_q};
        if (write_rsp.reason == TCP_OK) begin
          state_q <= echo ? READ : MOVE;
          if (!echo) op_q <= WORK_NOW;
        end else if (write_rsp.reason != TCP_NO_SPACE) begin
          // The rest is read and discarded from the next turn on.
          session_q.dead <= 1'b1;
          op_q <= WORK_NOW;
          state_q <= ANSWER;
        end else if (!retried_q && write_rsp.space >= 30'(WORTH)
            && write_rsp.space < 30'(length_q)) begin
          length_q <= {write_rsp.space[15:6], 6'b0};
          state_q  <= WRITE;
        end else begin
          op_q <= WORK_LATER;
          state_q <= ANSWER;
        end
      end
      READ:
      if (m_app.read.ready) begin
        taken_q <= 32'(length_q);
        if (work_q.bytes != 32'(length_q) || (work_q.fin && !no_write) || (chars && !no_write))
          op_q <= WORK_NOW;
        state_q <= MOVE;
      end
      MOVE: state_q <= ANSWER;  // there was room before the work was taken
      CLOSE:
      if (m_app.close.ready) begin
        session_q.closed <= 1'b1;
        session_q.dead <= session_q.dead || abort_q;
        state_q <= ANSWER;
      end
      default: if (done_s.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  // ---- data ----------------------------------------------------------------------------------
  kumi_rec_if #(.W(8 * 4 + 16)) head_s ();
  logic [15:0] sunk;
  logic sunk_valid, ev_short, mover_busy;
  assign head_s.ready = 1'b1;

  kumi_tcp_app_mover #(
      .DEPTH(4)
  ) u_mover (
      .clk,
      .rst,
      .lines(chars),
      .s_move(move_s),
      .s_read(m_app.read_rsp),
      .s_axis(m_app.rx),
      .m_axis(m_app.tx),
      .m_head(head_s),
      .m_short_read(lost_s),
      .sunk,
      .sunk_valid,
      .ev_short,
      .busy(mover_busy)
  );

  logic [63:0] bytes_q, sunk_q;
  logic wrote_ok;
  assign wrote_ok = state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_OK;

  always_ff @(posedge clk) begin
    if (wrote_ok) bytes_q <= bytes_q + 64'(length_q);
    if (sunk_valid) sunk_q <= sunk_q + 64'(sunk);
    if (rst) begin
      bytes_q <= '0;
      sunk_q  <= '0;
    end
  end

  assign busy = work_busy || state_q != REST || mover_busy;

  // In the order of regs/tcp_echo.rdl.
  assign ev = {
    m_app.close.valid && m_app.close.ready && abort_q,  // idle_aborts
    ev_stray,  // stray
    ev_short,  // short_reads
    m_app.close.valid && m_app.close.ready && !abort_q,  // closes
    state_q == WRITE_RSP && m_app.write_rsp.valid && !wrote_ok && write_rsp.reason != TCP_NO_SPACE,
    // dead
    state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_NO_SPACE,  // no_space
    wrote_ok,  // writes
    ev_ended,  // ended
    ev_opened  // opened
  };

  assign hwif_in.status.listening.next = listening;
  assign hwif_in.status.reason.next = listen_reason;
  assign hwif_in.status.sessions.next = open_count;
  assign hwif_in.current.port.next = port;
  assign hwif_in.current.mode.next = mode;
  assign hwif_in.bytes_lo.value.next = bytes_q[31:0];
  assign hwif_in.bytes_hi.value.next = bytes_q[63:32];
  assign hwif_in.discarded_lo.value.next = sunk_q[31:0];
  assign hwif_in.discarded_hi.value.next = sunk_q[63:32];

  logic unused;
  assign unused = ^{now_us, write_rsp, work_q, m_app.open_rsp.data, m_app.open_rsp.valid,
      head_s.valid,
                    head_s.data};
endmodule
