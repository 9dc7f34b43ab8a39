// SPDX-License-Identifier: Apache-2.0
//
// Test top: the IP stack as an echo, on a line of IPv4 packets without link layer.
module kumi_t_ip_eth_shim
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64
) (
    input logic clk,
    input logic rst,
    input ip_cfg_t cfg,
    output ip_events_t ev,
    output logic ev_other,
    output logic busy,
    input logic [DATA_W-1:0] s_axis_line_tdata,
    input logic [DATA_W/8-1:0] s_axis_line_tkeep,
    input logic s_axis_line_tvalid,
    output logic s_axis_line_tready,
    input logic s_axis_line_tlast,
    input logic s_axis_line_tuser,
    output logic [DATA_W-1:0] m_axis_line_tdata,
    output logic [DATA_W/8-1:0] m_axis_line_tkeep,
    output logic m_axis_line_tvalid,
    input logic m_axis_line_tready,
    output logic m_axis_line_tlast,
    output logic m_axis_line_tuser
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_line ();
  kumi_axis_if #(.DATA_W(DATA_W)) m_line ();
  kumi_axis_if #(.DATA_W(DATA_W)) to_stack ();
  kumi_axis_if #(.DATA_W(DATA_W)) from_stack ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp ();
  kumi_axis_if #(.DATA_W(DATA_W)) raw ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_hdr ();
  kumi_rec_if #(.W(IP_HDR_W)) raw_hdr ();

  assign s_line.tdata = s_axis_line_tdata;
  assign s_line.tkeep = s_axis_line_tkeep;
  assign s_line.tvalid = s_axis_line_tvalid;
  assign s_axis_line_tready = s_line.tready;
  assign s_line.tlast = s_axis_line_tlast;
  assign s_line.tuser = s_axis_line_tuser;
  assign s_line.tid = '0;
  assign s_line.tdest = '0;
  assign m_axis_line_tdata = m_line.tdata;
  assign m_axis_line_tkeep = m_line.tkeep;
  assign m_axis_line_tvalid = m_line.tvalid;
  assign m_line.tready = m_axis_line_tready;
  assign m_axis_line_tlast = m_line.tlast;
  assign m_axis_line_tuser = m_line.tuser;

  kumi_ip_eth_shim u_bare (
      .clk,
      .rst,
      .mac(cfg.mac),
      .s_packet(s_line),
      .m_packet(m_line),
      .m_eth(to_stack),
      .s_eth(from_stack),
      .ev_other
  );

  ip_unresolved_t unresolved;

  kumi_ip_stack #(
      .DATA_W(DATA_W)
  ) u_stack (
      .clk,
      .rst,
      .cfg,
      .ev,
      .busy,
      .unresolved,
      .s_axis(to_stack),
      .m_axis(from_stack),
      .m_udp_hdr(udp_hdr),
      .m_udp(udp),
      .s_udp_hdr(udp_hdr),
      .s_udp(udp),
      .m_ip_hdr(raw_hdr),
      .m_ip(raw),
      .s_ip_hdr(raw_hdr),
      .s_ip(raw)
  );
endmodule
