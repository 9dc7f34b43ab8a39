// SPDX-License-Identifier: Apache-2.0
//
// A node whose nested loops are unrolled to much C++.
module kumi_node_unrolled (
    input logic clk,
    input logic rst,
    input logic [511:0] a,
    output logic [511:0] y
);
  logic [511:0] s;
  always_comb begin
    s = a;
    for (int i = 0; i < 64; ++i) begin
      for (int j = 0; j < 28; ++j) begin
        s[8*i+:8] = (s[8*j+:8] > s[8*i+:8]) ? s[8*j+:8] : s[8*i+:8] + 8'(j);
      end
    end
  end
  always_ff @(posedge clk) y <= rst ? '0 : s;
endmodule
