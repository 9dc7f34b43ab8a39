// SPDX-License-Identifier: Apache-2.0
//
// Frames of the kernel's response: pieces of it in one of the framings of http_framing_e.
//
// send: the next `count` bytes of s_valid, s_data (taken with `take`) go to m_axis as one frame;
//   with `last` the end of the response follows. Not before `busy` is low. length: bytes of the
//   frame that this makes, a cycle later; a frame has at least one byte, so no send if it is 0.
// framing, count, last: read with send. FRAMING_CHUNKED: RFC 9112, 7.1; FRAMING_RAW: 32 bits of
//   length, then as many bytes; length 0 ends the response; FRAMING_CLOSE: the bytes alone.
// Throughput: a byte a cycle. Handshakes: valid/ready, held.
module kumi_http_framer
  import kumi_http_pkg::*;
(
    input logic clk,
    input logic rst,
    input http_framing_e framing,
    input logic [11:0] count,
    input logic last,
    output logic [15:0] length,
    input logic send,
    output logic busy,
    input logic s_valid,
    input logic [7:0] s_data,
    output logic take,
    kumi_axis_if.src m_axis
);
  typedef enum logic [4:0] {
    REST,
    HEX0,
    HEX1,
    HEX2,
    HEX_CR,
    HEX_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    ZERO,
    ZERO_CR,
    ZERO_LF,
    LAST_CR,
    LAST_LF,
    RAW0,
    RAW1,
    RAW2,
    RAW3,
    END0,
    END1,
    END2,
    END3
  } state_e;

  state_e state_q, after_data;
  http_framing_e framing_q;
  logic [11:0] left_q, size_q;
  logic last_q, step, ends;
  logic [7:0] char;
  logic [3:0] nibble;

  always_ff @(posedge clk) begin
    case (framing)
      FRAMING_CHUNKED: length <= (count != '0 ? 16'(count) + 16'd7 : '0) + (last ? 16'd5 : '0);
      FRAMING_RAW: length <= (count != '0 ? 16'(count) + 16'd4 : '0) + (last ? 16'd4 : '0);
      default: length <= 16'(count);
    endcase
  end

  kumi_axis_if #(
      .DATA_W(8),
      .ID_W  (m_axis.ID_W),
      .USER_W(m_axis.USER_W),
      .DEST_W(m_axis.DEST_W)
  ) bytes ();

  always_comb begin
    nibble = state_q == HEX0 ? size_q[11:8] : state_q == HEX1 ? size_q[7:4] : size_q[3:0];
    case (state_q)
      HEX0, HEX1, HEX2: char = nibble < 4'd10 ? 8'h30 + 8'(nibble) : 8'h57 + 8'(nibble);
      DATA: char = s_data;
      HEX_CR, DATA_CR, ZERO_CR, LAST_CR: char = 8'h0D;
      ZERO: char = 8'h30;
      RAW2: char = {4'd0, size_q[11:8]};
      RAW3: char = size_q[7:0];
      RAW0, RAW1, END0, END1, END2, END3: char = 8'h00;
      default: char = 8'h0A;
    endcase
    case (framing_q)
      FRAMING_CHUNKED: after_data = DATA_CR;
      FRAMING_RAW: after_data = last_q ? END0 : REST;
      default: after_data = REST;
    endcase
    case (state_q)
      DATA: ends = left_q == 12'd1 && after_data == REST;
      DATA_LF: ends = !last_q;
      LAST_LF, END3: ends = 1'b1;
      default: ends = 1'b0;
    endcase
  end
  assign bytes.tdata = char;
  assign bytes.tkeep = 1'b1;
  assign bytes.tvalid = state_q != REST && (state_q != DATA || s_valid);
  assign bytes.tlast = ends;
  assign bytes.tuser = '0;
  assign bytes.tid = '0;
  assign bytes.tdest = '0;
  assign step = bytes.tvalid && bytes.tready;
  assign take = state_q == DATA && step;

  always_ff @(posedge clk) begin
    if (step) begin
      case (state_q)
        DATA: begin
          left_q <= left_q - 1'b1;
          if (left_q == 12'd1) state_q <= after_data;
        end
        DATA_LF: state_q <= last_q ? ZERO : REST;
        RAW3: state_q <= DATA;
        LAST_LF, END3: state_q <= REST;
        default: state_q <= state_e'(state_q + 1'b1);
      endcase
    end
    if (send) begin
      case (framing)
        FRAMING_CHUNKED: state_q <= count != '0 ? HEX0 : ZERO;
        FRAMING_RAW: state_q <= count != '0 ? RAW0 : END0;
        default: state_q <= DATA;
      endcase
      framing_q <= framing;
      left_q <= count;
      size_q <= count;
      last_q <= last;
    end
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) busy <= 1'b0;
    if (send) busy <= 1'b1;
    if (rst) begin
      state_q <= REST;
      busy <= 1'b0;
    end
  end

  kumi_axis_width u_wide (
      .clk,
      .rst,
      .s_axis(bytes),
      .m_axis
  );
endmodule
