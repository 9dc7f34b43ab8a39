// SPDX-License-Identifier: Apache-2.0
//
// Node: an iperf 2 server alone (TCP and UDP, port 5001), beside ARP and ping: the node for
// measuring, and the smallest with TCP.
//
//   eth0 <-> kumi_node_tcp_shell <-> kumi_iperf_server
//
// Ports as in kumi_node_tcp_shell; the kernel's registers are at 0x3000.
module kumi_node_tcp_iperf_core
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 64,  // connections at a time, a power of two, 4..16384
    parameter int RING = 65536,  // bytes that wait, each way and connection, a power of two
    parameter int MTU = 9000,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b0,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    kumi_axi_if.mst m_axi_rx,
    kumi_axi_if.mst m_axi_tx,

    output logic busy
);
  localparam int CHUNK = 4096;  // longest write of the kernel

  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_axil_if axil[1] ();
  logic [63:0] now;
  logic [31:0] now_us;
  logic kernel_busy;
  kumi_ip_pkg::ip_unresolved_t unresolved;
  kumi_ip_pkg::udp_listen_t udp_listen;

  kumi_tcp_app_if #(.DATA_W(DATA_W)) app ();

  kumi_node_tcp_shell #(
      .DATA_W(DATA_W),
      .NAME("tcp_iperf"),
      .BLOCKS(1),
      .KINDS(kumi_regs_pkg::BLOCK_IPERF_SERVER),
      .BUILD(BUILD),
      .SESSIONS(SESSIONS),
      .TX_RING(RING),
      .RX_RING(RING),
      .CUBIC(CUBIC),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE),
      .IPV6(IPV6)
  ) u_shell (
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .s_app(app),
      .m_axil(axil),
      .now,
      .now_us,
      .unresolved,
      .udp_listen,
      .notify_skip(1'b0),
      .kernel_busy,
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  kumi_iperf_server #(
      .SESSIONS(SESSIONS),
      .CHUNK(CHUNK)
  ) u_iperf (
      .clk,
      .rst,
      .now_us,
      .unresolved,
      .s_udp_hdr(udp_rx_hdr),
      .s_udp(udp_rx),
      .m_udp_hdr(udp_tx_hdr),
      .m_udp(udp_tx),
      .udp_listen,
      .s_axil(axil[0]),
      .m_app(app),
      .busy(kernel_busy)
  );

  logic unused;
  assign unused = ^now;
endmodule
