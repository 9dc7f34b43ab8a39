// SPDX-License-Identifier: Apache-2.0
//
// The lowest bit that is set, one cycle later.
//
// any: one was set; index: which (0 if none). No bad input exists.
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
