// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 front end (RFC 9110, 9112): answers GET and HEAD of an index page, a status page with
// counters (JSON) and robots.txt, and hands POST and PUT of further targets to a kernel.
//
// m_app: the TCP engine (kumi_tcp_app_if); this kernel opens no connections.
//   now_us: microseconds, wraps.
// ROUTE_PATHS: targets of the kernel. m_body: the body of a request, tdest: index of its target;
//   s_body: the body of the response (kumi_http_body: frames of a byte a beat, ended by a beat
//   without one). One request at a time is at the kernel; others wait, while pages are answered.
//   A response may begin before its request has ended. It is sent in chunks (to HTTP/1.0: up to the
//   close). If it is bad (tuser) it is 422 when none of it was sent, else the session is aborted.
//   A client that leaves: the request's frame ends with tuser, the rest of the response is dropped.
// Connections are persistent unless the client closes them; requests may be pipelined and are
//   answered in order. Bodies come with Content-Length or chunked (RFC 9112, 7.1; extensions and
//   trailers are skipped), after 100 (Continue) if the client expects it; pages skip them.
// A session in which nothing moved for `idle_limit` is closed; aborted in the middle of a request
// or response, so no client holds the kernel for ever. The size of request line and headers is
// limited (register `limit`): 431, then close. After a response that closes, further bytes are read
// and discarded, so that the response reaches the client before a reset could. Every session has
// its own buffer of 64 request bytes and its own state; sessions take turns. A response is written
// whole, or later when there is no space; other sessions continue meanwhile.
// Cost in cycles: 4 per byte of request, 2 per byte of a page, about 40 per number in it; bodies 1
//   per byte each way, chunked requests 4.
module kumi_http
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64,  // session numbers, a power of two
    parameter int ROUTES = 0,  // targets of the kernel, 0..2
    parameter logic [1:0][8*WORD-1:0] ROUTE_PATHS = '0  // each with zeros behind it
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    kumi_axis_if.src m_body,
    kumi_axis_if.snk s_body,
    output logic busy
);
  localparam int EVENTS = 9;
  localparam int REQUEST_BYTES = 64;  // bytes of requests kept for a session
  localparam int REQUEST_W = $clog2(REQUEST_BYTES);
  localparam int SID_BITS = $clog2(SESSIONS);
  localparam int DROP = 4096;  // bytes discarded per turn
  localparam int CHUNK = 1024;  // bytes of a body per turn, at most
  localparam int KEEP_W = m_app.DATA_W / 8;

  if (KEEP_W < 8 || KEEP_W > 64) begin : gen_check
    $fatal(0, "m_app.rx and m_app.tx must be of one width, 64 to 512 bits (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_http_regs_pkg::kumi_http_regs__in_t  hwif_in;
  kumi_http_regs_pkg::kumi_http_regs__out_t hwif_out;

  kumi_http_regs u_regs (
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

  logic listening;
  tcp_reason_e listen_reason;

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(hwif_out.ctrl.enable.value),
      .port(hwif_out.port.value.value),
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .open(listening),
      .reason(listen_reason)
  );

  assign m_app.open.valid   = 1'b0;
  assign m_app.open.data    = '0;
  assign m_app.open_rsp.ready = 1'b1;

  // ---- sessions ------------------------------------------------------------------------------
  // The kernel's own bits of a session.
  typedef struct packed {
    http_parser_t         parse;
    logic [REQUEST_W-1:0] pos;      // of the bytes held: the next one
    logic [REQUEST_W:0]   count;    // how many there are
    logic                 waiting;  // an answer has not been written yet
    http_response_t       answer;
    logic                 drain;    // nothing more is answered
    logic                 closed;   // this side has closed
    logic                 asks;     // its request waits for the kernel
    logic                 owns;     // its request is at the kernel
  } http_session_t;
  localparam int APP_W = $bits(http_session_t);

  kumi_rec_if #(.W(OPEN_RSP_W)) none ();
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(WORK_W + APP_W)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + APP_W)) done_s ();
  logic [15:0] open_count;
  logic ev_opened, ev_ended, ev_stray, work_busy;

  assign none.valid = 1'b0;
  assign none.data = '0;
  assign lost_s.valid = 1'b0;
  assign lost_s.data = '0;

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
      .APP_W(APP_W),
      // No divisor of the period in which kumi_tcp_app_sched looks for idle sessions.
      .RETRY(ROUTES == 0 ? 1021 : 61)
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

  typedef enum logic [4:0] {
    REST,
    CHOOSE,
    READ,
    READ_RSP,
    TAKE,
    SHIFT,
    DROP_DATA,
    SKIP,
    FETCH,
    BYTE,
    STEP,
    BODY,
    FORWARD,
    CHUNKS,
    COUNT,
    MAKE,
    MADE,
    WRITE,
    WRITE_RSP,
    SEND,
    WROTE,
    CLOSE,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_app_work_t work_q;
  http_session_t session_q;
  tcp_app_op_e op_q;
  tcp_read_rsp_t read_rsp;
  tcp_write_rsp_t write_rsp;
  logic [31:0] taken_q;
  logic [15:0] length_q, page_length, room, have, send_count_q, chunk_length_q;
  logic drop_q, no_write, page_ready, last_q, in_body, plain;
  // The request at the kernel: of its session, the body is there as a whole, the response has
  // begun.
  logic own_q, route_q, eaten_q, begun_q, idle, all, bad;
  logic forward_q, chunk_q, final_q, abort_q, clear_q, put_end_q;
  logic [SID_W-1:0] own_sid_q;
  logic [m_app.DATA_W-1:0] beat_q;
  logic [KEEP_W-1:0] keep_q;
  logic [REQUEST_W:0] fill_q;
  logic [7:0] byte_q;
  http_parser_t parse_next, body_next;
  http_response_t answer;
  logic [23:0] request_left;
  logic answer_valid, sent;

  (* ram_style = "block", no_rw_check *) logic [7:0] request_mem[SESSIONS*REQUEST_BYTES];

  assign read_rsp = tcp_read_rsp_t'(m_app.read_rsp.data);
  assign write_rsp = tcp_write_rsp_t'(m_app.write_rsp.data);
  assign no_write = work_q.ended || session_q.drain;
  assign in_body = session_q.parse.at == AT_BODY;
  assign plain = http_body_state_e'(session_q.parse.index) == BODY_PLAIN;
  assign request_left = 24'(session_q.count) - 24'(session_q.pos);
  assign sent = m_app.tx.tvalid && m_app.tx.tready && m_app.tx.tlast;

  assign work_s.ready = state_q == REST;
  assign m_app.read.valid = state_q == READ;
  assign m_app.read.data = {work_q.sid, length_q};
  assign m_app.read_rsp.ready = state_q == READ_RSP;
  assign m_app.rx.tready = state_q == TAKE || state_q == DROP_DATA;
  assign m_app.write.valid = state_q == WRITE;
  assign m_app.write.data = {work_q.sid, chunk_q ? chunk_length_q : page_length};
  assign m_app.write_rsp.ready = state_q == WRITE_RSP;
  assign m_app.close.valid = state_q == CLOSE;
  assign m_app.close.data = {work_q.sid, abort_q};
  assign done_s.valid = state_q == ANSWER;
  assign done_s.data = {session_q, work_q.sid, op_q, taken_q};

  kumi_http_parser #(
      .ROUTES(ROUTES),
      .ROUTE_PATHS(ROUTE_PATHS)
  ) u_parse (
      .clk,
      .state(session_q.parse),
      .data (byte_q),
      .limit(hwif_out.limit.value.value),
      .next (parse_next),
      .answer_valid,
      .answer
  );

  logic body_byte, body_done, body_wrong;

  kumi_http_body_parser u_body_parse (
      .state(session_q.parse),
      .data(byte_q),
      .next(body_next),
      .is_body(body_byte),
      .done(body_done),
      .wrong(body_wrong)
  );

  // ---- turns -----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    clear_q   <= 1'b0;
    put_end_q <= 1'b0;
    case (state_q)
      REST:
      if (work_s.valid && work_s.ready) begin
        {session_q, work_q} <= work_s.data;
        taken_q <= '0;
        op_q <= WORK_NOW;
        chunk_q <= 1'b0;
        abort_q <= 1'b0;
        forward_q <= 1'b0;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        drop_q   <= no_write;
        state_q  <= ANSWER;
        length_q <= 16'(REQUEST_BYTES);
        if (no_write) length_q <= 16'(DROP);
        if (work_q.bytes < (no_write ? 32'(DROP) : 32'(REQUEST_BYTES)))
          length_q <= work_q.bytes[15:0];
        if (work_q.idle && !work_q.ended) begin
          abort_q <= session_q.owns || session_q.asks || session_q.waiting || session_q.drain;
          session_q.drain <= 1'b1;
          state_q <= CLOSE;
        end else if (no_write) begin
          session_q.asks <= 1'b0;
          session_q.owns <= 1'b0;
          if (session_q.owns) begin
            own_q <= 1'b0;
            clear_q <= 1'b1;
            put_end_q <= !eaten_q;
          end
          if (work_q.bytes != '0) state_q <= READ;
          else if (!work_q.ended && !session_q.closed) state_q <= CLOSE;
          else op_q <= WORK_IDLE;
        end else if (session_q.waiting) begin
          state_q <= MAKE;
        end else if (session_q.asks) begin
          op_q <= WORK_LATER;
          if (idle && !own_q) begin
            own_q <= 1'b1;
            own_sid_q <= work_q.sid;
            op_q <= WORK_NOW;
            session_q.asks <= 1'b0;
            session_q.owns <= 1'b1;
            session_q.waiting <= session_q.parse.expects && in_body;
            session_q.answer.page <= PAGE_CONTINUE;
            begun_q <= 1'b0;
            eaten_q <= !in_body;
            put_end_q <= !in_body;
            route_q <= session_q.parse.path[0];
          end
        end else if (session_q.owns && (all || have >= 16'(CHUNK))) begin
          state_q <= CHUNKS;
        end else if (request_left != '0 && (in_body || !session_q.owns)) begin
          state_q <= !in_body ? FETCH : plain && !session_q.owns ? SKIP : BODY;
          if (in_body && session_q.owns && room < 16'(REQUEST_BYTES)) begin
            op_q <= WORK_LATER;
            state_q <= ANSWER;
          end
        end else if (work_q.bytes != '0 && (in_body || !session_q.owns)) begin
          state_q <= READ;
          if (in_body && session_q.owns && plain) begin
            forward_q <= 1'b1;
            length_q  <= 16'(CHUNK);
            if (work_q.bytes < 32'(CHUNK)) length_q <= work_q.bytes[15:0];
            if (session_q.parse.length < 32'(CHUNK) && session_q.parse.length < work_q.bytes) begin
              length_q <= session_q.parse.length[15:0];
            end
            if (room < 16'(CHUNK)) begin
              op_q <= WORK_LATER;
              state_q <= ANSWER;
            end
          end
        end else if (session_q.owns && !(work_q.fin && in_body)) begin
          op_q <= WORK_LATER;
        end else if (work_q.fin) begin
          session_q.drain <= 1'b1;  // closes in the next turn
        end else begin
          op_q <= WORK_IDLE;
        end
      end
      // ---- bytes of a request, or bytes to discard
      READ: if (m_app.read.ready) state_q <= READ_RSP;
      READ_RSP:
      if (m_app.read_rsp.valid) begin
        // Less than was notified: the session has been aborted, and no more will arrive.
        taken_q <= read_rsp.length == length_q ? 32'(length_q) : work_q.bytes;
        session_q.pos <= '0;
        if (!drop_q && !forward_q)
          session_q.count <= read_rsp.length == length_q ? (REQUEST_W + 1)'(length_q) : '0;
        fill_q <= '0;
        if (read_rsp.length == '0) state_q <= ANSWER;
        else state_q <= drop_q || read_rsp.length != length_q ? DROP_DATA : TAKE;
      end
      DROP_DATA: if (m_app.rx.tvalid && m_app.rx.tlast) state_q <= ANSWER;
      TAKE:
      if (m_app.rx.tvalid) begin
        beat_q  <= m_app.rx.tdata;
        keep_q  <= m_app.rx.tkeep;
        last_q  <= m_app.rx.tlast;
        state_q <= forward_q ? FORWARD : SHIFT;
      end
      SHIFT: begin
        beat_q <= beat_q >> 8;
        keep_q <= keep_q >> 1;
        fill_q <= fill_q + 1'b1;
        if (!keep_q[1]) begin
          state_q <= TAKE;
          if (last_q) state_q <= !in_body ? FETCH : plain && !session_q.owns ? SKIP : ANSWER;
        end
      end
      // Bytes of a body straight to the kernel.
      FORWARD: begin
        beat_q <= beat_q >> 8;
        keep_q <= keep_q >> 1;
        session_q.parse.length <= session_q.parse.length - 1'b1;
        if (!keep_q[1]) begin
          state_q <= last_q ? ANSWER : TAKE;
          if (session_q.parse.length == 32'd1) begin
            session_q.parse.at <= AT_START;
            put_end_q <= 1'b1;
            eaten_q <= 1'b1;
          end
        end
      end
      // ---- parser
      SKIP: begin
        state_q <= ANSWER;
        if (32'(request_left) < session_q.parse.length) begin
          session_q.parse.length <= session_q.parse.length - 32'(request_left);
          session_q.count <= '0;
          session_q.pos <= '0;
        end else begin
          session_q.pos <= session_q.pos + session_q.parse.length[REQUEST_W-1:0];
          session_q.parse.at <= AT_START;
          // The whole buffer: restart, `pos` cannot express its end.
          if (32'(request_left) == session_q.parse.length) begin
            session_q.count <= '0;
            session_q.pos   <= '0;
          end
        end
      end
      FETCH, BODY: state_q <= BYTE;
      BYTE: state_q <= STEP;  // words are compared
      STEP: begin
        session_q.pos <= session_q.pos + 1'b1;
        state_q <= FETCH;
        if (in_body) begin
          session_q.parse <= body_next;
          if (body_done) begin
            state_q   <= ANSWER;
            put_end_q <= session_q.owns;
            eaten_q   <= eaten_q || session_q.owns;
          end
          if (body_wrong) begin
            state_q <= ANSWER;
            session_q.drain <= begun_q && session_q.owns;
            session_q.waiting <= !(begun_q && session_q.owns);
            session_q.answer <= '{page: PAGE_400, head: 1'b0, close: 1'b1};
          end
        end else begin
          session_q.parse <= parse_next;
        end
        if (request_left == 24'd1) begin
          session_q.pos <= '0;
          session_q.count <= '0;
          state_q <= ANSWER;
        end
        if (!in_body && answer_valid) begin
          session_q.waiting <= 1'b1;
          session_q.answer <= answer;
          state_q <= MAKE;
          if (answer.page == PAGE_KERNEL) begin
            session_q.waiting <= 1'b0;
            session_q.asks <= 1'b1;
            state_q <= ANSWER;
          end
        end
      end
      // ---- response
      CHUNKS: begin
        chunk_q <= 1'b1;
        send_count_q <= have > 16'(CHUNK) ? 16'(CHUNK) : have;
        final_q <= all && have <= 16'(CHUNK);
        state_q <= COUNT;
        if (!begun_q) begin
          chunk_q <= 1'b0;
          state_q <= MAKE;
          session_q.waiting <= 1'b1;
          session_q.answer.page <= PAGE_KERNEL;
          begun_q <= 1'b1;
          if (all && bad) begin
            session_q.answer <= '{page: PAGE_422, head: 1'b0, close: 1'b1};
          end
        end else if (all && bad && have <= 16'(CHUNK)) begin
          abort_q <= 1'b1;
          session_q.drain <= 1'b1;
          state_q <= CLOSE;
        end
      end
      COUNT: begin
        chunk_length_q <= session_q.parse.minor ? (send_count_q != '0 ? send_count_q + 16'd7 : '0)
            + (final_q ? 16'd5 : '0) : send_count_q;
        state_q <= WRITE;
        if (!session_q.parse.minor && send_count_q == '0) state_q <= WROTE;
      end
      MAKE: state_q <= MADE;
      MADE: if (page_ready) state_q <= WRITE;
      WRITE: if (m_app.write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (m_app.write_rsp.valid) begin
        state_q <= ANSWER;
        if (write_rsp.reason == TCP_OK) state_q <= SEND;
        else if (write_rsp.reason == TCP_NO_SPACE) op_q <= WORK_LATER;
        else begin
          session_q.drain  <= 1'b1;
          session_q.closed <= 1'b1;  // it is over already
        end
      end
      SEND:
      if (sent) begin
        state_q <= WROTE;
        if (!chunk_q) begin
          session_q.waiting <= 1'b0;
          state_q <= ANSWER;
          if (session_q.answer.page != PAGE_KERNEL && session_q.answer.page != PAGE_CONTINUE) begin
            session_q.drain <= session_q.answer.close;
            state_q <= session_q.answer.close && !session_q.owns ? CLOSE : ANSWER;
          end
        end
      end
      // A part of the kernel's response is written.
      WROTE: begin
        state_q <= ANSWER;
        if (final_q) begin
          session_q.owns <= 1'b0;
          own_q <= 1'b0;
          clear_q <= 1'b1;
          put_end_q <= !eaten_q;
          session_q.drain <= session_q.answer.close || !eaten_q || !session_q.parse.minor;
        end
      end
      CLOSE:
      if (m_app.close.ready) begin
        session_q.closed <= 1'b1;
        state_q <= ANSWER;
      end
      default: if (done_s.ready) state_q <= REST;
    endcase
    // Its session ended, and the number is in use again.
    if (state_q == CHOOSE && work_q.fresh && own_q && own_sid_q == work_q.sid) begin
      own_q <= 1'b0;
      clear_q <= 1'b1;
      put_end_q <= !eaten_q;
    end
    if (rst) begin
      state_q <= REST;
      own_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (state_q == SHIFT) begin
      request_mem[{work_q.sid[SID_BITS-1:0], fill_q[REQUEST_W-1:0]}] <= beat_q[7:0];
    end
    byte_q <= request_mem[{work_q.sid[SID_BITS-1:0], session_q.pos}];
  end

  // ---- pages -----------------------------------------------------------------------------------
  logic good, out;
  kumi_axis_if #(
      .DATA_W(m_app.DATA_W),
      .ID_W  (SID_W)
  ) page_s ();

  kumi_http_pages u_pages (
      .clk,
      .rst,
      .now_us,
      .ev_opened,
      .open_count,
      .ev_sent(out),
      .answer(session_q.answer),
      .minor(session_q.parse.minor),
      .start(state_q == MAKE),
      .send(state_q == SEND && !chunk_q),
      .clear(state_q == ANSWER),
      .good,
      .ready(page_ready),
      .length(page_length),
      .m_axis(page_s)
  );

  // ---- bodies ----------------------------------------------------------------------------------
  kumi_http_body u_body (
      .clk,
      .rst,
      .put(state_q == FORWARD || (state_q == STEP && in_body && body_byte && session_q.owns)),
      .put_byte(state_q == FORWARD ? beat_q[7:0] : byte_q),
      .put_end(put_end_q),
      .put_bad(!eaten_q),
      .route(route_q),
      .room,
      .m_body,
      .s_body,
      .have,
      .all,
      .bad,
      .clear(clear_q),
      .idle,
      .send(state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_OK && chunk_q),
      .send_count(send_count_q),
      .chunked(session_q.parse.minor),
      .last(final_q),
      .chunks(chunk_q),
      .s_page(page_s),
      .m_axis(m_app.tx)
  );

  assign busy = work_busy || state_q != REST;

  // In the order of regs/http.rdl.
  assign out = state_q == SEND && sent && !chunk_q && session_q.answer.page != PAGE_CONTINUE;
  assign ev = {
    state_q == CHOOSE && work_q.idle && !work_q.ended,  // idle_ends
    state_q == WRITE_RSP && m_app.write_rsp.valid && write_rsp.reason == TCP_NO_SPACE,  // no_space
    out && session_q.answer.page == PAGE_431,  // too_large
    out && session_q.answer.page == PAGE_405,  // not_allowed
    out && session_q.answer.page == PAGE_404,  // not_found
    out && session_q.answer.page == PAGE_400,  // bad_request
    out && good,  // ok
    ev_ended,  // ended
    ev_opened  // opened
  };

  assign hwif_in.status.listening.next = listening;
  assign hwif_in.status.reason.next = listen_reason;
  assign hwif_in.status.sessions.next = open_count;

  logic unused;
  assign unused = ^{write_rsp, read_rsp, work_q, m_app.open_rsp.data, m_app.open_rsp.valid,
                    ev_stray, lost_s.ready, none.ready, m_app.rx.tuser, m_app.rx.tid,
                    m_app.rx.tdest};
endmodule
