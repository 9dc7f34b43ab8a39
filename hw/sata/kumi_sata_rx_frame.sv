// SPDX-License-Identifier: Apache-2.0
//
// Receive frame: the words between SOF and EOF are descrambled, their CRC is checked and removed,
// FIS type and length are checked, and the words are stored in a FIFO whose fill level asserts
// HOLD.
//
// f_start: SOF; f_word: a data word; f_error: an invalid word or primitive inside the frame; f_end:
//   EOF; f_abort: the frame ended without EOF. At most one of start, word, end and abort per cycle.
// data, crc, crc_init, crc_step: of kumi_sata_frame_code, which has descrambled the word into data
//   one cycle after f_word.
// v_done, v_good: the verdict, two cycles after f_end: CRC correct, a FIS that a device may send,
//   no invalid and no lost word.
// m_axis: words of FISes as they arrive; tuser[0] with tlast: the FIS is bad. A frame too short to
//   hold a word besides its CRC leaves nothing here.
// hold: the device must stop; asserted with SLACK words of space left. A word that finds no space
//   is lost (ev_overrun) and its frame is bad. room: a frame may start.
// Latency: a word is stored two words later, or at EOF, plus 3 cycles and the latency of kumi_fifo.
module kumi_sata_rx_frame
  import kumi_sata_pkg::*;
#(
    parameter int DEPTH = 128,  // words, a power of two
    parameter int SLACK = 64    // words that may arrive after hold
) (
    input logic clk,
    input logic rst,
    input logic f_start,
    input logic f_word,
    input logic f_error,
    input logic f_end,
    input logic f_abort,
    input logic [31:0] data,
    input logic [31:0] crc,
    output logic crc_init,
    output logic crc_step,
    output logic v_done,
    output logic v_good,
    output logic hold,
    output logic room,
    output logic ev_overrun,
    kumi_axis_if.src m_axis
);
  localparam int DEPTH_W = $clog2(DEPTH) + 1;

  if (SLACK < 4 || SLACK >= DEPTH) begin : gen_check_slack
    $fatal(0, "SLACK must be 4 to DEPTH - 1 (%m)");
  end

  // Stage 1: descrambled, in data.
  logic start1_q, word1_q, error1_q, end1_q, abort1_q;
  assign crc_init = start1_q;
  assign crc_step = word1_q;

  always_ff @(posedge clk) begin
    start1_q <= f_start && !rst;
    word1_q  <= f_word && !rst;
    error1_q <= f_error && !rst;
    end1_q   <= f_end && !rst;
    abort1_q <= f_abort && !rst;
  end

  // Stage 2: CRC; two words are held back, as the younger may be the CRC and the older the last
  // of the FIS.
  logic [31:0] old_q, young_q;
  logic [11:0] words_q;  // of the frame including its CRC, saturating
  logic [ 7:0] kind_q;
  logic error_q, bad, ended, push, push_last, push_bad, fifo_ready;
  logic end_pending_q;  // the end of a FIS is pending for FIFO space
  logic lost;

  assign bad = abort1_q || error_q || error1_q || crc != '0 || !fis_legal(
      kind_q, words_q
  ) || !fifo_ready;
  assign ended = end1_q || abort1_q;
  assign push_last = ended || end_pending_q;
  assign push_bad = bad || end_pending_q;
  // A frame with a word in the FIFO must also end there.
  assign push = end_pending_q || (words_q >= 12'd2 && (word1_q || ended));
  assign lost = push && !fifo_ready && !end_pending_q;

  always_ff @(posedge clk) begin
    v_done     <= end1_q && !rst;
    v_good     <= !bad && !rst;
    ev_overrun <= lost && !rst;
    if (word1_q) begin
      old_q   <= young_q;
      young_q <= data;
      if (words_q == '0) kind_q <= data[7:0];
      if (words_q != '1) words_q <= words_q + 1'b1;
    end
    if (error1_q || lost) error_q <= 1'b1;
    if (ended) words_q <= '0;
    if (start1_q) begin
      words_q <= '0;
      error_q <= 1'b0;
    end
    if (fifo_ready) end_pending_q <= 1'b0;
    else if (push && push_last) end_pending_q <= 1'b1;
    if (rst) begin
      words_q <= '0;
      end_pending_q <= 1'b0;
      error_q <= 1'b0;
    end
  end

  logic [DEPTH_W-1:0] depth;
  always_ff @(posedge clk) hold <= !rst && depth >= DEPTH_W'(DEPTH - SLACK);
  assign room = !hold && !end_pending_q;

  kumi_fifo #(
      .W(34),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({push_bad, push_last, old_q}),
      .s_valid(push),
      .s_ready(fifo_ready),
      .m_data ({m_axis.tuser[0], m_axis.tlast, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .depth
  );
  assign m_axis.tkeep = '1;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
