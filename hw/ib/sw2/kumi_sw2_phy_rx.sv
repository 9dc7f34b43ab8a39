// SPDX-License-Identifier: Apache-2.0
//
// Receives SW2 flits: collects four words behind each frame signal, checks and corrects.
//
// s_data, s_frame: as kumi_sw2_phy_tx sends them, sampled by the line's own clock and aligned.
// out_valid: a flit; out_good: its information is right. A flit that is uncorrectable comes with
//   out_good low, and so does one whose place passed without it (frame signal missing or early).
// Latency: last word to out 3 cycles. ev_*: one cycle, with out_valid; ev_framing not for a line
//   that has been without a frame signal for longer.
module kumi_sw2_phy_rx
  import kumi_sw2_pkg::*;
(
    input  logic               clk,
    input  logic               rst,
    input  logic  [WORD_W-1:0] s_data,
    input  logic               s_frame,
    output logic               out_valid,
    output logic               out_good,
    output flit_t              out,
    output logic               ev_corrected,
    output logic               ev_uncorrectable,
    output logic               ev_framing
);
  logic [FLIT_W-1:0] flit_q;
  logic [ WORDS-1:0] have_q;  // words collected, one-hot by count less one; zero: none
  logic [ WORDS-1:0] wait_q;  // words since the last frame was due
  logic whole_q, lost_q, up_q, expect_frame, misplaced;

  // The word after a whole flit, or after four words without one, has the frame signal.
  assign expect_frame = have_q[WORDS-1] || wait_q[WORDS-1];
  assign misplaced = expect_frame != s_frame;
  always_ff @(posedge clk) begin
    flit_q <= {s_data, flit_q[FLIT_W-1:WORD_W]};
    if (s_frame) have_q <= WORDS'(1);
    else have_q <= expect_frame ? '0 : have_q << 1;
    if (s_frame) wait_q <= '0;
    else if (expect_frame) wait_q <= WORDS'(1);
    else wait_q <= wait_q << 1;
    whole_q <= have_q[WORDS-2] && !s_frame && !rst;
    lost_q  <= misplaced && !rst;
    if (s_frame) up_q <= 1'b1;
    else if (wait_q[WORDS-1]) up_q <= 1'b0;
    if (rst) begin
      have_q <= '0;
      wait_q <= WORDS'(1);
      up_q   <= 1'b0;
    end
  end

  logic dec_valid, corrected, uncorrectable;
  logic [1:0] lost_pipe_q, count_pipe_q;

  kumi_sw2_ecc_dec u_dec (
      .clk,
      .rst,
      .in_valid(whole_q),
      .in(flit_q),
      .out_valid(dec_valid),
      .out_info(out),
      .out_corrected(corrected),
      .out_uncorrectable(uncorrectable)
  );

  // A place without a flit never falls into the same cycle as a flit: a flit has four words.
  always_ff @(posedge clk) begin
    lost_pipe_q  <= rst ? '0 : {lost_pipe_q[0], lost_q};
    count_pipe_q <= {count_pipe_q[0], lost_q && up_q};
  end

  assign out_valid = dec_valid || lost_pipe_q[1];
  assign out_good = dec_valid && !uncorrectable;
  assign ev_corrected = dec_valid && corrected;
  assign ev_uncorrectable = dec_valid && uncorrectable;
  assign ev_framing = lost_pipe_q[1] && count_pipe_q[1];
endmodule
