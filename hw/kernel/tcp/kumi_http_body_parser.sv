// SPDX-License-Identifier: Apache-2.0
//
// Parser of a request's body: Content-Length, or chunked (RFC 9112, 7.1). Combinational.
//
// state, data: where it is (`index`: http_body_state_e, `length`), and the next byte. next: where
//   it is then. is_body: the byte is of the body itself. done: it was the last one. wrong:
//   malformed: a size without digits or above 32 bits, or a chunk that does not end with a line
//   end.
module kumi_http_body_parser
  import kumi_http_pkg::*;
(
    input  http_parser_t       state,
    input  logic         [7:0] data,
    output http_parser_t       next,
    output logic               is_body,
    output logic               done,
    output logic               wrong
);
  http_body_state_e at;
  logic hex;
  logic [3:0] hex_value;

  assign at = http_body_state_e'(state.index);
  assign hex = (data >= "0" && data <= "9") || (data >= "a" && data <= "f")
      || (data >= "A" && data <= "F");
  assign hex_value = data[6] ? data[3:0] + 4'd9 : data[3:0];

  always_comb begin
    next = state;
    is_body = 1'b0;
    done = 1'b0;
    wrong = 1'b0;
    case (at)
      BODY_PLAIN, BODY_CHUNK: begin
        is_body = 1'b1;
        next.length = state.length - 1'b1;
        if (state.length == 32'd1) begin
          done = at == BODY_PLAIN;
          next.index = 5'(BODY_AFTER);
        end
      end
      BODY_SIZE, BODY_EXT:
      if (data == 8'h0A) begin
        next.index = state.length == '0 ? 5'(BODY_TRAILER) : 5'(BODY_CHUNK);
        wrong = !state.match[0];  // no digit
      end else if (at == BODY_SIZE && hex) begin
        next.length = {state.length[27:0], hex_value};
        next.match[0] = 1'b1;
        wrong = state.length[31:28] != '0;
      end else begin
        next.index = 5'(BODY_EXT);
        wrong = data == '0 || (at == BODY_SIZE
            && data != ";" && data != 8'h0D && data != " " && data != 8'h09);
      end
      BODY_AFTER:
      if (data == 8'h0A) begin
        next.index  = 5'(BODY_SIZE);
        next.length = '0;
        next.match  = '0;
      end else begin
        wrong = data != 8'h0D;
      end
      BODY_TRAILER:
      if (data == 8'h0A) done = 1'b1;
      else if (data != 8'h0D) next.index = 5'(BODY_FIELD);
      default: if (data == 8'h0A) next.index = 5'(BODY_TRAILER);
    endcase
    if (done) begin
      next.at = rest_state(state.raw);
      next.index = '0;
    end
  end

endmodule
