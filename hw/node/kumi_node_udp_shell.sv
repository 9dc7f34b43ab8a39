// SPDX-License-Identifier: Apache-2.0
//
// Shell of nodes whose kernels speak UDP: Ethernet port, IP stack (ARP, IPv4, ICMP echo, UDP),
// register bus, identity, addresses, event counters. A node is this shell and its kernels.
//
// kumi_node_ip_shell without its ports for other protocols; see there for each port.
module kumi_node_udp_shell
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks of the kernels, 1..14, less DHCP and IPV6
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, block 0 in KINDS[0]
    parameter logic [63:0] BUILD = '0,  // build hash shown in the identity block
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame until it is complete
    parameter int TX_BYTES = 16384,  // transmit buffer, a power of two
    parameter bit RX_STORE = 1'b0,  // 1: the stack shows a payload only when its checksum is right
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit DHCP = 1'b0,  // 1: a DHCP client
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
    parameter int IDLE_CYCLES = 15  // cycles without a beat until the node counts as idle
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    output logic busy,

    // the kernels' side
    kumi_rec_if.src m_udp_hdr,
    kumi_axis_if.src m_udp,
    kumi_rec_if.snk s_udp_hdr,
    kumi_axis_if.snk s_udp,
    kumi_axil_if.mst m_axil[BLOCKS],
    input udp_listen_t udp_listen,
    output logic [63:0] now,
    input logic kernel_busy
);
  kumi_rec_if #(.W(IP_HDR_W)) rx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx_ip ();
  kumi_rec_if #(.W(IP_HDR_W)) tx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx_ip ();
  logic [31:0] own_ip;
  ip_unresolved_t unresolved;

  kumi_node_ip_shell #(
      .DATA_W(DATA_W),
      .NAME(NAME),
      .BLOCKS(BLOCKS),
      .KINDS(KINDS),
      .BUILD(BUILD),
      .TX_STORE(TX_STORE),
      .TX_BYTES(TX_BYTES),
      .RX_STORE(RX_STORE),
      .RX_BYTES(RX_BYTES),
      .RAW(1'b0),
      .DHCP(DHCP),
      .IPV6(IPV6),
      .IDLE_CYCLES(IDLE_CYCLES)
  ) u_shell (
      .m_ip_hdr(rx_ip_hdr),
      .m_ip(rx_ip),
      .s_ip_hdr(tx_ip_hdr),
      .s_ip(tx_ip),
      .own_ip,
      .unresolved,
      .*  // everything else has the same name there
  );

  // No kernel here speaks another protocol than UDP.
  assign rx_ip_hdr.ready = 1'b1;
  assign rx_ip.tready = 1'b1;
  assign tx_ip_hdr.valid = 1'b0;
  assign tx_ip_hdr.data = '0;
  assign tx_ip.tvalid = 1'b0;
  assign tx_ip.tdata = '0;
  assign tx_ip.tkeep = '0;
  assign tx_ip.tlast = 1'b0;
  assign tx_ip.tuser = '0;
  assign tx_ip.tid = '0;
  assign tx_ip.tdest = '0;

  logic unused;
  assign unused = ^{own_ip, unresolved};
endmodule
