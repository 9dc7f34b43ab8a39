// SPDX-License-Identifier: Apache-2.0
//
// Self-synchronous descrambler for 64b/66b, 1 + x^39 + x^58 (IEEE 802.3 clause 49.2.10), W bits per
// cycle; bit 0 is first on the wire. Synchronised after any 58 bits.
//
// q belongs to d in the same cycle; en advances the state.
// Bad input: a bit error on the line becomes three: itself, and those 39 and 58 bits later.
module kumi_64b66b_descrambler #(
    parameter int W = 64  // bits a cycle
) (
    input  logic         clk,
    input  logic         en,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);

  logic [  57:0] state_q;  // the line's last bits, bit 57 the youngest
  logic [W+57:0] line;

  assign line = {d, state_q};
  assign q = d ^ line[19+:W] ^ line[0+:W];

  always_ff @(posedge clk) if (en) state_q <= line[W+:58];

endmodule
