// SPDX-License-Identifier: Apache-2.0
//
// Test top: IPv6 and the IPv4 stack behind it, with the shortest echo kernel, which is wires: a
//   record to send names its peer as a received one does, and the checksum remains valid when
//   addresses and ports are exchanged.
module kumi_t_ip6_echo
  import kumi_ip_pkg::*;
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64,
    parameter int PEERS  = 256
) (
    input logic clk,
    input logic rst,
    input ip_cfg_t cfg,
    output ip_events_t ev,
    input ip6_cfg_t cfg6,
    output ip6_own_t [OWNS-1:0] own,
    output logic [OWNS-1:0] duplicate,
    output ip6_events_t ev6,
    output logic busy,
    input logic [DATA_W-1:0] s_axis_eth0_tdata,
    input logic [DATA_W/8-1:0] s_axis_eth0_tkeep,
    input logic s_axis_eth0_tvalid,
    output logic s_axis_eth0_tready,
    input logic s_axis_eth0_tlast,
    input logic s_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_eth0_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth0_tkeep,
    output logic m_axis_eth0_tvalid,
    input logic m_axis_eth0_tready,
    output logic m_axis_eth0_tlast,
    output logic m_axis_eth0_tuser
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_eth ();
  kumi_axis_if #(.DATA_W(DATA_W)) m_eth ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp ();
  kumi_axis_if #(.DATA_W(DATA_W)) raw ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_hdr ();
  kumi_rec_if #(.W(IP_HDR_W)) raw_hdr ();

  assign s_eth.tdata = s_axis_eth0_tdata;
  assign s_eth.tkeep = s_axis_eth0_tkeep;
  assign s_eth.tvalid = s_axis_eth0_tvalid;
  assign s_axis_eth0_tready = s_eth.tready;
  assign s_eth.tlast = s_axis_eth0_tlast;
  assign s_eth.tuser = s_axis_eth0_tuser;
  assign s_eth.tid = '0;
  assign s_eth.tdest = '0;
  assign m_axis_eth0_tdata = m_eth.tdata;
  assign m_axis_eth0_tkeep = m_eth.tkeep;
  assign m_axis_eth0_tvalid = m_eth.tvalid;
  assign m_eth.tready = m_axis_eth0_tready;
  assign m_axis_eth0_tlast = m_eth.tlast;
  assign m_axis_eth0_tuser = m_eth.tuser;

  kumi_axis_if #(.DATA_W(DATA_W)) to_stack ();
  kumi_axis_if #(.DATA_W(DATA_W)) of_stack ();
  ip_unresolved_t unresolved;
  logic busy4, busy6;
  assign busy = busy4 || busy6;

  kumi_ip6 #(
      .DATA_W(DATA_W),
      .PEERS (PEERS)
  ) u_ip6 (
      .clk,
      .rst,
      .cfg(cfg6),
      .own,
      .duplicate,
      .ev(ev6),
      .busy(busy6),
      .s_eth,
      .m_eth,
      .s_stack(of_stack),
      .m_stack(to_stack)
  );

  kumi_ip_stack #(
      .DATA_W(DATA_W)
  ) u_stack (
      .clk,
      .rst,
      .cfg,
      .ev,
      .busy(busy4),
      .unresolved,
      .s_axis(to_stack),
      .m_axis(of_stack),
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
