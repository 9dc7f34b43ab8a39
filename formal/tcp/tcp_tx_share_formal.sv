// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_tx_share: no segment and no answer is lost, and a segment is never refused
//   while session_ready is high. Over any span of time, the answers that are sent while sessions
//   fill the line cost no more than the sessions have paid in it and had on account at its start:
//   16 answers and three segments at most.
//
// The span begins in a cycle that the proof chooses. Assumed: sessions send only while
// session_ready, and answers stay until taken. Fewer than 2^19 bytes in the span, so that the
// counts beside do not wrap.
`include "kumi_assert.svh"

module tcp_tx_share_formal
  import kumi_tcp_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic begins,
    input logic session_valid,
    input logic [15:0] len,
    input logic reply_valid,
    input logic cookie_valid,
    input logic m_ready
);
  logic session_ready, reply_ready, cookie_ready, started_q;
  logic [19:0] paid_q, cost_q, had_q;
  tcp_tx_t session;
  kumi_rec_if #(.W($bits(tcp_tx_t))) m_tx ();
  assign m_tx.ready = m_ready;

  always_comb begin
    session = '0;
    session.len = len;
  end

  kumi_tcp_tx_share u_dut (
      .clk,
      .rst,
      .session_valid,
      .session_tx(session),
      .session_ready,
      .reply_valid,
      .reply_tx  ('0),
      .reply_ready,
      .cookie_valid,
      .cookie_tx ('0),
      .cookie_ready,
      .m_tx
  );

  // First cycle in reset, then never.
  logic past_q = 1'b0;
  always_ff @(posedge clk) past_q <= 1'b1;
  always_comb assume (rst == !past_q);

  logic answer, costs;
  assign answer = (reply_valid && reply_ready) || (cookie_valid && cookie_ready);
  assign costs  = answer && u_dut.depth >= 4'd4;

  `KUMI_ASSUME(m_session, !session_valid || session_ready)
  `KUMI_ASSUME(m_reply, !past_q || !$past(reply_valid && !reply_ready) || reply_valid)
  `KUMI_ASSUME(m_cookie, !past_q || !$past(cookie_valid && !cookie_ready) || cookie_valid)
  `KUMI_ASSUME(m_span, paid_q < 20'h8_0000)

  always_ff @(posedge clk) begin
    if (started_q) begin
      if (session_valid) paid_q <= paid_q + 20'(len) + 20'd78;
      if (costs) cost_q <= cost_q + 20'd1024;
    end else if (begins) begin
      started_q <= 1'b1;
      // What is on the account after this cycle, without what this cycle adds.
      had_q <= 20'(18'(u_dut.credit_q + u_dut.change_q)) + (session_valid ? 20'(len) + 20'd78 : '0);
    end
    if (rst) begin
      started_q <= 1'b0;
      paid_q <= '0;
      cost_q <= '0;
      had_q <= '0;
    end
  end

  // The account never wraps: a price is taken only from what is there.
  logic [17:0] account;
  assign account = u_dut.credit_q + u_dut.change_q;
  `KUMI_ASSERT(a_price, !u_dut.spent_q || u_dut.credit_q >= 18'd1024)
  `KUMI_ASSERT(a_change, u_dut.spent_q == (u_dut.change_q == -18'd1024))
  `KUMI_ASSERT(a_payment, u_dut.spent_q || u_dut.change_q <= 18'd65613)
  `KUMI_ASSERT(a_limit, u_dut.credit_q <= 18'd147609)
  `KUMI_ASSERT(a_full, u_dut.change_q == '0 || u_dut.spent_q || u_dut.credit_q <= 18'd81996)
  `KUMI_ASSERT(a_had, had_q <= 20'd213222)
  `KUMI_ASSERT(a_start, started_q || (cost_q == '0 && paid_q == '0))
  `KUMI_ASSERT(a_share, !started_q || 21'(account) + 21'(cost_q) <= 21'(had_q) + 21'(paid_q))
  // One way out at a time, sessions first.
  `KUMI_ASSERT(a_one, !(session_valid && answer) && !(reply_valid && reply_ready && cookie_ready))
  // With credit and space, an answer goes in the first cycle that sessions leave.
  `KUMI_ASSERT(a_turn, !(reply_valid && !session_valid && u_dut.fits && u_dut.rich) || reply_ready)

  `KUMI_COVER(c_costs, started_q && cost_q == 20'd3072)
  `KUMI_COVER(c_starved, reply_valid && !reply_ready && u_dut.depth == 4'd7 && !session_valid)
endmodule
