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
  logic [4:0] low;
  always_comb begin
    low = '0;
    for (int i = 31; i >= 0; i--) if (bits[i]) low = 5'(i);
  end
  always_ff @(posedge clk) begin
    any   <= |bits && !rst;
    index <= low;
  end
endmodule
