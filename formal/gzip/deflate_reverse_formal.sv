// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_reverse with segments of up to 4 words: whatever the back-pressure, the
// n-th word from the end of a segment comes out as its n-th, unchanged and once, first and last are
// where they belong, and segments keep their order. So what comes out is a function of what goes
// in; and no word changes while it waits.
//
// One word is picked when it goes in. Segments are numbered modulo 4.
`include "kumi_assert.svh"
module deflate_reverse_formal #(
    parameter int W     = 4,
    parameter int DEPTH = 4
) (
    input logic         clk,
    input logic         rst,
    input logic [W-1:0] data,
    input logic         last,
    input logic         valid,
    input logic         ready,
    input logic         pick
);
  localparam int ADDR_W = $clog2(DEPTH);
  typedef logic [ADDR_W:0] num_t;

  logic s_ready, m_valid, m_first, m_last;
  logic [W-1:0] m_data;
  kumi_deflate_reverse #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_dut (
      .clk,
      .rst,
      .s_data (data),
      .s_last (last),
      .s_valid(valid),
      .s_ready,
      .m_data,
      .m_first,
      .m_last,
      .m_valid,
      .m_ready(ready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Words and segments in and out. A segment has no more than DEPTH words.
  logic taken, moved;
  logic [1:0] seg_in_q, seg_out_q;
  num_t in_q, out_q;  // words of the segment at hand
  assign taken = valid && s_ready;
  assign moved = m_valid && ready;
  always_comb assume (in_q != num_t'(DEPTH - 1) || last);
  always_ff @(posedge clk) begin
    if (taken) begin
      in_q <= last ? '0 : in_q + 1'b1;
      seg_in_q <= seg_in_q + 2'(last);
    end
    if (moved) begin
      out_q <= m_last ? '0 : out_q + 1'b1;
      seg_out_q <= seg_out_q + 2'(m_last);
    end
    if (rst) begin
      {in_q, out_q} <= '0;
      {seg_in_q, seg_out_q} <= '0;
    end
  end

  // One word: in the segment that is written, read, or at the output.
  typedef enum logic [1:0] {
    AT_NONE,
    AT_WRITTEN,
    AT_READ,
    AT_OUT
  } at_e;
  at_e at_q;
  logic [W-1:0] word_q;
  logic [1:0] seg_q;
  num_t index_q, after_q, size, read_size_q;  // words before and after it, of its segment
  logic [ADDR_W-1:0] place;
  always_ff @(posedge clk) begin
    case (at_q)
      AT_NONE:
      if (taken && pick) begin
        at_q <= AT_WRITTEN;
        word_q <= data;
        seg_q <= seg_in_q;
        index_q <= in_q;
        after_q <= '0;
      end
      AT_WRITTEN: begin
        if (taken) after_q <= after_q + 1'b1;
        if (u_dut.hand_over) at_q <= AT_READ;
      end
      AT_READ: if (u_dut.issue && num_t'(u_dut.rd_q) == index_q) at_q <= AT_OUT;
      default: if (moved) at_q <= AT_NONE;
    endcase
    if (u_dut.hand_over) read_size_q <= num_t'(u_dut.end_q) + 1'b1;
    if (rst) at_q <= AT_NONE;
  end
  assign size = index_q + after_q + 1'b1;

  // Invariants: what is in the memory, and where it is.
  num_t waits, rests;
  logic [1:0] segments;
  logic done;  // the word at the output is the last of its segment
  assign done = m_valid && (u_dut.first_q || !u_dut.reading_q);
  assign waits = u_dut.ended_q ? num_t'(u_dut.end_q) + 1'b1 : num_t'(u_dut.wr_q);
  assign rests = u_dut.reading_q ? num_t'(u_dut.rd_q) + 1'b1 : '0;
  assign segments = 2'(u_dut.ended_q) + 2'(u_dut.reading_q) + 2'(done);
  assign place = index_q[ADDR_W-1:0] ^ {ADDR_W{at_q == AT_READ ? u_dut.rd_top_q : u_dut.wr_top_q}};
  `KUMI_ASSERT(i_in, in_q == num_t'(u_dut.wr_q) && in_q < num_t'(DEPTH))
  `KUMI_ASSERT(i_used, 32'(u_dut.used_q) == 32'(waits) + 32'(rests) + 32'(u_dut.issue_q))
  `KUMI_ASSERT(i_room, u_dut.used_q <= num_t'(DEPTH))
  `KUMI_ASSERT(i_tops, !u_dut.reading_q || u_dut.rd_top_q != u_dut.wr_top_q)
  `KUMI_ASSERT(i_ended, !u_dut.ended_q || u_dut.wr_q == '0)
  `KUMI_ASSERT(i_inside, 2'(seg_in_q - seg_out_q) == segments)
  `KUMI_ASSERT(i_last, !m_valid || m_last == done)
  `KUMI_ASSERT(i_out, out_q < num_t'(DEPTH) && (m_valid || u_dut.reading_q || out_q == '0))
  `KUMI_ASSERT(
      i_reading,
      !u_dut.reading_q || 32'(read_size_q) == 32'(rests) + (u_dut.first_q ? 32'd0 : 32'(out_q) + 32'(m_valid)))
  `KUMI_ASSERT(i_read_size, !(u_dut.reading_q || m_valid) || read_size_q <= num_t'(DEPTH))
  `KUMI_ASSERT(i_read, !(m_valid && !u_dut.reading_q) || out_q + 1'b1 == read_size_q)
  `KUMI_ASSERT(i_first, !m_valid || m_first == (out_q == '0))
  `KUMI_ASSERT(i_begins, !(u_dut.reading_q && u_dut.first_q && !m_valid) || out_q == '0)
  `KUMI_ASSERT(i_size, at_q == AT_NONE || (index_q < num_t'(DEPTH) && after_q < num_t'(DEPTH)))
  `KUMI_ASSERT(i_written,
               at_q != AT_WRITTEN || (size == waits && seg_q == seg_in_q - 2'(u_dut.ended_q)))
  `KUMI_ASSERT(i_stored, at_q == AT_NONE || at_q == AT_OUT || u_dut.u_words.mem[place] == word_q)
  `KUMI_ASSERT(
      i_is_read,
      at_q != AT_READ || (u_dut.reading_q && index_q < rests && size == read_size_q && seg_q == seg_out_q + 2'(done)))

  // What is proved: the word is the one that follows, and has its place.
  `KUMI_ASSERT(a_word, at_q != AT_OUT || (m_valid && m_data == word_q))
  `KUMI_ASSERT(a_place, at_q != AT_OUT || (seg_q == seg_out_q && out_q == after_q))
  `KUMI_ASSERT(a_last, at_q != AT_OUT || m_last == (index_q == '0))
  `KUMI_ASSERT(a_first, !m_valid || m_first == (out_q == '0))

  logic held_q;
  logic [W+1:0] word, last_q;
  assign word = {m_first, m_last, m_data};
  always_ff @(posedge clk) begin
    held_q <= !rst && m_valid && !ready;
    last_q <= word;
  end
  `KUMI_ASSERT(a_stable, !held_q || (m_valid && word == last_q))

  // A full segment out while the next one is written over it, and the word of a third.
  `KUMI_COVER(c_over, moved && m_last && read_size_q == num_t'(DEPTH) && in_q == num_t'(DEPTH - 1))
  `KUMI_COVER(c_third, at_q == AT_OUT && seg_q == 2'd2 && size == num_t'(DEPTH) && moved)
endmodule
