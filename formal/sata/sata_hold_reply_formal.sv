// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_sata_prim_decode and kumi_sata_link as a sender: the latency of its reaction to
// HOLD, for arbitrary received words and an arbitrary source.
//
// From the third cycle after HOLD on rx_* during the data of a frame, until a primitive other than
// HOLD (or DMAT) arrives, no word of the frame is on tx_*. The standard allows 20 words; the rest
// remains for PHYs and cable. No word is lost: each word taken from the source is sent. CRC and
// scrambler are replaced (sata_crc_stub.sv).
`include "kumi_assert.svh"
module sata_hold_reply_formal
  import kumi_sata_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic up,
    input logic [31:0] rx_data,
    input logic [3:0] rx_k,
    input logic rx_valid,
    input logic rx_error,
    input logic [31:0] tdata,
    input logic tvalid,
    input logic tlast,
    input logic tuser,
    input logic ready
);
  kumi_axis_if #(.DATA_W(32)) s_axis ();
  kumi_axis_if #(.DATA_W(32)) m_axis ();
  assign s_axis.tdata  = tdata;
  assign s_axis.tkeep  = '1;
  assign s_axis.tvalid = tvalid;
  assign s_axis.tlast  = tlast;
  assign s_axis.tuser  = tuser;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = ready;

  logic w_valid, tx_done, receiving;
  prim_e w_prim;
  logic [31:0] w_data, tx_data;
  logic [3:0] tx_k;
  tx_status_e tx_code;
  link_ev_t ev;

  kumi_sata_prim_decode u_rx (
      .clk,
      .rst,
      .rx_data,
      .rx_k,
      .rx_valid,
      .rx_error,
      .w_valid,
      .w_prim,
      .w_data
  );
  kumi_sata_link #(
      .DEPTH(8),
      .SLACK(4),
      .WAIT_CYCLES(64)
  ) u_dut (
      .clk,
      .rst,
      .up,
      .s_axis,
      .m_axis,
      .tx_done,
      .tx_code,
      .receiving,
      .ev,
      .init_data(32'd0),
      .init_k(1'b0),
      .tx_data,
      .tx_k,
      .w_valid,
      .w_prim,
      .w_data
  );

  localparam logic [3:0] SOF = 4'd2;
  localparam logic [3:0] BODY = 4'd3;  // of the link's states
  localparam logic [3:0] HELD = 4'd4;
  logic [3:0] state;
  assign state = u_dut.state_q;

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Words of the frame, as they stand on tx_*.
  logic on_line_q;
  always_ff @(posedge clk) on_line_q <= u_dut.f_take && !rst;

  // HOLD is asked for while data go out; what comes next on the line ends it or not.
  logic asked_q;
  logic [1:0] age_q;  // cycles since it was on rx_*, up to 3
  logic hold_word, other_word, sending;
  assign hold_word = rx_valid && !rx_error && rx_k == 4'b0001 && rx_data == 32'hd5d5_aa7c;
  assign other_word = rx_valid && !rx_error && rx_k == 4'b0001 && rx_data != 32'hd5d5_aa7c
      && rx_data != 32'h9999_aa7c && rx_data != 32'h7b4a_4abc && rx_data != 32'h3636_b57c;
  // BODY or HELD now, and still in the next cycle, when the link sees the word.
  assign sending = state == BODY || state == HELD;
  always_ff @(posedge clk) begin
    if (hold_word) asked_q <= 1'b1;
    if (other_word) asked_q <= 1'b0;
    if (hold_word && !asked_q) age_q <= 2'd1;
    else if (age_q != 2'd3) age_q <= age_q + 1'b1;
    // Not in a frame when the link saw it: the next one must ask again.
    if (age_q == 2'd1 && !sending) asked_q <= 1'b0;
    if (rst || !up) asked_q <= 1'b0;
  end

  `KUMI_ASSERT(a_stops, !(asked_q && age_q == 2'd3 && on_line_q))
  // What the receiver makes of it, and where the sender is then.
  prim_e last;
  assign last = u_rx.last_q;
  `KUMI_ASSERT(i_last, !asked_q || last == P_HOLD || last == P_DMAT)
  logic calm;
  assign calm = w_prim == P_HOLD || w_prim == P_DMAT || w_prim == P_DATA || w_prim == P_BAD;
  `KUMI_ASSERT(i_seen, !(asked_q && w_valid) || calm)
  `KUMI_ASSERT(i_age, !asked_q || age_q != 2'd0)
  `KUMI_ASSERT(i_first, !(asked_q && age_q == 2'd1) || (w_valid && w_prim == P_HOLD))
  `KUMI_ASSERT(i_state, !(asked_q && age_q >= 2'd2) || (state != BODY && state != SOF))
  `KUMI_COVER(c_held, state == HELD && age_q == 2'd3)
  `KUMI_COVER(c_again, $past(state == HELD) && state == BODY)
endmodule
