// SPDX-License-Identifier: Apache-2.0
//
// Changes the checksum of TCP or UDP in a stream whose frames begin with their header, as the words
// of the pseudo-header change (RFC 1624).
//
// take: the beat in_data moves; last: it is the frame's last. out_data: the same beat, in the same
//   cycle. udp, delta: stable with the frame's beats; delta: one's complement sum of what came to
//   the pseudo-header and the inverse of what went.
// no_checksum: UDP, and there was none (0): from the first beat on.
module kumi_ip6_patch #(
    parameter int DATA_W = 64  // bits of a beat: 64 or more
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              take,
    input  logic              last,
    input  logic              udp,
    input  logic [      15:0] delta,
    input  logic [DATA_W-1:0] in_data,
    output logic [DATA_W-1:0] out_data,
    output logic              no_checksum
);
  localparam int B = DATA_W / 8;
  localparam int UDP_AT = 6;  // byte of the checksum, always in the first beat
  localparam int TCP_AT = 16;
  localparam int TCP_LANE = TCP_AT % B;

  logic [1:0] index_q;
  logic first, none, none_q;
  logic [15:0] udp_was, tcp_was, was, now;
  logic [16:0] sum;
  logic [15:0] sum_more;
  logic zero;

  assign first = index_q == '0;
  assign udp_was = {in_data[8*UDP_AT+:8], in_data[8*UDP_AT+8+:8]};
  assign tcp_was = {in_data[8*TCP_LANE+:8], in_data[8*TCP_LANE+8+:8]};
  assign was = udp ? udp_was : tcp_was;

  // Equation 3 of RFC 1624, which gives what a new sum would; the carry is added at the other end.
  // UDP sends 0 as its inverse (RFC 768).
  assign sum = {1'b0, ~was} + {1'b0, ~delta};
  assign sum_more = ~was + ~delta + 16'd1;
  assign zero = (was ^ delta) == '1;
  assign now = udp && zero ? '1 : ~(sum[16] ? sum_more : sum[15:0]);

  always_comb begin
    out_data = in_data;
    if (udp && first) {out_data[8*UDP_AT+:8], out_data[8*UDP_AT+8+:8]} = now;
    if (!udp && index_q == 2'(TCP_AT / B)) begin
      {out_data[8*TCP_LANE+:8], out_data[8*TCP_LANE+8+:8]} = now;
    end
  end

  assign none = udp && first && udp_was == '0;
  assign no_checksum = none || (none_q && !first);

  always_ff @(posedge clk) begin
    if (take) begin
      index_q <= last ? '0 : index_q + 2'(index_q != '1);
      none_q  <= no_checksum;
    end
    if (rst) index_q <= '0;
  end
endmodule
