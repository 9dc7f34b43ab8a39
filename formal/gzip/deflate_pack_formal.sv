// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_pack: every bit comes out once, unchanged and in its place, whatever
// the back-pressure; a word is full or the last of its stream, and the last ends exactly where its
// stream does.
//
// One bit is picked when its code goes in, with its place among all that are inside; how many those
// are is counted beside. Assumed: codes of up to 28 bits, zero above, offered until taken.
`include "kumi_assert.svh"
module deflate_pack_formal (
    input logic        clk,
    input logic        rst,
    input logic [27:0] data,
    input logic [ 4:0] bits,
    input logic        last,
    input logic        valid,
    input logic        ready,
    input logic        pick,
    input logic [ 4:0] pick_bit
);
  logic s_ready, m_valid;
  kumi_deflate_pkg::deflate_word_t word;
  kumi_deflate_pack u_dut (
      .clk,
      .rst,
      .s_data (data),
      .s_bits (bits),
      .s_last (last),
      .s_valid(valid),
      .s_ready,
      .m_word (word),
      .m_valid,
      .m_ready(ready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The source.
  logic waiting_q, last_q;
  logic [27:0] data_q;
  logic [ 4:0] bits_q;
  always_ff @(posedge clk) begin
    waiting_q <= !rst && valid && !s_ready;
    {last_q, bits_q, data_q} <= {last, bits, data};
  end
  always_comb assume (bits <= 5'd28 && (data >> bits) == '0);
  always_comb
    assume (!started_q || !waiting_q || (valid && {last, bits, data} == {last_q, bits_q, data_q}));

  // Bits held, as the unit has them and as they are counted.
  logic taken, moved;
  logic [7:0] in_out, held, counted_q, gone;
  assign taken  = valid && s_ready;
  assign moved  = m_valid && ready;
  assign in_out = m_valid ? 8'(word.count) : '0;
  assign held   = in_out + 8'(u_dut.fill_q);
  assign gone   = moved ? 8'(word.count) : '0;

  // One bit, and the end of a stream.
  logic picked_q, bit_q, in_word, ended_q;
  logic [7:0] place_q, to_end_q, held_place;
  assign in_word = place_q < in_out;
  assign held_place = place_q - in_out;
  always_ff @(posedge clk) begin
    counted_q <= counted_q - gone + (taken ? 8'(bits) : '0);
    if (picked_q && moved && in_word) picked_q <= 1'b0;
    else if (picked_q) place_q <= place_q - gone;
    else if (taken && pick && pick_bit < bits) begin
      picked_q <= 1'b1;
      bit_q    <= data[pick_bit];
      place_q  <= held - gone + 8'(pick_bit);
    end
    to_end_q <= to_end_q - gone;
    if (moved && word.last) ended_q <= 1'b0;
    if (taken && last) begin
      ended_q  <= 1'b1;
      to_end_q <= held - gone + 8'(bits);
    end
    if (rst) begin
      picked_q  <= 1'b0;
      ended_q   <= 1'b0;
      counted_q <= '0;
    end
  end

  // Invariants: where it is.
  `KUMI_ASSERT(i_fill, (u_dut.acc_q >> u_dut.fill_q) == '0)
  `KUMI_ASSERT(i_inside, !picked_q || place_q < held)
  `KUMI_ASSERT(i_held, !picked_q || in_word || u_dut.acc_q[held_place[5:0]] == bit_q)
  `KUMI_ASSERT(i_rest, !u_dut.rest_q || (m_valid && !word.last))
  `KUMI_ASSERT(i_ended, ended_q == (m_valid && (word.last || u_dut.rest_q)))
  `KUMI_ASSERT(i_to_end, !ended_q || to_end_q == (u_dut.rest_q ? held : in_out))

  // What is proved.
  `KUMI_ASSERT(a_counted, counted_q == held)
  `KUMI_ASSERT(a_bit, !picked_q || !in_word || word.data[place_q[5:0]] == bit_q)
  `KUMI_ASSERT(a_full, !m_valid || word.count == 7'd64 || (word.last && word.count < 7'd64))
  `KUMI_ASSERT(a_zero, !m_valid || word.count == 7'd64 || (word.data >> word.count) == '0)
  `KUMI_ASSERT(a_ends, !m_valid || !word.last || (ended_q && to_end_q == 8'(word.count)))
  `KUMI_ASSERT(a_follows, !ended_q || word.last || u_dut.rest_q)

  `KUMI_COVER(c_late, picked_q && moved && in_word && place_q > 8'd60)
  `KUMI_COVER(c_empty, moved && word.last && word.count == '0)
  `KUMI_COVER(c_next, moved && word.last && taken)
endmodule
