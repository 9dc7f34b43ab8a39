// SPDX-License-Identifier: Apache-2.0
//
// The best of COUNT matches: the longest, of equal ones the nearest.
//
// s_*, m_*: lengths and distances minus 1; a length of 0 is no match. Everything moves with `step`;
// latency LEVELS steps. With ORDERED the distances ascend with the index, where there is a match at
// all, so only lengths are compared.
module kumi_deflate_best #(
    parameter int COUNT = 4,
    parameter int LENGTH_W = 5,
    parameter int ORDERED = 0,
    parameter int LEVELS = $clog2(COUNT)  // at least this
) (
    input  logic                              clk,
    input  logic                              step,
    input  logic [   COUNT-1:0][LENGTH_W-1:0] s_length,
    input  logic [   COUNT-1:0][        14:0] s_dist1,
    output logic [LENGTH_W-1:0]               m_length,
    output logic [        14:0]               m_dist1
);
  typedef struct packed {
    logic [LENGTH_W-1:0] length;
    logic [14:0]         dist1;
  } best_match_t;

  if (LEVELS < $clog2(COUNT)) begin : gen_check
    $fatal(0, "LEVELS must be at least $clog2(COUNT) (%m)");
  end

  best_match_t [LEVELS:0][COUNT-1:0] level;
  always_comb begin
    for (int i = 0; i < COUNT; i++) level[0][i] = '{length: s_length[i], dist1: s_dist1[i]};
  end
  for (genvar l = 0; l < LEVELS; l++) begin : gen_level
    localparam int IN = (COUNT + 2 ** l - 1) / 2 ** l;  // of them in use
    for (genvar p = 0; p < COUNT; p++) begin : gen_pair
      if (2 * p + 1 < IN) begin : gen_two
        best_match_t near, far, best_q;
        logic other;
        assign near = level[l][2*p];
        assign far  = level[l][2*p+1];
        if (ORDERED != 0) begin : gen_ordered
          assign other = far.length > near.length;
        end else begin : gen_unordered
          assign other = {far.length, ~far.dist1} > {near.length, ~near.dist1};
        end
        always_ff @(posedge clk) if (step) best_q <= other ? far : near;
        assign level[l+1][p] = best_q;
      end else if (2 * p < IN) begin : gen_one
        best_match_t best_q;
        always_ff @(posedge clk) if (step) best_q <= level[l][2*p];
        assign level[l+1][p] = best_q;
      end else begin : gen_none
        assign level[l+1][p] = '0;
      end
    end
  end
  assign {m_length, m_dist1} = level[LEVELS][0];
endmodule
