// SPDX-License-Identifier: Apache-2.0
//
// PRBS-31 (x^31 + x^28 + 1, ITU-T O.150, not inverted), W bits at a time, combinational.
//
// state holds the 31 bits before, the oldest in bit 0; bits gives the next W, bit 0 first. The
// state after the first k of them is next[k +: 31], for every k from 0 to W.
module kumi_prbs31 #(
    parameter int W = 64  // bits at a time
) (
    input  logic [  30:0] state,
    output logic [ W-1:0] bits,
    output logic [W+30:0] next
);
  // Bit n is the sum of bits n - 31 and n - 28, so 28 bits can be made at once.
  localparam int CHUNKS = (W + 27) / 28;
  logic [30+28*CHUNKS:0] line;

  assign line[30:0] = state;
  for (genvar c = 0; c < CHUNKS; ++c) begin : gen_chunk
    assign line[31+28*c+:28] = line[28*c+:28] ^ line[28*c+3+:28];
  end
  assign next = line[W+30:0];
  assign bits = line[31+:W];

  if (30 + 28 * CHUNKS > W + 30) begin : gen_unused
    logic unused;
    assign unused = ^line[30+28*CHUNKS:W+31];
  end
endmodule
