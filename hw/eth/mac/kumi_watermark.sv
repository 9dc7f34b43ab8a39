// SPDX-License-Identifier: Apache-2.0
//
// Turns the fill of a buffer into an XOFF level with hysteresis: high from `high` on, until the
// fill has fallen to `low`. Above `high` there must be room for what still comes: the frame that
// starts before the pause is obeyed, the pause frame's own way behind a frame of this side, and the
// cable's round trip. Latency: one cycle.
module kumi_watermark #(
    parameter int W = 16  // bits of the fill
) (
    input logic clk,
    input logic rst,

    input logic [W-1:0] fill,
    input logic [W-1:0] high,
    input logic [W-1:0] low,

    output logic xoff
);

  always_ff @(posedge clk) begin
    if (fill >= high) xoff <= 1'b1;
    else if (fill <= low) xoff <= 1'b0;
    if (rst) xoff <= 1'b0;
  end

endmodule
