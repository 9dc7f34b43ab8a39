// SPDX-License-Identifier: Apache-2.0
//
// Collects used entries of a ring in a beat, until they are written together.
//
// restart: nothing is collected. begin_beat: a beat begins, with its next entry at word `lane` of
//   32 bits; second: that is the second word of an entry whose first one was in the beat before.
// put: an entry of 64 bits. Behind it comes the next one in a split ring, and in a packed one as
//   many more descriptors as `descs` says. hold: nothing is to be written in its place.
// cut: the entry begins in the last word of the beat: it has to be put once more, in the next one.
// full: the next entry is in another beat. some: there is something to write.
// data, strb: the beat, from the cycle after put on; clear: it was written.
module kumi_nic_used_beat #(
    parameter  int DATA_W = 512,                 // bits of a beat
    localparam int BYTES  = DATA_W / 8,
    localparam int WORD_W = $clog2(DATA_W / 32)
) (
    input logic clk,
    input logic packed_ring,
    input logic restart,
    input logic begin_beat,
    input logic [WORD_W-1:0] lane,
    input logic put,
    input logic hold,
    input logic [63:0] entry,
    input logic [5:0] descs,
    input logic clear,
    output logic second,
    output logic cut,
    output logic full,
    output logic some,
    output logic [DATA_W-1:0] data,
    output logic [BYTES-1:0] strb
);
  localparam int WORDS = DATA_W / 32;
  localparam int SLOT_W = WORD_W - 2;  // which descriptor of a beat

  logic [WORD_W-1:0] lane_q;
  logic [WORDS-1:0] low_word, high_word;
  logic [SLOT_W:0] slot;
  logic second_q;

  assign second = second_q;
  assign cut = lane_q == '1 && !second_q;
  assign slot = (SLOT_W + 1)'(lane_q[WORD_W-1:2]) + (SLOT_W + 1)'(descs[SLOT_W-1:0]);
  assign full = packed_ring ? descs[5:SLOT_W] != '0 || slot >= (SLOT_W + 1)'(2 ** SLOT_W - 1) :
      lane_q == WORD_W'(WORDS - 2) && !second_q;
  always_comb begin
    for (int i = 0; i < WORDS; ++i) begin
      low_word[i]  = !second_q && lane_q == WORD_W'(i);
      high_word[i] = second_q ? i == 0 : i > 0 && lane_q == WORD_W'(i - 1);
    end
  end

  always_ff @(posedge clk) begin
    if (begin_beat) lane_q <= lane;
    if (clear || restart) begin
      strb <= '0;
      some <= 1'b0;
    end
    if (restart) second_q <= 1'b0;
    if (put) begin
      for (int i = 0; i < WORDS; ++i) begin
        if (low_word[i]) data[32*i+:32] <= entry[31:0];
        if (high_word[i]) data[32*i+:32] <= entry[63:32];
        if ((low_word[i] || high_word[i]) && !hold) strb[4*i+:4] <= '1;
      end
      if (!hold) some <= 1'b1;
      if (packed_ring) lane_q[WORD_W-1:2] <= slot[SLOT_W-1:0] + 1'b1;
      else lane_q <= lane_q + (second_q ? WORD_W'(1) : WORD_W'(2));
      second_q <= cut;
    end
  end
endmodule
