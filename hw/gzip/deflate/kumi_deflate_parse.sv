// SPDX-License-Identifier: Apache-2.0
//
// Parses a segment: which bytes become literals and which are inside a match.
//
// s_*: words of N positions with their matches; s_last ends the segment. m_slot: one slot a byte,
//   and one without a byte where a segment ends without.
// Throughput a byte a cycle, latency 5 cycles.
//
// Rules, at a position that no match covers: a match of 3 or more begins if two more bytes follow,
// unless the next position has a longer one, or the one after that a match longer by 2 or more
// than one of fewer than 9 (lazy evaluation). While a match goes on, every covered position that
// found the same distance makes it longer, until it covers 244 bytes: so it stays within 258.
// It also ends with the segment.
module kumi_deflate_parse
  import kumi_deflate_pkg::*;
#(
    parameter int N = 8  // positions of a word
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
  localparam int MAX_EXTEND = 243;  // bytes covered after which a match does not grow

  typedef struct packed {
    logic           valid;
    logic           has_byte;
    logic           last;
    deflate_match_t match;
  } parse_item_t;

  // One position after the other.
  deflate_match_t [N-1:0] word_q;
  logic [CNT_W-1:0] left_q;  // items of the word that have not been taken
  logic empty_q, last_q;
  parse_item_t item;
  logic take;

  assign item = '{
          valid: left_q != '0,
          has_byte: !empty_q,
          last: last_q && left_q == CNT_W'(1),
          match: word_q[0]
      };
  assign s_ready = left_q == '0 || (left_q == CNT_W'(1) && take);

  always_ff @(posedge clk) begin
    if (take && item.valid) begin
      left_q <= left_q - 1'b1;
      word_q <= $bits(word_q)'({deflate_match_t'(0), word_q} >> $bits(deflate_match_t));
    end
    if (s_valid && s_ready) begin
      word_q  <= s_match;
      left_q  <= s_count == '0 ? CNT_W'(1) : s_count;
      empty_q <= s_count == '0;
      last_q  <= s_last;
    end
    if (rst) left_q <= '0;
  end

  // The position at hand and the two after it.
  parse_item_t at_q, next_q, third_q;
  logic known, free, move;
  assign known = at_q.valid && (at_q.last || (next_q.valid && (next_q.last || third_q.valid)));
  assign move  = known && free;
  // Move up where there is room: a hole is filled by what comes next.
  logic fill_at, fill_next;
  assign fill_at = move || !at_q.valid;
  assign fill_next = fill_at || !next_q.valid;
  assign take = fill_next || !third_q.valid;

  always_ff @(posedge clk) begin
    if (fill_at) at_q <= next_q;
    if (fill_next) next_q <= third_q;
    if (take) third_q <= item;
    if (rst) begin
      at_q.valid <= 1'b0;
      next_q.valid <= 1'b0;
      third_q.valid <= 1'b0;
    end
  end

  // What the lookahead says does not depend on the match in progress.
  logic two_more, better;
  assign two_more = !at_q.last && next_q.has_byte && !next_q.last && third_q.has_byte;
  assign better = next_q.match.length > at_q.match.length
      || (at_q.match.length < 5'd9 && third_q.match.length > at_q.match.length + 5'd1);

  logic [3:0] remain_q, remain, extend;
  logic [14:0] dist_q;
  logic [7:0] covered_q, len3;  // bytes of the match before this one; up to 257
  logic grow_q, starts, closes;

  assign starts = remain_q == '0 && at_q.match.length != '0 && two_more && !better;
  assign extend = grow_q && at_q.match.length != '0 && at_q.match.distance == dist_q
      ? 4'(at_q.match.length - 5'd1) : 4'd0;
  assign remain = starts ? 4'(at_q.match.length - 5'd1)
      : remain_q == '0 ? 4'd0 : extend > remain_q - 4'd1 ? extend : remain_q - 4'd1;
  assign closes = remain_q != '0
      && (remain == '0 || at_q.last || (next_q.last && !next_q.has_byte));
  assign len3 = covered_q - 8'd2;  // this byte is one more

  deflate_slot_t slot_q;
  logic slot_valid_q;
  assign free = !slot_valid_q || m_ready;

  always_ff @(posedge clk) begin
    if (free) slot_valid_q <= known;
    if (move) begin
      slot_q <= '{
          kind:
          !
          at_q.has_byte
          ?
          SLOT_EMPTY
          :
          closes
          ?
          SLOT_MATCH
          :
          starts
          ||
          remain_q
          != '0 ?
          SLOT_COVERED
          :
          SLOT_LITERAL,
          last: at_q.last,
          len3: len3,
          dist1: dist_q - 15'd1,
          data: at_q.match.data
      };
      remain_q <= closes || !at_q.has_byte ? '0 : remain;
      covered_q <= starts ? 8'd1 : covered_q + 8'd1;
      grow_q <= starts || (grow_q && covered_q + 8'd1 < 8'(MAX_EXTEND));
      if (starts) dist_q <= at_q.match.distance;
    end
    if (rst) begin
      slot_valid_q <= 1'b0;
      remain_q <= '0;
    end
  end

  assign m_slot  = slot_q;
  assign m_valid = slot_valid_q;
endmodule
