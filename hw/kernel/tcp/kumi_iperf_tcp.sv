// SPDX-License-Identifier: Apache-2.0
//
// TCP side of an iperf 2 server: receives and discards; connects back and sends zeros for the time
// or the number of bytes that a client requests (its -r and -d).
//
// Format: a client's stream begins with six big-endian words: flags, streams, port, length of
//   buffers, bandwidth, amount. Flag 0x80000000 requests a connection back to `port`, after the
//   stream's end, or at once with flag 0x00000001. A positive amount counts bytes, a negative one
//   time in units of -10 ms (at most 2000 s here). Every requesting stream gets one connection.
// Streams: the application side of the TCP engine, see kumi_tcp_echo, as are latency and rate.
// A connection back that fails is counted and forgotten. Four may be opening at once; further
//   requests wait.
module kumi_iperf_tcp
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int SESSIONS = 64,
    parameter int CHUNK    = 4096
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   back,         // connect back when asked
    input  logic            [31:0] now_us,
           kumi_rec_if.src         m_open,
           kumi_rec_if.snk         s_open_rsp,
           kumi_rec_if.src         m_close,
           kumi_rec_if.snk         s_notify,
           kumi_rec_if.src         m_read,
           kumi_rec_if.snk         s_read,
           kumi_axis_if.snk        s_axis,
           kumi_rec_if.src         m_write,
           kumi_rec_if.snk         s_write,
           kumi_axis_if.src        m_axis,
    output logic            [15:0] open_count,
    output logic            [15:0] sunk,
    output logic                   sunk_valid,
    output logic            [15:0] sent,
    output logic                   sent_valid,
    output logic                   ev_opened,
    output logic                   ev_ended,
    output logic                   ev_back,
    output logic                   ev_failed,
    output logic                   ev_no_space,
    output logic                   ev_short,
    output logic                   busy
);
  localparam int ADDR_W = $clog2(SESSIONS);
  localparam int HEAD = 24;
  localparam int OPENS = 4;  // connections back being opened
  // Less room than this is not worth a segment: wait for more.
  localparam int WORTH = 1024;

  typedef enum logic [1:0] {
    HEADER,  // the first bytes have not come yet
    SINK,
    SENDER
  } iperf_role_e;

  // How much to send: `value` is bytes, or time in us, or the end of the time.
  typedef struct packed {
    logic        timed;
    logic [31:0] value;
  } iperf_amount_t;

  // The kernel's own bits of a session.
  typedef struct packed {
    iperf_role_e   role;
    logic          closed;  // this side has closed
    logic          dead;    // nothing can be written
    logic          back;    // to connect back at the end, to this port
    logic [15:0]   port;
    iperf_amount_t amount;
  } iperf_session_t;
  localparam int APP_W = $bits(iperf_session_t);

  // ---- connections back ------------------------------------------------------------------------
  typedef struct packed {
    logic [31:0]   ip;
    logic [15:0]   port;
    iperf_amount_t amount;
  } iperf_pending_t;

  iperf_pending_t wait_q[OPENS];
  logic [OPENS-1:0] waiting_q, asked, place;
  (* ram_style = "distributed", no_rw_check *) logic [$bits(
iperf_amount_t
)-1:0] amount_mem[SESSIONS];
  tcp_open_rsp_t opened;
  iperf_amount_t opened_amount;
  logic ask, ask_room, up;

  kumi_rec_if #(.W(OPEN_RSP_W)) up_s ();

  assign opened = tcp_open_rsp_t'(s_open_rsp.data);
  assign up = opened.reason == TCP_OK;
  assign up_s.data = s_open_rsp.data;
  assign up_s.valid = s_open_rsp.valid && up;
  assign s_open_rsp.ready = up_s.ready || !up;
  assign ask_room = !(&waiting_q) && !m_open.valid;
  assign place = ~waiting_q & (waiting_q + 1'b1);

  always_comb begin
    opened_amount = '0;
    asked = '0;
    for (int i = OPENS - 1; i >= 0; i--) begin
      if (waiting_q[i] && wait_q[i].ip == opened.ip && wait_q[i].port == opened.port) begin
        asked = OPENS'(1) << i;
        opened_amount = wait_q[i].amount;
      end
    end
  end

  // ---- sessions ------------------------------------------------------------------------------
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(WORK_W + APP_W)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + APP_W)) done_s ();
  kumi_rec_if #(.W(MOVE_W)) move_s ();
  kumi_rec_if #(.W(8 * HEAD + 16)) head_s ();
  logic ev_stray, work_busy, mover_busy;

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(APP_W)
  ) u_work (
      .clk,
      .rst,
      .s_notify,
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
      .DEPTH(4),
      .HEAD (HEAD)
  ) u_mover (
      .clk,
      .rst,
      .lines(1'b0),
      .s_move(move_s),
      .s_read,
      .s_axis,
      .m_axis,
      .m_head(head_s),
      .m_short_read(lost_s),
      .sunk,
      .sunk_valid,
      .ev_short,
      .busy(mover_busy)
  );

  typedef enum logic [3:0] {
    REST,
    SIZE,
    CHOOSE,
    WRITE,
    WRITE_RSP,
    READ,
    MOVE,
    PARSE,
    TIMES,
    BACK,
    CLOSE,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_app_work_t work_q;
  iperf_session_t session_q;
  tcp_write_rsp_t write_rsp;
  tcp_app_move_t move_q;
  tcp_app_op_e op_q;
  logic [31:0] taken_q, remain;
  logic [15:0] length_q;
  logic no_write, retried_q, over, parse_q;
  logic [31:0] head_word[6];

  assign write_rsp = tcp_write_rsp_t'(s_write.data);
  assign no_write = work_q.ended || session_q.dead || session_q.closed;  // nothing is to be written
  assign remain = session_q.amount.timed ? session_q.amount.value - now_us : session_q.amount.value;
  assign over = session_q.amount.timed ? remain[31] || remain == '0 : remain == '0;
  assign work_s.ready = state_q == REST && move_s.ready;
  assign m_write.valid = state_q == WRITE;
  assign m_write.data = {work_q.sid, length_q};
  assign s_write.ready = state_q == WRITE_RSP;
  assign m_read.valid = state_q == READ;
  assign m_read.data = {work_q.sid, length_q};
  assign move_s.valid = state_q == MOVE;
  assign move_s.data = move_q;
  assign head_s.ready = state_q == PARSE;
  assign m_close.valid = state_q == CLOSE;
  assign m_close.data = {work_q.sid, 1'b0};
  assign done_s.valid = state_q == ANSWER;
  assign done_s.data = {session_q, work_q.sid, op_q, taken_q};
  assign ask = state_q == BACK && ask_room;

  always_comb begin
    for (int i = 0; i < 6; i++) begin
      head_word[i] = {
        head_s.data[32*i+:8],
        head_s.data[32*i+8+:8],
        head_s.data[32*i+16+:8],
        head_s.data[32*i+24+:8]
      };
    end
  end

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
        parse_q <= 1'b0;
        if (work_q.fresh && work_q.active) begin
          session_q.role   <= SENDER;
          session_q.amount <= iperf_amount_t'(amount_mem[work_q.sid[ADDR_W-1:0]]);
        end
        state_q <= CHOOSE;
        // The time of a sender begins when its session is up.
        if (work_q.fresh && work_q.active) state_q <= TIMES;
      end
      TIMES: begin
        if (session_q.amount.timed) session_q.amount.value <= session_q.amount.value + now_us;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        move_q  <= '{read: 1'b1, write: 1'b0, keep: 1'b0, gen: work_q.gen, length: length_q};
        state_q <= ANSWER;
        if (session_q.role == HEADER && !work_q.ended && !work_q.fin
            && work_q.bytes < 32'(HEAD)) begin
          state_q <= ANSWER;
        end else if (session_q.role == HEADER && work_q.bytes >= 32'(HEAD)) begin
          length_q <= 16'(HEAD);
          move_q   <= '{read: 1'b1, write: 1'b0, keep: 1'b1, gen: work_q.gen, length: 16'(HEAD)};
          parse_q  <= 1'b1;
          state_q  <= READ;
        end else if (work_q.bytes != '0) begin
          state_q <= READ;
        end else if (session_q.role == SENDER) begin
          length_q <= !session_q.amount.timed && remain < 32'(CHUNK) ? remain[15:0] : 16'(CHUNK);
          if (!no_write) state_q <= over || work_q.fin ? CLOSE : WRITE;
        end else if (session_q.back && (work_q.fin || work_q.ended)) begin
          state_q <= BACK;
        end else if (work_q.fin && !no_write) begin
          state_q <= CLOSE;
        end
      end
      WRITE: if (m_write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (s_write.valid) begin
        retried_q <= 1'b1;
        move_q <= '{read: 1'b0, write: 1'b1, keep: 1'b0, gen: work_q.gen, length: length_q};
        op_q <= WORK_NOW;
        state_q <= ANSWER;
        if (write_rsp.reason == TCP_OK) begin
          if (!session_q.amount.timed) session_q.amount.value <= remain - 32'(length_q);
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
      if (m_read.ready) begin
        taken_q <= 32'(length_q);
        op_q <= WORK_NOW;
        state_q <= MOVE;
      end
      MOVE: state_q <= parse_q ? PARSE : ANSWER;  // there was room before the work was taken
      PARSE:
      if (head_s.valid) begin
        session_q.role <= SINK;
        session_q.port <= head_word[2][15:0];
        session_q.amount.timed <= head_word[5][31];
        session_q.amount.value <= head_word[5];
        if (head_word[5][31]) begin
          // Units of 10 ms to microseconds, below 2^31.
          session_q.amount.value <= -head_word[5] > 32'd200000 ? 32'd2000000000
              : 32'(18'(-head_word[5]) * 32'd10000);
        end
        state_q <= ANSWER;
        if (back && head_s.data[8*HEAD+:16] == 16'(HEAD) && head_word[0][31]) begin
          session_q.back <= 1'b1;
          if (head_word[0][0]) state_q <= BACK;
        end
      end
      BACK:
      if (ask_room) begin
        session_q.back <= 1'b0;
        op_q <= WORK_NOW;
        state_q <= ANSWER;
      end
      CLOSE:
      if (m_close.ready) begin
        session_q.closed <= 1'b1;
        state_q <= ANSWER;
      end
      default: if (done_s.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  always_ff @(posedge clk) begin
    if (m_open.ready) m_open.valid <= 1'b0;
    if (s_open_rsp.valid && s_open_rsp.ready) waiting_q <= waiting_q & ~asked;
    if (ask) begin
      m_open.valid <= 1'b1;
      m_open.data <= {work_q.tuple.peer_ip, session_q.port};
      waiting_q <= (waiting_q | place) & ~(s_open_rsp.valid && s_open_rsp.ready ? asked : '0);
      for (int i = 0; i < OPENS; i++) begin
        if (place[i]) begin
          wait_q[i] <= '{
              ip: work_q.tuple.peer_ip,
              port: session_q.port,
              amount: session_q.amount
          };
        end
      end
    end
    if (s_open_rsp.valid && up) amount_mem[opened.sid[ADDR_W-1:0]] <= opened_amount;
    ev_back <= ask;
    ev_failed <= s_open_rsp.valid && s_open_rsp.ready && !up;
    ev_no_space <= state_q == WRITE_RSP && s_write.valid && write_rsp.reason == TCP_NO_SPACE;
    sent_valid <= state_q == WRITE_RSP && s_write.valid && write_rsp.reason == TCP_OK;
    sent <= length_q;
    if (rst) begin
      m_open.valid <= 1'b0;
      waiting_q <= '0;
      ev_back <= 1'b0;
      ev_failed <= 1'b0;
      ev_no_space <= 1'b0;
      sent_valid <= 1'b0;
    end
  end

  assign busy = work_busy || state_q != REST || mover_busy || m_open.valid;

  logic unused;
  assign unused = ^{write_rsp, work_q, opened, ev_stray, head_word[1], head_word[3], head_word[4],
                    head_word[2]};
endmodule
