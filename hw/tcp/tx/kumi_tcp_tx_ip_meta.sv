// SPDX-License-Identifier: Apache-2.0
//
// IP records of segments to send, ahead of their packets.
//
// s_*: a segment, in transmit order: peer, length of its packet, whether that is ECN-capable, and
//   whether it has payload. end_*:
//   the payload of the next segment that has one is buffered; end_bad: it is unusable and will not
//   be sent. At most 2 * DEPTH of them before their segments are done.
// m_hdr: ip_hdr_t of each segment whose payload is buffered, or that has none.
// Latency 3 cycles from s_*, 2 from end_*. One record per cycle.
module kumi_tcp_tx_ip_meta
  import kumi_ip_pkg::*;
#(
    parameter int DEPTH = 16  // queued segments, a power of two
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic           [31:0] s_ip,
    input  logic           [15:0] s_length,
    input  logic                  s_ect,
    input  logic                  s_payload,
    input  logic                  s_valid,
    output logic                  s_ready,
    input  logic                  end_valid,
    input  logic                  end_bad,
           kumi_rec_if.src        m_hdr,
    output logic                  busy
);
  if (m_hdr.W != IP_HDR_W) begin : gen_check_hdr
    $fatal(0, "m_hdr has another width (%m)");
  end

  typedef struct packed {
    logic [31:0] ip;
    logic [15:0] length;
    logic        ect;
    logic        payload;
  } name_t;

  name_t name, name_in;
  logic name_valid, end_there, bad, go, hdr_valid_q;
  logic [$clog2(DEPTH):0] depth;
  ip_hdr_t hdr_q;

  assign name_in = '{ip: s_ip, length: s_length, ect: s_ect, payload: s_payload};

  kumi_fifo #(
      .W($bits(name_t)),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_names (
      .clk,
      .rst,
      .s_data (name_in),
      .s_valid,
      .s_ready,
      .m_data (name),
      .m_valid(name_valid),
      .m_ready(go),
      .depth
  );

  kumi_tcp_tx_csum_fifo #(
      .W(1),
      .DEPTH(2 * DEPTH)
  ) u_ends (
      .clk,
      .rst,
      .push (end_valid),
      .data (end_bad),
      .valid(end_there),
      .q    (bad),
      .pop  (go && name.payload)
  );

  assign go = name_valid && (!name.payload || end_there) && (!hdr_valid_q || m_hdr.ready);

  always_ff @(posedge clk) begin
    if (m_hdr.ready) hdr_valid_q <= 1'b0;
    if (go) begin
      hdr_valid_q <= !(name.payload && bad);
      hdr_q <= '0;
      hdr_q.peer_ip <= name.ip;
      hdr_q.proto <= 8'd6;
      hdr_q.length <= name.length;
      hdr_q.ecn[1] <= name.ect;
    end
    if (rst) hdr_valid_q <= 1'b0;
  end

  assign m_hdr.data = hdr_q;
  assign m_hdr.valid = hdr_valid_q;
  assign busy = hdr_valid_q || name_valid || depth != '0;
endmodule
