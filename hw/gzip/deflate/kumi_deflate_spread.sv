// SPDX-License-Identifier: Apache-2.0
//
// Cuts the groups of a message into rows of N segments, a segment for each lane.
//
// s_*: groups from kumi_deflate_match. m_*: one word for lane m_lane; m_last ends its segment.
//   Every lane gets every row: where a piece ends early, the lanes that are left get a word without
//   bytes, one a cycle.
// padding: such words are still to come.
// row_*: one row, when its last word moves; row_ready must be high for that word to move.
// Latency 0; a group a cycle.
module kumi_deflate_spread
  import kumi_deflate_pkg::*;
#(
    parameter int N       = 8,    // bytes of a group, and lanes
    parameter int SEGMENT = 4096  // bytes of a segment, a power of two
) (
    input  logic                             clk,
    input  logic                             rst,
    input  deflate_match_t [          N-1:0] s_match,
    input  logic           [$clog2(N+1)-1:0] s_count,
    input  logic                             s_last,
    input  logic                             s_final,
    input  logic                             s_valid,
    output logic                             s_ready,
    output deflate_match_t [          N-1:0] m_match,
    output logic           [$clog2(N+1)-1:0] m_count,
    output logic                             m_last,
    output logic           [          N-1:0] m_valid,
    input  logic           [          N-1:0] m_ready,
    output logic                             padding,
    output logic                             row_first,
    output logic                             row_piece,
    output logic                             row_last,
    output logic           [           16:0] row_size,
    output logic                             row_valid,
    input  logic                             row_ready
);
  localparam int GROUPS = SEGMENT / N;
  localparam int GROUP_W = $clog2(GROUPS);
  localparam int LANE_W = N == 1 ? 1 : $clog2(N);

  logic [LANE_W-1:0] lane_q;
  logic [GROUP_W-1:0] group_q;
  logic [16:0] size_q;
  logic pad_q, piece_q, final_q, first_q;

  logic at_lane, last_lane, move, ends;
  assign last_lane = lane_q == LANE_W'(N - 1);
  assign ends = pad_q || s_last || group_q == GROUP_W'(GROUPS - 1);
  assign at_lane = m_ready[lane_q] && (row_ready || !last_lane);
  assign s_ready = !pad_q && at_lane;
  assign move = (pad_q || s_valid) && at_lane;

  always_comb begin
    m_valid = '0;
    m_valid[lane_q] = (pad_q || s_valid) && (row_ready || !last_lane);
  end
  assign padding = pad_q;
  assign m_match = s_match;
  assign m_count = pad_q ? '0 : s_count;
  assign m_last = ends;
  assign row_valid = move && last_lane && ends;
  assign row_first = first_q;
  assign row_piece = pad_q ? piece_q : s_last;
  assign row_last = pad_q ? final_q : s_final;
  assign row_size = pad_q ? size_q : size_q + 17'(s_count);

  always_ff @(posedge clk) begin
    if (move) begin
      group_q <= ends ? '0 : group_q + 1'b1;
      size_q  <= row_size;
      if (ends) begin
        lane_q <= last_lane ? '0 : lane_q + 1'b1;
        pad_q  <= !last_lane && (pad_q || s_last);
        if (!pad_q) begin
          piece_q <= s_last;
          final_q <= s_final;
        end
      end
    end
    if (row_valid) begin
      size_q  <= '0;
      first_q <= row_last;
    end
    if (rst) begin
      lane_q  <= '0;
      group_q <= '0;
      size_q  <= '0;
      pad_q   <= 1'b0;
      first_q <= 1'b1;
    end
  end
endmodule
