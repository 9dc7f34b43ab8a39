// SPDX-License-Identifier: Apache-2.0
//
// Lets N kernels send UDP datagrams through one stack: takes turns, datagram by datagram.
//
// s_hdr[i], s_axis[i]: record and payload of kernel i; m_hdr, m_axis: to the stack. Records are
//   registered, payloads pass through without a register.
// Latency: record 1 cycle, payload 0 behind its record; one beat a cycle, also from datagram to
//   datagram. A kernel that stops inside a payload holds the others up until it goes on.
module kumi_udp_join
  import kumi_ip_pkg::*;
#(
    parameter int N = 2  // kernels
) (
    input logic clk,
    input logic rst,
    kumi_hdr_if.snk s_hdr[N],
    kumi_axis_if.snk s_axis[N],
    kumi_hdr_if.src m_hdr,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int BEAT_W = DATA_W + DATA_W / 8 + 2;

  logic [N-1:0] want, grant, route_q, later_q, axis_valid;
  logic [UDP_HDR_W-1:0] data[N];
  logic [UDP_HDR_W-1:0] chosen;
  logic [BEAT_W-1:0] beats[N];
  logic [BEAT_W-1:0] beat;
  logic active_q, free, last;
  udp_hdr_t hdr;

  for (genvar i = 0; i < N; ++i) begin : gen_in
    assign want[i] = s_hdr[i].valid;
    assign data[i] = s_hdr[i].data;
    assign s_hdr[i].ready = grant[i] && free;
    assign axis_valid[i] = s_axis[i].tvalid;
    assign beats[i] = {s_axis[i].tuser[0], s_axis[i].tlast, s_axis[i].tkeep, s_axis[i].tdata};
    assign s_axis[i].tready = active_q && route_q[i] && m_axis.tready;
  end

  // Turns: first those behind the one that was served last, then all.
  logic [N-1:0] behind;
  assign behind = want & later_q;
  assign grant  = (behind != '0) ? behind & (~behind + 1'b1) : want & (~want + 1'b1);

  always_comb begin
    chosen = '0;
    beat   = '0;
    for (int i = 0; i < N; ++i) begin
      if (grant[i]) chosen |= data[i];
      if (route_q[i]) beat |= beats[i];
    end
  end

  assign hdr = udp_hdr_t'(chosen);
  assign m_axis.tvalid = active_q && (route_q & axis_valid) != '0;
  assign {m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata} = beat;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign last = m_axis.tvalid && m_axis.tready && m_axis.tlast;
  assign free = (!active_q || last) && (!m_hdr.valid || m_hdr.ready);

  always_ff @(posedge clk) begin
    if (last) active_q <= 1'b0;
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (free && want != '0) begin
      active_q <= hdr.length != '0;
      route_q <= grant;
      later_q <= ~((grant - 1'b1) | grant);
      m_hdr.valid <= 1'b1;
      m_hdr.data <= chosen;
    end
    if (rst) begin
      active_q <= 1'b0;
      later_q <= '0;
      m_hdr.valid <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^hdr;
endmodule
