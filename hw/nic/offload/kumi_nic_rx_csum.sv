// SPDX-License-Identifier: Apache-2.0
//
// Verifies the checksum of TCP and UDP in received frames (VIRTIO_NET_HDR_F_DATA_VALID, virtio 1.2,
// 5.1.6.4.1): IPv4 without options, IPv6 without extension headers, no VLAN tag, no fragments.
//
// in_*: beats of frames, one in each cycle with in_valid; there is no back-pressure.
// out_valid: one pulse a frame, LATENCY cycles after its last beat. out_good: its checksum was
//   present and correct, over all bytes that the IP header declares. A frame shorter than that, a
//   UDP datagram without checksum or of another length, or any other protocol: low.
// The sum runs over the addresses, which lie in front of the TCP or UDP header, and what follows
//   them (RFC 9293 3.1, RFC 768, RFC 8200 8.1).
module kumi_nic_rx_csum #(
    parameter  int DATA_W  = 512,  // bits of a beat: 512, so that the headers are in one
    localparam int LATENCY = 8
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                in_valid,
    input  logic                in_last,
    input  logic [  DATA_W-1:0] in_data,
    input  logic [DATA_W/8-1:0] in_keep,
    output logic                out_valid,
    output logic                out_good
);
  localparam int BYTES = DATA_W / 8;
  localparam int V4_FROM = 26;  // addresses
  localparam int V6_FROM = 22;

  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers are in one beat (%m)");
  end

  // Field of two bytes in the order of the wire.
  function automatic logic [15:0] word(input logic [DATA_W-1:0] d, input int at);
    return {d[8*at+:8], d[8*(at+1)+:8]};
  endfunction

  // ---- 1: the beat; which protocol -----------------------------------------------------------
  logic valid1_q, last1_q, first1_q, first_q;
  logic [DATA_W-1:0] data1_q;
  logic [ BYTES-1:0] keep1_q;
  logic v4, v6, tcp_udp, udp_wrong;
  logic [15:0] length4, length6;

  assign length4 = word(data1_q, 16) - 16'd20;
  assign length6 = word(data1_q, 18);
  assign v4 = word(
      data1_q, 12
  ) == 16'h0800 && data1_q[8*14+:8] == 8'h45 && (word(
      data1_q, 20
  ) & 16'hbfff) == '0 && (data1_q[8*23+:8] == 8'd6 || data1_q[8*23+:8] == 8'd17);
  assign v6 = word(
      data1_q, 12
  ) == 16'h86dd && data1_q[8*14+4+:4] == 4'd6 &&
      (data1_q[8*20+:8] == 8'd6 || data1_q[8*20+:8] == 8'd17);

  always_ff @(posedge clk) begin
    valid1_q <= in_valid && !rst;
    last1_q  <= in_last;
    first1_q <= first_q;
    data1_q  <= in_data;
    keep1_q  <= in_keep;
    if (in_valid) first_q <= in_last;
    if (rst) first_q <= 1'b1;
  end

  // ---- 2: its bounds -------------------------------------------------------------------------
  logic valid2_q, last2_q, first2_q, v4_q, v6_q, udp_q;
  logic [DATA_W-1:0] data2_q;
  logic [ BYTES-1:0] keep2_q;
  logic [15:0] length_q, udp_length_q, udp_sum_q;
  logic [16:0] end_q;  // bytes of this beat and the following ones up to the end

  always_ff @(posedge clk) begin
    valid2_q <= valid1_q && !rst;
    last2_q  <= last1_q;
    first2_q <= first1_q;
    data2_q  <= data1_q;
    keep2_q  <= keep1_q;
    if (valid1_q) begin
      if (first1_q) begin
        v4_q <= v4;
        v6_q <= v6;
        udp_q <= v6 ? data1_q[8*20+4] : data1_q[8*23+4];
        length_q <= v6 ? length6 : length4;
        udp_length_q <= v6 ? word(data1_q, 58) : word(data1_q, 38);
        udp_sum_q <= v6 ? word(data1_q, 60) : word(data1_q, 40);
        end_q <= v6 ? 17'(length6) + 17'd54 : 17'(word(data1_q, 16)) + 17'd14;
      end else begin
        end_q <= end_q[16:6] == '0 ? '0 : {end_q[16:6] - 1'b1, end_q[5:0]};
      end
    end
    if (rst) begin
      v4_q <= 1'b0;
      v6_q <= 1'b0;
    end
  end

  // ---- 3: its bytes that count ---------------------------------------------------------------
  logic valid3_q, last3_q, able_q;
  logic [DATA_W-1:0] data3_q;
  logic [BYTES-1:0] keep3_q, upto;
  logic [15:0] seed_q;
  logic short_q, beyond_q;
  logic [BYTES-1:0] lacks_q;

  assign udp_wrong = udp_q && (udp_length_q != length_q || udp_sum_q == '0);
  assign tcp_udp   = (v4_q || v6_q) && !udp_wrong;
  kumi_count_to_keep #(
      .KEEP_W(BYTES)
  ) u_upto (
      .count(end_q[16:6] != '0 ? 7'd64 : {1'b0, end_q[5:0]}),
      .keep (upto)
  );

  always_ff @(posedge clk) begin
    valid3_q <= valid2_q && !rst;
    last3_q  <= last2_q;
    data3_q  <= data2_q;
    seed_q   <= length_q + (udp_q ? 16'd17 : 16'd6);
    for (int i = 0; i < BYTES; ++i) begin
      keep3_q[i] <= keep2_q[i] && upto[i] && !(first2_q && (i < V6_FROM || (i < V4_FROM && !v6_q)));
    end
    // Bytes that should be there and are not: only a last beat may lack some.
    lacks_q  <= upto & ~keep2_q;
    beyond_q <= last2_q && end_q[16:6] != '0 && end_q != 17'd64;
    if (valid2_q) able_q <= tcp_udp && length_q[15:3] != '0 && length_q < 16'hffe0;
    if (valid3_q) short_q <= |lacks_q || beyond_q;
  end

  // ---- the sum -------------------------------------------------------------------------------
  logic [15:0] sum;
  logic [LATENCY-5:0] good_q;
  logic able_late_q;

  kumi_checksum #(
      .DATA_W(DATA_W)
  ) u_sum (
      .clk,
      .rst,
      .in_valid(valid3_q),
      .in_last (last3_q),
      .in_data (data3_q),
      .in_keep (keep3_q),
      .in_seed (seed_q),
      .out_valid,
      .out_sum (sum)
  );

  always_ff @(posedge clk) begin
    able_late_q <= able_q;
    good_q <= {good_q[LATENCY-6:0], able_late_q && !short_q};
  end
  assign out_good = good_q[LATENCY-5] && sum == '1;
endmodule
