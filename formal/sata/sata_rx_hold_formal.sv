// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_sata_rx_frame with a FIFO of 16 words and a SLACK of 10: whatever the reader does,
// no word is lost while the device respects its bound.
//
// Assumed of the device, round trip of the primitives included: no data word arrives once `hold`
// has been high for LATE cycles without interruption; a frame starts only with `room`, and then
// within LATE cycles; words arrive between f_start and the end. SLACK = LATE + 4: the word being
// processed when `hold` rises, two registers of the receiver, and the register of `hold`.
`include "kumi_assert.svh"
module sata_rx_hold_formal #(
    parameter int LATE = 6
) (
    input logic        clk,
    input logic        rst,
    input logic        f_start,
    input logic        f_word,
    input logic        f_error,
    input logic        f_end,
    input logic        f_abort,
    input logic [31:0] data,
    input logic [31:0] crc,
    input logic        ready
);
  localparam int DEPTH = 16;
  localparam int SLACK = LATE + 4;

  logic v_done, v_good, hold, room, ev_overrun, crc_init, crc_step;
  kumi_axis_if #(.DATA_W(32)) m_axis ();
  assign m_axis.tready = ready;

  kumi_sata_rx_frame #(
      .DEPTH(DEPTH),
      .SLACK(SLACK)
  ) u_dut (
      .clk,
      .rst,
      .f_start,
      .f_word,
      .f_error,
      .f_end,
      .f_abort,
      .data,
      .crc,
      .crc_init,
      .crc_step,
      .v_done,
      .v_good,
      .hold,
      .room,
      .ev_overrun,
      .m_axis
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic inside_q;
  logic [3:0] held_q;  // cycles in which hold has been high, up to LATE
  always_ff @(posedge clk) begin
    if (f_start) inside_q <= 1'b1;
    else if (f_end || f_abort) inside_q <= 1'b0;
    if (!hold) held_q <= '0;
    else if (held_q != 4'(LATE)) held_q <= held_q + 1'b1;
    if (rst) begin
      inside_q <= 1'b0;
      held_q   <= '0;
    end
  end

  `KUMI_ASSUME(m_one, 3'(f_start) + 3'(f_word) + 3'(f_end) + 3'(f_abort) <= 3'd1)
  `KUMI_ASSUME(m_inside, inside_q || !(f_word || f_end || f_abort || f_error))
  `KUMI_ASSUME(m_begin, !inside_q || !f_start)
  `KUMI_ASSUME(m_room, room || !f_start)
  `KUMI_ASSUME(m_bound, !f_word || !hold || held_q != 4'(LATE))

  `KUMI_ASSERT(a_kept, !ev_overrun)
  `KUMI_ASSERT(a_end_kept, !u_dut.end_pending_q)
  // The fill above the mark is one word a cycle of `hold`, until the device has stopped; then only
  // what is in the registers, and the end of the frame, are still to come.
  localparam logic [5:0] MARK = 6'(DEPTH - SLACK);
  logic [4:0] depth;
  logic [5:0] fill, to_come;
  assign depth = u_dut.depth;
  assign fill = {1'b0, depth};
  assign to_come = 6'(u_dut.word1_q || u_dut.end1_q || u_dut.abort1_q) + 6'(inside_q);
  `KUMI_ASSERT(i_held, held_q <= 4'(LATE))
  `KUMI_ASSERT(i_low, hold || fill <= MARK)
  `KUMI_ASSERT(i_high, !hold || held_q == 4'(LATE) || fill <= MARK + 6'd1 + 6'(held_q))
  `KUMI_ASSERT(i_late, !hold || held_q != 4'(LATE) || fill + to_come <= MARK + 6'(LATE) + 6'd3)
  `KUMI_ASSERT(i_fifo, depth <= 5'(DEPTH) && u_dut.u_fifo.some_q == (depth != '0))
  `KUMI_COVER(c_high, depth >= 5'(DEPTH - SLACK + LATE))
  `KUMI_COVER(c_again, $fell(hold) && inside_q)
endmodule
