// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_arbiter: one grant, only to a requester, whenever there is one; with
// round-robin a requester that holds its request waits for at most N - 1 other transactions.
`include "kumi_assert.svh"
module arbiter_formal #(
    parameter int N           = 4,
    parameter bit ROUND_ROBIN = 1'b1
) (
    input logic         clk,
    input logic         rst,
    input logic [N-1:0] req,
    input logic         done
);
  logic [N-1:0] grant;

  kumi_arbiter #(
      .N(N),
      .ROUND_ROBIN(ROUND_ROBIN)
  ) u_dut (
      .clk,
      .rst,
      .req,
      .done,
      .grant
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  `KUMI_ASSERT(a_onehot, (grant & (grant - 1'b1)) == '0)
  `KUMI_ASSERT(a_requested, (grant & ~req) == '0)
  `KUMI_ASSERT(a_busy, (grant != '0) == (req != '0))

  if (ROUND_ROBIN && N > 1) begin : gen_fair
    // Any one requester: how many transactions of others it has seen while it waits.
    logic [$clog2(N)-1:0] who;  // never driven but by itself: any constant
    always_ff @(posedge clk) who <= who;
    always_comb assume (32'(who) < N);
    logic [$clog2(N):0] seen_q;
    logic [N-1:0] later;
    always_ff @(posedge clk) begin
      if (rst || !req[who] || grant[who]) seen_q <= '0;
      else if (done) seen_q <= seen_q + 1'b1;
    end
    `KUMI_ASSERT(a_bounded, 32'(seen_q) < N)
    // The order mask is a run of ones at the top; how far it has come bounds what was seen.
    assign later = u_dut.gen_round_robin.later_q;
    `KUMI_ASSERT(i_run, (later & (~later + 1'b1)) == '0 || (later | (later - 1'b1)) == '1)
    logic [$clog2(N):0] served;  // requesters that come after `who` in the present order
    always_comb begin
      served = '0;
      for (int i = 0; i < N; i++) begin
        if (later[who]) begin
          if (i > 32'(who) || !later[i]) served = served + ($clog2(N) + 1)'(i != 32'(who));
        end else begin
          if (i > 32'(who) && !later[i]) served = served + 1'b1;
        end
      end
    end
    `KUMI_ASSERT(i_served, seen_q <= served)
    `KUMI_COVER(c_waits, 32'(seen_q) == N - 1 && grant[who])
  end else begin : gen_fixed
    `KUMI_ASSERT(a_lowest, grant == '0 || (req & (grant - 1'b1)) == '0)
    `KUMI_COVER(c_highest, grant[N-1])
  end
endmodule
