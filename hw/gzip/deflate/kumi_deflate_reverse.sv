// SPDX-License-Identifier: Apache-2.0
//
// Reverses a stream segment by segment: the last word in is the first one out.
//
// s_*: words; s_last ends a segment, of DEPTH words at the most. m_*: its words in reverse order,
//   m_first with the first one out and m_last with the last.
// Throughput a word a cycle on both sides at once; 3 cycles are lost between segments. Latency 3
// cycles from the last word in to the first one out.
//
// One memory serves two segments, one that is read and one that is written: they begin at opposite
// ends of it, so the second takes the places that the first has left.
module kumi_deflate_reverse #(
    parameter int W     = 8,  // bits of a word
    parameter int DEPTH = 64  // words of the longest segment, a power of two
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
  localparam int ADDR_W = $clog2(DEPTH);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, 2 or more (%m)");
  end

  // Places are counted from the end at which the segment begins; *_top_q says that it is the upper.
  logic [ADDR_W-1:0] wr_q, end_q, rd_q;
  logic wr_top_q, rd_top_q;
  logic [ADDR_W:0] used_q;  // words that had not been read a cycle ago
  logic ended_q;  // a segment is written and waits for the one before
  logic reading_q, first_q;
  logic write, rd_en, issue, issue_q, hand_over;

  assign s_ready = !used_q[ADDR_W] && !ended_q;
  assign write = s_valid && s_ready;
  assign rd_en = !m_valid || m_ready;
  assign issue = reading_q && rd_en;
  assign hand_over = ended_q && !reading_q;

  always_ff @(posedge clk) begin
    if (write) begin
      wr_q  <= s_last ? '0 : wr_q + 1'b1;
      end_q <= wr_q;
      if (s_last) ended_q <= 1'b1;
    end
    issue_q <= issue;
    if (write != issue_q) used_q <= used_q + {{ADDR_W{issue_q}}, 1'b1};
    if (rd_en) begin
      m_valid <= reading_q;
      m_first <= first_q;
      m_last  <= rd_q == '0;
    end
    if (issue) begin
      rd_q <= rd_q - 1'b1;
      first_q <= 1'b0;
      if (rd_q == '0) reading_q <= 1'b0;
    end
    if (hand_over) begin
      ended_q <= 1'b0;
      wr_top_q <= !wr_top_q;
      reading_q <= 1'b1;
      first_q <= 1'b1;
      rd_q <= end_q;
      rd_top_q <= wr_top_q;
    end
    if (rst) begin
      wr_q <= '0;
      wr_top_q <= 1'b0;
      used_q <= '0;
      issue_q <= 1'b0;
      ended_q <= 1'b0;
      reading_q <= 1'b0;
      m_valid <= 1'b0;
    end
  end

  kumi_ram_sdp #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_words (
      .clk,
      .wr_en  (write),
      .wr_addr(wr_q ^ {ADDR_W{wr_top_q}}),
      .wr_data(s_data),
      .rd_en  (rd_en),
      .rd_addr(rd_q ^ {ADDR_W{rd_top_q}}),
      .rd_data(m_data)
  );
endmodule
