// SPDX-License-Identifier: Apache-2.0
//
// Gives received UDP datagrams to one of N kernels by their local port.
//
// port[i]: port of kernel i; 0 takes every port. The lowest i that matches gets the datagram; one
//   that nobody wants is dropped and pulses ev_drop.
// s_hdr, s_axis: record and payload; m_hdr[i], m_axis[i]: to kernel i. Records are registered,
//   payloads pass through without a register. A datagram waits for its own kernel only, and those
//   behind it wait too.
// Latency: record 1 cycle, payload 0 (1 when it comes together with its record); one beat a cycle.
module kumi_udp_split
  import kumi_ip_pkg::*;
#(
    parameter int N = 2  // kernels
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0][15:0] port,
    kumi_hdr_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_hdr_if.src m_hdr[N],
    kumi_axis_if.src m_axis[N],
    output logic ev_drop
);
  udp_hdr_t hdr;
  logic [UDP_HDR_W-1:0] data_q;
  logic [N-1:0] match, choice, valid_q, hdr_ready, route_q, axis_ready;
  logic active_q, free, take, last;

  assign hdr = udp_hdr_t'(s_hdr.data);
  always_comb begin
    for (int i = 0; i < N; ++i) match[i] = port[i] == '0 || port[i] == hdr.local_port;
    choice = match & (~match + 1'b1);
  end

  for (genvar i = 0; i < N; ++i) begin : gen_out
    assign m_hdr[i].data = data_q;
    assign m_hdr[i].valid = valid_q[i];
    assign hdr_ready[i] = m_hdr[i].ready;
    assign m_axis[i].tvalid = s_axis.tvalid && active_q && route_q[i];
    assign m_axis[i].tdata = s_axis.tdata;
    assign m_axis[i].tkeep = s_axis.tkeep;
    assign m_axis[i].tlast = s_axis.tlast;
    assign m_axis[i].tuser = s_axis.tuser;
    assign m_axis[i].tid = '0;
    assign m_axis[i].tdest = '0;
    assign axis_ready[i] = m_axis[i].tready;
  end

  assign s_axis.tready = active_q && (route_q == '0 || (route_q & axis_ready) != '0);
  assign last = s_axis.tvalid && s_axis.tready && s_axis.tlast;
  assign free = (!active_q || last) && (valid_q & ~hdr_ready) == '0;
  assign s_hdr.ready = free;
  assign take = s_hdr.valid && free;

  always_ff @(posedge clk) begin
    if (last) active_q <= 1'b0;
    valid_q <= valid_q & ~hdr_ready;
    ev_drop <= take && match == '0;
    if (take) begin
      active_q <= hdr.length != '0;
      route_q  <= choice;
      valid_q  <= choice;
      data_q   <= s_hdr.data;
    end
    if (rst) begin
      active_q <= 1'b0;
      valid_q  <= '0;
      ev_drop  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^hdr;
endmodule
