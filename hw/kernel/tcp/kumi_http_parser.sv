// SPDX-License-Identifier: Apache-2.0
//
// Parser of an HTTP/1.1 request (RFC 9112): state and byte in, for two cycles; the next state out
// in the second. Words are compared in the first.
//
// Request line and headers of any length up to `limit`; names of headers are case-insensitive,
// methods and the version are not (RFC 9110, 9.1; RFC 9112, 2.3). Targets in origin-form or
// absolute-form with "http:", percent-encoded or not; compared up to "?".
// Understood: Host, Connection, Content-Length, Transfer-Encoding: chunked, Expect: 100-continue,
// Content-Encoding, Accept-Encoding with weights, Range (one; several are ignored, and any beside
// If-Range, since nothing here has a validator); other headers are skipped. A line may end with LF
// alone. A NUL, a CR without LF, and a request with both lengths are malformed.
// ROUTE_PATHS: targets of the kernel, as PATHS; they take POST and PUT.
// A session of raw framing begins in AT_RAW: 32 bits of length, then that many bytes for the
// kernel.
// answer_valid: the request is complete, or malformed: send `answer`, then continue with `next`, or
//   not at all when the answer closes. page PAGE_KERNEL: for the kernel, route next.path - 4.
module kumi_http_parser
  import kumi_http_pkg::*;
