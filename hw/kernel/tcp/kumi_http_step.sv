// SPDX-License-Identifier: Apache-2.0
//
// A session of kumi_http takes the next byte of its buffer.
//
// session, data: for three cycles; in the third: next, what follows (then_do), and of a body for
//   the kernel: body_byte: the byte belongs to it, body_done: it was the last one.
// begun: a part of the response to this body has been sent, so it cannot be 400 any more.
// skipped: the session after the bytes in its buffer that belong to a body of known length which
//   nobody wants; in the third cycle.
`include "kumi_assert.svh"
module kumi_http_step
  import kumi_http_pkg::*;
#(
    parameter int ROUTES = 0,
    parameter logic [2:0][8*WORD-1:0] ROUTE_PATHS = '0,
    parameter logic [2:0] ROUTE_DECODES = '0
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 step,       // the third cycle
    input  http_session_t        session,
    input  logic          [ 7:0] data,
    input  logic          [12:0] limit,
    input  logic                 begun,
    output http_session_t        next,
    output http_then_e           then_do,
    output logic                 body_byte,
    output logic                 body_done,
    output http_session_t        skipped
);
  http_parser_t parse_next, body_next;
  http_response_t answer;
  logic answer_valid, is_body, done, wrong, in_body;
  logic [REQUEST_W:0] held_q;  // bytes in the buffer
  logic last_q, short_q, exact_q;  // one; fewer than the body, as many
  logic [31:0] left_q;  // of the body, after them

  // The parsers' results.
  http_parser_t parse_q;
  http_response_t answer_q;
  logic valid_q, body_byte_q, done_q, wrong_q;

  kumi_http_parser #(
      .ROUTES(ROUTES),
      .ROUTE_PATHS(ROUTE_PATHS),
      .ROUTE_DECODES(ROUTE_DECODES)
  ) u_parser (
      .clk,
      .state(session.parse),
      .data,
      .limit,
      .next (parse_next),
      .answer_valid,
      .answer
  );

  kumi_http_body_parser u_body (
      .state(session.parse),
      .data,
      .next (body_next),
      .is_body,
      .done,
      .wrong
  );

  assign in_body   = session.parse.at == AT_BODY;
  assign body_byte = body_byte_q;
  assign body_done = session.owns && done_q;

  always_ff @(posedge clk) begin
    held_q <= session.count - (REQUEST_W + 1)'(session.pos);
    last_q <= held_q == (REQUEST_W + 1)'(1);
    short_q <= session.parse.length[31:REQUEST_W+1] != '0
        || held_q < session.parse.length[REQUEST_W:0];
    exact_q <= session.parse.length == 32'(held_q);
    left_q <= session.parse.length - 32'(held_q);
    parse_q <= in_body ? body_next : parse_next;
    answer_q <= answer;
    valid_q <= !in_body && answer_valid;
    body_byte_q <= in_body && session.owns && is_body;
    done_q <= in_body && done;
    wrong_q <= in_body && wrong;
  end

  always_comb begin
    next = session;
    next.pos = session.pos + 1'b1;
    next.parse = parse_q;
    then_do = THEN_NEXT;
    if (last_q) begin
      next.pos = '0;
      next.count = '0;
      then_do = THEN_REST;
    end
    if (done_q || wrong_q) then_do = THEN_REST;
    if (wrong_q) begin
      next.drain   = begun && session.owns;
      next.waiting = !(begun && session.owns);
      next.answer  = '{page: PAGE_400, head: 1'b0, close: 1'b1};
    end
    if (valid_q) begin
      next.waiting = 1'b1;
      next.answer = answer_q;
      then_do = THEN_PAGE;
      if (session.refused && session.parse.raw) begin
        next.waiting = 1'b0;
        next.drain = 1'b1;
        then_do = THEN_ABORT;
      end else if (session.refused && answer_q.page != PAGE_400) begin
        next.answer = '{page: PAGE_503, head: answer_q.head, close: 1'b1};
      end else if (answer_q.page == PAGE_KERNEL) begin
        next.waiting = 1'b0;
        then_do = THEN_ASK;
      end
    end
  end

  always_comb begin
    skipped = session;
    if (short_q) begin
      skipped.parse.length = left_q;
      skipped.count = '0;
      skipped.pos = '0;
    end else begin
      skipped.pos = session.pos + session.parse.length[REQUEST_W-1:0];
      skipped.parse.at = AT_START;
      // The whole buffer: restart, `pos` cannot express its end.
      if (exact_q) begin
        skipped.count = '0;
        skipped.pos   = '0;
      end
    end
  end

  // One response for each request, in order: none is parsed to its end while one is owed.
  `KUMI_ASSERT(a_one, !step || !valid_q || !(session.waiting || session.asks || session.owns))
endmodule
