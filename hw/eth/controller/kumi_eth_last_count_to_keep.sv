// SPDX-License-Identifier: Apache-2.0
//
// tkeep of a beat from the byte count stored in a frame FIFO. Combinational.
//
// count: bytes of a last beat, 0 for all of them; last: the beat is one. KEEP_W is a power of two.
module kumi_eth_last_count_to_keep #(
    parameter int KEEP_W = 32  // bits of keep
) (
    input  logic [$clog2(KEEP_W)-1:0] count,
    input  logic                      last,
    output logic [        KEEP_W-1:0] keep
);
  logic all;
  assign all = !last || count == '0;
  assign keep[KEEP_W-1] = all;
  for (genvar i = 0; i < KEEP_W - 1; i++) begin : gen_bit
    assign keep[i] = all || count > $bits(count)'(i);
  end
endmodule