#(
    parameter int ROUTES = 0,
    parameter logic [2:0][8*WORD-1:0] ROUTE_PATHS = '0,
    parameter logic [2:0] ROUTE_DECODES = '0  // those that take a Content-Encoding
) (
    input  logic                  clk,
    input  http_parser_t          state,
    input  logic           [ 7:0] data,
    input  logic           [12:0] limit,
    output http_parser_t          next,
    output logic                  answer_valid,
    output http_response_t        answer
);
  localparam int TARGETS = 4 + ROUTES;
  localparam logic [6:0][8*WORD-1:0] ALL = {ROUTE_PATHS, PATHS};

  if (ROUTES < 0 || ROUTES > 3) begin : gen_check
    $fatal(0, "ROUTES must be 0..3 (%m)");
  end

  logic [7:0] low, path_char;  // lower case; percent-decoded
  logic digit, ends, hex, escaped;
  logic [3:0] hex_value;
  logic [4:0] step;
  logic [MATCH_W-1:0] same, done_words;
  logic wrong, done, full, for_kernel, value_wrong;
  http_parser_t value_next;

  assign low = data >= "A" && data <= "Z" ? data | 8'h20 : data;
  assign digit = data >= "0" && data <= "9";
  assign hex = digit || (low >= "a" && low <= "f");
  assign hex_value = digit ? data[3:0] : data[3:0] + 4'd9;
  assign ends = data == 8'h0D || data == 8'h0A;
  assign step = 32'(state.index) == WORD - 1 ? state.index : state.index + 1'b1;
  assign escaped = state.escape == 2'd1;
  assign path_char = escaped ? {state.digit, hex_value} : data;

  // The words that are possible in each state.
  always_ff @(posedge clk) begin
    same <= '0;
    done_words <= '0;
    for (int i = 0; i < MATCH_W; i++) begin
      logic [8*WORD-1:0] word;
      logic [7:0] char;
      word = '0;
      char = low;
      case (state.at)
        AT_METHOD: begin
          if (i < 4) word = METHODS[i%4];
          char = data;
        end
        AT_TARGET: begin
          if (i < TARGETS) word = ALL[i%7];
          char = path_char;
        end
        AT_NAME: word = FIELDS[i];
        default: if (i < TOKEN_N) word = TOKENS[i%TOKEN_N];
      endcase
      same[i] <= state.match[i] && letter(word, state.index) == char;
      done_words[i] <= state.match[i] && letter(word, state.index) == '0 && word != '0;
    end
    full <= state.count >= limit;
  end

  kumi_http_value_parser u_value (
      .clk,
      .state,
      .data,
      .same,
      .done_words,
      .next (value_next),
      .wrong(value_wrong)
  );

  always_comb begin
    next = state;
    next.count = state.count + 1'b1;
    next.cr = data == 8'h0D;
    wrong = 1'b0;
    done = 1'b0;
    case (state.at)
      AT_START: begin
        // Empty lines before a request are passed over (RFC 9112, 2.2).
        next = '0;
        next.path = '1;
        if (!ends) begin
          next.at = AT_METHOD;
          next.index = 5'd1;
          next.count = 13'd1;
          for (int i = 0; i < 4; i++) next.match[i] = letter(METHODS[i], '0) == data;
          wrong = low < "a" || low > "z";
        end
      end
      AT_METHOD: begin
        next.index = step;
        next.match = same;
        if (data == " ") begin
          next.get = done_words[0];
          next.head = done_words[1];
          next.post = done_words[2] || done_words[3];
          next.at = AT_TARGET;
          next.index = '0;
          next.match = '1;
        end else begin
          wrong = data < 8'h21 || data > 8'h7E;
        end
      end
      AT_TARGET: begin
        if (state.escape == '0 && data == "%") begin
          next.escape = 2'd2;
        end else if (state.escape == 2'd2) begin
          next.escape = 2'd1;
          next.digit = hex_value;
          wrong = !hex;
        end else begin
          next.escape = '0;
          next.index = step;
          next.match = same;
          wrong = (escaped && !hex) || data < 8'h21 || data == 8'h7F;
          if (!escaped && (data == " " || data == "?")) begin
            for (int i = 0; i < TARGETS; i++) if (done_words[i]) next.path = 3'(i);
            next.at = AT_QUERY;
            wrong   = state.index == '0;
          end
          if (!escaped && state.index == '0 && low == "h") begin
            next.at = AT_SCHEME;
            next.index = 5'd1;
          end
          if (!escaped && data == " ") begin
            next.at = AT_VERSION;
            next.index = '0;
          end
        end
      end
      AT_SCHEME: begin
        next.index = step;
        wrong = letter(SCHEME, state.index) != low;
        if (state.index == 5'd6) begin
          next.at = AT_AUTHORITY;
          next.index = '0;
        end
      end
      AT_AUTHORITY: begin
        // No path is that of "/" (RFC 9110, 4.2.3). The host counts more than the header does.
        next.index = 5'd1;
        wrong = data < 8'h21 || data == 8'h7F;
        if (data == "/") begin
          next.at = AT_TARGET;
          next.index = 5'd1;
          for (int i = 0; i < TARGETS; i++) next.match[i] = letter(ALL[i], '0) == "/";
        end else if (data == "?" || data == " ") begin
          next.path = '0;
          next.at = data == " " ? AT_VERSION : AT_QUERY;
          next.index = '0;
          wrong = 1'b0;
        end
        if (data == "/" || data == "?" || data == " ") wrong = state.index == '0;
      end
      AT_QUERY: begin
        if (data == " ") begin
          next.at = AT_VERSION;
          next.index = '0;
        end else begin
          wrong = data < 8'h21 || data == 8'h7F;
        end
      end
      AT_VERSION: begin
        next.index = step;
        if (state.index < 5'd7) begin
          wrong = letter(VERSION, state.index) != data;
        end else if (state.index == 5'd7) begin
          next.minor = data != "0";
          wrong = !digit;
        end else if (data == 8'h0A) begin
          next.at = AT_LINE;
        end else begin
          wrong = data != 8'h0D || state.index != 5'd8;
        end
      end
      AT_LINE: begin
        next.at = AT_NAME;
        next.index = 5'd1;
        for (int i = 0; i < FIELD_N; i++) next.match[i] = letter(FIELDS[i], '0) == low;
        if (data == 8'h0D) next.at = AT_END;
        else if (data == 8'h0A) done = 1'b1;
        else wrong = data < 8'h21 || data > 8'h7E || data == ":";
      end
      AT_NAME: begin
        next.index = step;
        next.match = same;
        if (data == ":") begin
          next.at = AT_SKIP;
          next.index = '0;
          next.match = '1;
          next.weight = '0;
          next.gzip_named = 1'b0;
          for (int i = 0; i < FIELD_N; i++) if (done_words[i]) next.field = 4'(i);
          if (done_words[FIELD_HOST]) begin
            next.host = 1'b1;
            wrong = state.host;  // twice
          end
          if (done_words[FIELD_RANGE:FIELD_CONNECTION] != '0) next.at = AT_VALUE;
          if (done_words[FIELD_LENGTH]) begin
            next.sized = 1'b1;
            next.match = '0;  // [0] a digit came, [1] and then a blank
            wrong = state.sized;
          end
          if (done_words[FIELD_TRANSFER]) begin
            next.coded = 1'b1;
            wrong = state.coded;
          end
          if (done_words[FIELD_RANGE]) begin
            next.ranged = 1'b1;
            next.range  = '0;
            if (state.ranged) next.whole = 1'b1;
          end
          if (done_words[FIELD_IF_RANGE]) next.whole = 1'b1;
        end else begin
          wrong = data < 8'h21 || data > 8'h7E;
        end
      end
      AT_VALUE: begin
        next  = value_next;
        wrong = value_wrong;
      end
      AT_SKIP: begin
        wrong = data == '0 || (state.cr && data != 8'h0A);
        if (data == 8'h0A) next.at = AT_LINE;
      end
      AT_END: begin
        done  = data == 8'h0A;
        wrong = data != 8'h0A;
      end
      AT_RAW: begin
        next = '0;
        next.raw = 1'b1;
        next.at = AT_RAW;
        next.index = state.index + 1'b1;
        next.length = {state.length[23:0], data};
        if (state.index == '0) next.length = 32'(data);
        if (state.index == 5'd3) begin
          next.at = next.length != '0 ? AT_BODY : AT_RAW;
          next.index = next.length != '0 ? 5'(BODY_PLAIN) : '0;
        end
      end
      default: next.count = '0;
    endcase
    if (done) begin
      next.at = state.length != '0 || state.chunked ? AT_BODY : AT_START;
      next.index = state.chunked ? 5'(BODY_SIZE) : 5'(BODY_PLAIN);
      next.match = '0;
      next.cr = 1'b0;
      if (state.chunked) next.length = '0;
    end

    if (state.whole) next.range.valid = 1'b0;

    answer_valid = done || wrong;
    answer.head  = state.head;
    answer.close = wrong || (state.minor ? state.close : !state.keep || state.close);
    for_kernel   = 1'b0;
    case (state.path)
      3'd0, 3'd1: answer.page = PAGE_INDEX;
      3'd2: answer.page = PAGE_STATUS;
      3'd3: answer.page = PAGE_ROBOTS;
      3'd4, 3'd5, 3'd6: begin
        answer.page = PAGE_KERNEL;
        for_kernel  = 1'b1;
      end
      default: answer.page = PAGE_404;
    endcase
    if (for_kernel) begin
      if (!state.post) answer.page = PAGE_405_POST;
      else if (state.unsupported || (state.deflated && !ROUTE_DECODES[state.path[1:0]]))
        answer.page = PAGE_415;
    end else if (!state.get && !state.head) begin
      answer.page = PAGE_405;
    end
    // Without 100 (Continue) nobody knows whether the body will come.
    if (state.expects && answer.page != PAGE_KERNEL && (state.length != '0 || state.chunked))
      answer.close = 1'b1;
    if (wrong || (state.minor && !state.host) || (state.coded && (state.sized || !state.chunked)))
    begin
      answer.page  = PAGE_400;
      answer.close = 1'b1;
      answer.head  = state.head && !wrong;
    end
    if (state.at == AT_RAW) begin
      answer_valid = state.index == 5'd3;
      answer = '{page: PAGE_KERNEL, head: 1'b0, close: 1'b0};
    end else if (state.at != AT_START && state.at != AT_BODY && full && !answer_valid) begin
      answer_valid = 1'b1;
      answer = '{page: PAGE_431, head: 1'b0, close: 1'b1};
    end
  end
endmodule
