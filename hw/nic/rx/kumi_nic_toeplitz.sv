// SPDX-License-Identifier: Apache-2.0
//
// Toeplitz hash of a flow (virtio 1.2, 5.1.6.4.3.3): the addresses and ports of IPv4.
//
// data: source and destination address, source and destination port, in the order of the wire, the
//   first byte in the highest bits. Zero ports are as none.
// hash: a cycle later. KEY: its first bytes in the highest bits; bit n of data selects the 32 bits
//   of the key that begin n bits behind its front.
module kumi_nic_toeplitz #(
    parameter int BITS = 96,  // of the data
    // The key of the standard's test vectors.
    parameter logic [319:0] KEY =
        320'h6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa
) (
    input  logic            clk,
    input  logic [BITS-1:0] data,
    output logic [    31:0] hash
);
  if (BITS < 1 || BITS > 288) begin : gen_check_bits
    $fatal(0, "BITS must be 1..288 (%m)");
  end

  logic [31:0] sum;
  always_comb begin
    sum = '0;
    for (int i = 0; i < BITS; ++i) begin
      if (data[BITS-1-i]) sum ^= KEY[319-i-:32];
    end
  end
  always_ff @(posedge clk) hash <= sum;
endmodule
