// SPDX-License-Identifier: Apache-2.0
//
// W_cubic of CUBIC (RFC 9438, equation 1) one round trip from now:
//   W_cubic = w_max + C * mss * (t - K)^3, C = 0.4 segments per cubed second.
//
// Free-running pipeline of four registered stages, one multiplication each: `target` belongs to the
// inputs of four cycles ago, except w_max and mss, which must remain stable.
// The result is limited to 0 and the largest window. Error: less than a byte, plus 0.1 % of the
//   distance from w_max, plus the effect of a tick of 1.024 ms.
module kumi_tcp_cubic_window
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
(
    input logic clk,
    input logic [31:0] tick,
    input logic [27:0] srtt,  // us, times 8
    input logic [15:0] mss,
    input tcp_cubic_t cu,
    output logic [WND_W-1:0] target
);
  // C * (1.024 ms / 1 s)^3 in units of 2^-46.
  localparam logic [14:0] CURVE = 15'd30223;

  logic [32:0] age;
  logic [K_W-1:0] at;
  assign age = {1'b0, tick - cu.epoch_start} + 33'(srtt[27:13]);
  assign at  = |age[32:K_W] ? '1 : age[K_W-1:0];

  logic [2:0] below_q;  // before the plateau
  logic [K_W-1:0] d1_q, d2_q;
  logic [2*K_W-1:0] square;
  logic [2*K_W-5:0] square_q;  // in units of 2^4
  logic [3*K_W-5:0] cube;
  logic [3*K_W-21:0] cube_q;  // of 2^20
  logic [22:0] slope_q;  // of 2^-38
  logic [3*K_W+2:0] away;
  logic [3*K_W-16:0] away_q;  // bytes
  logic below3_q;

  assign square = (2 * K_W)'(d1_q) * (2 * K_W)'(d1_q);
  assign cube   = (3 * K_W - 4)'(square_q) * (3 * K_W - 4)'(d2_q);
  assign away   = (3 * K_W + 3)'(cube_q) * (3 * K_W + 3)'(slope_q);

  always_ff @(posedge clk) begin
    d1_q <= at >= cu.k ? at - cu.k : cu.k - at;
    d2_q <= d1_q;
    below_q <= {below_q[1:0], at < cu.k};
    below3_q <= below_q[2];
    square_q <= square[2*K_W-1:4];
    cube_q <= cube[3*K_W-5:16];
    slope_q <= 23'((31'(mss) * 31'(CURVE)) >> 8);
    away_q <= away[3*K_W+2:18];
  end

  always_comb begin
    if (below3_q) target = away_q > (3 * K_W - 15)'(cu.w_max) ? '0 : cu.w_max - WND_W'(away_q);
    else if (away_q > (3 * K_W - 15)'({WND_W{1'b1}} - cu.w_max)) target = '1;
    else target = cu.w_max + WND_W'(away_q);
  end

  logic unused;
  assign unused = ^{cu, srtt, square, cube, away};
endmodule
