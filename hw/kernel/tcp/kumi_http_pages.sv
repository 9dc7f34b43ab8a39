// SPDX-License-Identifier: Apache-2.0
//
// Pages of kumi_http, heads of its kernel's responses, ranges (RFC 9110, 14), and the numbers of
// the status page.
//
// start, answer, request: make this response to this request; both are held until ready. ready,
//   length, send, clear, m_axis: as kumi_http_response has them. encoded: the kernel's response
//   comes in gzip. page: what is sent: `answer`'s, or PAGE_416 if the range has no byte of it.
//   To HTTP/1.0 the kernel's response ends with the connection.
// now_us, ev_opened, open_count: what the status page tells; ev_sent: a response is out, good: it
//   counts as one of 200.
module kumi_http_pages
  import kumi_http_pkg::*, kumi_http_text_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [31:0] now_us,
    input  logic                   ev_opened,
    input  logic            [15:0] open_count,
    input  logic                   ev_sent,
    input  http_response_t         answer,
    input  http_parser_t           request,
    input  logic                   encoded,
    input  logic                   start,
    input  logic                   send,
    input  logic                   clear,
    output http_page_e             page,
    output logic                   good,
    output logic                   ready,
    output logic            [15:0] length,
           kumi_axis_if.src        m_axis
);
  // ---- ranges --------------------------------------------------------------------------------
  // Steps of one cycle: the size; what is beyond it; what is sent; how much that is.
  logic [3:0] step_q;
  logic [10:0] size_q, first_q, last_q, tail_q, count_q;
  logic ranged_q, none_q, beyond_q, cut_q;
  http_range_t range;
  http_reply_t reply_q;

  assign range = request.range;
  assign page  = reply_q.page;

  always_ff @(posedge clk) begin
    step_q <= {step_q[2:0], start};
    if (start) begin
      reply_q <= '{
          page: answer.page,
          head: answer.head,
          close: answer.close || (answer.page == PAGE_KERNEL && !request.minor),
          partial: 1'b0,
          encoded: encoded,
          chunked: request.minor
      };
      size_q <= body_size(answer.page);
      ranged_q <= range.valid && request.get && answer.page < PAGE_KERNEL;
    end
    if (step_q[0]) begin
      none_q   <= range.has_first ? range.first >= size_q : range.last == '0;
      beyond_q <= !range.has_last || range.last >= size_q;
      tail_q   <= size_q - range.last;
    end
    if (step_q[1]) begin
      first_q <= '0;
      last_q  <= size_q - 1'b1;
      cut_q   <= ranged_q && none_q;
      if (ranged_q && !none_q) begin
        reply_q.partial <= 1'b1;
        if (range.has_first) first_q <= range.first;
        else if (!beyond_q) first_q <= tail_q;
        if (range.has_first && !beyond_q) last_q <= range.last;
      end
    end
    if (step_q[2]) begin
      count_q <= last_q - first_q + 1'b1;
      if (cut_q) begin
        reply_q.page <= PAGE_416;
        last_q <= body_size(PAGE_416) - 1'b1;
        count_q <= body_size(PAGE_416);
      end
    end
    if (rst) step_q <= '0;
  end

  // ---- the status page -----------------------------------------------------------------------
  logic [31:0] mark_q, seconds_q, opened_q, ok_q, errors_q, sent_q;
  logic [31:0] since_q;  // the last second began
  logic [ 2:0] second_q;  // one has passed; since_q follows two cycles later

  assign good = reply_q.page < PAGE_CONTINUE;

  always_ff @(posedge clk) begin
    sent_q   <= ok_q + errors_q;
    since_q  <= now_us - mark_q;
    second_q <= {second_q[1:0], since_q >= 32'd1000000 && second_q == '0};
    if (second_q[0]) begin
      mark_q <= mark_q + 32'd1000000;
      seconds_q <= seconds_q + 1'b1;
    end
    if (ev_opened) opened_q <= opened_q + 1'b1;
    if (ev_sent && good) ok_q <= ok_q + 1'b1;
    if (ev_sent && !good) errors_q <= errors_q + 1'b1;
    if (rst) begin
      mark_q <= now_us;
      since_q <= '0;
      second_q <= '0;
      seconds_q <= '0;
      opened_q <= '0;
      ok_q <= '0;
      errors_q <= '0;
    end
  end

  kumi_http_response u_response (
      .clk,
      .rst,
      .start(step_q[3]),
      .reply(reply_q),
      .numbers({
        32'(count_q),
        32'(size_q),
        32'(last_q),
        32'(first_q),
        errors_q,
        ok_q,
        sent_q,
        32'(open_count),
        opened_q,
        seconds_q
      }),
      .first(first_q),
      .last(last_q),
      .send,
      .clear,
      .ready,
      .length,
      .m_axis
  );

  logic unused;
  assign unused = ^{request};
endmodule
