// SPDX-License-Identifier: Apache-2.0
//
// Stand-in of kumi_ram_rmw that keeps one entry, at any address `watch` that never changes; what
// other entries hold is not driven, which a proof takes as any value. It is cleared at once.
module kumi_ram_rmw #(
    parameter int W     = 32,
    parameter int DEPTH = 16
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic [$clog2(DEPTH)-1:0] at,
    output logic [            W-1:0] now,
    input  logic                     op,
    input  logic [            W-1:0] next,
    output logic                     clearing
);
  logic [$clog2(DEPTH)-1:0] watch, at_q;
  logic [W-1:0] entry, other;
  assign now = at_q == watch ? entry : other;
  assign clearing = 1'b0;
  always_ff @(posedge clk) begin
    watch <= watch;
    at_q  <= at;
    if (op && at_q == watch) entry <= next;
    if (rst) entry <= '0;
  end
endmodule
