// SPDX-License-Identifier: Apache-2.0
//
// A turn of a session of kumi_http: reads, parses, answers, for a while; then the next has one.
//
// s_work, m_done: kumi_tcp_app_sched's, with http_session_t. refuse: new sessions are answered with
//   503. cfg: settings. ev: pulses of http_event_t, page those of the page that is out.
// m_read to m_axis: the TCP engine's. m_body, s_body: the kernel's (kumi_http_body).
// now_us, now_ticks, ev_opened, open_count: clocks, and what the status page tells.
// What a turn does is chosen once, in CHOOSE: at most one read, one write or one close.
`include "kumi_assert.svh"
module kumi_http_turn
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64,
    parameter int ROUTES = 0,
    parameter logic [2:0][8*WORD-1:0] ROUTE_PATHS = '0,
    parameter logic [2:0] ROUTE_DECODES = '0,
    parameter logic [2:0] ROUTE_ENCODES = '0,
    parameter int CHUNK = 2048  // bytes of a body per turn, at most; a power of two up to 2048
) (
    input logic clk,
    input logic rst,
    input http_cfg_t cfg,
    input logic refuse,
    input logic [31:0] now_us,
    input logic [19:0] now_ticks,
    input logic ev_opened,
    input logic [15:0] open_count,
    kumi_rec_if.snk s_work,
    kumi_rec_if.src m_done,
    kumi_rec_if.src m_read,
    kumi_rec_if.snk s_read_rsp,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_write,
    kumi_rec_if.snk s_write_rsp,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_close,
    kumi_axis_if.src m_body,
    kumi_axis_if.snk s_body,
    output http_event_t ev,
    output logic busy
);
  typedef enum logic [3:0] {
    REST,
    LOOK,
    DECIDE,
    CHOOSE,
    FILL,
    SKIP,
    FETCH,
    BYTE,
    PARSE,
    STEP,
    ASK,
    PIECE,
    START,
    REPLY,
    CLOSE,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_app_work_t work_q;
  http_session_t session_q;
  tcp_app_op_e op_q;
  logic [31:0] taken_q;
  logic abort_q, in_body, opens, gives_up, malformed, write_done, piece_q, final_q;
  http_outcome_e outcome;
  http_action_e  action;
  http_place_t   place;
  http_order_t   order;

  assign in_body = session_q.parse.at == AT_BODY;

  assign s_work.ready = state_q == REST;
  assign m_close.valid = state_q == CLOSE;
  assign m_close.data = {work_q.sid, abort_q};
  assign m_done.valid = state_q == ANSWER;
  assign m_done.data = {session_q, work_q.sid, op_q, taken_q};
  assign busy = state_q != REST;

  // ---- parsers ---------------------------------------------------------------------------------
  logic [7:0] data, fill_byte, out_data;
  http_session_t stepped, skipped;
  http_then_e then_do;
  logic body_byte, body_done;

  kumi_http_step #(
      .ROUTES(ROUTES),
      .ROUTE_PATHS(ROUTE_PATHS),
      .ROUTE_DECODES(ROUTE_DECODES)
  ) u_step (
      .clk,
      .rst,
      .step(state_q == STEP),
      .session(session_q),
      .data,
      .limit(cfg.limit),
      .begun(place.begun),
      .next(stepped),
      .then_do,
      .body_byte,
      .body_done,
      .skipped
  );

  // ---- reading ---------------------------------------------------------------------------------
  logic fill, fill_done, fill_whole, fill_put, fill_pass, fill_last, left_none_q;
  logic [15:0] length;
  logic [31:0] left_q;  // of a body, after what is read: known long before that is there
  http_read_e mode;

  kumi_http_reader #(
      .SESSIONS(SESSIONS)
  ) u_reader (
      .clk,
      .rst,
      .start(fill),
      .sid(work_q.sid),
      .length,
      .mode,
      .done(fill_done),
      .whole(fill_whole),
      .put(fill_put),
      .put_byte(fill_byte),
      .pos(session_q.pos + REQUEST_W'(state_q == STEP)),
      .data,
      .m_read,
      .s_read_rsp,
      .s_axis
  );

  assign fill = state_q == CHOOSE && (action == ACT_DROP || action == ACT_READ);
  assign fill_pass = state_q == FILL && fill_done && fill_whole && mode == READ_PASS && left_none_q;
  assign fill_last = fill_pass && http_body_state_e'(session_q.parse.index) == BODY_PLAIN;

  // ---- the kernel ------------------------------------------------------------------------------
  logic out_valid, take_out, sending, end_piece;
  logic [1:0] route;

  kumi_http_plan #(
      .CHUNK(CHUNK)
  ) u_plan (
      .clk,
      .cfg,
      .now_ticks,
      .work(work_q),
      .session(session_q),
      .place,
      .action,
      .length,
      .mode
  );

  assign route = session_q.parse.raw ? cfg.raw_route : session_q.parse.path[1:0];
  assign end_piece = state_q == REPLY && write_done && piece_q && outcome == WRITE_DONE && final_q;

  always_comb begin
    order.ask = state_q == ASK && place.ready;
    order.leave = opens || (gives_up && session_q.asks);
    order.take = state_q == CHOOSE && action == ACT_TAKE;
    order.let_go = (opens && place.mine) || (gives_up && session_q.owns) || end_piece;
    order.eaten = (order.take && !in_body) || (state_q == STEP && body_done) || fill_last;
    order.begun = state_q == PIECE;
    order.put = fill_put || (state_q == STEP && body_byte);
    order.data = fill_put ? fill_byte : data;
    order.dest = {session_q.parse.gzip && ROUTE_ENCODES[route], session_q.parse.deflated, route};
  end

  kumi_http_place #(
      .SESSIONS(SESSIONS),
      .DEPTH(2 * CHUNK)
  ) u_place (
      .clk,
      .rst,
      .now_ticks,
      .turn_ticks(cfg.turn_ticks),
      .sid(work_q.sid),
      .order,
      .place,
      .sending,
      .out_valid,
      .out_data,
      .take_out,
      .m_body,
      .s_body
  );

  // ---- writing ---------------------------------------------------------------------------------
  logic good, out;
  logic [11:0] count_q;
  http_page_e page;
  http_framing_e framing;

  assign malformed = place.all && place.bad;
  assign framing = session_q.parse.raw ? FRAMING_RAW
      : session_q.parse.minor ? FRAMING_CHUNKED : FRAMING_CLOSE;

  kumi_http_writer u_writer (
      .clk,
      .rst,
      .start(state_q == START),
      .piece(piece_q),
      .sid(work_q.sid),
      .done(write_done),
      .outcome,
      .busy(sending),
      .now_us,
      .ev_opened,
      .open_count,
      .ev_sent(out),
      .answer(session_q.answer),
      .request(session_q.parse),
      .encoded(place.encoded),
      .page,
      .good,
      .framing,
      .count(count_q),
      .last(final_q),
      .s_valid(out_valid),
      .s_data(out_data),
      .take(take_out),
      .m_write,
      .s_write_rsp,
      .m_axis
  );

  // ---- turns -----------------------------------------------------------------------------------
  assign opens = state_q == LOOK && place.ready && work_q.fresh;
  always_comb begin
    case (action)
      ACT_DROP, ACT_CLOSE, ACT_OVER, ACT_EXPEL, ACT_SEND_AWAY: gives_up = state_q == CHOOSE;
      default: gives_up = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    left_q <= session_q.parse.length - 32'(length);
    left_none_q <= left_q == '0;
    if (gives_up) begin
      session_q.asks <= 1'b0;
      session_q.owns <= 1'b0;
    end
    case (state_q)
      REST:
      if (s_work.valid) begin
        {session_q, work_q} <= s_work.data;
        taken_q <= '0;
        op_q <= WORK_NOW;
        abort_q <= 1'b0;
        piece_q <= 1'b0;
        state_q <= LOOK;
      end
      LOOK:
      if (place.ready) begin
        state_q <= DECIDE;
        if (work_q.fresh) begin
          session_q.refused <= refuse;
          if (cfg.raw_port != '0 && work_q.tuple.local_port == cfg.raw_port) begin
            session_q.parse.raw <= 1'b1;
            session_q.parse.at  <= AT_RAW;
          end
        end
      end
      DECIDE: state_q <= CHOOSE;
      CHOOSE: begin
        state_q <= ANSWER;
        case (action)
          ACT_END_IDLE, ACT_EXPEL: begin
            abort_q <= action == ACT_EXPEL || session_q.owns || session_q.waiting
                || session_q.drain;
            session_q.drain <= 1'b1;
            state_q <= CLOSE;
          end
          ACT_DROP, ACT_READ: state_q <= FILL;
          ACT_CLOSE: state_q <= CLOSE;
          ACT_SEND_AWAY: begin
            session_q.answer  <= '{page: PAGE_503, head: 1'b0, close: 1'b1};
            session_q.waiting <= 1'b1;
          end
          ACT_PAGE: state_q <= START;
          ACT_TAKE: begin
            session_q.asks <= 1'b0;
            session_q.owns <= 1'b1;
            session_q.waiting <= session_q.parse.expects && in_body;
            session_q.answer.page <= PAGE_CONTINUE;
          end
          ACT_PIECE: state_q <= PIECE;
          ACT_SKIP: state_q <= SKIP;
          ACT_PARSE: state_q <= FETCH;
          ACT_FIN: session_q.drain <= 1'b1;  // and closes in the next turn
          ACT_LATER: op_q <= WORK_LATER;
          default: op_q <= WORK_IDLE;
        endcase
      end
      // ---- bytes of a request, or bytes to discard
      FILL:
      if (fill_done) begin
        // Less than was notified: the session has been aborted, and no more will arrive.
        taken_q <= fill_whole ? 32'(length) : work_q.bytes;
        state_q <= ANSWER;
        if (mode == READ_KEEP) begin
          session_q.pos   <= '0;
          session_q.count <= fill_whole ? (REQUEST_W + 1)'(length) : '0;
          if (fill_whole && !in_body) state_q <= FETCH;
        end
        if (mode == READ_PASS && fill_whole) session_q.parse.length <= left_q;
        if (fill_last) session_q.parse.at <= rest_state(session_q.parse.raw);
        else if (fill_pass) session_q.parse.index <= 5'(BODY_AFTER);
      end
      // ---- parser
      SKIP: begin
        session_q <= skipped;
        state_q   <= ANSWER;
      end
      FETCH, BYTE, PARSE: state_q <= state_e'(state_q + 1'b1);
      STEP: begin
        session_q <= stepped;
        abort_q   <= then_do == THEN_ABORT;
        case (then_do)
          THEN_NEXT: state_q <= BYTE;
          THEN_PAGE: state_q <= START;
          THEN_ASK: state_q <= ASK;
          THEN_ABORT: state_q <= CLOSE;
          default: state_q <= ANSWER;
        endcase
      end
      ASK: begin
        session_q.asks  <= 1'b1;
        session_q.since <= now_ticks;
        if (place.ready) state_q <= ANSWER;
      end
      // ---- response
      PIECE: begin
        piece_q <= 1'b1;
        count_q <= place.have > 16'(CHUNK) ? 12'(CHUNK) : place.have[11:0];
        final_q <= place.all && place.have <= 16'(CHUNK);
        state_q <= START;
        if (!place.begun && !session_q.parse.raw) begin
          piece_q <= 1'b0;
          session_q.waiting <= 1'b1;
          session_q.answer.page <= PAGE_KERNEL;
          if (malformed) session_q.answer <= '{page: PAGE_422, head: 1'b0, close: 1'b1};
        end else if (malformed && place.have <= 16'(CHUNK)) begin
          abort_q <= 1'b1;
          session_q.drain <= 1'b1;
          state_q <= CLOSE;
        end
      end
      START: state_q <= REPLY;
      REPLY:
      if (write_done) begin
        state_q <= ANSWER;
        if (outcome == WRITE_FULL) begin
          op_q <= WORK_LATER;
        end else if (outcome == WRITE_DEAD) begin
          session_q.drain  <= 1'b1;
          session_q.closed <= 1'b1;  // it is over already
        end else if (piece_q) begin
          if (final_q) begin
            session_q.owns <= 1'b0;
            session_q.drain <= !place.read
                || (!session_q.parse.raw && (session_q.answer.close || !session_q.parse.minor));
          end
        end else begin
          session_q.waiting <= 1'b0;
          if (out && session_q.answer.page != PAGE_KERNEL) begin
            session_q.drain <= session_q.answer.close;
            state_q <= session_q.answer.close && !session_q.owns ? CLOSE : ANSWER;
          end
        end
      end
      CLOSE:
      if (m_close.ready) begin
        session_q.closed <= 1'b1;
        state_q <= ANSWER;
      end
      default: if (m_done.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  assign out = state_q == REPLY && write_done && outcome == WRITE_DONE && !piece_q
      && session_q.answer.page != PAGE_CONTINUE;
  assign ev = '{
          out: out,
          page: page,
          good: good,
          no_space: state_q == REPLY && write_done && outcome == WRITE_FULL,
          idle_end: state_q == CHOOSE && action == ACT_END_IDLE,
          turn_end: gives_up && session_q.owns && place.over
      };

  `KUMI_ASSERT(a_mine, state_q != CHOOSE || !session_q.owns || place.mine)

  logic unused;
  assign unused = ^work_q;
endmodule
