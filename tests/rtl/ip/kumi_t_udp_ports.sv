// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_udp_demux to three kernels, and kumi_udp_mux from three kernels.
module kumi_t_udp_ports
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [2:0][15:0] ports,
    input logic [2:0] port_valid,
    output logic ev_closed,
    kumi_rec_if.snk in_hdr,
    kumi_axis_if.snk in,
    kumi_rec_if.src out_hdr[3],
    kumi_axis_if.src out[3],
    kumi_rec_if.snk from_hdr[3],
    kumi_axis_if.snk from[3],
    kumi_rec_if.src sum_hdr,
    kumi_axis_if.src sum
);
  kumi_udp_demux #(
      .PORTS(3)
  ) u_demux (
      .clk,
      .rst,
      .ports,
      .port_valid,
      .s_hdr (in_hdr),
      .s_axis(in),
      .m_hdr (out_hdr),
      .m_axis(out),
      .ev_closed
  );

  kumi_udp_mux #(
      .PORTS(3)
  ) u_mux (
      .clk,
      .rst,
      .s_hdr (from_hdr),
      .s_axis(from),
      .m_hdr (sum_hdr),
      .m_axis(sum)
  );
endmodule
