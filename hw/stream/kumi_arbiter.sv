// SPDX-License-Identifier: Apache-2.0
//
// Arbiter: at most one grant, only to a requester, in the same cycle (combinational from req).
//
// req: one bit per requester; grant: one-hot, zero only when req is zero.
// done: the granted transaction ends in this cycle; the round-robin order moves past its owner. The
//   user of the arbiter holds a grant over several cycles by itself (see kumi_axis_mux).
// ROUND_ROBIN = 1: the requester after the last one served has priority, so each of N requesters
//   that holds its request is served within N transactions. ROUND_ROBIN = 0: the lowest index wins
//   and higher ones may starve.
module kumi_arbiter #(
    parameter int N           = 4,    // requesters
    parameter bit ROUND_ROBIN = 1'b1  // 0 fixed priority, lowest index first
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] req,
    input  logic         done,
    output logic [N-1:0] grant
);
  if (N < 1) begin : gen_check_n
    $fatal(0, "N must be at least 1 (%m)");
  end

  // For each bit, whether a lower one is set: in log2(N) steps, without a carry chain.
  function automatic logic [N-1:0] above_first(input logic [N-1:0] x);
    above_first = x << 1;
    for (int k = 1; k < N; k *= 2) above_first |= above_first << k;
  endfunction

  logic [N-1:0] above;
  assign above = above_first(req);

  if (!ROUND_ROBIN || N == 1) begin : gen_priority
    logic unused;
    assign unused = &{clk, rst, done};
    assign grant  = req & ~above;
  end else begin : gen_round_robin
    logic [N-1:0] later_q;  // requesters after the last one served
    logic [N-1:0] req_later, above_later;

    assign req_later = req & later_q;
    assign above_later = above_first(req_later);
    assign grant = |req_later ? req_later & ~above_later : req & ~above;

    always_ff @(posedge clk) begin
      if (done && |req) later_q <= |req_later ? above_later : above;
      if (rst) later_q <= '0;
    end
  end
endmodule
