// SPDX-License-Identifier: Apache-2.0
//
// Pages of kumi_http, heads of its kernel's responses, and the numbers of the status page.
//
// start, answer, minor (HTTP/1.1): make this response; ready, length, send, clear, m_axis: as
//   kumi_http_response has them. PAGE_KERNEL and PAGE_CONTINUE are heads alone; to HTTP/1.0 the
//   kernel's response ends with the connection.
// now_us, ev_opened, open_count: what the status page tells; ev_sent: `answer` is out, good: it
//   counts as one of 200.
module kumi_http_pages
  import kumi_http_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [31:0] now_us,
    input  logic                   ev_opened,
    input  logic            [15:0] open_count,
    input  logic                   ev_sent,
    input  http_response_t         answer,
    input  logic                   minor,
    input  logic                   start,
    input  logic                   send,
    input  logic                   clear,
    output logic                   good,
    output logic                   ready,
    output logic            [15:0] length,
           kumi_axis_if.src        m_axis
);
  logic [31:0] mark_q, seconds_q, opened_q, ok_q, errors_q;
  http_response_t page;

  assign good = answer.page < PAGE_CONTINUE;

  always_comb begin
    page = answer;
    if (page.page == PAGE_KERNEL) begin
      page.head = 1'b1;
      if (!minor) page = '{page: PAGE_STREAM, head: 1'b1, close: 1'b1};
    end
    if (page.page == PAGE_CONTINUE) page = '{page: PAGE_CONTINUE, head: 1'b1, close: 1'b0};
  end

  kumi_http_response u_response (
      .clk,
      .rst,
      .start,
      .answer (page),
      .numbers({errors_q, ok_q, ok_q + errors_q, 32'(open_count), opened_q, seconds_q}),
      .send,
      .clear,
      .ready,
      .length,
      .m_axis
  );

  always_ff @(posedge clk) begin
    if (now_us - mark_q >= 32'd1000000) begin
      mark_q <= mark_q + 32'd1000000;
      seconds_q <= seconds_q + 1'b1;
    end
    if (ev_opened) opened_q <= opened_q + 1'b1;
    if (ev_sent && good) ok_q <= ok_q + 1'b1;
    if (ev_sent && !good) errors_q <= errors_q + 1'b1;
    if (rst) begin
      mark_q <= now_us;
      seconds_q <= '0;
      opened_q <= '0;
      ok_q <= '0;
      errors_q <= '0;
    end
  end
endmodule
