// SPDX-License-Identifier: Apache-2.0
//
// A lane of the compressor: parses its segment of each row, counts symbols, keeps the segment until
// its codes are known, and encodes it.
//
// s_*: words from kumi_deflate_spread. hist_*: see kumi_deflate_hist; code_*, go, pending: see
// kumi_deflate_encode. m_word: packed bits of one segment after the other.
// The buffers hold two segments in parsing, four after it, and one encoded.
module kumi_deflate_lane
  import kumi_deflate_pkg::*;
#(
    parameter  int N       = 8,                   // bytes of a word
    parameter  int SEGMENT = 4096,                // bytes of a segment
    parameter  int MATCH   = 8,                   // see kumi_deflate_match
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
  deflate_slot_t parsed, slot, late;
  logic
      parsed_valid,
      parsed_ready,
      slot_valid,
      slot_ready,
      late_valid,
      late_ready,
      hist_ready,
      fifo_ready;
  kumi_deflate_parse #(
      .N(N),
      .SEGMENT(SEGMENT),
      .MATCH(MATCH)
  ) u_parse (
      .clk,
      .rst,
      .s_match,
      .s_count,
      .s_last,
      .s_valid,
      .s_ready,
      .m_slot (parsed),
      .m_valid(parsed_valid),
      .m_ready(parsed_ready)
  );

  // Cuts the path from the parser to the counts.
  kumi_slice #(
      .W($bits(deflate_slot_t)),
      .MODE(3)
  ) u_slice (
      .clk,
      .rst,
      .s_data (parsed),
      .s_valid(parsed_valid),
      .s_ready(parsed_ready),
      .m_data (slot),
      .m_valid(slot_valid),
      .m_ready(slot_ready)
  );

  assign slot_ready = hist_ready && fifo_ready;
  kumi_deflate_hist #(
      .COUNT_W(COUNT_W)
  ) u_hist (
      .clk,
      .rst,
      .s_slot(slot),
      .s_valid(slot_valid && fifo_ready),
      .s_ready(hist_ready),
      .done(hist_done),
      .release_bank(hist_release),
      .rd_bank(hist_bank),
      .rd_sym(hist_sym),
      .rd_clear_lit(hist_clear_lit),
      .rd_clear_dist(hist_clear_dist),
      .rd_lit(hist_lit),
      .rd_dist(hist_dist)
  );

  logic [$clog2(4*SEGMENT):0] unused_slots;
  kumi_fifo #(
      .W($bits(deflate_slot_t)),
      .DEPTH(4 * SEGMENT)
  ) u_slots (
      .clk,
      .rst,
      .s_data (slot),
      .s_valid(slot_valid && hist_ready),
      .s_ready(fifo_ready),
      .m_data (late),
      .m_valid(late_valid),
      .m_ready(late_ready),
      .depth  (unused_slots)
  );

  deflate_word_t word;
  logic word_valid, word_ready;
  kumi_deflate_encode u_encode (
      .clk,
      .rst,
      .go,
      .go_kind,
      .pending,
      .code_lit,
      .code_dist,
      .code_bank,
      .code_at,
      .code_data,
      .s_slot (late),
      .s_valid(late_valid),
      .s_ready(late_ready),
      .m_word (word),
      .m_valid(word_valid),
      .m_ready(word_ready)
  );

  logic [$clog2(SEGMENT/8):0] unused_words;
  kumi_fifo #(
      .W($bits(deflate_word_t)),
      .DEPTH(SEGMENT / 8)
  ) u_words (
      .clk,
      .rst,
      .s_data (word),
      .s_valid(word_valid),
      .s_ready(word_ready),
      .m_data (m_word),
      .m_valid,
      .m_ready,
      .depth  (unused_words)
  );

  logic unused;
  assign unused = ^{unused_slots, unused_words};
endmodule
