// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 front end (RFC 9110, 9112): answers GET and HEAD of an index page, a status page with
// counters (JSON) and robots.txt, and hands POST and PUT of further targets to a kernel.
//
// m_app: the TCP engine (kumi_tcp_app_if); this kernel opens no connections.
//   now_us: microseconds, wraps.
// ROUTE_PATHS: targets of the kernel. m_body: the body of a request, tdest: {the response is to be
//   gzip, the body has a Content-Encoding of gzip or deflate, index of the target}; s_body: the
//   body of the response (kumi_http_body: frames of a byte a beat, ended by a beat without one).
//   One request at a time is at the kernel; others wait in the order of their coming
//   (kumi_http_queue), while pages are answered. One that has been there for `turn_limit` while
//   others wait is answered with 503, or, when a part of its response is out, aborted; one that has
//   waited for `wait_limit` is answered with 503. A response may begin before its request has
//   ended. It is sent in chunks (to HTTP/1.0: up to the close). If it is bad (tuser) it is 422 when
//   none of it was sent, else the session is aborted. A client that leaves: the request's frame
//   ends with tuser, the rest of the response is dropped.
// ROUTE_DECODES: routes that take a Content-Encoding (others: 415); ROUTE_ENCODES: those that make
//   gzip for a client which accepts it.
// Raw framing (register `raw`; port 0: none): on a port of its own a message is 32 bits of length,
//   most significant byte first, and its bytes; the response is pieces of the same form, a length
//   of 0 ends it. Any number of messages follow one another. What HTTP answers with an error aborts
//   the session.
// Connections are persistent unless the client closes them; requests may be pipelined and are
//   answered in order. Bodies come with Content-Length or chunked (RFC 9112, 7.1; extensions and
//   trailers are skipped), after 100 (Continue) if the client expects it; pages skip them.
// A session in which nothing moved for `idle_limit` is closed; aborted in the middle of a request
//   or response, so no client holds the kernel for ever. With more than `crowd` sessions the limit
//   is `crowd`'s, and new sessions are answered with 503 and closed. The size of request line and
//   headers is limited (register `limit`): 431, then close. After a response that closes, further
//   bytes are read and discarded, so that the response reaches the client before a reset could.
//   Every session has its own buffer of 64 request bytes and its own state; sessions take turns. A
//   response is written whole, or later when there is no space; other sessions continue meanwhile.
// Cost in cycles: 3 per byte of request, 2 per byte of a page, about 40 per number in it; bodies 1
//   per byte each way, at the same time; of a chunk the first 64 bytes 3.
module kumi_http
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64,  // session numbers, a power of two
    parameter int ROUTES = 0,  // targets of the kernel, 0..3
    parameter logic [2:0][8*WORD-1:0] ROUTE_PATHS = '0,  // each with zeros behind it
    parameter logic [2:0] ROUTE_DECODES = '0,  // bit i: target i
    parameter logic [2:0] ROUTE_ENCODES = '0
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
  localparam int EVENTS = 12;
  localparam int KEEP_W = m_app.DATA_W / 8;
  localparam int RESERVE = SESSIONS >= 8 ? SESSIONS / 8 : 1;

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

  http_cfg_t cfg;
  assign cfg.limit = hwif_out.limit.value.value;
  assign cfg.wait_ticks = hwif_out.wait_limit.ms.value;
  assign cfg.turn_ticks = hwif_out.turn_limit.ms.value;
  assign cfg.raw_port = ROUTES == 0 ? '0 : hwif_out.raw.port.value;
  assign cfg.raw_route = hwif_out.raw.route.value;

  // ---- ports ---------------------------------------------------------------------------------
  logic listening;
  tcp_reason_e listen_reason;

  kumi_http_ports u_ports (
      .clk,
      .rst,
      .enable({hwif_out.ctrl.enable.value && cfg.raw_port != '0, hwif_out.ctrl.enable.value}),
      .port({cfg.raw_port, hwif_out.port.value.value}),
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .open(listening),
      .reason(listen_reason)
  );

  assign m_app.open.valid   = 1'b0;
  assign m_app.open.data    = '0;
  assign m_app.open_rsp.ready = 1'b1;

  // ---- sessions ------------------------------------------------------------------------------
  kumi_rec_if #(.W(OPEN_RSP_W)) none ();
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(WORK_W + SESSION_W)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + SESSION_W)) done_s ();
  logic [15:0] open_count;
  logic ev_opened, ev_ended, ev_stray, work_busy, turn_busy, crowded_q;
  http_event_t turn;

  assign none.valid = 1'b0;
  assign none.data = '0;
  assign lost_s.valid = 1'b0;
  assign lost_s.data = '0;

  // 1024 us, taken as a millisecond.
  logic [23:0] ticks_q, idle_q, idle_limit;
  logic half_q;
  assign idle_limit = {1'b0, hwif_out.idle_limit.ms.value};
  always_ff @(posedge clk) begin
    half_q <= now_us[10];
    if (half_q != now_us[10]) ticks_q <= ticks_q + 1'b1;
    crowded_q <= open_count > (hwif_out.crowd.sessions.value != '0
        ? hwif_out.crowd.sessions.value : 16'(SESSIONS - RESERVE));
    idle_q <= idle_limit;
    if (crowded_q && (idle_limit == '0 || idle_limit > 24'(hwif_out.crowd.idle_ms.value)))
      idle_q <= 24'(hwif_out.crowd.idle_ms.value);
    if (rst) ticks_q <= '0;
  end

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(SESSION_W),
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
      .idle_ticks(idle_q),
      .open_count,
      .ev_opened,
      .ev_ended,
      .ev_stray,
      .busy(work_busy)
  );

  kumi_http_turn #(
      .SESSIONS(SESSIONS),
      .ROUTES(ROUTES),
      .ROUTE_PATHS(ROUTE_PATHS),
      .ROUTE_DECODES(ROUTE_DECODES),
      .ROUTE_ENCODES(ROUTE_ENCODES)
  ) u_turn (
      .clk,
      .rst,
      .cfg,
      .refuse(crowded_q),
      .now_us,
      .now_ticks(ticks_q[19:0]),
      .ev_opened,
      .open_count,
      .s_work(work_s),
      .m_done(done_s),
      .m_read(m_app.read),
      .s_read_rsp(m_app.read_rsp),
      .s_axis(m_app.rx),
      .m_write(m_app.write),
      .s_write_rsp(m_app.write_rsp),
      .m_axis(m_app.tx),
      .m_close(m_app.close),
      .m_body,
      .s_body,
      .ev(turn),
      .busy(turn_busy)
  );

  assign busy = work_busy || turn_busy;

  // In the order of regs/http.rdl.
  logic rejected;
  assign rejected = turn.page == PAGE_415 || turn.page == PAGE_416 || turn.page == PAGE_422;
  assign ev = {
    turn.turn_end,  // turn_ends
    turn.out && rejected,  // rejected
    turn.out && turn.page == PAGE_503,  // unavailable
    turn.idle_end,  // idle_ends
    turn.no_space,  // no_space
    turn.out && turn.page == PAGE_431,  // too_large
    turn.out && (turn.page == PAGE_405 || turn.page == PAGE_405_POST),  // not_allowed
    turn.out && turn.page == PAGE_404,  // not_found
    turn.out && turn.page == PAGE_400,  // bad_request
    turn.out && turn.good,  // ok
    ev_ended,  // ended
    ev_opened  // opened
  };

  assign hwif_in.status.listening.next = listening;
  assign hwif_in.status.reason.next = listen_reason;
  assign hwif_in.status.sessions.next = open_count;

  logic unused;
  assign unused = ^{m_app.open_rsp.data, m_app.open_rsp.valid, ev_stray, lost_s.ready, none.ready,
                    ticks_q};
endmodule
