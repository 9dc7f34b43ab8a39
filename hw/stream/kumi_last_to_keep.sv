// SPDX-License-Identifier: Apache-2.0
//
// tkeep for the index of its last byte: a run of ones from bit 0 to bit `last`. Combinational, each
// bit a function of the index alone, without a carry chain.
module kumi_last_to_keep #(
    parameter int KEEP_W = 8  // bits of keep, at least 2
) (
    input  logic [$clog2(KEEP_W)-1:0] last,
    output logic [        KEEP_W-1:0] keep
);
  assign keep = ~({{(KEEP_W - 1) {1'b1}}, 1'b0} << last);
endmodule
