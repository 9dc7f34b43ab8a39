// SPDX-License-Identifier: Apache-2.0
//
// A node that goes wrong on request: mode[0] closes a combinational loop that never settles, mode[1]
// lets a loop of a block run for ever.
module kumi_node_spins (
    input logic clk,
    input logic rst,
    input logic [1:0] mode,
    output logic [7:0] y
);
  logic ring, back;  // kumi: allow loop
  assign ring = back ^ mode[0];
  assign back = ring;

  logic [ 1:0] mode_q;
  logic [31:0] steps;
  always_ff @(posedge clk) mode_q <= rst ? 2'd0 : mode;
  always_comb begin
    steps = 32'd0;
    for (int i = 0; i != 1 || mode_q[1]; i = mode_q[1] ? 0 : i + 1) steps = steps + 32'd1;
  end
  assign y = {7'd0, ring} ^ steps[7:0];
endmodule
