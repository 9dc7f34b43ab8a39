// SPDX-License-Identifier: Apache-2.0
//
// Compressor: deflate (RFC 1951), alone or in a zlib (RFC 1950) or gzip (RFC 1952) wrapper. N bytes
// a cycle into one stream with one window, for messages of any length from 0 bytes.
//
// s_axis: DATA_W 8 * N, USER_W 2. A frame is a piece of a message; tuser[1] with its tlast says
//   that the message goes on with the next frame (sync flush: all that was given so far can be
//   decompressed), else it is the last. tkeep may be 0 with tlast, for a piece without bytes.
// m_axis: DATA_W 64, USER_W 2; a frame for each of s_axis, tuser[1] as there. The frames of a
//   message, one after the other, are the compressed stream.
// format: read when the first beat of a message moves.
// event_*: pulses; blocks by kind. Latency of a message: docs/gzip.md.
// Between messages s_axis waits while the matcher's tables are cleared: 2**HASH_W cycles.
// Bad input: tuser[0] (a bad frame) makes no difference; tkeep that is not a run of ones from bit 0
//   counts as its leading ones.
module kumi_deflate
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
#(
    parameter int N       = 8,     // bytes a cycle, and lanes: 1, 4 or 8
    parameter int WAYS    = 2,     // matches that are tried for each of the N places in a beat
    parameter int HASH_W  = 12,    // log2 of the buckets
    parameter int SEGMENT = 4096,  // bytes that a lane compresses of each block
    parameter int MATCH   = 8      // bytes that are compared at once: 8, 16 or 32
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic            [1:0] format,
           kumi_axis_if.snk       s_axis,
           kumi_axis_if.src       m_axis,
    output logic                  event_stored,
    output logic                  event_fixed,
    output logic                  event_dynamic
);
  localparam int CNT_W = $clog2(N + 1);
  localparam int COUNT_W = $clog2(SEGMENT + 1);
  localparam int FLUSH = match_steps(N, WAYS, MATCH);

  if (s_axis.DATA_W != 8 * N || s_axis.USER_W != 2) begin : gen_check_s
    $fatal(0, "s_axis must have DATA_W 8 * N and USER_W 2 (%m)");
  end
  if (m_axis.DATA_W != 64 || m_axis.USER_W != 2) begin : gen_check_m
    $fatal(0, "m_axis must have DATA_W 64 and USER_W 2 (%m)");
  end
  if (SEGMENT < 64 || N * SEGMENT > 32768 || (SEGMENT & (SEGMENT - 1)) != 0) begin : gen_check_seg
    $fatal(0, "SEGMENT must be a power of two, 64..32768/N (%m)");
  end

  // Groups and matches.
  logic padding;
  deflate_match_t [N-1:0] mat_match;
  logic [CNT_W-1:0] mat_count;
  logic mat_last, mat_final, mat_valid, mat_ready;
  deflate_match_t [N-1:0] cut_match;
  logic [CNT_W-1:0] cut_count;
  logic cut_last, cut_final, cut_valid, cut_ready;
  logic [  8*N-1:0] grp_data;
  logic [CNT_W-1:0] grp_count;
  logic grp_last, grp_final, grp_valid, grp_ready, start, clear_on;
  logic [HASH_W-1:0] clear_at;
  kumi_deflate_feed #(
      .N(N),
      .FLUSH(FLUSH),
      .HASH_W(HASH_W)
  ) u_feed (
      .clk,
      .rst,
      .s_axis,
      .m_data(grp_data),
      .m_count(grp_count),
      .m_last(grp_last),
      .m_final(grp_final),
      .m_valid(grp_valid),
      .m_ready(grp_ready),
      .hold(mat_valid || cut_valid || padding),
      .start,
      .clear_on,
      .clear_at
  );

  kumi_deflate_match #(
      .N(N),
      .WAYS(WAYS),
      .HASH_W(HASH_W),
      .MATCH(MATCH)
  ) u_match (
      .clk,
      .rst,
      .s_data (grp_data),
      .s_count(grp_count),
      .s_last (grp_last),
      .s_final(grp_final),
      .s_valid(grp_valid),
      .s_ready(grp_ready),
      .clear_on,
      .clear_at,
      .m_match(mat_match),
      .m_count(mat_count),
      .m_last (mat_last),
      .m_final(mat_final),
      .m_valid(mat_valid),
      .m_ready(mat_ready)
  );

  // Cuts the way back from the lanes to s_axis.
  kumi_slice #(
      .W($bits({mat_last, mat_final, mat_count, mat_match})),
      .MODE(2)
  ) u_cut (
      .clk,
      .rst,
      .s_data ({mat_last, mat_final, mat_count, mat_match}),
      .s_valid(mat_valid),
      .s_ready(mat_ready),
      .m_data ({cut_last, cut_final, cut_count, cut_match}),
      .m_valid(cut_valid),
      .m_ready(cut_ready)
  );

  // Checksum and size of the message; both are settled long before its last row is known.
  logic [31:0] crc, adler, total_q;
  logic counted_q, counted_start_q;  // a group has moved, the first of the message
  logic [CNT_W-1:0] counted_bytes_q;
  gzip_format_e format_q;
  kumi_gzip_crc32 #(
      .N(N)
  ) u_crc (
      .clk,
      .rst,
      .in_clear(start),
      .in_valid(grp_valid && grp_ready),
      .in_count(grp_count),
      .in_data (grp_data),
      .crc
  );
  kumi_gzip_adler32 #(
      .N(N)
  ) u_adler (
      .clk,
      .rst,
      .in_clear(start),
      .in_valid(grp_valid && grp_ready),
      .in_count(grp_count),
      .in_data (grp_data),
      .adler
  );
  always_ff @(posedge clk) begin
    if (start) format_q <= gzip_format_e'(format);
    counted_q <= grp_valid && grp_ready;
    counted_start_q <= start;
    counted_bytes_q <= grp_count;
    if (counted_q) total_q <= (counted_start_q ? '0 : total_q) + 32'(counted_bytes_q);
  end

  // Rows and lanes.
  deflate_match_t [N-1:0] lane_match;
  logic [CNT_W-1:0] lane_count;
  logic lane_last;
  logic [N-1:0] lane_s_valid, lane_s_ready;
  deflate_row_t row_in, row;
  logic row_in_valid, row_in_ready, row_valid, row_ready;
  logic [3:0] unused_rows;

  kumi_deflate_spread #(
      .N(N),
      .SEGMENT(SEGMENT)
  ) u_spread (
      .clk,
      .rst,
      .s_match(cut_match),
      .s_count(cut_count),
      .s_last(cut_last),
      .s_final(cut_final),
      .s_valid(cut_valid),
      .s_ready(cut_ready),
      .m_match(lane_match),
      .m_count(lane_count),
      .m_last(lane_last),
      .m_valid(lane_s_valid),
      .m_ready(lane_s_ready),
      .padding,
      .row_first(row_in.first),
      .row_piece(row_in.piece),
      .row_last(row_in.last),
      .row_size(row_in.size),
      .row_valid(row_in_valid),
      .row_ready(row_in_ready)
  );
  assign row_in.format = format_q;
  assign row_in.sum = format_q == FORMAT_ZLIB ? adler : crc;
  assign row_in.total = total_q;

  kumi_fifo #(
      .W($bits(deflate_row_t)),
      .DEPTH(8)
  ) u_rows (
      .clk,
      .rst,
      .s_data (row_in),
      .s_valid(row_in_valid),
      .s_ready(row_in_ready),
      .m_data (row),
      .m_valid(row_valid),
      .m_ready(row_ready),
      .depth  (unused_rows)
  );

  logic [N-1:0][1:0] hist_done, pending;
  logic [1:0] hist_release;
  logic hist_bank, hist_clear_lit, hist_clear_dist;
  logic [8:0] hist_sym;
  logic [N-1:0][COUNT_W-1:0] hist_lit, hist_dist;
  logic go, code_lit, code_dist, code_bank, lanes_free_q;
  logic [8:0] code_at;
  deflate_code_t code_data;
  deflate_block_t block_in, block;
  logic block_in_valid, block_in_ready, block_valid, block_ready;
  deflate_word_t [N-1:0] lane_word;
  logic [N-1:0] lane_m_valid, lane_m_ready;

  for (genvar l = 0; l < N; l++) begin : gen_lane
    kumi_deflate_lane #(
        .N(N),
        .SEGMENT(SEGMENT),
        .MATCH(MATCH)
    ) u_lane (
        .clk,
        .rst,
        .s_match(lane_match),
        .s_count(lane_count),
        .s_last(lane_last),
        .s_valid(lane_s_valid[l]),
        .s_ready(lane_s_ready[l]),
        .hist_done(hist_done[l]),
        .hist_release,
        .hist_bank,
        .hist_sym,
        .hist_clear_lit,
        .hist_clear_dist,
        .hist_lit(hist_lit[l]),
        .hist_dist(hist_dist[l]),
        .go,
        .go_kind(block_in.kind),
        .pending(pending[l]),
        .code_lit,
        .code_dist,
        .code_bank,
        .code_at,
        .code_data,
        .m_word(lane_word[l]),
        .m_valid(lane_m_valid[l]),
        .m_ready(lane_m_ready[l])
    );
  end

  always_ff @(posedge clk) begin
    lanes_free_q <= 1'b1;
    for (int l = 0; l < N; l++) if (pending[l][1]) lanes_free_q <= 1'b0;
    if (go) lanes_free_q <= 1'b0;
  end

  // Codes, headers, and the stream.
  deflate_word_t head_in, head_word;
  logic head_in_valid, head_in_ready, head_valid, head_ready;
  logic [7:0] unused_head;
  logic [2:0] unused_blocks;

  kumi_deflate_build #(
      .N(N),
      .COUNT_W(COUNT_W)
  ) u_build (
      .clk,
      .rst,
      .row,
      .row_valid,
      .row_ready,
      .hist_done,
      .hist_release,
      .hist_bank,
      .hist_sym,
      .hist_clear_lit,
      .hist_clear_dist,
      .hist_lit,
      .hist_dist,
      .lanes_free(lanes_free_q),
      .code_lit,
      .code_dist,
      .code_bank,
      .code_at,
      .code_data,
      .block(block_in),
      .block_valid(block_in_valid),
      .block_ready(block_in_ready),
      .go,
      .m_word(head_in),
      .m_valid(head_in_valid),
      .m_ready(head_in_ready)
  );

  kumi_fifo #(
      .W($bits(deflate_block_t)),
      .DEPTH(4)
  ) u_blocks (
      .clk,
      .rst,
      .s_data (block_in),
      .s_valid(block_in_valid),
      .s_ready(block_in_ready),
      .m_data (block),
      .m_valid(block_valid),
      .m_ready(block_ready),
      .depth  (unused_blocks)
  );
  kumi_fifo #(
      .W($bits(deflate_word_t)),
      .DEPTH(128)
  ) u_heads (
      .clk,
      .rst,
      .s_data (head_in),
      .s_valid(head_in_valid),
      .s_ready(head_in_ready),
      .m_data (head_word),
      .m_valid(head_valid),
      .m_ready(head_ready),
      .depth  (unused_head)
  );

  kumi_deflate_merge #(
      .N(N)
  ) u_merge (
      .clk,
      .rst,
      .block,
      .block_valid,
      .block_ready,
      .head_word,
      .head_valid,
      .head_ready,
      .lane_word,
      .lane_valid(lane_m_valid),
      .lane_ready(lane_m_ready),
      .m_axis
  );

  always_ff @(posedge clk) begin
    event_stored  <= go && block_in.kind == BLOCK_STORED;
    event_fixed   <= go && block_in.kind == BLOCK_FIXED;
    event_dynamic <= go && block_in.kind == BLOCK_DYNAMIC;
    if (rst) begin
      event_stored  <= 1'b0;
      event_fixed   <= 1'b0;
      event_dynamic <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{unused_rows, unused_blocks, unused_head};
endmodule
