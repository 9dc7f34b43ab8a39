// SPDX-License-Identifier: Apache-2.0
//
// Words of a kernel's channel as frames of a link: a frame ends where no further word waits, so a
// single word leaves at once and a stream that is faster than the link fills long frames.
//
// s_word: the channel. m_axis: as wide, every byte kept; tlast with the last word that waits, and
//   at the latest with word MAX_WORDS of a frame.
// Latency: 3 cycles. One word per cycle. There is no bad input.
module kumi_hls_frame_tx #(
    parameter int MAX_WORDS = 1024  // of a frame, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_word,
    kumi_axis_if.src m_axis
);
  localparam int W = s_word.W;
  localparam int DEPTH = 16;

  if (m_axis.DATA_W != W) begin : gen_check_w
    $fatal(0, "s_word and m_axis differ in width (%m)");
  end
  if (MAX_WORDS < 2 || (MAX_WORDS & (MAX_WORDS - 1)) != 0) begin : gen_check_max
    $fatal(0, "MAX_WORDS must be a power of two of at least 2 (%m)");
  end

  logic [W-1:0] data;
  logic valid, free;
  logic [$clog2(DEPTH):0] depth;
  logic [$clog2(MAX_WORDS)-1:0] sent_q;  // words of the frame before the next one

  kumi_fifo #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_waiting (
      .clk,
      .rst,
      .s_data (s_word.data),
      .s_valid(s_word.valid),
      .s_ready(s_word.ready),
      .m_data (data),
      .m_valid(valid),
      .m_ready(free),
      .depth
  );

  assign free = !m_axis.tvalid || m_axis.tready;

  // The mark is decided when a word enters the register, and stays although another word may come.
  always_ff @(posedge clk) begin
    if (free) begin
      m_axis.tvalid <= valid;
      m_axis.tdata  <= data;
      m_axis.tlast  <= depth == '0 || sent_q == '1;
    end
    if (free && valid) sent_q <= depth == '0 ? '0 : sent_q + 1'b1;
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      sent_q <= '0;
    end
  end

  assign m_axis.tkeep = '1;
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
