// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_stdm_be_in: whatever a link delivers, what comes out are whole packets.
//
// Nothing is assumed of the words. Written to the buffer, and so read from it (the fifo is proved
// by itself): a head, any number of data words, a tail, and then the next head; never into a full
// fifo. A
// packet does not stay open: when the sender says that it is between packets, begins another one,
//   or the
// link is lost, the tail is written in the next cycle. Words that belong to no packet are not
// written.
`include "kumi_assert.svh"
module stdm_be_in_formal
  import kumi_stdm_pkg::*;
#(
    parameter int W     = 64,
    parameter int DEPTH = 16
) (
    input logic         clk,
    input logic         rst,
    input logic         up,
    input logic         s_valid,
    input logic [  1:0] s_kind,
    input logic [W-1:0] s_data,
    input logic         m_ready
);
  logic [  1:0] m_kind;
  logic [W-1:0] m_data;
  logic m_valid, xoff, broken, full;

  kumi_stdm_be_in #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_dut (
      .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The grammar, at the buffer.
  logic open_q, end_q;
  always_ff @(posedge clk) begin
    if (u_dut.write) open_q <= u_dut.kind != WORD_TAIL;
    end_q <= !rst && open_q && (!up || (s_valid && (s_kind == WORD_HEAD
        || (s_kind == WORD_EMPTY && !s_data[EMPTY_OPEN]))));
    if (rst) open_q <= 1'b0;
  end
  `KUMI_ASSERT(
      a_grammar,
      !u_dut.write || u_dut.kind == (open_q ? (u_dut.kind == WORD_TAIL ? WORD_TAIL : WORD_DATA) : WORD_HEAD))
  `KUMI_ASSERT(a_closed, !end_q || !open_q || (u_dut.write && u_dut.kind == WORD_TAIL))
  `KUMI_ASSERT(a_room, !u_dut.write || u_dut.ready)
  `KUMI_ASSERT(a_one, !(broken && full))

  // A word that was written when room_q was low can only be the one tail of the open packet.
  logic [$clog2(DEPTH):0] depth;
  assign depth = u_dut.depth;
  `KUMI_ASSERT(i_some, u_dut.u_fifo.some_q == (depth != '0))
  `KUMI_ASSERT(i_open, open_q == u_dut.open_q)
  `KUMI_ASSERT(i_depth, depth <= ($clog2(DEPTH) + 1)'(DEPTH - 2) + ($clog2(DEPTH) + 1)'(!open_q))
  `KUMI_ASSERT(i_limit, !u_dut.room_q || depth <= ($clog2(DEPTH) + 1)'(DEPTH - 4))

  `KUMI_COVER(c_full, full)
  `KUMI_COVER(c_broken, broken)
  `KUMI_COVER(c_xoff, xoff)

  logic unused;
  assign unused = ^{m_kind, m_data, m_valid};
endmodule
