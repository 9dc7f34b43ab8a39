// SPDX-License-Identifier: Apache-2.0
//
// Number of bytes that a tkeep (a run of ones from bit 0) names. Combinational, logarithmic depth.
//
// keep: any width; count: 0..KEEP_W. A keep that is not a run of ones yields a wrong count.
module kumi_keep_to_count #(
    parameter int KEEP_W = 8  // bits of keep
) (
    input  logic [          KEEP_W-1:0] keep,
    output logic [$clog2(KEEP_W+1)-1:0] count
);
  // In a run of ones exactly one edge is found, so each bit of the count is a plain OR of edges.
  logic [KEEP_W-1:0] edges;
  assign edges = keep & ~(keep >> 1);

  always_comb begin
    count = '0;
    for (int i = 0; i < KEEP_W; i++) begin
      if (edges[i]) count |= $bits(count)'(i + 1);
    end
  end
endmodule
