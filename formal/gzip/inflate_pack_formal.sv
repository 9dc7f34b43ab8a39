// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_pack: every byte comes out once, unchanged and in its place, a beat is
// full or the last of its frame, and the last ends where its frame does, with its error. So the
// beats are a function of the pieces, whatever the back-pressure; and none changes while it waits.
//
// One byte is picked when its piece goes in, with its place among all that are inside. Assumed:
// pieces of at most BYTES bytes, offered until taken.
`include "kumi_assert.svh"
module inflate_pack_formal
  import kumi_gzip_pkg::*;
#(
    parameter int BYTES = 8
) (
    input logic               clk,
    input logic               rst,
    input logic [8*BYTES-1:0] data,
    input logic [        4:0] count,
    input logic               last,
    input logic [        4:0] error,
    input logic               valid,
    input logic               ready,
    input logic               pick,
    input logic [        3:0] pick_byte
);
  localparam int ALL_W = 8 * BYTES + 5 + 1 + 5;

  logic s_ready;
  kumi_axis_if #(
      .DATA_W(8 * BYTES),
      .USER_W(6)
  ) m_axis ();
  assign m_axis.tready = ready;

  kumi_inflate_pack #(
      .BYTES(BYTES)
  ) u_dut (
      .clk,
      .rst,
      .s_data (data),
      .s_count(count),
      .s_end  (last),
      .s_error(gzip_error_e'(error)),
      .s_valid(valid),
      .s_ready,
      .m_axis
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The source.
  logic waiting_q;
  logic [ALL_W-1:0] given_q;
  always_ff @(posedge clk) begin
    waiting_q <= !rst && valid && !s_ready;
    given_q   <= {error, last, count, data};
  end
  always_comb assume (count <= 5'(BYTES));
  always_comb assume (!started_q || !waiting_q || (valid && {error, last, count, data} == given_q));

  // Bytes held.
  logic taken, moved;
  logic [5:0] in_out, held, gone, counted_q;
  assign taken = valid && s_ready;
  assign moved = m_axis.tvalid && ready;
  always_comb begin
    in_out = '0;
    for (int b = 0; b < BYTES; b++) in_out += 6'(m_axis.tvalid && m_axis.tkeep[b]);
  end
  assign held = in_out + 6'(u_dut.held_q);
  assign gone = moved ? in_out : '0;

  // One byte, and the end of a frame.
  logic picked_q, in_beat, ended_q;
  logic [7:0] byte_q;
  logic [4:0] error_q;
  logic [5:0] place_q, to_end_q, held_place;
  assign in_beat = place_q < in_out;
  assign held_place = place_q - in_out;
  always_ff @(posedge clk) begin
    counted_q <= counted_q - gone + (taken ? 6'(count) : '0);
    if (picked_q && moved && in_beat) picked_q <= 1'b0;
    else if (picked_q) place_q <= place_q - gone;
    else if (taken && pick && {1'b0, pick_byte} < count) begin
      picked_q <= 1'b1;
      byte_q   <= data[8*(32'(pick_byte)%BYTES)+:8];
      place_q  <= held - gone + 6'(pick_byte);
    end
    to_end_q <= to_end_q - gone;
    if (moved && m_axis.tlast) ended_q <= 1'b0;
    if (taken && last) begin
      ended_q  <= 1'b1;
      error_q  <= error;
      to_end_q <= held - gone + 6'(count);
    end
    if (rst) begin
      picked_q  <= 1'b0;
      ended_q   <= 1'b0;
      counted_q <= '0;
    end
  end

  // Invariants: where it is.
  `KUMI_ASSERT(i_held, u_dut.held_q <= 5'(BYTES))
  `KUMI_ASSERT(i_inside, !picked_q || place_q < held)
  `KUMI_ASSERT(i_byte, !picked_q || in_beat || u_dut.hold_q[8*(32'(held_place)%BYTES)+:8] == byte_q)
  `KUMI_ASSERT(i_ending, ended_q == (u_dut.ending_q || (m_axis.tvalid && m_axis.tlast)))
  `KUMI_ASSERT(i_error, !u_dut.ending_q || u_dut.error_q == error_q)
  `KUMI_ASSERT(i_to_end, !ended_q || to_end_q == held)
  `KUMI_ASSERT(i_last, !(m_axis.tvalid && m_axis.tlast) || (u_dut.held_q == '0 && !u_dut.ending_q))

  // What is proved.
  `KUMI_ASSERT(a_counted, counted_q == held)
  `KUMI_ASSERT(a_byte, !picked_q || !in_beat || m_axis.tdata[8*(32'(place_q)%BYTES)+:8] == byte_q)
  `KUMI_ASSERT(a_keep, !m_axis.tvalid || ((m_axis.tkeep + 1'b1) & m_axis.tkeep) == '0)
  `KUMI_ASSERT(a_full, !m_axis.tvalid || m_axis.tlast || &m_axis.tkeep)
  `KUMI_ASSERT(a_ends, !m_axis.tvalid || !m_axis.tlast || (ended_q && to_end_q == in_out))
  `KUMI_ASSERT(a_user,
               !m_axis.tvalid || m_axis.tuser == (m_axis.tlast ? {error_q, error_q != '0} : 6'd0))

  // No beat is withdrawn or changed while it waits.
  logic held_back_q;
  logic [9*BYTES+6:0] beat, beat_q;
  assign beat = {m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata};
  always_ff @(posedge clk) begin
    held_back_q <= !rst && m_axis.tvalid && !ready;
    beat_q <= beat;
  end
  `KUMI_ASSERT(a_stable, !held_back_q || (m_axis.tvalid && beat == beat_q))

  `KUMI_COVER(c_full_end, moved && m_axis.tlast && in_out == 6'(BYTES))
  `KUMI_COVER(c_empty, moved && m_axis.tlast && in_out == '0)
  `KUMI_COVER(c_next, moved && m_axis.tlast && taken)
  `KUMI_COVER(c_both, picked_q && moved && in_beat && held == 6'(2 * BYTES))
endmodule
