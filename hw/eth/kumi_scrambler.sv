// SPDX-License-Identifier: Apache-2.0
//
// Self-synchronous scrambler of 64b/66b codes, 1 + x^39 + x^58 (IEEE 802.3 clause 49.2.6), W bits
// at a time; bit 0 is first on the wire.
//
// q belongs to d in the same cycle; en moves the state on. No bad input exists.
module kumi_scrambler #(
    parameter int W = 64  // bits a cycle
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         en,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);

  logic [  57:0] state_q;  // bit 57 is the youngest bit sent
  logic [W+57:0] line;  // the line's bits, oldest first

  function automatic logic [W+57:0] scramble(input logic [57:0] state, input logic [W-1:0] data);
    logic [W+57:0] bits;
    bits = {data, state};
    for (int i = 0; i < W; i++) bits[58+i] = bits[58+i] ^ bits[58+i-39] ^ bits[i];
    return bits;
  endfunction

  assign line = scramble(state_q, d);
  assign q = line[58+:W];

  always_ff @(posedge clk) begin
    if (en) state_q <= line[W+:58];
    if (rst) state_q <= '1;
  end

endmodule
