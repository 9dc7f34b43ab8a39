// SPDX-License-Identifier: Apache-2.0
//
// Shell of nodes whose kernels speak TCP and UDP: kumi_node_ip_shell plus the TCP engine with its
// register block.
//
//   eth0 <-> IP stack <-> kumi_tcp <-> kernels        UDP goes straight to the kernels
//                          \-> m_axi_rx, m_axi_tx: memory of the rings (with ON_CHIP = 0)
//   s_axil -> identity at 0x0000, IP stack at 0x1000, TCP engine at 0x2000, kernel block k
//             (m_axil[k]) at 0x3000 + 4096 k
//
// s_app: the engine's application interface, for the kernels; notify_skip: see kumi_tcp. now_us:
//   microseconds since reset.
// Other ports: see kumi_node_ip_shell.
module kumi_node_tcp_shell
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks of the kernels, 1..13, less DHCP and IPV6
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, block 0 in KINDS[0]
    parameter logic [63:0] BUILD = '0,  // build hash shown in the identity block
    parameter int SESSIONS = 64,  // a power of two, 4..16384
    parameter int TX_RING = 65536,  // bytes a session, a power of two
    parameter int RX_RING = 65536,  // bytes a session, a power of two
    parameter int OOO_RANGES = 4,  // out-of-order ranges a session, 1..4
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int TX_QUEUE = 0,  // segments that may wait for the wire, a power of two; 0: a few
    parameter bit ON_CHIP = 1'b0,  // 1: rings in the chip's memory
    parameter int MTU = 9000,  // longest IP packet either way, at most the IP stack's 9000
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b0,  // 1: hold each frame until it is complete
    parameter bit DHCP = 1'b0,  // 1: a DHCP client
    parameter bit IPV6 = 1'b0  // 1: IPv6 beside IPv4
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    kumi_axi_if.mst m_axi_rx,
    kumi_axi_if.mst m_axi_tx,

    output logic busy,

    // the kernels' side
    kumi_rec_if.src m_udp_hdr,
    kumi_axis_if.src m_udp,
    kumi_rec_if.snk s_udp_hdr,
    kumi_axis_if.snk s_udp,
    kumi_tcp_app_if s_app,
    kumi_axil_if.mst m_axil[BLOCKS],
    input kumi_ip_pkg::udp_listen_t udp_listen,
    output logic [63:0] now,
    output logic [31:0] now_us,
    output kumi_ip_pkg::ip_unresolved_t unresolved,
    input logic notify_skip,
    input logic kernel_busy
);
  if (BLOCKS < 1 || BLOCKS > 13 - int'(DHCP) - int'(IPV6)) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be 1..13, less one for DHCP and one for IPV6 (%m)");
  end

  localparam int ADDR_W = 32;  // 16,384 sessions of two times 64 KiB are 1 GiB a direction

  // ---- IP -------------------------------------------------------------------------------------
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) rx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx_ip ();
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) tx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx_ip ();
  kumi_axil_if axil[BLOCKS+1] ();
  logic [31:0] own_ip;
  logic tcp_busy;

  kumi_node_ip_shell #(
      .DATA_W(DATA_W),
      .NAME(NAME),
      .BLOCKS(BLOCKS + 1),
      .KINDS({KINDS, kumi_regs_pkg::BLOCK_TCP}),
      .BUILD(BUILD),
      .TX_STORE(TX_STORE),
      .RX_BYTES(RX_BYTES),
      .RAW(1'b1),
      .DHCP(DHCP),
      .IPV6(IPV6)
  ) u_ip (
      .m_ip_hdr(rx_ip_hdr),
      .m_ip(rx_ip),
      .s_ip_hdr(tx_ip_hdr),
      .s_ip(tx_ip),
      .m_axil(axil),
      .own_ip,
      .kernel_busy(kernel_busy || tcp_busy),
      .*  // everything else has the same name there
  );

  // ---- TCP ------------------------------------------------------------------------------------
  tcp_cfg_t cfg;
  kumi_tcp_ev_pkg::tcp_events_t ev;
  logic ready;
  logic [15:0] sessions, time_wait;

  kumi_tcp #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC),
      .TX_QUEUE(TX_QUEUE),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .ADDR_W(ADDR_W)
  ) u_tcp (
      .clk,
      .rst,
      .cfg,
      .rx_base('0),
      .tx_base('0),
      .ready,
      .sessions,
      .time_wait,
      .now_us,
      .busy(tcp_busy),
      .ev,
      .s_ip_hdr(rx_ip_hdr),
      .s_ip(rx_ip),
      .m_ip_hdr(tx_ip_hdr),
      .m_ip(tx_ip),
      .s_app,
      .notify_skip,
      .m_axi_rx,
      .m_axi_tx
  );

  kumi_node_tcp_regs #(
      .MTU(MTU)
  ) u_tcp_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .own_ip,
      .cfg,
      .ready,
      .sessions,
      .time_wait,
      .now_us,
      .ev
  );

  // ---- register blocks of the kernels ---------------------------------------------------------
  for (genvar k = 0; k < BLOCKS; ++k) begin : gen_kernel_block
    kumi_axil_join u_join (
        .s_axil(axil[k+1]),
        .m_axil(m_axil[k])
    );
  end
endmodule
