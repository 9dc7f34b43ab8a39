// SPDX-License-Identifier: Apache-2.0
//
// One byte of an HTTP/1.1 request (RFC 9112): state and byte in, for two cycles; the next state out
// in the second. Words are compared in the first.
//
// Request line and headers of any length up to `limit`; names and methods are case-insensitive.
// Understood: Host, Connection, Content-Length, Transfer-Encoding; other headers are skipped. A
// line may end with LF alone. The target is compared up to "?".
// answer_valid: the request is complete, or malformed: send `answer`, then continue with `next`, or
//   not at all when the answer closes.
module kumi_http_parser
  import kumi_http_pkg::*;
(
    input  logic                  clk,
    input  http_parser_t          state,
    input  logic           [ 7:0] data,
    input  logic           [12:0] limit,
    output http_parser_t          next,
    output logic                  answer_valid,
    output http_response_t        answer
);
  logic [7:0] low;  // lower case
  logic digit, blank, ends;
  logic [4:0] step;
  logic [3:0] names_same, names_done;
  logic [3:0] paths_same, paths_done;
  logic [1:0] tokens_same, tokens_done, methods_same, methods_done;
  logic wrong, done, full;
  logic [27:0] longer;

  assign low   = data >= "A" && data <= "Z" ? data | 8'h20 : data;
  assign digit = data >= "0" && data <= "9";
  assign blank = data == " " || data == 8'h09;
  assign ends  = data == 8'h0D || data == 8'h0A;
  assign step  = 32'(state.index) == WORD - 1 ? state.index : state.index + 1'b1;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) begin
      names_same[i] <= state.match[i] && letter(FIELDS[i], state.index) == low;
      names_done[i] <= state.match[i] && letter(FIELDS[i], state.index) == '0;
    end
    for (int i = 0; i < 4; i++) begin
      paths_same[i] <= state.match[i] && letter(PATHS[i], state.index) == data;
      paths_done[i] <= state.match[i] && letter(PATHS[i], state.index) == '0;
    end
    for (int i = 0; i < 2; i++) begin
      tokens_same[i]  <= state.match[i] && letter(TOKENS[i], state.index) == low;
      tokens_done[i]  <= state.match[i] && letter(TOKENS[i], state.index) == '0;
      methods_same[i] <= state.match[i] && letter(METHODS[i], state.index) == low;
      methods_done[i] <= state.match[i] && letter(METHODS[i], state.index) == '0;
    end
    longer <= 28'(state.length) * 28'd10 + 28'(data[3:0]);
    full   <= state.count >= limit;
  end

  always_comb begin
    next = state;
    next.count = state.count + 1'b1;
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
          next.match = {2'd0, letter(METHODS[1], '0) == low, letter(METHODS[0], '0) == low};
          wrong = low < "a" || low > "z";
        end
      end
      AT_METHOD: begin
        next.index = step;
        next.match = {2'd0, methods_same};
        if (data == " ") begin
          next.get = methods_done[0];
          next.head = methods_done[1];
          next.at = AT_TARGET;
          next.index = '0;
          next.match = '1;
        end else begin
          wrong = data < 8'h21 || data > 8'h7E;
        end
      end
      AT_TARGET, AT_QUERY: begin
        if (state.at == AT_TARGET) begin
          next.index = step;
          next.match = paths_same;
          if (data == " " || data == "?") begin
            for (int i = 0; i < 4; i++) if (paths_done[i]) next.path = 3'(i);
            next.at = AT_QUERY;
          end
        end
        if (data == " ") begin
          next.at = AT_VERSION;
          next.index = '0;
          wrong = state.at == AT_TARGET && state.index == '0;
        end else begin
          wrong = data < 8'h21 || data == 8'h7F;
        end
      end
      AT_VERSION: begin
        next.index = step;
        if (state.index < 5'd7) begin
          wrong = letter(VERSION, state.index) != low;
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
        for (int i = 0; i < 4; i++) next.match[i] = letter(FIELDS[i], '0) == low;
        if (data == 8'h0D) next.at = AT_END;
        else if (data == 8'h0A) done = 1'b1;
        else wrong = data < 8'h21 || data > 8'h7E || data == ":";
      end
      AT_NAME: begin
        next.index = step;
        next.match = names_same;
        if (data == ":") begin
          next.at = AT_SKIP;
          next.index = '0;
          next.match = '1;
          for (int i = 0; i < 4; i++) if (names_done[i]) next.field = 2'(i);
          if (names_done[0]) begin
            next.host = 1'b1;
            wrong = state.host;  // twice
          end
          if (names_done[1] || names_done[2]) next.at = AT_VALUE;
          if (names_done[2]) begin
            next.sized = 1'b1;
            wrong = state.sized;
          end
          if (names_done[3]) next.coded = 1'b1;
        end else begin
          wrong = data < 8'h21 || data > 8'h7E;
        end
      end
      AT_VALUE: begin
        next.index = step;
        next.match = {2'd0, tokens_same};
        if (data == 8'h0A) next.at = AT_LINE;
        if (state.field == 2'd1) begin
          if (ends || blank || data == ",") begin
            if (tokens_done[0] && state.index != '0) next.close = 1'b1;
            if (tokens_done[1] && state.index != '0) next.keep = 1'b1;
            next.index = '0;
            next.match = '1;
          end
        end else if (digit) begin
          next.length = longer[23:0];
          wrong = longer[27:24] != '0;
        end else begin
          wrong = !ends && !blank;
        end
      end
      AT_SKIP: if (data == 8'h0A) next.at = AT_LINE;
      AT_END: begin
        done  = data == 8'h0A;
        wrong = data != 8'h0A;
      end
      default: next.count = '0;
    endcase
    if (done) next.at = state.length != '0 ? AT_BODY : AT_START;

    answer_valid = done || wrong;
    answer.head = state.head;
    answer.close = wrong || (state.minor ? state.close : !state.keep || state.close) || state.coded;
    case (state.path)
      3'd0, 3'd1: answer.page = PAGE_INDEX;
      3'd2: answer.page = PAGE_STATUS;
      3'd3: answer.page = PAGE_ROBOTS;
      default: answer.page = PAGE_404;
    endcase
    if (!state.get && !state.head) answer.page = PAGE_405;
    if (wrong || (state.minor && !state.host) || state.coded) begin
      answer.page  = PAGE_400;
      answer.close = 1'b1;
      answer.head  = state.head && !wrong;
    end
    if (state.at != AT_START && state.at != AT_BODY && full && !answer_valid) begin
      answer_valid = 1'b1;
      answer = '{page: PAGE_431, head: 1'b0, close: 1'b1};
    end
  end
endmodule
