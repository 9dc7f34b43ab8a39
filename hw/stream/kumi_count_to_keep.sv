// SPDX-License-Identifier: Apache-2.0
//
// tkeep for a byte count: a run of `count` ones from bit 0. Combinational.
//
// count: 0..KEEP_W; more gives all ones.
module kumi_count_to_keep #(
    parameter int KEEP_W = 8  // bits of keep
) (
    input  logic [$clog2(KEEP_W+1)-1:0] count,
    output logic [          KEEP_W-1:0] keep
);
  for (genvar i = 0; i < KEEP_W; i++) begin : gen_bit
    assign keep[i] = count > $bits(count)'(i);
  end
endmodule
