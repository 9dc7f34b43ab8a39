// SPDX-License-Identifier: Apache-2.0
//
// Whose request is passed on, of N clients, round-robin: now, or chosen a cycle ahead.
//
// req: who asks. turn: one-hot, the client whose request moves if `free` is high; some: there is
//   one. free: there is room for a request.
// AHEAD: for many clients at a high clock; a request has to stay then until it moves, and a client
//   moves one every second cycle. Latency 0 (AHEAD: 1), a request a cycle.
module kumi_dma_turn #(
    parameter int N     = 3,  // clients
    parameter bit AHEAD = 0   // choose a cycle ahead
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] req,
    input  logic         free,
    output logic [N-1:0] turn,
    output logic         some
);
  logic [N-1:0] grant;
  logic next;

  kumi_arbiter #(
      .N(N)
  ) u_arbiter (
      .clk,
      .rst,
      .req (AHEAD ? req & ~turn : req),
      .done(next),
      .grant
  );

  if (AHEAD) begin : gen_ahead
    logic [N-1:0] turn_q;
    assign turn = turn_q;
    assign some = |turn_q;
    assign next = free || !some;
    always_ff @(posedge clk) begin
      if (next) turn_q <= grant;
      if (rst) turn_q <= '0;
    end
  end else begin : gen_now
    assign turn = grant;
    assign some = |req;
    assign next = free;
  end
endmodule
