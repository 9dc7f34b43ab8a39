// SPDX-License-Identifier: Apache-2.0
//
// Shares the way out between sessions and stateless answers.
//
// session_*: segments of sessions; have priority, and leave the last entry of the FIFO to answers.
// reply_*, cookie_*: answers of the connection manager and of the SYN responder; *_ready may depend
//   on session_valid (and that of cookies on reply_valid). m_tx: what is sent, in order.
// While sessions fill the line, that is with the FIFO half full, answers get a thirteenth of it:
//   each byte that a session sends pays for them, and an answer, 84 bytes on the line, costs 1,024.
//   So a flood does not take the line from the sessions, and sessions cannot prevent new ones.
//   Unused credit lasts for 16 answers or one segment's worth.
// Latency 1 cycle while the FIFO is empty; one record per cycle.
`include "kumi_assert.svh"

module kumi_tcp_tx_share
  import kumi_tcp_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic session_valid,
    input tcp_tx_t session_tx,
    output logic session_ready,
    input logic reply_valid,
    input tcp_tx_t reply_tx,
    output logic reply_ready,
    input logic cookie_valid,
    input tcp_tx_t cookie_tx,
    output logic cookie_ready,
    kumi_rec_if.src m_tx
);
  localparam int DEPTH = 8;
  localparam int PRICE_BITS = 10;
  localparam int CREDIT_W = 18;
  localparam logic [CREDIT_W-1:0] HEADERS = 18'd78;  // IP, TCP, Ethernet, preamble, gap

  logic fits, push, answer, crowd, rich, open, spent_q;
  logic [3:0] depth;
  logic [CREDIT_W-1:0] credit_q, change_q;
  tcp_tx_t data;

  always_comb begin
    data = cookie_tx;
    if (reply_valid) data = reply_tx;
    if (session_valid) data = session_tx;
  end

  assign crowd = depth >= 4'(DEPTH / 2);
  assign rich = credit_q[CREDIT_W-1:PRICE_BITS] != '0 && !spent_q;
  assign open = !session_valid && (!crowd || (fits && rich));
  assign session_ready = depth < 4'(DEPTH - 1);
  assign reply_ready = open;
  assign cookie_ready = open && !reply_valid;
  assign answer = open && (reply_valid || cookie_valid);
  assign push = session_valid || answer;

  // Payments and prices count one cycle later; a full account takes no payments.
  logic full;
  assign full = credit_q[CREDIT_W-1:PRICE_BITS+4] != '0;
  always_ff @(posedge clk) begin
    credit_q <= credit_q + change_q;
    change_q <= '0;
    if (session_valid && !full) change_q <= CREDIT_W'(session_tx.len) + HEADERS;
    if (answer && crowd) change_q <= -CREDIT_W'(1 << PRICE_BITS);
    spent_q <= answer && crowd;
    if (rst) begin
      credit_q <= '0;
      change_q <= '0;
      spent_q  <= 1'b0;
    end
  end

  kumi_fifo_bypass #(
      .W($bits(tcp_tx_t)),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data (data),
      .s_valid(push),
      .s_ready(fits),
      .m_data (m_tx.data),
      .m_valid(m_tx.valid),
      .m_ready(m_tx.ready),
      .depth
  );

  `KUMI_ASSERT(a_fits, !push || fits)
endmodule
