// SPDX-License-Identifier: Apache-2.0
//
// Self-synchronous scrambler for 64b/66b, 1 + x^39 + x^58 (IEEE 802.3 clause 49.2.6), W bits per
// cycle; bit 0 is first on the wire.
//
// q belongs to d in the same cycle; en advances the state.
module kumi_64b66b_scrambler #(
    parameter int W = 64  // bits a cycle
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         en,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);

  logic [57:0] state_q;  // the line's last bits, bit 57 the youngest

  function automatic logic [W-1:0] scramble(input logic [57:0] past, input logic [W-1:0] word);
    logic [W+57:0] bits;  // the line's bits, oldest first
    bits = {word, past};
    for (int i = 0; i < W; i++) bits[58+i] = bits[58+i] ^ bits[58+i-39] ^ bits[i];
    return bits[58+:W];
  endfunction

  assign q = scramble(state_q, d);

  always_ff @(posedge clk) begin
    if (en) state_q <= 58'({q, state_q} >> W);
    if (rst) state_q <= '1;
  end

endmodule
