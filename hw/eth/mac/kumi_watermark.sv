// SPDX-License-Identifier: Apache-2.0
//
// Watermark with hysteresis for flow control: converts the fill level of a buffer to XOFF, high
// from `high` on, until the fill has fallen to `low`. The headroom above `high` must hold what
// still arrives: the frame that the partner starts before it obeys, the frame of this side that
// delays the pause frame, and the round trip of the cable.
//
// Latency: one cycle.
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
