// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 server (RFC 9110, 9112): GET and HEAD of an index page, a status page with counters
// (JSON) and robots.txt; 404, 405, 400 and 431 otherwise.
//
// m_app: the TCP engine (kumi_tcp_app_if); this kernel opens no connections.
//   now_us: microseconds, wraps.
// Connections are persistent unless the client closes them; requests may be pipelined and are
//   answered in order. Request bodies are skipped by their Content-Length; a request with
//   Transfer-Encoding is answered with 400 and closes the connection.
// The size of request line and headers is limited (register `limit`): 431, then close.
// After a response that closes, further bytes are read and discarded, so that the response reaches
//   the client before a reset could.
// Every session has its own buffer of 64 request bytes and its own state; sessions take turns. A
//   response is written whole, or later when there is no space; other sessions continue meanwhile.
// Cost in cycles: 4 per byte of request, 2 per byte of response, about 40 per number in it.
module kumi_http
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64  // session numbers, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    output logic busy
);
  localparam int EVENTS = 8;
  localparam int REQUEST_BYTES = 64;  // bytes of requests kept for a session
  localparam int REQUEST_W = $clog2(REQUEST_BYTES);
  localparam int SID_BITS = $clog2(SESSIONS);
  localparam int DROP = 4096;  // bytes discarded per turn
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
      .req_index(6'(hwif_out.counters.addr[4:2])),
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

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(APP_W),
      .RETRY(1024)
  ) u_work (
      .clk,
      .rst,
      .s_notify(m_app.notify),
      .s_open_rsp(none),
      .s_short_read(lost_s),
      .m_work(work_s),
      .s_done(done_s),
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
    MAKE,
    MADE,
    WRITE,
    WRITE_RSP,
    SEND,
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
  logic [15:0] length_q, page_length;
  logic drop_q, no_write, page_ready, last_q;
  logic [m_app.DATA_W-1:0] beat_q;
  logic [KEEP_W-1:0] keep_q;
  logic [REQUEST_W:0] fill_q;
  logic [7:0] byte_q;
  http_parser_t parse_next;
  logic answer_valid;
  http_response_t answer;
  logic [23:0] request_left;
  logic sent;

  (* ram_style = "block", no_rw_check *) logic [7:0] request_mem[SESSIONS*REQUEST_BYTES];

  assign read_rsp = tcp_read_rsp_t'(m_app.read_rsp.data);
  assign write_rsp = tcp_write_rsp_t'(m_app.write_rsp.data);
  assign no_write = work_q.ended || session_q.drain;
  assign request_left = 24'(session_q.count) - 24'(session_q.pos);
  assign sent = m_app.tx.tvalid && m_app.tx.tready && m_app.tx.tlast;

  assign work_s.ready = state_q == REST;
  assign m_app.read.valid = state_q == READ;
  assign m_app.read.data = {work_q.sid, length_q};
  assign m_app.read_rsp.ready = state_q == READ_RSP;
  assign m_app.rx.tready = state_q == TAKE || state_q == DROP_DATA;
  assign m_app.write.valid = state_q == WRITE;
  assign m_app.write.data = {work_q.sid, page_length};
  assign m_app.write_rsp.ready = state_q == WRITE_RSP;
  assign m_app.close.valid = state_q == CLOSE;
  assign m_app.close.data = {work_q.sid, 1'b0};
  assign done_s.valid = state_q == ANSWER;
  assign done_s.data = {session_q, work_q.sid, op_q, taken_q};

  kumi_http_parser u_parse (
      .clk,
      .state(session_q.parse),
      .data (byte_q),
      .limit(hwif_out.limit.value.value),
      .next (parse_next),
      .answer_valid,
      .answer
  );

  always_ff @(posedge clk) begin
    case (state_q)
      REST:
      if (work_s.valid && work_s.ready) begin
        {session_q, work_q} <= work_s.data;
        taken_q <= '0;
        op_q <= WORK_NOW;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        drop_q   <= no_write;
        state_q  <= ANSWER;
        length_q <= 16'(REQUEST_BYTES);
        if (no_write) length_q <= 16'(DROP);
        if (work_q.bytes < (no_write ? 32'(DROP) : 32'(REQUEST_BYTES)))
          length_q <= work_q.bytes[15:0];
        if (no_write) begin
          if (work_q.bytes != '0) state_q <= READ;
          else if (!work_q.ended && !session_q.closed) state_q <= CLOSE;
          else op_q <= WORK_IDLE;
        end else if (session_q.waiting) begin
          state_q <= MAKE;
        end else if (request_left != '0) begin
          state_q <= session_q.parse.at == AT_BODY ? SKIP : FETCH;
        end else if (work_q.bytes != '0) begin
          state_q <= READ;
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
        if (!drop_q)
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
        state_q <= SHIFT;
      end
      SHIFT: begin
        beat_q <= beat_q >> 8;
        keep_q <= keep_q >> 1;
        fill_q <= fill_q + 1'b1;
        if (!keep_q[1]) begin
          state_q <= TAKE;
          if (last_q) state_q <= session_q.parse.at == AT_BODY ? SKIP : FETCH;
        end
      end
      // ---- parser
      SKIP: begin
        state_q <= ANSWER;
        if (request_left < session_q.parse.length) begin
          session_q.parse.length <= session_q.parse.length - request_left;
          session_q.count <= '0;
          session_q.pos <= '0;
        end else begin
          session_q.pos <= session_q.pos + session_q.parse.length[REQUEST_W-1:0];
          session_q.parse.at <= AT_START;
          // The whole buffer: restart, `pos` cannot express its end.
          if (request_left == session_q.parse.length) begin
            session_q.count <= '0;
            session_q.pos   <= '0;
          end
        end
      end
      FETCH: state_q <= BYTE;
      BYTE: state_q <= STEP;  // words are compared
      STEP: begin
        session_q.parse <= parse_next;
        session_q.pos <= session_q.pos + 1'b1;
        state_q <= FETCH;
        if (request_left == 24'd1) begin
          session_q.pos <= '0;
          session_q.count <= '0;
          state_q <= ANSWER;
        end
        if (answer_valid) begin
          session_q.waiting <= 1'b1;
          session_q.answer <= answer;
          state_q <= MAKE;
        end
      end
      // ---- response
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
        session_q.waiting <= 1'b0;
        session_q.drain <= session_q.answer.close;
        state_q <= session_q.answer.close ? CLOSE : ANSWER;
      end
      CLOSE:
      if (m_app.close.ready) begin
        session_q.closed <= 1'b1;
        state_q <= ANSWER;
      end
      default: if (done_s.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  always_ff @(posedge clk) begin
    if (state_q == SHIFT) begin
      request_mem[{work_q.sid[SID_BITS-1:0], fill_q[REQUEST_W-1:0]}] <= beat_q[7:0];
    end
    byte_q <= request_mem[{work_q.sid[SID_BITS-1:0], session_q.pos}];
  end

  // ---- pages ---------------------------------------------------------------------------------
  logic [31:0] mark_q, seconds_q, opened_q, ok_q, errors_q;
  logic good;

  assign good = session_q.answer.page < PAGE_400;

  kumi_http_response u_page (
      .clk,
      .rst,
      .start(state_q == MAKE),
      .answer(session_q.answer),
      .numbers({errors_q, ok_q, ok_q + errors_q, 32'(open_count), opened_q, seconds_q}),
      .send(state_q == SEND),
      .clear(state_q == ANSWER),
      .ready(page_ready),
      .length(page_length),
      .m_axis(m_app.tx)
  );

  always_ff @(posedge clk) begin
    if (now_us - mark_q >= 32'd1000000) begin
      mark_q <= mark_q + 32'd1000000;
      seconds_q <= seconds_q + 1'b1;
    end
    if (ev_opened) opened_q <= opened_q + 1'b1;
    if (state_q == SEND && sent) begin
      if (good) ok_q <= ok_q + 1'b1;
      else errors_q <= errors_q + 1'b1;
    end
    if (rst) begin
      mark_q <= now_us;
      seconds_q <= '0;
      opened_q <= '0;
      ok_q <= '0;
      errors_q <= '0;
    end
  end

  assign busy = work_busy || state_q != REST;

  // In the order of regs/http.rdl.
  logic out;
  assign out = state_q == SEND && sent;
  assign ev = {
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
