// SPDX-License-Identifier: Apache-2.0
//
// Two flip-flops that bring a level into another clock's domain. d must come from a register.
// Latency: two to three cycles of clk.
module kumi_eth_sync (
    input  logic clk,
    input  logic d,
    output logic q
);

  (* ASYNC_REG = "TRUE" *) logic [1:0] meta_q;

  always_ff @(posedge clk) meta_q <= {meta_q[0], d};
  assign q = meta_q[1];

endmodule
