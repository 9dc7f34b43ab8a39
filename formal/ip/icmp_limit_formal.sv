// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_icmp_limit, with smaller bursts and two classes of destinations.
//
// Proved, by an account that sees the ports only: in any time no more messages than the burst and
//   one per tick, and to one class no more than its burst and one per interval. Every request is
//   granted or denied, once.
// Assumed: the interval stays, and is not 0; no ticks in two cycles in a row.
`include "kumi_assert.svh"
module icmp_limit_formal (
    input logic        clk,
    input logic        rst,
    input logic        tick,
    input logic [15:0] interval,
    input logic        req_valid,
    input logic [31:0] req_ip
);
  localparam int BURST = 2;
  localparam int TOTAL = 5;

  logic started_q = 1'b0;
  logic [15:0] interval_q;
  always_ff @(posedge clk) begin
    started_q  <= 1'b1;
    interval_q <= interval;
  end
  always_comb assume (started_q || rst);
  always_comb assume (interval != '0 && (!started_q || interval == interval_q));

  logic grant, deny;
  kumi_icmp_limit #(
      .CLASSES(2),
      .BURST  (BURST),
      .TOTAL  (TOTAL)
  ) u_limit (
      .clk,
      .rst,
      .tick,
      .interval,
      .req_valid,
      .req_ip,
      .grant,
      .deny
  );

  // Grants come two cycles later than what they answer, one later than what they are charged for.
  logic tick_q, req_q, asked_q, req_first_q, first_q, interval_over;
  logic [15:0] ticks_q;
  logic signed [7:0] all_q, all, one_q, one;  // messages that are left
  assign interval_over = tick_q && 17'(ticks_q) + 17'd1 == 17'(interval);

  always_comb assume (!(tick && tick_q));

  always_comb begin
    all = all_q - 8'(grant) + 8'(tick_q);
    one = one_q - 8'(grant && first_q) + 8'(interval_over);
    if (all > 8'(TOTAL)) all = 8'(TOTAL);
    if (one > 8'(BURST)) one = 8'(BURST);
  end

  always_ff @(posedge clk) begin
    tick_q <= tick;
    req_q <= req_valid;
    asked_q <= req_q;
    req_first_q <= !(^(req_ip & 32'h0303_0303));  // class 0 of two
    first_q <= req_first_q;
    all_q <= all;
    one_q <= one;
    if (tick_q) ticks_q <= interval_over ? '0 : ticks_q + 1'b1;
    if (rst) begin
      tick_q  <= 1'b0;
      req_q   <= 1'b0;
      asked_q <= 1'b0;
      ticks_q <= '0;
      all_q   <= 8'(TOTAL);
      one_q   <= 8'(BURST);
    end
  end

  `KUMI_ASSERT(a_total, all >= 0 && (!grant || all_q > 0 || tick_q))
  `KUMI_ASSERT(a_class, one >= 0)
  `KUMI_ASSERT(a_one_answer, (grant || deny) == asked_q && !(grant && deny))
  // The unit's own state says the same.
  `KUMI_ASSERT(a_asked_q, u_limit.asked_q == req_q && (!req_q || u_limit.index[0] == !req_first_q))
  `KUMI_ASSERT(a_total_q, all == 8'(u_limit.total_q) && all <= 8'(TOTAL))
  `KUMI_ASSERT(a_class_q, one == 8'(u_limit.left_q[0]) && one <= 8'(BURST))
  `KUMI_ASSERT(
      a_ticks_q,
      u_limit.ticks_q < interval && ticks_q < interval && u_limit.ticks_q == (!tick_q ? ticks_q : interval_over ? '0 : ticks_q + 1'b1))
  `KUMI_COVER(c_denied, deny && first_q && all > 0)
  `KUMI_COVER(c_exhausted, deny && all == 0)
endmodule
