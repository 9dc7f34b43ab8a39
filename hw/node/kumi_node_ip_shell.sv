// SPDX-License-Identifier: Apache-2.0
//
// Shell of nodes on an IP network: Ethernet port, IP stack (ARP, IPv4, ICMP echo, UDP), register
// bus, identity, addresses, event counters. kumi_node_udp_shell is the same for UDP kernels only.
//
//   s_axis_eth0 -> [receive buffer] -> IP stack -> m_udp_hdr, m_udp, m_ip_hdr, m_ip -> kernels
//   m_axis_eth0 <- [frame buffer]   <- IP stack <- s_udp_hdr, s_udp, s_ip_hdr, s_ip <- kernels
//   s_axil -> identity at 0x0000, IP stack at 0x1000, kernel block k (m_axil[k]) at
//             0x2000 + 4096 k, behind the last one the DHCP client and IPv6, if there are any
//
// s_axis_eth0, m_axis_eth0: Ethernet frames without FCS, AXI4-Stream; tuser with tlast: bad frame.
// m_udp_hdr, m_udp: datagrams for the kernel; s_udp_hdr, s_udp: datagrams from it (kumi_ip_stack).
// m_ip_hdr, m_ip, s_ip_hdr, s_ip: packets of other protocols, with RAW = 1. own_ip: the address.
// udp_listen: the ports that the kernels take. Datagrams to others are answered by ICMP port
//   unreachable, and delivered nevertheless: the kernels count them.
// unresolved: a next hop does not answer ARP requests (kumi_ip_stack).
// now: cycles since reset, the time base of every kernel. busy: a frame is in progress or was
//   within the last IDLE_CYCLES, a packet waits for an ARP reply, or kernel_busy.
// TX_STORE = 1: a frame leaves when it is complete, so that a kernel or a line slower than the data
//   path never makes a gap inside a frame, and bad frames are dropped. TX_STORE = 0: frames leave
//   as they are made; bad ones carry the mark.
// DHCP = 1: the node can get its address from a DHCP server (kumi_node_dhcp).
// IPV6 = 1: it speaks IPv6 too, with the peers that speak to it (kumi_node_ip6).
// Latency: the stack's own, with TX_STORE = 1 two or three cycles and the frame's length more.
// Bad input: every dropped frame increments one counter of the `ip` register block.
module kumi_node_ip_shell
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
    parameter bit RAW = 1'b0,  // 1: deliver IPv4 packets that are neither ICMP nor UDP
    parameter int PENDING_BYTES = 2048,  // longest frame that waits for ARP, a power of two
    parameter bit DHCP = 1'b0,  // 1: a DHCP client
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
    parameter int PEERS6 = 256,  // of IPv6, known at a time, a power of two
    parameter bit DONT_FRAGMENT = 1'b0,  // 1: packets sent have DF, whatever the register says
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
    kumi_rec_if.src m_ip_hdr,
    kumi_axis_if.src m_ip,
    kumi_rec_if.snk s_ip_hdr,
    kumi_axis_if.snk s_ip,
    kumi_axil_if.mst m_axil[BLOCKS],
    input udp_listen_t udp_listen,
    output logic [31:0] own_ip,
    output ip_unresolved_t unresolved,
    output logic [63:0] now,
    input logic kernel_busy
);
  if (BLOCKS < 1 || BLOCKS > 14 - int'(DHCP) - int'(IPV6)) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be 1..14, less one for DHCP and one for IPV6 (%m)");
  end
  if (DATA_W != 64 && DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end

  // ---- Ethernet port -------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) eth_rx ();
  kumi_axis_if #(.DATA_W(DATA_W)) eth_tx ();

  logic ev_rx_overflow, ev_rx_bad, ev_tx_bad, never_full;

  kumi_node_buffer #(
      .BYTES(RX_BYTES),
      .DROP_FULL(1'b1)
  ) u_rx_buffer (
      .clk,
      .rst,
      .s_axis (s_axis_eth0),
      .m_axis (eth_rx),
      .ev_full(ev_rx_overflow),
      .ev_bad (ev_rx_bad)
  );

  kumi_node_buffer #(
      .BYTES(TX_STORE ? TX_BYTES : 0),
      .DROP_FULL(1'b0)
  ) u_tx_buffer (
      .clk,
      .rst,
      .s_axis (eth_tx),
      .m_axis (m_axis_eth0),
      .ev_full(never_full),
      .ev_bad (ev_tx_bad)
  );

  // The transmit buffer makes the stack wait instead.
  logic unused;
  assign unused = never_full;

  // ---- IP stack ------------------------------------------------------------------------------
  ip_cfg_t registers, set, leased, cfg;
  ip_events_t ev;

  always_comb begin
    set = registers;
    if (DONT_FRAGMENT) set.dont_fragment = 1'b1;
  end

  kumi_rec_if #(.W(UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_rec_if #(.W(IP_HDR_W)) raw_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) raw_tx ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_any_hdr ();  // to peers of IPv4 and of IPv6
  kumi_rec_if #(.W(IP_HDR_W)) raw_any_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) stack_rx ();
  kumi_axis_if #(.DATA_W(DATA_W)) stack_tx ();
  kumi_axil_if dhcp_axil ();
  kumi_axil_if ip6_axil ();
  logic stack_busy, dhcp_busy, ip6_busy;

  kumi_ip_stack #(
      .DATA_W       (DATA_W),
      .RX_STORE     (RX_STORE),
      .PENDING_BYTES(PENDING_BYTES)
  ) u_ip_stack (
      .clk,
      .rst,
      .cfg,
      .ev,
      .busy(stack_busy),
      .unresolved,
      .s_axis(stack_rx),
      .m_axis(stack_tx),
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_any_hdr),
      .s_udp(udp_tx),
      .m_ip_hdr,
      .m_ip,
      .s_ip_hdr(raw_any_hdr),
      .s_ip(raw_tx)
  );

  assign own_ip = cfg.ip;

  // ---- IPv6 ----------------------------------------------------------------------------------
  kumi_node_ip6 #(
      .DATA_W(DATA_W),
      .IPV6  (IPV6),
      .PEERS (PEERS6)
  ) u_ip6 (
      .clk,
      .rst,
      .s_axil(ip6_axil),
      .set(leased),
      .cfg,
      .busy(ip6_busy),
      .s_eth(eth_rx),
      .m_eth(eth_tx),
      .s_stack(stack_tx),
      .m_stack(stack_rx),
      .s_udp_hdr(udp_tx_hdr),
      .m_udp_hdr(udp_any_hdr),
      .s_raw_hdr(raw_tx_hdr),
      .m_raw_hdr(raw_any_hdr)
  );

  // ---- DHCP ----------------------------------------------------------------------------------
  kumi_node_dhcp #(
      .DATA_W(DATA_W),
      .DHCP  (DHCP)
  ) u_dhcp (
      .clk,
      .rst,
      .s_axil(dhcp_axil),
      .set,
      .cfg(leased),
      .conflict(ev.arp_conflict),
      .busy(dhcp_busy),
      .s_rx_hdr(udp_rx_hdr),
      .s_rx(udp_rx),
      .m_rx_hdr(m_udp_hdr),
      .m_rx(m_udp),
      .s_tx_hdr(s_udp_hdr),
      .s_tx(s_udp),
      .m_tx_hdr(udp_tx_hdr),
      .m_tx(udp_tx),
      .s_raw_hdr(s_ip_hdr),
      .s_raw(s_ip),
      .m_raw_hdr(raw_tx_hdr),
      .m_raw(raw_tx)
  );

  // ---- register bus --------------------------------------------------------------------------
  localparam int ALL_BLOCKS = BLOCKS + 1 + int'(DHCP) + int'(IPV6);
  localparam int ALL_W = ALL_BLOCKS * $bits(kumi_regs_pkg::block_t);
  localparam kumi_regs_pkg::block_t [1:0] LAST = DHCP ?
      {kumi_regs_pkg::BLOCK_IP6, kumi_regs_pkg::BLOCK_DHCP} : {2{kumi_regs_pkg::BLOCK_IP6}};
  kumi_axil_if axil[ALL_BLOCKS] ();

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  (NAME),
      .BLOCKS(ALL_BLOCKS),
      .KINDS (ALL_W'({LAST, KINDS, kumi_regs_pkg::BLOCK_IP})),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  kumi_node_ip_regs #(
      .RAW (RAW),
      .DHCP(DHCP)
  ) u_ip_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .cfg(registers),
      .udp_listen,
      .ev,
      .ev_node({ev_tx_bad, ev_rx_bad, ev_rx_overflow})
  );

  for (genvar k = 0; k < BLOCKS; ++k) begin : gen_kernel_block
    kumi_axil_join u_join (
        .s_axil(axil[k+1]),
        .m_axil(m_axil[k])
    );
  end

  if (DHCP) begin : gen_dhcp_block
    kumi_axil_join u_join (
        .s_axil(axil[BLOCKS+1]),
        .m_axil(dhcp_axil)
    );
  end else begin : gen_no_dhcp_block
    kumi_axil_idle u_idle (.m_axil(dhcp_axil));
  end

  if (IPV6) begin : gen_ip6_block
    kumi_axil_join u_join (
        .s_axil(axil[ALL_BLOCKS-1]),
        .m_axil(ip6_axil)
    );
  end else begin : gen_no_ip6_block
    kumi_axil_idle u_idle (.m_axil(ip6_axil));
  end

  // ---- busy ----------------------------------------------------------------------------------
  // Beats that are briefly invisible (in a register or FIFO) are covered by a little
  // time.
  localparam int IDLE_W = $clog2(IDLE_CYCLES + 1);
  logic [IDLE_W-1:0] idle_q;
  logic streams, active;
  assign streams = s_axis_eth0.tvalid || m_axis_eth0.tvalid || s_udp_hdr.valid || s_udp.tvalid ||
      m_udp_hdr.valid || m_udp.tvalid || s_ip_hdr.valid || m_ip_hdr.valid || m_ip.tvalid;
  assign active = stack_busy || dhcp_busy || ip6_busy || kernel_busy || streams || cfg.announce;

  always_ff @(posedge clk) begin
    if (active) idle_q <= IDLE_W'(IDLE_CYCLES);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  assign busy = active || idle_q != '0;
endmodule
