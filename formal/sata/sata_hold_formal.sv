// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_sata_rx_frame with a fifo of 16 words and a SLACK of 10: whatever the reader
// does, no word is lost as long as the device keeps its bound. A bounded run: twice the fifo.
//
// Assumed of the device, with the whole way of the primitives there and back: no data word comes
// once `hold` has been high for LATE cycles without a pause; a frame begins only with `room`, and
// then within LATE cycles of it; words come between f_start and the end. SLACK = LATE + 4: the
// word that is being looked at when `hold` goes up, two registers of the receiver and the register
// of `hold` itself.
`include "kumi_assert.svh"
module sata_hold_formal #(
    parameter int LATE = 6
) (
    input logic        clk,
    input logic        rst,
    input logic        f_start,
    input logic        f_word,
    input logic        f_spoil,
    input logic        f_end,
    input logic        f_abort,
    input logic [31:0] f_data,
    input logic        ready
);
  localparam int DEPTH = 16;
  localparam int SLACK = LATE + 4;

  logic v_done, v_good, hold, room, ev_overrun;
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
      .f_spoil,
      .f_end,
      .f_abort,
      .f_data,
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
  `KUMI_ASSUME(m_inside, inside_q || !(f_word || f_end || f_abort || f_spoil))
  `KUMI_ASSUME(m_begin, !inside_q || !f_start)
  `KUMI_ASSUME(m_room, room || !f_start)
  `KUMI_ASSUME(m_bound, !f_word || !hold || held_q != 4'(LATE))

  `KUMI_ASSERT(a_kept, !ev_overrun)
  `KUMI_ASSERT(a_end_kept, !u_dut.owed_q)
  logic [4:0] depth;
  assign depth = u_dut.depth;
  `KUMI_ASSERT(i_fifo, depth <= 5'(DEPTH) && u_dut.u_fifo.some_q == (depth != '0))
  `KUMI_COVER(c_high, depth >= 5'(DEPTH - SLACK + LATE))
  `KUMI_COVER(c_again, $fell(hold) && inside_q)
endmodule
