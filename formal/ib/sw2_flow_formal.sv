// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_sw2_flow at both ends of a line: a sender that keeps to go never fills a
// receive buffer, whatever the reader does and whatever flits are lost, if the slack is a round
//   trip.
//
// Time goes in slots of a flit. FORE slots lie between the sender's choice and the buffer, BACK
// slots between the buffer's depth and the sender's choice; any flit on the way back may be lost.
// One channel is watched; the others have depth zero.
`include "kumi_assert.svh"
module sw2_flow_formal #(
    parameter int FORE  = 4,
    parameter int BACK  = 5,
    parameter int BEATS = 32
) (
    input logic clk,
    input logic rst,
    input logic want,  // the sender has a flit
    input logic read,  // the reader takes a beat
    input logic lost   // the flit that comes back is lost or wrong
);
  localparam int VCS = kumi_sw2_pkg::VCS;
  localparam int D_W = $clog2(BEATS) + 1;
  // Slots in which a flit may still come when the buffer has reached HIGH: the way back, the two
  // registers of the unit, the way there.
  localparam int TRIP = FORE + BACK + 2;
  localparam int HIGH = BEATS - TRIP;
  localparam int T_W = $clog2(TRIP + 2);

  logic [ D_W-1:0] depth_q;
  logic [FORE-1:0] fore_q;  // [0] newest
  logic [BACK-1:0] back_q;
  logic [VCS-1:0] stop, go;
  logic [VCS-1:0][D_W-1:0] depths;
  logic arrives, sends, started_q = 1'b0;
  logic [T_W-1:0] high_q;  // slots since the depth was last below HIGH, up to TRIP + 1

  assign depths  = {{(VCS - 1) * D_W{1'b0}}, depth_q};
  assign arrives = fore_q[FORE-1];
  assign sends   = want && go[0];

  kumi_sw2_flow #(
      .BEATS(BEATS),
      .HIGH (HIGH)
  ) u_flow (
      .clk,
      .rst,
      .depth(depths),
      .stop,
      .flit_valid(1'b1),
      .flit_good(!lost),
      .flit_stop({{VCS - 1{1'b0}}, back_q[BACK-1]}),
      .go
  );

  always_comb assume (started_q ? !rst : rst);

  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    fore_q <= {fore_q[FORE-2:0], sends};
    back_q <= {back_q[BACK-2:0], stop[0]};
    depth_q <= depth_q + D_W'(arrives) - D_W'(read && depth_q != '0);
    if (32'(depth_q) < HIGH) high_q <= '0;
    else if (32'(high_q) <= TRIP) high_q <= high_q + 1'b1;
    if (rst) begin
      fore_q  <= '0;
      back_q  <= '1;
      depth_q <= '0;
      high_q  <= '0;
    end
  end

  `KUMI_ASSERT(a_fits, !arrives || 32'(depth_q) < BEATS)

  // high_q was counted before this slot: the newest stop bits are those of so many slots.
  `KUMI_ASSERT(i_depth, 32'(depth_q) <= HIGH + 32'(high_q))
  `KUMI_ASSERT(i_stop, high_q == '0 || stop[0])
  for (genvar i = 0; i < BACK; i++) begin : gen_back
    `KUMI_ASSERT(i_back, 32'(high_q) <= i + 1 || back_q[i])
  end
  `KUMI_ASSERT(i_go, 32'(high_q) <= BACK + 1 || !go[0])
  for (genvar i = 0; i < FORE; i++) begin : gen_fore
    `KUMI_ASSERT(i_fore, 32'(high_q) <= BACK + 2 + i || !fore_q[i])
  end
  `KUMI_COVER(c_high, 32'(depth_q) >= BEATS - 2)
  `KUMI_COVER(c_goes_on, $past(32'(depth_q) >= HIGH) && sends)
endmodule
