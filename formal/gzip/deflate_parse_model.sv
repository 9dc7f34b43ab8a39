// SPDX-License-Identifier: Apache-2.0
//
// Stand-ins of the parts of kumi_deflate_parse, for a proof of what is between them: their outputs
// are taken from any_q, whose first value is any, so they are anything for CYCLES cycles from any
// state on.
module kumi_deflate_reverse #(
    parameter int W     = 8,
    parameter int DEPTH = 64
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [W-1:0] s_data,
    input  logic         s_last,
    input  logic         s_valid,
    output logic         s_ready,
    output logic [W-1:0] m_data,
    output logic         m_first,
    output logic         m_last,
    output logic         m_valid,
    input  logic         m_ready
);
  localparam int CYCLES = 24;
  logic [CYCLES-1:0][W+3:0] any_q;
  always_ff @(posedge clk) any_q <= any_q >> (W + 4);
  assign {s_ready, m_valid, m_first, m_last, m_data} = any_q[0];
endmodule

module kumi_deflate_optimal
  import kumi_deflate_pkg::*;
#(
    parameter int MAX_LEN = 16
) (
    input  logic            clk,
    input  logic            rst,
    input  deflate_match_t  s_match,
    input  logic            s_has_byte,
    input  logic            s_first,
    input  logic            s_last,
    input  logic            s_valid,
    output logic            s_ready,
    output deflate_choice_t m_choice,
    output logic            m_last,
    output logic            m_valid,
    input  logic            m_ready
);
  localparam int CYCLES = 24;
  localparam int ANY_W = $bits(deflate_choice_t) + 3;
  logic [CYCLES-1:0][ANY_W-1:0] any_q;
  always_ff @(posedge clk) any_q <= any_q >> ANY_W;
  assign {s_ready, m_valid, m_last, m_choice} = any_q[0];
endmodule
