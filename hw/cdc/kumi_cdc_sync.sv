// SPDX-License-Identifier: Apache-2.0
//
// Synchroniser of two or more stages into `clk`. Several bits may pass together only if they are a
// Gray code or independent of each other.
//
// d: from any clock, must be a flip-flop output; q: `STAGES` clk edges later (one more or less as
// the edges fall). Constraint: false path or max delay of one period to the first stage, whose
// cells are named sync_q[0].
module kumi_cdc_sync #(
    parameter int W      = 1,  // bits
    parameter int STAGES = 2   // flip-flops in a row, at least 2
) (
    input  logic         clk,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);
  if (STAGES < 2) begin : gen_check_stages
    $fatal(0, "STAGES must be at least 2 (%m)");
  end

  (* async_reg = "true", shreg_extract = "no" *) logic [STAGES-1:0][W-1:0] sync_q;

  always_ff @(posedge clk) sync_q <= {sync_q[STAGES-2:0], d};

  assign q = sync_q[STAGES-1];
endmodule
