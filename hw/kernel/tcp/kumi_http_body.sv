// SPDX-License-Identifier: Apache-2.0
//
// Bodies between kumi_http and its kernel: a request's bytes in, a response's bytes out in chunks.
//
// put: put_byte is the next byte of the request's body; put_end: it is over (whole, or not: then
//   put_bad). At most `room` bytes may be put; route goes with them as tdest. m_body, s_body: one
//   frame for each body, a byte a beat; a beat without a byte ends it, with tuser[0] if it is
//   incomplete or wrong.
// have: bytes of the response that wait; all: no more will come; bad: as s_body said, with all.
// send: the next send_count bytes go to m_axis as one frame, as a chunk (RFC 9112, 7.1) if
//   `chunked`; with `last` the final chunk follows. A frame has at least one byte.
//   s_page: other frames for m_axis; chunks: which of the two may go.
// clear: the response that waits is dropped, and what comes of it until its end; `idle` is high
// when that is over and the next may begin.
// Throughput: a byte a cycle each way. Handshakes: valid/ready, held.
module kumi_http_body #(
    parameter int DEPTH = 2048  // bytes that wait in each direction, a power of two
) (
    input logic clk,
    input logic rst,
    input logic put,
    input logic [7:0] put_byte,
    input logic put_end,
    input logic put_bad,
    input logic route,
    output logic [15:0] room,
    kumi_axis_if.src m_body,
    kumi_axis_if.snk s_body,
    output logic [15:0] have,
    output logic all,
    output logic bad,
    input logic clear,
    output logic idle,
    input logic send,
    input logic [15:0] send_count,
    input logic chunked,
    input logic last,
    input logic chunks,
    kumi_axis_if.snk s_page,
    kumi_axis_if.src m_axis
);
  localparam int DEPTH_W = $clog2(DEPTH) + 1;

  if (m_body.DATA_W != 8 || s_body.DATA_W != 8) begin : gen_check
    $fatal(0, "bodies are of a byte a beat (%m)");
  end

  // ---- request ---------------------------------------------------------------------------------
  logic [9:0] in_data;
  logic [DEPTH_W-1:0] in_depth, out_depth;
  logic in_ready, open_q;

  kumi_fifo #(
      .W(10),
      .DEPTH(DEPTH)
  ) u_in (
      .clk,
      .rst,
      .s_data ({put_end, put_bad, put_byte}),
      .s_valid(put || put_end),
      .s_ready(in_ready),
      .m_data (in_data),
      .m_valid(m_body.tvalid),
      .m_ready(m_body.tready),
      .depth  (in_depth)
  );
  assign m_body.tdata = in_data[7:0];
  assign m_body.tlast = in_data[9];
  assign m_body.tkeep = !in_data[9];
  assign m_body.tuser = (m_body.USER_W)'(in_data[9] && in_data[8]);
  assign m_body.tid   = '0;
  assign m_body.tdest = (m_body.DEST_W)'(route);

  always_ff @(posedge clk) begin
    room <= 16'(DEPTH - 8) < 16'(in_depth) ? '0 : 16'(DEPTH - 8) - 16'(in_depth);
  end

  // ---- response --------------------------------------------------------------------------------
  // open_q: the kernel owes an end.
  logic drop_q, owed, out_ready, out_valid, take, kept, end_in;
  logic [7:0] out_data;

  assign kept = s_body.tvalid && s_body.tkeep[0] && !drop_q && !all;
  assign s_body.tready = !all && (drop_q || out_ready);
  assign owed = (open_q || put || put_end) && !all && !end_in;
  assign end_in = s_body.tvalid && s_body.tready && s_body.tlast;

  kumi_fifo #(
      .W(8),
      .DEPTH(DEPTH)
  ) u_out (
      .clk,
      .rst(rst || clear),
      .s_data(s_body.tdata),
      .s_valid(kept && out_ready),
      .s_ready(out_ready),
      .m_data(out_data),
      .m_valid(out_valid),
      .m_ready(take),
      .depth(out_depth)
  );

  always_ff @(posedge clk) begin
    if (put || put_end) open_q <= 1'b1;
    if (end_in) begin
      all <= !drop_q;
      bad <= s_body.tuser[0];
      drop_q <= 1'b0;
      if (drop_q) open_q <= 1'b0;
    end
    if (clear) begin
      all <= 1'b0;
      open_q <= owed;
      drop_q <= owed;
    end
    // A byte that comes counts in the cycle after; bytes in the output registers wait with it.
    if (kept && out_ready && !take) have <= have + 1'b1;
    else if (take && !(kept && out_ready)) have <= have - 1'b1;
    if (clear || rst) have <= '0;
    if (rst) begin
      all <= 1'b0;
      drop_q <= 1'b0;
      open_q <= 1'b0;
    end
  end
  assign idle = !open_q && !all;

  // ---- chunks ----------------------------------------------------------------------------------
  typedef enum logic [3:0] {
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
    LAST_LF
  } state_e;

  state_e state_q;
  logic [15:0] left_q, size_q;
  logic chunked_q, last_q, step;
  logic [7:0] char;
  logic [3:0] nibble;

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
      DATA: char = out_data;
      HEX_CR, DATA_CR, ZERO_CR, LAST_CR: char = 8'h0D;
      ZERO: char = 8'h30;
      default: char = 8'h0A;
    endcase
  end
  assign bytes.tdata = char;
  assign bytes.tkeep = 1'b1;
  assign bytes.tvalid = state_q != REST && (state_q != DATA || out_valid);
  assign bytes.tlast = state_q == LAST_LF || (state_q == DATA_LF && !last_q)
      || (state_q == DATA && !chunked_q && left_q == 16'd1);
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
          if (left_q == 16'd1) state_q <= chunked_q ? DATA_CR : REST;
        end
        DATA_LF: state_q <= last_q ? ZERO : REST;
        LAST_LF: state_q <= REST;
        default: state_q <= state_e'(state_q + 1'b1);
      endcase
    end
    if (send) begin
      state_q <= !chunked ? DATA : send_count != '0 ? HEX0 : ZERO;
      left_q <= send_count;
      size_q <= send_count;
      chunked_q <= chunked;
      last_q <= last;
    end
    if (rst) state_q <= REST;
  end

  kumi_axis_if #(
      .DATA_W(m_axis.DATA_W),
      .ID_W  (m_axis.ID_W),
      .USER_W(m_axis.USER_W),
      .DEST_W(m_axis.DEST_W)
  ) wide ();

  kumi_axis_width u_wide (
      .clk,
      .rst,
      .s_axis(bytes),
      .m_axis(wide)
  );

  assign m_axis.tdata = chunks ? wide.tdata : s_page.tdata;
  assign m_axis.tkeep = chunks ? wide.tkeep : s_page.tkeep;
  assign m_axis.tvalid = chunks ? wide.tvalid : s_page.tvalid;
  assign m_axis.tlast = chunks ? wide.tlast : s_page.tlast;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign wide.tready = chunks && m_axis.tready;
  assign s_page.tready = !chunks && m_axis.tready;

  logic unused;
  assign unused = ^{in_ready, out_depth, size_q, wide.tuser, wide.tid, wide.tdest, s_page.tuser,
                    s_page.tid, s_page.tdest};
endmodule
