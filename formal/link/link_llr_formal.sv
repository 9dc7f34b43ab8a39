// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_link_llr_tx and kumi_link_llr_rx, one lane, bounded: whatever chunks the
// line breaks, and whenever the sender is told to go back to what the receiver has said it expects,
// now or some time ago, every block comes out once, unchanged and in order, and the store keeps its
// limits. The CRC is taken as perfect (link_no_crc.sv).
`include "kumi_assert.svh"
module link_llr_formal
  import kumi_link_llr_pkg::*;
(
    input logic       clk,
    input logic       rst,
    input logic [1:0] word,
    input logic       last,
    input logic       valid,
    input logic       ready,
    input logic       broken,
    input logic       hear,
    input logic       nak,
    input logic [3:0] any_index
);
  kumi_link_if #(.LANES(1)) s ();
  kumi_link_if #(.LANES(1)) line ();
  kumi_link_if #(.LANES(1)) far ();
  kumi_link_if #(.LANES(1)) m ();

  logic started_q = 1'b0;
  logic [2:0] age_q;
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    age_q     <= age_q == '1 ? '1 : age_q + 1'b1;
    if (rst) age_q <= '0;
  end
  always_comb assume (started_q || rst);
  always_comb assume (!started_q || !rst);

  // The source keeps what it offers.
  logic held_q, last_q;
  logic [1:0] word_q;
  always_ff @(posedge clk) begin
    held_q <= !rst && s.valid && !s.ready;
    word_q <= word;
    last_q <= last;
  end
  always_comb assume (!started_q || !held_q || (valid && word == word_q && last == last_q));

  assign s.data[0] = {62'd0, word};
  assign s.count   = 3'd1;
  assign s.last    = last;
  assign s.pad     = '0;
  assign s.bad     = 1'b0;
  assign s.valid   = valid && age_q > 3'd2;

  // The session: opened at first; then what the receiver says is heard now and then.
  logic restart, run, go_back, freed_sent, ev_sent, ev_replayed;
  logic [7:0] base_seq, sent_seq, next_seq, heard_expected_q, heard_freed_q;
  logic got, got_bad, got_in_order, got_duplicate;
  llr_trailer_t trailer;
  logic [7:0] expected_seq, freed_seq;

  assign restart = age_q == 3'd1;
  assign run     = age_q > 3'd3;
  assign go_back = age_q == 3'd3 || (run && nak);

  always_ff @(posedge clk) begin
    if (hear) begin
      heard_expected_q <= expected_seq;
      heard_freed_q    <= freed_seq;
    end
    if (rst || restart) begin
      heard_expected_q <= '0;
      heard_freed_q    <= '0;
    end
  end

  kumi_link_llr_tx #(
      .LANES(1)
  ) u_tx (
      .clk,
      .rst,
      .s,
      .m(line),
      .run,
      .restart,
      .go_back,
      .go_back_seq(heard_expected_q),
      .freed(run),
      .freed_seq(heard_freed_q),
      .own_freed(8'd0),
      .freed_sent,
      .base_seq,
      .sent_seq,
      .next_seq,
      .ev_sent,
      .ev_replayed
  );

  assign line.ready = 1'b1;
  assign far.data   = line.data;
  assign far.count  = line.count;
  assign far.last   = line.last;
  assign far.pad    = line.pad;
  assign far.bad    = line.last && broken;
  assign far.valid  = line.valid;

  kumi_link_llr_rx #(
      .LANES(1)
  ) u_rx (
      .clk,
      .rst,
      .s(far),
      .m,
      .open(1'b1),
      .restart,
      .got,
      .got_bad,
      .got_in_order,
      .got_duplicate,
      .trailer,
      .expected_seq,
      .freed_seq
  );
  assign m.ready = ready;

  // ---- Scoreboard -------------------------------------------------------------------------------
  logic [3:0] index_q, in_q, out_q;  // the watched block; blocks in and out
  logic [1:0] watched_q;
  logic watched_last_q;

  always_ff @(posedge clk) begin
    if (!started_q) index_q <= any_index;
    if (s.valid && s.ready) begin
      in_q <= in_q + 4'd1;
      if (in_q == index_q) begin
        watched_q      <= word;
        watched_last_q <= last;
      end
    end
    if (m.valid && m.ready) out_q <= out_q + 4'd1;
    if (rst) begin
      in_q  <= '0;
      out_q <= '0;
    end
  end
  always_comb assume (in_q < 4'd4);

  `KUMI_ASSERT(a_none_made, !m.valid || out_q < in_q)
  `KUMI_ASSERT(a_word, !m.valid || out_q != index_q || m.data[0] == {62'd0, watched_q})
  `KUMI_ASSERT(a_last, !m.valid || out_q != index_q || m.last == watched_last_q)
  `KUMI_COVER(c_again, ev_replayed && out_q == 4'd0)
  `KUMI_COVER(c_through, out_q == 4'd2 && m.valid && got_duplicate && got)
endmodule
