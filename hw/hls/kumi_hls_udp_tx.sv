// SPDX-License-Identifier: Apache-2.0
//
// UDP datagrams from the channels of kernels: a record each, and its words.
//
// s_record, 128 bits, from the lowest: address of the peer 32, its port 32, own port 32, payload
//   bytes 32. s_word: as many words as the bytes fill; the rest of the last one is not sent.
// m_hdr, m_axis: udp_hdr_t and payload for the stack, which finds the peer's MAC address and
//   computes the checksum. More than 65,535 bytes are announced as 65,535, which no stack sends.
// Latency: a record passes at once, its first word a cycle later; one word per cycle, one cycle
//   more per datagram.
module kumi_hls_udp_tx
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_record,
    kumi_rec_if.snk s_word,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic busy
);
  localparam int B = m_axis.DATA_W / 8;
  localparam int COUNT_W = $clog2(B + 1);

  if (m_hdr.W != UDP_HDR_W || s_record.W != 128 || s_word.W != m_axis.DATA_W) begin : gen_check_if
    $fatal(0, "a stream has a wrong width (%m)");
  end

  udp_hdr_t hdr;
  logic [31:0] bytes;
  logic [31:0] left_q;  // bytes of the payload that have not been sent
  logic words_q, last_q;  // inside a payload; at its last word

  assign bytes = s_record.data[127:96];

  always_comb begin
    hdr = '0;
    hdr.peer_ip = s_record.data[31:0];
    hdr.peer_port = s_record.data[47:32];
    hdr.local_port = s_record.data[79:64];
    hdr.length = |bytes[31:16] ? '1 : bytes[15:0];
    hdr.cks = CKS_GENERATE;
  end

  assign m_hdr.data = hdr;
  assign m_hdr.valid = s_record.valid && !words_q;
  assign s_record.ready = m_hdr.ready && !words_q;

  kumi_count_to_keep #(
      .KEEP_W(B)
  ) u_keep (
      .count(last_q ? left_q[COUNT_W-1:0] : COUNT_W'(B)),
      .keep (m_axis.tkeep)
  );

  assign m_axis.tdata = s_word.data;
  assign m_axis.tvalid = s_word.valid && words_q;
  assign m_axis.tlast = last_q;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign s_word.ready = m_axis.tready && words_q;

  always_ff @(posedge clk) begin
    if (s_word.valid && s_word.ready) begin
      left_q <= left_q - 32'(B);
      last_q <= left_q <= 32'(2 * B);
      if (last_q) words_q <= 1'b0;
    end
    if (s_record.valid && s_record.ready) begin
      left_q  <= bytes;
      last_q  <= bytes <= 32'(B);
      words_q <= bytes != '0;
    end
    if (rst) words_q <= 1'b0;
  end

  assign busy = words_q || s_record.valid;

  logic unused;
  assign unused = ^{s_record.data[63:48], s_record.data[95:80]};
endmodule
