// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ib_xbar_arb: an input that keeps asking on a virtual lane is served after at
// most (INPUTS - 1) * (PASS + 1) + PASS packets of other inputs that are chosen on that lane since
// then, whichever inputs are busy and whatever goes on on the other lanes; the choice is one input
// that asks.
//
// Any input and lane are watched. Requests stay until they are served; between ask and served no
// other ask and the same lane. The input in turn may be busy for ever: then no packet is served, so
// waiting for it is bounded only with kumi_arbiter at that input.
`include "kumi_assert.svh"
module ib_xbar_arb_formal #(
    parameter int INPUTS = 4,
    parameter int RINGS  = 2,
    parameter int PASS   = 2
) (
    input logic              clk,
    input logic              rst,
    input logic              ring_in,
    input logic [INPUTS-1:0] req_other,    // of the other lane
    input logic [INPUTS-1:0] req_new,
    input logic [INPUTS-1:0] open,
    input logic              ask_in,
    input logic              served_in,
    input logic              withdrawn_in
);
  localparam int IDX_W = $clog2(INPUTS);
  localparam int BOUND = (INPUTS - 1) * (PASS + 1) + PASS;

  logic [IDX_W-1:0] who;  // never driven but by itself: any constant
  logic lane;
  always_ff @(posedge clk) begin
    who  <= who;
    lane <= lane;
  end

  logic asking_q, ring_q, ring, ask, served, insist, counts_q;  // counts_q: chosen since then
  logic [INPUTS-1:0] req_q, req, pick, asked_q;
  assign ring = asking_q ? ring_q : ring_in;
  assign req = ring == lane ? req_q : req_other;
  assign ask = ask_in && !asking_q && pick != '0;
  assign served = asking_q && served_in;

  kumi_ib_xbar_arb #(
      .INPUTS(INPUTS),
      .RINGS (RINGS),
      .PASS  (PASS)
  ) u_dut (
      .clk,
      .rst,
      .ring,
      .req,
      .open,
      .pick,
      .insist,
      .ask,
      .served
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb begin
    assume (started_q ? !rst : rst);
    assume (32'(who) < INPUTS);
  end

  always_ff @(posedge clk) begin
    ring_q <= ring;
    if (ask) asking_q <= 1'b1;
    else if (served || withdrawn_in) asking_q <= 1'b0;
    if (ask) asked_q <= pick;
    if (ask) counts_q <= ring == lane && req_q[who];
    req_q <= (served && ring_q == lane ? req_q & ~asked_q : req_q) | req_new;
    if (rst) begin
      asking_q <= 1'b0;
      req_q    <= '0;
    end
  end

  // Packets of others on the lane since the watched input asks; inputs between the turn and it.
  logic [7:0] seen_q, ahead, passed;
  always_ff @(posedge clk) begin
    if (rst || !req_q[who] || (served && ring_q == lane && asked_q[who])) seen_q <= '0;
    else if (served && counts_q) seen_q <= seen_q + 1'b1;
  end

  logic [INPUTS-1:0] later, below;
  always_comb begin
    later = u_dut.later_q[lane];
    below = (INPUTS'(1) << who) - 1'b1;
    ahead = '0;
    for (int i = 0; i < INPUTS; i++) begin
      if (later[who] ? later[i] && below[i] : later[i] || below[i]) ahead = ahead + 1'b1;
    end
    passed = 8'(u_dut.passed_q[lane]);
  end

  logic one_asked;
  assign one_asked = (asked_q & (asked_q - 1'b1)) == '0;
  `KUMI_ASSERT(a_bounded, seen_q <= 8'(BOUND))
  `KUMI_ASSERT(a_one, (pick & (pick - 1'b1)) == '0)
  `KUMI_ASSERT(a_asks, (pick & ~req) == '0)
  `KUMI_ASSERT(a_open, insist || (pick & ~open) == '0)
  `KUMI_ASSERT(a_busy, insist || pick != '0 || (req & open) == '0)
  // The order is a threshold: inputs behind the last one in turn, or none.
  logic [INPUTS-1:0] later_0, later_1;
  assign later_0 = u_dut.later_q[0];
  assign later_1 = u_dut.later_q[1];
  `KUMI_ASSERT(i_order_0, (~later_0 & (~later_0 + 1'b1)) == '0)
  `KUMI_ASSERT(i_order_1, (~later_1 & (~later_1 + 1'b1)) == '0)
  `KUMI_ASSERT(i_passed, passed <= 8'(PASS) && 32'(u_dut.passed_q[!lane]) <= PASS)
  `KUMI_ASSERT(i_asked, !asking_q || (u_dut.asked_q == asked_q && asked_q != '0 && one_asked))
  // What is asked in its turn is at or before the watched input.
  logic [INPUTS-1:0] in_front, until_who;
  always_comb begin
    in_front = '0;
    for (int i = 0; i < INPUTS; i++) begin
      in_front[i] = later[who] ? later[i] && below[i] : later[i] || below[i];
    end
    until_who = in_front | (INPUTS'(1) << who);
  end
  `KUMI_ASSERT(i_turn, !(asking_q && counts_q && u_dut.in_turn) || (asked_q & until_who) != '0)
  `KUMI_ASSERT(i_pass, !(asking_q && ring_q == lane && !u_dut.in_turn) || passed < 8'(PASS))
  `KUMI_ASSERT(i_potential, seen_q + ahead * 8'(PASS + 1) + 8'(PASS) - passed <= 8'(BOUND))
  `KUMI_ASSERT(i_counts, !(asking_q && counts_q) || (ring_q == lane && req_q[who]))
  `KUMI_ASSERT(i_late, !(asking_q && ring_q == lane && !counts_q) || seen_q == '0)
  `KUMI_COVER(c_bound, seen_q == 8'(BOUND) && served && ring_q == lane && asked_q[who])
endmodule
