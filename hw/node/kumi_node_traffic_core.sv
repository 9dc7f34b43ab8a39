// SPDX-License-Identifier: Apache-2.0
//
// Node: UDP traffic generator and checker; answers ARP and ping.
//
// Ports and registers as in kumi_node_udp_shell; the generator's registers are at 0x2000, the
// checker's at 0x3000. Generator and checker run at the same time, each on its own direction.
module kumi_node_traffic_core #(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit RX_STORE = 1'b0,  // 1: show a payload only when its checksum is right
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit DHCP = 1'b0,  // 1: a DHCP client, off until its register says otherwise
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    output logic busy
);
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx ();
  kumi_axil_if axil[2] ();
  logic [63:0] now;
  kumi_ip_pkg::udp_listen_t udp_listen;
  logic kernel_busy;

  kumi_node_udp_shell #(
      .DATA_W(DATA_W),
      .NAME("traffic"),
      .BLOCKS(2),
      .KINDS({kumi_regs_pkg::BLOCK_TRAFFIC_CHECK, kumi_regs_pkg::BLOCK_TRAFFIC_GEN}),
      .BUILD(BUILD),
      .TX_STORE(TX_STORE),
      .RX_STORE(RX_STORE),
      .RX_BYTES(RX_BYTES),
      .DHCP(DHCP),
      .IPV6(IPV6)
  ) u_shell (
      .m_udp_hdr(rx_hdr),
      .m_udp(rx),
      .s_udp_hdr(tx_hdr),
      .s_udp(tx),
      .m_axil(axil),
      .udp_listen,
      .now,
      .kernel_busy,
      .*  // clk, rst, the Ethernet port, the register port, busy
  );

  logic gen_busy, check_busy;
  assign kernel_busy = gen_busy || check_busy;

  kumi_traffic_gen u_gen (
      .clk,
      .rst,
      .now,
      .s_axil(axil[0]),
      .m_hdr (tx_hdr),
      .m_axis(tx),
      .busy  (gen_busy)
  );

  kumi_traffic_check u_check (
      .clk,
      .rst,
      .now,
      .s_axil(axil[1]),
      .s_hdr (rx_hdr),
      .s_axis(rx),
      .listen(udp_listen),
      .busy  (check_busy)
  );
endmodule
