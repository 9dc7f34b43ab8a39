// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ip6_patch at 64 bits: the checksum that comes out is what summing everything
//   with the new pseudo-header would give, bit for bit, and UDP's 0 becomes ffff; no other byte of
//   a frame of any length changes.
//
// Three sums of 16 bits stand for the old pseudo-header, the new one, and all other words of the
// packet; they are any, but not all zero. The checksum of one that comes is right.
`include "kumi_assert.svh"
module ip6_patch_formal (
    input logic        clk,
    input logic        rst,
    input logic        take,
    input logic        last,
    input logic        udp,
    input logic [15:0] old,
    input logic [15:0] fresh,
    input logic [15:0] rest,
    input logic [63:0] data
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // One's complement addition.
  function automatic logic [15:0] add(input logic [15:0] a, input logic [15:0] b);
    logic [16:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    return sum[15:0] + 16'(sum[16]);
  endfunction

  // Beats of the frame so far, at most 3.
  logic [1:0] beat_q;
  always_ff @(posedge clk) begin
    if (take) beat_q <= last ? '0 : beat_q + 2'(beat_q != '1);
    if (rst) beat_q <= '0;
  end

  // Bytes 6 and 7, or 16 and 17.
  logic here;
  logic [5:0] at;
  logic [15:0] was, now, wanted;
  logic [63:0] out, in_data, elsewhere;
  logic no_checksum;
  assign here = beat_q == (udp ? 2'd0 : 2'd2);
  assign at = udp ? 6'd48 : 6'd0;
  assign elsewhere = here ? ~(64'hffff << at) : '1;

  always_comb begin
    assume (rest != '0 || (old != '0 && fresh != '0));
    was = ~add(rest, old);
    if (udp && was == '0) was = '1;
    wanted = ~add(rest, fresh);
    if (udp && wanted == '0) wanted = '1;
    in_data = data;
    if (here) in_data[at+:16] = {was[7:0], was[15:8]};
    now = {out[at+:8], out[at+8+:8]};
  end

  kumi_ip6_patch #(
      .DATA_W(64)
  ) u_patch (
      .clk,
      .rst,
      .take,
      .last,
      .udp,
      .delta(add(old, ~fresh)),
      .in_data,
      .out_data(out),
      .no_checksum
  );

  `KUMI_ASSERT(a_index, u_patch.index_q == beat_q)
  `KUMI_ASSERT(a_checksum, !here || now == wanted)
  `KUMI_ASSERT(a_elsewhere, (out & elsewhere) == (in_data & elsewhere))
  `KUMI_COVER(c_tcp, here && !udp && take && now != was)
  `KUMI_COVER(c_zero, here && udp && take && add(rest, fresh) == '1)

  logic unused;
  assign unused = no_checksum;
endmodule
