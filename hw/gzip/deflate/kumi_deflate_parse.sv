// SPDX-License-Identifier: Apache-2.0
//
// Parses a segment: which bytes become literals and which are inside a match.
//
// s_*: words of N positions with their matches; s_last ends the segment. m_*: one slot a byte, and
//   one without a byte where a segment ends without.
// Throughput a byte a cycle, but for 3 cycles a segment. Latency twice the segment: it is turned
// round, parsed from its end (kumi_deflate_optimal), and turned round again.
module kumi_deflate_parse
  import kumi_deflate_pkg::*;
#(
    parameter int N       = 8,     // positions of a word
    parameter int SEGMENT = 4096,  // bytes of a segment, a power of two
    parameter int MATCH   = 8      // half of the longest match that is found: 8, 16 or 32
) (
    input  logic                             clk,
    input  logic                             rst,
    input  deflate_match_t [          N-1:0] s_match,
    input  logic           [$clog2(N+1)-1:0] s_count,
    input  logic                             s_last,
    input  logic                             s_valid,
    output logic                             s_ready,
    output deflate_slot_t                    m_slot,
    output logic                             m_valid,
    input  logic                             m_ready
);
  localparam int CNT_W = $clog2(N + 1);
  localparam int AT_W = N == 1 ? 1 : $clog2(N);

  deflate_match_t [N-1:0] back_match;
  logic [CNT_W-1:0] back_count;
  logic back_first, back_last, back_valid, back_ready;
  kumi_deflate_reverse #(
      .W(CNT_W + N * $bits(deflate_match_t)),
      .DEPTH(SEGMENT / N)
  ) u_words (
      .clk,
      .rst,
      .s_data ({s_count, s_match}),
      .s_last,
      .s_valid,
      .s_ready,
      .m_data ({back_count, back_match}),
      .m_first(back_first),
      .m_last (back_last),
      .m_valid(back_valid),
      .m_ready(back_ready)
  );

  // One position after the other. A word that is not full has positions to skip, a word without
  // bytes is one item.
  deflate_match_t [N-1:0] word_q;
  logic [N-1:0] there_q;
  logic [CNT_W-1:0] left_q;
  logic [AT_W-1:0] at_q;  // left_q - 1: the position at hand
  logic none_q, first_q, last_q;
  logic item_ready, move;
  assign move = left_q != '0 && (item_ready || !there_q[N-1]);
  assign back_ready = left_q == '0 || (left_q == CNT_W'(1) && move);

  always_ff @(posedge clk) begin
    if (move) begin
      left_q  <= left_q - 1'b1;
      at_q    <= at_q - 1'b1;
      there_q <= there_q << 1;
      if (there_q[N-1]) first_q <= 1'b0;
    end
    if (back_valid && back_ready) begin
      word_q <= back_match;
      for (int i = 0; i < N; i++) there_q[i] <= back_count > CNT_W'(i) || i == 0;
      left_q  <= CNT_W'(N);
      at_q    <= AT_W'(N - 1);
      none_q  <= back_count == '0;
      first_q <= back_first;
      last_q  <= back_last;
    end
    if (rst) left_q <= '0;
  end

  deflate_choice_t choice_back, choice_read, choice;
  logic choice_back_last, choice_back_valid, choice_back_ready;
  logic read_first, read_last, read_valid, read_ready;
  logic choice_last, choice_valid, choice_ready;
  kumi_deflate_optimal #(
      .MAX_LEN(2 * MATCH)
  ) u_optimal (
      .clk,
      .rst,
      .s_match(word_q[at_q]),
      .s_has_byte(!none_q),
      .s_first(first_q),
      .s_last(last_q && left_q == CNT_W'(1)),
      .s_valid(left_q != '0 && there_q[N-1]),
      .s_ready(item_ready),
      .m_choice(choice_back),
      .m_last(choice_back_last),
      .m_valid(choice_back_valid),
      .m_ready(choice_back_ready)
  );

  kumi_deflate_reverse #(
      .W($bits(deflate_choice_t)),
      .DEPTH(SEGMENT)
  ) u_choices (
      .clk,
      .rst,
      .s_data (choice_back),
      .s_last (choice_back_last),
      .s_valid(choice_back_valid),
      .s_ready(choice_back_ready),
      .m_data (choice_read),
      .m_first(read_first),
      .m_last (read_last),
      .m_valid(read_valid),
      .m_ready(read_ready)
  );
  // The memory's output is late.
  kumi_slice #(
      .W(1 + $bits(deflate_choice_t)),
      .MODE(3)
  ) u_read (
      .clk,
      .rst,
      .s_data ({read_last, choice_read}),
      .s_valid(read_valid),
      .s_ready(read_ready),
      .m_data ({choice_last, choice}),
      .m_valid(choice_valid),
      .m_ready(choice_ready)
  );

  // Forwards: what begins inside a match does not count.
  logic [8:0] remain_q;  // bytes of the match
  logic [7:0] len3_q;
  logic [14:0] dist1_q;
  logic in_match;
  assign in_match = remain_q != '0;
  assign choice_ready = m_ready;
  assign m_valid = choice_valid;

  always_comb begin
    m_slot = '{
        kind: SLOT_LITERAL,
        last: choice_last,
        len3: len3_q,
        dist1: dist1_q,
        data: choice.data
    };
    if (!choice.has_byte) m_slot.kind = SLOT_EMPTY;
    else if (remain_q == 9'd1) m_slot.kind = SLOT_MATCH;
    else if (in_match || choice.match) m_slot.kind = SLOT_COVERED;
  end

  always_ff @(posedge clk) begin
    if (choice_valid && m_ready && choice.has_byte) begin
      if (in_match) remain_q <= remain_q - 1'b1;
      else if (choice.match) remain_q <= 9'(choice.len3) + 9'd2;
      if (!in_match) begin
        len3_q  <= choice.len3;
        dist1_q <= choice.dist1;
      end
    end
    if (rst) remain_q <= '0;
  end

  logic unused;
  assign unused = read_first;
endmodule
