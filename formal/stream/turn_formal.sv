// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_turn: the one that is picked asked in the cycle of the pick, and nobody that
// asked then lies between the last one picked and it, going round; so a requester that holds its
// request waits for at most N - 1 other picks.
`include "kumi_assert.svh"
module turn_formal #(
    parameter  int N       = 10,
    localparam int INDEX_W = $clog2(N)
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] req,
    input logic pick
);
  logic some;
  logic [INDEX_W-1:0] index;

  kumi_turn #(
      .N(N)
  ) u_dut (
      .clk,
      .rst,
      .req,
      .some,
      .pick,
      .index
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // What the one behind is, said again without parts and steps.
  logic picked_q, before_q;
  logic [INDEX_W-1:0] last_q, last;
  logic [N-1:0] asked_q;
  assign last = picked_q ? index : last_q;
  always_comb assume (!(pick && before_q));
  always_ff @(posedge clk) begin
    before_q <= pick;
    picked_q <= pick && |req;
    asked_q  <= req;
    last_q   <= last;
    if (rst) begin
      before_q <= 1'b0;
      picked_q <= 1'b0;
      last_q   <= INDEX_W'(N - 1);
    end
  end

  // Any one requester, and how far behind the last one it and the one picked are.
  logic [INDEX_W-1:0] who;  // never driven but by itself: any constant
  always_ff @(posedge clk) who <= who;
  always_comb assume (32'(who) < N);
  function automatic int behind(input logic [INDEX_W-1:0] one, input logic [INDEX_W-1:0] from);
    behind = (32'(one) + 2 * N - 1 - 32'(from)) % N;
  endfunction

  `KUMI_ASSERT(a_some, some == |req)
  `KUMI_ASSERT(a_one, !picked_q || 32'(index) < N)
  `KUMI_ASSERT(a_asked, !picked_q || asked_q[index])
  `KUMI_ASSERT(a_next, !picked_q || !asked_q[who] || behind(index, last_q) <= behind(who, last_q))
  // What the block remembers is what is remembered here.
  `KUMI_ASSERT(i_last, rst || (u_dut.picked_q == picked_q && u_dut.last_q == last_q))
  `KUMI_ASSERT(i_range, rst || 32'(last_q) < N)
  `KUMI_COVER(c_round, picked_q && index < last_q && |index)
  `KUMI_COVER(c_far, picked_q && 32'(index) == N - 1)
endmodule
