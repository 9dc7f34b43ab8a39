// SPDX-License-Identifier: Apache-2.0
//
// Header of a member: gzip (RFC 1952, 2.3, with FEXTRA, FNAME, FCOMMENT, FHCRC) or zlib (RFC 1950,
// 2.2).
//
// start: read a header of `format` (FORMAT_ZLIB, else gzip). done: it is over, with `error`; held
//   until the next start.
// need: bits that must be at hand, while `ask` is high; when they are (ok), peek is the next 32
//   bits of the stream, and `take` of them are taken in that cycle.
// As zlib has it: bits of FLG above FCOMMENT are errors, CM must be 8, FCHECK comes first, a window
// of more than 32 KiB and a preset dictionary are refused; other fields are not looked at.
module kumi_inflate_header
  import kumi_gzip_pkg::*;
(
    input  logic                clk,
    input  logic                rst,
    input  logic                start,
    input  gzip_format_e        format,
    output logic                done,
    output gzip_error_e         error,
    output logic                ask,
    output logic         [ 5:0] need,
    input  logic                ok,
    input  logic         [31:0] peek,
    output logic         [ 5:0] take
);
  typedef enum logic [3:0] {
    REST,
    ZLIB,
    MAGIC,
    METHOD,
    TIME,
    SYSTEM,
    EXTRA_LEN,
    EXTRA,
    NAME,
    COMMENT,
    CRC,
    CRC_WAIT
  } state_e;

  state_e state_q;
  logic crc_flag_q, extra_q, name_q, comment_q;  // FLG, parts still to come
  logic [15:0] left_q;
  logic few_q;  // fewer than 4 of them, as of a cycle ago: ok comes no earlier than 2 after a part
  logic [2:0] wait_q;
  logic [31:0] crc;
  logic [6:0] digits;

  kumi_gzip_crc32 #(
      .N(4)
  ) u_crc (
      .clk,
      .rst,
      .in_clear(start),
      .in_valid(ok && state_q != CRC),
      .in_count(take[5:3]),
      .in_data (peek),
      .crc
  );

  // The header modulo 31, as a sum of digits of 5 bits.
  assign digits = 7'(peek[12:8]) + 7'({peek[1:0], peek[15:13]}) + 7'(peek[6:2]) + 7'(peek[7]);

  always_comb begin
    need = 6'd8;
    case (state_q)
      REST: need = '0;
      ZLIB, MAGIC, METHOD, SYSTEM, EXTRA_LEN, CRC: need = 6'd16;
      TIME: need = 6'd32;
      EXTRA: need = few_q ? {1'b0, left_q[1:0], 3'b000} : 6'd32;
      CRC_WAIT: need = '0;
      default: need = 6'd8;
    endcase
  end
  assign ask  = state_q != REST && state_q != CRC_WAIT;
  assign take = need;

  // What follows a part of the header, in the order of RFC 1952.
  function automatic state_e following(input logic extra, input logic name, input logic comment,
                                       input logic check);
    return extra ? EXTRA_LEN : name ? NAME : comment ? COMMENT : check ? CRC_WAIT : REST;
  endfunction

  always_ff @(posedge clk) begin
    wait_q <= state_q == CRC_WAIT ? wait_q + 1'b1 : '0;
    few_q  <= left_q[15:2] == '0;
    if (ok) begin
      case (state_q)
        ZLIB: begin
          state_q <= REST;
          if (digits != 7'd0 && digits != 7'd31 && digits != 7'd62 && digits != 7'd93)
            error <= GZIP_ERR_MAGIC;
          else if (peek[3:0] != 4'd8 || peek[7]) error <= GZIP_ERR_METHOD;
          else if (peek[13]) error <= GZIP_ERR_FLAGS;
        end
        MAGIC: begin
          state_q <= METHOD;
          if (peek[15:0] != 16'h8b1f) begin
            state_q <= REST;
            error   <= GZIP_ERR_MAGIC;
          end
        end
        METHOD: begin
          state_q <= TIME;
          {comment_q, name_q, extra_q, crc_flag_q} <= peek[12:9];
          if (peek[7:0] != 8'd8 || peek[15:13] != '0) begin
            state_q <= REST;
            error   <= peek[7:0] != 8'd8 ? GZIP_ERR_METHOD : GZIP_ERR_FLAGS;
          end
        end
        TIME: state_q <= SYSTEM;
        SYSTEM: state_q <= following(extra_q, name_q, comment_q, crc_flag_q);
        EXTRA_LEN: begin
          left_q  <= peek[15:0];
          state_q <= EXTRA;
        end
        EXTRA:
        if (left_q == '0) state_q <= following(1'b0, name_q, comment_q, crc_flag_q);
        else left_q <= left_q - 16'(take[5:3]);
        NAME: if (peek[7:0] == '0) state_q <= following(1'b0, 1'b0, comment_q, crc_flag_q);
        COMMENT: if (peek[7:0] == '0) state_q <= following(1'b0, 1'b0, 1'b0, crc_flag_q);
        CRC: begin
          state_q <= REST;
          if (peek[15:0] != crc[15:0]) error <= GZIP_ERR_HEADER_CRC;
        end
        default: ;
      endcase
    end
    if (state_q == CRC_WAIT && &wait_q) state_q <= CRC;
    if (start) begin
      state_q <= format == FORMAT_ZLIB ? ZLIB : MAGIC;
      error   <= GZIP_OK;
    end
    if (rst) state_q <= REST;
  end

  assign done = state_q == REST;

  logic unused;
  assign unused = ^{peek, crc[31:16]};
endmodule
