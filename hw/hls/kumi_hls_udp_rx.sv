// SPDX-License-Identifier: Apache-2.0
//
// Received UDP datagrams for the channels of kernels: a record each, and its words.
//
// s_hdr, s_axis: udp_hdr_t and payload, from a stack that shows only payloads whose checksum is
//   right (RX_STORE = 1). m_record, 128 bits, from the lowest: address of the peer 32, its port 32,
//   own port 32, payload bytes 32. m_word: the payload's beats, bytes behind its end are zero; none
//   for an empty payload.
// Latency: a record passes at once, its first word a cycle later; one word per cycle, one cycle
//   more per datagram.
module kumi_hls_udp_rx
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_record,
    kumi_rec_if.src m_word,
    output logic busy
);
  if (s_hdr.W != UDP_HDR_W || m_record.W != 128 || m_word.W != s_axis.DATA_W) begin : gen_check_if
    $fatal(0, "a stream has a wrong width (%m)");
  end

  udp_hdr_t hdr;
  logic words_q;  // inside a payload

  assign hdr = udp_hdr_t'(s_hdr.data);
  assign m_record.data = {
    16'd0, hdr.length, 16'd0, hdr.local_port, 16'd0, hdr.peer_port, hdr.peer_ip
  };
  assign m_record.valid = s_hdr.valid && !words_q;
  assign s_hdr.ready = m_record.ready && !words_q;

  for (genvar i = 0; i < s_axis.KEEP_W; i++) begin : gen_byte
    assign m_word.data[8*i+:8] = s_axis.tkeep[i] ? s_axis.tdata[8*i+:8] : 8'd0;
  end
  assign m_word.valid  = s_axis.tvalid && words_q;
  assign s_axis.tready = m_word.ready && words_q;

  always_ff @(posedge clk) begin
    if (s_hdr.valid && s_hdr.ready) words_q <= hdr.length != '0;
    if (s_axis.tvalid && s_axis.tready && s_axis.tlast) words_q <= 1'b0;
    if (rst) words_q <= 1'b0;
  end

  assign busy = words_q || s_hdr.valid;

  logic unused;
  assign unused = ^hdr;
endmodule
