// SPDX-License-Identifier: Apache-2.0
//
// TCP load from registers: opens sessions to one peer and sends zeros for a time or a number of
// bytes, like `iperf -c -P n`, or counts what the peer sends; received data is always read.
//
// The peer is any iperf 2 server, kumi_iperf_server, or a discard, echo or character generator.
// A run ends when every session has ended: each is closed after its bytes or at the end of the
//   time, and counts as failed if it was not established, or ended by reset or time-out.
// m_app: the TCP engine (kumi_tcp_app_if); this kernel does not listen.
//   now_us: microseconds, wraps.
// Throughput: one beat a cycle; about 15 cycles of control per write of CHUNK bytes, overlapped
//   with the data.
module kumi_iperf_client
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int SESSIONS = 64,   // session numbers, a power of two
    parameter int CHUNK    = 4096  // bytes of a write, a multiple of 64, at most 65472
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    output logic busy
);
  localparam int EVENTS = 2;
  // Less room than this is not worth a segment: wait for more.
  localparam int WORTH = 1024;

  if (CHUNK < 64 || CHUNK % 64 != 0 || CHUNK > 65472) begin : gen_check_chunk
    $fatal(0, "CHUNK must be a multiple of 64, 64..65472 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_iperf_client_regs_pkg::kumi_iperf_client_regs__in_t  hwif_in;
  kumi_iperf_client_regs_pkg::kumi_iperf_client_regs__out_t hwif_out;

  kumi_iperf_client_regs u_regs (
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
      .req_index({5'd0, hwif_out.counters.addr[2]}),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  assign m_app.listen.valid = 1'b0;
  assign m_app.listen.data = '0;
  assign m_app.listen_rsp.ready = 1'b1;

  // ---- the run ---------------------------------------------------------------------------------
  tcp_open_rsp_t opened;
  logic running_q, stop_q, start, up, read_rsp, asking, timed, expired, timing_q, work_idle;
  logic [15:0] count_q, asked_q, answered_q, open_count;
  logic [31:0] begun_q, age, duration_q, opened_q, failed_q;
  logic [63:0] sent_q, received_q;
  kumi_rec_if #(.W(OPEN_RSP_W)) up_s ();

  assign start = hwif_out.ctrl.start.value && !running_q;
  assign opened = tcp_open_rsp_t'(m_app.open_rsp.data);
  assign up = opened.reason == TCP_OK;
  assign up_s.data = m_app.open_rsp.data;
  assign up_s.valid = m_app.open_rsp.valid && up;
  assign m_app.open_rsp.ready = up_s.ready || !up;
  assign read_rsp = m_app.open_rsp.valid && m_app.open_rsp.ready;
  assign asking = running_q && !stop_q && asked_q != count_q;
  assign m_app.open.valid = asking;
  assign m_app.open.data = {hwif_out.peer_ip.value.value, hwif_out.peer.port.value};
  assign age = now_us - begun_q;
  assign timed = hwif_out.bytes.value.value == '0 || hwif_out.option.receive.value;
  assign expired = stop_q || (timed && timing_q && hwif_out.time_us.value.value != '0
      && age >= hwif_out.time_us.value.value);

  // ---- sessions ------------------------------------------------------------------------------
  // The kernel's own bits of a session.
  typedef struct packed {
    logic        closed;   // this side has closed
    logic        dead;     // nothing can be written
    logic        counted;  // among those that failed
    logic [31:0] written;
  } iperf_client_session_t;
  localparam int APP_W = $bits(iperf_client_session_t);

  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(WORK_W + APP_W)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + APP_W)) done_s ();
  kumi_rec_if #(.W(MOVE_W)) move_s ();
  kumi_rec_if #(.W(8 * 4 + 16)) head_s ();
  logic ev_opened, ev_ended, ev_stray, ev_short, work_busy, mover_busy, sunk_valid;
  logic [15:0] sunk;

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(APP_W)
  ) u_work (
      .clk,
      .rst,
      .s_notify(m_app.notify),
      .s_open_rsp(up_s),
      .s_short_read(lost_s),
      .m_work(work_s),
      .s_done(done_s),
      .open_count,
      .ev_opened,
      .ev_ended,
      .ev_stray,
      .busy(work_busy)
  );

  kumi_tcp_app_mover #(
      .DEPTH(4)
  ) u_mover (
      .clk,
      .rst,
      .lines(1'b0),
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
  assign head_s.ready = 1'b1;

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
  iperf_client_session_t session_q;
  tcp_write_rsp_t write_rsp;
  tcp_app_move_t move_q;
  tcp_app_op_e op_q;
  logic [31:0] taken_q, left;
  logic [15:0] length_q;
  logic no_write, retried_q, over, wrote_ok, fails;

  assign write_rsp = tcp_write_rsp_t'(m_app.write_rsp.data);
  assign wrote_ok = state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_OK;
  assign no_write = work_q.ended || session_q.dead || session_q.closed;
  assign left = timed ? '1 : hwif_out.bytes.value.value - session_q.written;
  assign over = expired || left == '0;
  assign fails = work_q.ended && !session_q.counted && work_q.reason != TCP_CLOSED;
  assign work_s.ready = state_q == REST && move_s.ready;
  assign m_app.write.valid = state_q == WRITE;
  assign m_app.write.data = {work_q.sid, length_q};
  assign m_app.write_rsp.ready = state_q == WRITE_RSP;
  assign m_app.read.valid = state_q == READ;
  assign m_app.read.data = {work_q.sid, length_q};
  assign move_s.valid = state_q == MOVE;
  assign move_s.data = move_q;
  assign m_app.close.valid = state_q == CLOSE;
  assign m_app.close.data = {work_q.sid, 1'b0};
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
        if (fails) session_q.counted <= 1'b1;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        move_q  <= '{read: 1'b1, write: 1'b0, keep: 1'b0, gen: work_q.gen, length: length_q};
        state_q <= ANSWER;
        if (work_q.bytes != '0) begin
          state_q <= READ;
        end else if (!no_write) begin
          if (over || work_q.fin) begin
            state_q <= CLOSE;
          end else if (hwif_out.option.receive.value) begin
            op_q <= WORK_LATER;  // to see the end of the time
          end else begin
            length_q <= left < 32'(CHUNK) ? left[15:0] : 16'(CHUNK);
            state_q  <= WRITE;
          end
        end
      end
      WRITE: if (m_app.write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (m_app.write_rsp.valid) begin
        retried_q <= 1'b1;
        move_q <= '{read: 1'b0, write: 1'b1, keep: 1'b0, gen: work_q.gen, length: length_q};
        op_q <= WORK_NOW;
        state_q <= ANSWER;
        if (write_rsp.reason == TCP_OK) begin
          session_q.written <= session_q.written + 32'(length_q);
          state_q <= MOVE;
        end else if (write_rsp.reason != TCP_NO_SPACE) begin
          session_q.dead <= 1'b1;
        end else if (!retried_q && write_rsp.space >= 30'(WORTH)
            && write_rsp.space < 30'(length_q)) begin
          length_q <= {write_rsp.space[15:6], 6'b0};
          state_q  <= WRITE;
        end else begin
          op_q <= WORK_LATER;
        end
      end
      READ:
      if (m_app.read.ready) begin
        taken_q <= 32'(length_q);
        op_q <= WORK_NOW;
        state_q <= MOVE;
      end
      MOVE: state_q <= ANSWER;  // there was room before the work was taken
      CLOSE:
      if (m_app.close.ready) begin
        session_q.closed <= 1'b1;
        state_q <= ANSWER;
      end
      default: if (done_s.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  // ---- results -------------------------------------------------------------------------------
  assign work_idle = open_count == '0 && !work_busy && !mover_busy && state_q == REST &&
      !m_app.open_rsp.valid;

  always_ff @(posedge clk) begin
    if (hwif_out.ctrl.stop.value) stop_q <= 1'b1;
    if (m_app.open.valid && m_app.open.ready) asked_q <= asked_q + 1'b1;
    if (read_rsp) answered_q <= answered_q + 1'b1;
    if (read_rsp && up) begin
      opened_q <= opened_q + 1'b1;
      if (!timing_q) begin
        timing_q <= 1'b1;
        begun_q  <= now_us;
      end
    end
    if ((read_rsp && !up) || (state_q == SIZE && fails)) failed_q <= failed_q + 1'b1;
    if (wrote_ok) sent_q <= sent_q + 64'(length_q);
    if (sunk_valid) received_q <= received_q + 64'(sunk);
    if (running_q && !asking && asked_q == answered_q && work_idle) begin
      running_q  <= 1'b0;
      duration_q <= timing_q ? age : '0;
    end
    if (start) begin
      running_q <= 1'b1;
      stop_q <= 1'b0;
      timing_q <= 1'b0;
      count_q <= hwif_out.peer.count.value == '0 ? 16'd1 : hwif_out.peer.count.value;
      asked_q <= '0;
      answered_q <= '0;
    end
    if (start || rst) begin
      sent_q <= '0;
      received_q <= '0;
      duration_q <= '0;
      opened_q <= '0;
      failed_q <= '0;
    end
    if (rst) begin
      running_q <= 1'b0;
      stop_q <= 1'b0;
      timing_q <= 1'b0;
    end
  end

  assign busy = running_q || work_busy || mover_busy || state_q != REST;

  // In the order of regs/iperf_client.rdl.
  assign ev = {
    ev_short,  // short_reads
    state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_NO_SPACE  // no_space
  };

  assign hwif_in.status.running.next = running_q;
  assign hwif_in.status.sessions.next = open_count;
  assign hwif_in.sent_lo.value.next = sent_q[31:0];
  assign hwif_in.sent_hi.value.next = sent_q[63:32];
  assign hwif_in.received_lo.value.next = received_q[31:0];
  assign hwif_in.received_hi.value.next = received_q[63:32];
  assign hwif_in.duration_us.value.next = duration_q;
  assign hwif_in.opened.value.next = opened_q;
  assign hwif_in.failed.value.next = failed_q;

  logic unused;
  assign unused = ^{write_rsp, work_q, opened, ev_opened, ev_ended, ev_stray, head_s.valid,
                    head_s.data,
                    m_app.listen_rsp.valid, m_app.listen_rsp.data};
endmodule
