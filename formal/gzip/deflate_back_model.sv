// SPDX-License-Identifier: Apache-2.0
//
// Stand-ins of the compressor's parts behind kumi_deflate_spread, for proofs of those before: no
// output is driven, which a proof takes as any value in any cycle.
module kumi_deflate_lane
  import kumi_deflate_pkg::*;
#(
    parameter  int N       = 8,
    parameter  int SEGMENT = 4096,
    parameter  int MATCH   = 8,
    localparam int COUNT_W = $clog2(SEGMENT + 1)
) (
    input  logic                                         clk,
    input  logic                                         rst,
    input  deflate_match_t             [          N-1:0] s_match,
    input  logic                       [$clog2(N+1)-1:0] s_count,
    input  logic                                         s_last,
    input  logic                                         s_valid,
    output logic                                         s_ready,
    output logic                       [            1:0] hist_done,
    input  logic                       [            1:0] hist_release,
    input  logic                                         hist_bank,
    input  logic                       [            8:0] hist_sym,
    input  logic                                         hist_clear_lit,
    input  logic                                         hist_clear_dist,
    output logic                       [    COUNT_W-1:0] hist_lit,
    output logic                       [    COUNT_W-1:0] hist_dist,
    input  logic                                         go,
    input  kumi_gzip_pkg::gzip_block_e                   go_kind,
    output logic                       [            1:0] pending,
    input  logic                                         code_lit,
    input  logic                                         code_dist,
    input  logic                                         code_bank,
    input  logic                       [            8:0] code_at,
    input  deflate_code_t                                code_data,
    output deflate_word_t                                m_word,
    output logic                                         m_valid,
    input  logic                                         m_ready
);
endmodule

module kumi_deflate_build
  import kumi_deflate_pkg::*;
#(
    parameter int N       = 8,
    parameter int COUNT_W = 13
) (
    input  logic                                clk,
    input  logic                                rst,
    input  deflate_row_t                        row,
    input  logic                                row_valid,
    output logic                                row_ready,
    input  logic           [N-1:0][        1:0] hist_done,
    output logic           [  1:0]              hist_release,
    output logic                                hist_bank,
    output logic           [  8:0]              hist_sym,
    output logic                                hist_clear_lit,
    output logic                                hist_clear_dist,
    input  logic           [N-1:0][COUNT_W-1:0] hist_lit,
    input  logic           [N-1:0][COUNT_W-1:0] hist_dist,
    input  logic                                lanes_free,
    output logic                                code_lit,
    output logic                                code_dist,
    output logic                                code_bank,
    output logic           [  8:0]              code_at,
    output deflate_code_t                       code_data,
    output deflate_block_t                      block,
    output logic                                block_valid,
    input  logic                                block_ready,
    output logic                                go,
    output deflate_word_t                       m_word,
    output logic                                m_valid,
    input  logic                                m_ready
);
endmodule

module kumi_deflate_merge
  import kumi_deflate_pkg::*;
#(
    parameter int N = 8
) (
    input  logic                    clk,
    input  logic                    rst,
    input  deflate_block_t          block,
    input  logic                    block_valid,
    output logic                    block_ready,
    input  deflate_word_t           head_word,
    input  logic                    head_valid,
    output logic                    head_ready,
    input  deflate_word_t   [N-1:0] lane_word,
    input  logic            [N-1:0] lane_valid,
    output logic            [N-1:0] lane_ready,
           kumi_axis_if.src         m_axis
);
endmodule
