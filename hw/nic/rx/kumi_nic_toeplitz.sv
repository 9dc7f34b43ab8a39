// SPDX-License-Identifier: Apache-2.0
//
// Toeplitz hash of a flow (virtio 1.2, 5.1.6.4.3.3): addresses and ports of IPv4 or IPv6.
//
// data: source and destination address, source and destination port, in the order of the wire, the
//   first byte in the highest bits, zeros behind.
// hash: two cycles later. key: its first bytes in the highest bits; bit n of data selects the 32
//   bits of the key that begin n bits behind its front. The key stands still, or two hashes are
//   wrong.
module kumi_nic_toeplitz #(
    parameter int BITS = 288  // of the data, a multiple of 4
) (
    input  logic            clk,
    input  logic [   319:0] key,
    input  logic [BITS-1:0] data,
    output logic [    31:0] hash
);
  if (BITS < 4 || BITS > 288 || BITS % 4 != 0) begin : gen_check_bits
    $fatal(0, "BITS must be a multiple of 4, 4..288 (%m)");
  end

  logic [3:0][31:0] part, part_q;
  always_comb begin
    part = '0;
    for (int i = 0; i < BITS; ++i) begin
      if (data[BITS-1-i]) part[i/(BITS/4)] ^= key[319-i-:32];
    end
  end
  always_ff @(posedge clk) begin
    part_q <= part;
    hash   <= part_q[0] ^ part_q[1] ^ part_q[2] ^ part_q[3];
  end
endmodule
