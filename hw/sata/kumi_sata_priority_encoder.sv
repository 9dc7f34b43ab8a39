// SPDX-License-Identifier: Apache-2.0
//
// Priority encoder: the lowest set bit, one cycle later.
//
// any: a bit is set; index: the lowest one (0 if none).
module kumi_sata_priority_encoder (
    input  logic        clk,
    input  logic        rst,
    input  logic [31:0] bits,
    output logic        any,
    output logic [ 4:0] index
);
  // In each byte, then among the four.
  logic [3:0] used;
  logic [3:0][2:0] place;
  logic [1:0] first;
  logic [4:0] low;
  always_comb begin
    place = '0;
    for (int g = 0; g < 4; g++) begin
      used[g] = |bits[8*g+:8];
      for (int i = 7; i >= 0; i--) if (bits[8*g+i]) place[g] = 3'(i);
    end
    first = used[0] ? 2'd0 : used[1] ? 2'd1 : used[2] ? 2'd2 : 2'd3;
  end
  assign low = used == '0 ? '0 : {first, place[first]};
  always_ff @(posedge clk) begin
    any   <= |bits && !rst;
    index <= low;
  end
endmodule
