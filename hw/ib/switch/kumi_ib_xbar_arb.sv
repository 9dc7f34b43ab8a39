// SPDX-License-Identifier: Apache-2.0
//
// Which input an output of a switch asks for a packet: in turn per virtual lane, and without
// starvation also where the input that is next is often busy with other outputs.
//
// req: inputs with a packet for this output on `ring`; open: inputs that could begin now. pick: the
//   next in turn of those that are both, combinational; zero if there is none. If the input in turn
//   was passed over PASS times, pick is that input, open or not (`insist`).
// ask: pick is asked from the next cycle on; served: it has its turn, of one packet or more. From
//   ask to served, ring must remain stable.
// Bound: a request that stays is served after at most (INPUTS - 1) * (PASS + 1) + PASS turns of
//   other inputs that are chosen on its lane since then.
module kumi_ib_xbar_arb
  import kumi_ib_link_pkg::first_of;
  import kumi_ib_link_pkg::FIRST_W;
#(
    parameter  int INPUTS = 9,
    parameter  int RINGS  = 5,
    parameter  int PASS   = 3,
    localparam int RING_W = $clog2(RINGS)
) (
    input  logic              clk,
    input  logic              rst,
    input  logic [RING_W-1:0] ring,
    input  logic [INPUTS-1:0] req,
    input  logic [INPUTS-1:0] open,
    output logic [INPUTS-1:0] pick,
    output logic              insist,
    input  logic              ask,
    input  logic              served
);
  localparam int PASS_W = $clog2(PASS + 1);

  // Inputs behind the last one that was served in its turn; how often the next was passed over.
  logic [RINGS-1:0][INPUTS-1:0] later_q;
  logic [RINGS-1:0][PASS_W-1:0] passed_q;
  logic [INPUTS-1:0] later, req_later, turn, able, able_later, other, behind, asked_q, turn_q;
  logic in_turn;

  assign later = later_q[ring];
  assign req_later = req & later;
  assign turn = |req_later ? INPUTS'(first_of(
      FIRST_W'(req_later)
  )) : INPUTS'(first_of(
      FIRST_W'(req)
  ));
  assign able = req & open;
  assign able_later = able & later;
  assign other = |able_later ? INPUTS'(first_of(
      FIRST_W'(able_later)
  )) : INPUTS'(first_of(
      FIRST_W'(able)
  ));
  assign insist = passed_q[ring] == PASS_W'(PASS);
  assign pick = insist ? turn : other;
  assign in_turn = asked_q == turn_q;

  always_comb begin
    for (int i = 0; i < INPUTS; i++) behind[i] = (asked_q & ((INPUTS'(1) << i) - 1'b1)) != '0;
  end

  always_ff @(posedge clk) begin
    if (ask) begin
      asked_q <= pick;
      turn_q  <= turn;
    end
    if (served && in_turn) begin
      later_q[ring]  <= behind;
      passed_q[ring] <= '0;
    end else if (served && !insist) begin
      passed_q[ring] <= passed_q[ring] + 1'b1;
    end
    if (rst) begin
      later_q  <= '0;
      passed_q <= '0;
    end
  end
endmodule
