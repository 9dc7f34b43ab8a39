// SPDX-License-Identifier: Apache-2.0
//
// Index of the last byte that a tkeep (a run of ones from bit 0, not empty) names: what a memory
// stores of it, a bit less than a count. Combinational, logarithmic depth. kumi_last_to_keep undoes
// it.
//
// keep: any width; last: 0..KEEP_W - 1. A keep that is not such a run yields a wrong index.
module kumi_keep_to_last #(
    parameter int KEEP_W = 8  // bits of keep, at least 2
) (
    input  logic [        KEEP_W-1:0] keep,
    output logic [$clog2(KEEP_W)-1:0] last
);
  // In a run of ones exactly one edge is found, so each bit of the index is a plain OR of edges.
  logic [KEEP_W-1:0] edges;
  assign edges = keep & ~(keep >> 1);

  always_comb begin
    last = '0;
    for (int i = 0; i < KEEP_W; i++) begin
      if (edges[i]) last |= $bits(last)'(i);
    end
  end
endmodule
