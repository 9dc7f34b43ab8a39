// SPDX-License-Identifier: Apache-2.0
//
// Values of a request's headers (RFC 9110), for kumi_http_parser: AT_VALUE and the header `field`.
//
// state, data, next: as there, for two cycles; same, done_words: what the word may still be with
//   this character, and what it is if it ends before it; in the second cycle.
// Numbers: Content-Length up to 32 bits. Range: the numbers of one range of bytes; another unit,
//   several ranges and wrong syntax leave it invalid, and the header is ignored (14.2). Words, in
//   lists: of the other headers; Accept-Encoding with weights (12.4.2), of which only zero counts.
// wrong: malformed, or a coding of the body's transfer that is not chunked alone.
module kumi_http_value_parser
  import kumi_http_pkg::*;
(
    input  logic                       clk,
    input  http_parser_t               state,
    input  logic         [        7:0] data,
    input  logic         [MATCH_W-1:0] same,
    input  logic         [MATCH_W-1:0] done_words,
    output http_parser_t               next,
    output logic                       wrong
);
  localparam logic [4:0] AT_FIRST = 5'd6;  // of a range; before it, the unit is compared
  localparam logic [4:0] AT_LAST = 5'd7;
  localparam logic [4:0] AT_BLANK = 5'd8;
  localparam logic [4:0] AT_OTHER = 5'd9;  // not understood

  logic [7:0] low;
  logic digit, blank, ends, token, break_word, crossed, accept;
  logic [35:0] longer;
  logic [14:0] range_more;
  logic [10:0] range_number;
  http_field_e field;

  assign field = http_field_e'(state.field);
  assign accept = field == FIELD_ACCEPT;
  assign low = data >= "A" && data <= "Z" ? data | 8'h20 : data;
  assign digit = data >= "0" && data <= "9";
  assign blank = data == " " || data == 8'h09;
  assign ends = data == 8'h0D || data == 8'h0A;
  assign break_word = ends || blank || data == "," || (accept && data == ";");
  assign token = break_word && state.index != '0;
  assign range_number = range_more > 15'd2047 ? 11'd2047 : range_more[10:0];

  always_ff @(posedge clk) begin
    longer <= 36'(state.length) * 36'd10 + 36'(data[3:0]);
    range_more <= 15'(state.index == AT_FIRST ? state.range.first : state.range.last) * 15'd10
        + 15'(data[3:0]);
    crossed <= state.range.has_first && state.range.has_last
        && state.range.first > state.range.last;
  end

  always_comb begin
    next = state;
    next.count = state.count + 1'b1;
    next.cr = data == 8'h0D;
    next.index = 32'(state.index) == WORD - 1 ? state.index : state.index + 1'b1;
    next.match = same;
    wrong = data == '0 || (state.cr && data != 8'h0A);
    if (data == 8'h0A) next.at = AT_LINE;
    case (field)
      FIELD_LENGTH: begin
        if (digit) begin
          next.length = longer[31:0];
          next.match  = MATCH_W'(1);
          if (longer[35:32] != '0 || state.match[1]) wrong = 1'b1;
        end else begin
          next.match = MATCH_W'({state.match[0] && blank, state.match[0]});
          if (!ends && !blank) wrong = 1'b1;
          if (data == 8'h0A && !state.match[0]) wrong = 1'b1;
        end
      end
      FIELD_RANGE: begin
        next.index = state.index;
        if (data == 8'h0A) begin
          next.range.valid = (state.index == AT_LAST || state.index == AT_BLANK) && !crossed
              && (state.range.has_first || state.range.has_last) && !state.whole;
        end else if (ends || (blank && (state.index == '0 || state.index == AT_BLANK))) begin
          next.index = state.index;
        end else if (state.index < AT_FIRST) begin
          next.index = letter(UNIT, state.index) == low ? state.index + 1'b1 : AT_OTHER;
        end else if (digit && state.index == AT_FIRST) begin
          next.range.has_first = 1'b1;
          next.range.first = range_number;
        end else if (digit && state.index == AT_LAST) begin
          next.range.has_last = 1'b1;
          next.range.last = range_number;
        end else if (data == "-" && state.index == AT_FIRST) begin
          next.index = AT_LAST;
        end else begin
          next.index = blank && state.index == AT_LAST ? AT_BLANK : AT_OTHER;
        end
      end
      default: begin
        if (token) begin
          case (field)
            FIELD_CONNECTION: begin
              if (done_words[TOKEN_CLOSE]) next.close = 1'b1;
              if (done_words[TOKEN_KEEP]) next.keep = 1'b1;
            end
            FIELD_TRANSFER: begin
              // "chunked" alone: no other coding before or after it.
              if (!done_words[TOKEN_CHUNKED] || state.chunked) wrong = 1'b1;
              next.chunked = 1'b1;
            end
            FIELD_EXPECT: if (done_words[TOKEN_CONTINUE]) next.expects = 1'b1;
            FIELD_CONTENT:
            if (!done_words[TOKEN_IDENTITY]) begin
              next.deflated = 1'b1;
              if (state.deflated || done_words[TOKEN_DEFLATE:TOKEN_GZIP] == '0)
                next.unsupported = 1'b1;
            end
            default: begin
              next.gzip_named = done_words[TOKEN_X_GZIP:TOKEN_GZIP] != '0;
              if (next.gzip_named) next.gzip = 1'b1;
            end
          endcase
        end
        if (break_word || state.weight != '0) begin
          next.index = '0;
          next.match = '1;
        end
        // ";q=0" takes back what was named; other parameters say nothing here.
        if (ends || data == ",") begin
          next.weight = '0;
          if (state.weight == 3'd4 && state.gzip_named) next.gzip = 1'b0;
          if (data == ",") next.gzip_named = 1'b0;
        end else if (accept && data == ";") begin
          next.weight = 3'd1;
        end else if (!blank) begin
          case (state.weight)
            3'd0: ;
            3'd1: next.weight = low == "q" ? 3'd2 : 3'd7;
            3'd2: next.weight = data == "=" ? 3'd3 : 3'd7;
            3'd3: next.weight = data == "0" ? 3'd4 : 3'd7;
            3'd4: if (data != "0" && data != ".") next.weight = 3'd7;
            default: ;
          endcase
        end
      end
    endcase
  end

  logic unused;
  assign unused = ^{done_words};
endmodule
