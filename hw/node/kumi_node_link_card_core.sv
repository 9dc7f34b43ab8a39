// SPDX-License-Identifier: Apache-2.0
//
// Node: a board with two serial links of 1, 2 or 4 lanes and a circuit switch, whose host is a
// guest with a network card: each VLAN of the card is a circuit.
//
//   lanes <-> kumi_node_link_net <-> kumi_nic_channels <-> kumi_nic <-> the guest
//                                <-> kernel: ping and UDP echo over IP
//
// s_lane, m_lane: 66-bit blocks, one per cycle of clk and lane (156.25 MHz: 10 Gb/s); l0_2 is lane
//   2 of link 0; lanes beyond LANES are silent.
// *_host: registers, DMA and interrupts of the host, as docs/decisions/0006-nic.md has them. mac:
//   address of the card; a cluster sets it to the node's.
// s_axil: identity at 0x0000, then windows of 4 KiB: switch, links, circuits, IP stack and echo of
//   the kernel. The card has no best-effort packets: those for it fill a buffer, then count as
//   be_full, as the kernel's do.
module kumi_node_link_card_core
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,  // of a link: 1, 2, 4
    parameter int CIRCUITS = 4,  // of the card, each way, 1..8
    parameter int PAIRS = 4,  // pairs of queues
    parameter int SIZE = 256,  // largest ring
    parameter int MTU = 9000,  // largest, offered to the driver
    parameter int CLK_MHZ = 156,  // of clk: microseconds of interrupt moderation
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    output logic [63:0] m_lane_l0_0_data,
    output logic [1:0] m_lane_l0_0_head,
    input logic [63:0] s_lane_l0_0_data,
    input logic [1:0] s_lane_l0_0_head,
    output logic s_lane_l0_0_slip,
    output logic [63:0] m_lane_l0_1_data,
    output logic [1:0] m_lane_l0_1_head,
    input logic [63:0] s_lane_l0_1_data,
    input logic [1:0] s_lane_l0_1_head,
    output logic s_lane_l0_1_slip,
    output logic [63:0] m_lane_l0_2_data,
    output logic [1:0] m_lane_l0_2_head,
    input logic [63:0] s_lane_l0_2_data,
    input logic [1:0] s_lane_l0_2_head,
    output logic s_lane_l0_2_slip,
    output logic [63:0] m_lane_l0_3_data,
    output logic [1:0] m_lane_l0_3_head,
    input logic [63:0] s_lane_l0_3_data,
    input logic [1:0] s_lane_l0_3_head,
    output logic s_lane_l0_3_slip,
    output logic [63:0] m_lane_l1_0_data,
    output logic [1:0] m_lane_l1_0_head,
    input logic [63:0] s_lane_l1_0_data,
    input logic [1:0] s_lane_l1_0_head,
    output logic s_lane_l1_0_slip,
    output logic [63:0] m_lane_l1_1_data,
    output logic [1:0] m_lane_l1_1_head,
    input logic [63:0] s_lane_l1_1_data,
    input logic [1:0] s_lane_l1_1_head,
    output logic s_lane_l1_1_slip,
    output logic [63:0] m_lane_l1_2_data,
    output logic [1:0] m_lane_l1_2_head,
    input logic [63:0] s_lane_l1_2_data,
    input logic [1:0] s_lane_l1_2_head,
    output logic s_lane_l1_2_slip,
    output logic [63:0] m_lane_l1_3_data,
    output logic [1:0] m_lane_l1_3_head,
    input logic [63:0] s_lane_l1_3_data,
    input logic [1:0] s_lane_l1_3_head,
    output logic s_lane_l1_3_slip,

    kumi_axil_if.slv s_axil_host,
    kumi_axi_if.mst m_axi_host,  // DATA_W=512 ADDR_W=64 ID_W=4
    kumi_rec_if.src m_hdr_host_irq,  // W=16

    kumi_axil_if.slv s_axil,

    input  logic [47:0] mac,
    output logic        busy
);
  localparam int LINKS = 2;
  localparam int W = 64 * LANES;
  localparam int CARD_W = W < 128 ? 128 : W;
  localparam int AT_IP = LINKS + 2;  // register blocks; the network has the first
  localparam int AT_ECHO = AT_IP + 1;
  localparam int BLOCKS = AT_ECHO + 1;

  // ---- lanes ---------------------------------------------------------------------------------
  logic [LINKS-1:0][MAX_LANES-1:0][63:0] tx_data, rx_data;
  logic [LINKS-1:0][MAX_LANES-1:0][1:0] tx_head, rx_head;
  logic [LINKS-1:0][MAX_LANES-1:0] slip;

  assign {
    m_lane_l1_3_data, m_lane_l1_2_data, m_lane_l1_1_data, m_lane_l1_0_data,
    m_lane_l0_3_data, m_lane_l0_2_data, m_lane_l0_1_data, m_lane_l0_0_data
  } = tx_data;
  assign {
    m_lane_l1_3_head, m_lane_l1_2_head, m_lane_l1_1_head, m_lane_l1_0_head,
    m_lane_l0_3_head, m_lane_l0_2_head, m_lane_l0_1_head, m_lane_l0_0_head
  } = tx_head;
  assign rx_data = {
    s_lane_l1_3_data,
    s_lane_l1_2_data,
    s_lane_l1_1_data,
    s_lane_l1_0_data,
    s_lane_l0_3_data,
    s_lane_l0_2_data,
    s_lane_l0_1_data,
    s_lane_l0_0_data
  };
  assign rx_head = {
    s_lane_l1_3_head,
    s_lane_l1_2_head,
    s_lane_l1_1_head,
    s_lane_l1_0_head,
    s_lane_l0_3_head,
    s_lane_l0_2_head,
    s_lane_l0_1_head,
    s_lane_l0_0_head
  };
  assign {
    s_lane_l1_3_slip, s_lane_l1_2_slip, s_lane_l1_1_slip, s_lane_l1_0_slip,
    s_lane_l0_3_slip, s_lane_l0_2_slip, s_lane_l0_1_slip, s_lane_l0_0_slip
  } = slip;

  // ---- registers -----------------------------------------------------------------------------
  kumi_axil_if axil[BLOCKS] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(W),
      .NAME("link_card"),
      .BLOCKS(BLOCKS),
      .KINDS({
        kumi_regs_pkg::BLOCK_ECHO,
        kumi_regs_pkg::BLOCK_IP,
        kumi_regs_pkg::BLOCK_CIRCUIT,
        {LINKS{kumi_regs_pkg::BLOCK_LANES}},
        kumi_regs_pkg::BLOCK_STDM
      }),
      .BUILD(BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  // ---- links, switch, and packets on circuits --------------------------------------------------
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  )
      s_packet[CIRCUITS+1] (), m_packet[CIRCUITS+1] (), s_be (), m_be ();
  logic net_busy;

  kumi_node_link_net #(
      .LANES(LANES),
      .LINKS(LINKS),
      .CHANNELS(CIRCUITS)
  ) u_net (
      .clk,
      .rst,
      .s_axil(axil[0:LINKS+1]),
      .m_lane_data(tx_data),
      .m_lane_head(tx_head),
      .s_lane_data(rx_data),
      .s_lane_head(rx_head),
      .s_lane_slip(slip),
      .s_packet,
      .m_packet,
      .s_be,
      .m_be,
      .busy(net_busy)
  );

  assign s_be.tvalid = 1'b0;
  assign s_be.tdata = '0;
  assign s_be.tkeep = '0;
  assign s_be.tlast = 1'b0;
  assign s_be.tuser = '0;
  assign s_be.tid = '0;
  assign s_be.tdest = '0;
  assign m_be.tready = 1'b0;

  // ---- host ----------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(CARD_W)) to_card (), from_card ();
  logic nic_busy;

  kumi_nic_channels #(
      .CHANNELS(CIRCUITS)
  ) u_channels (
      .clk,
      .rst,
      .s_card  (from_card),
      .m_card  (to_card),
      .s_packet(m_packet[0:CIRCUITS-1]),
      .m_packet(s_packet[0:CIRCUITS-1])
  );

  kumi_nic #(
      .PAIRS(PAIRS),
      .SIZE(SIZE),
      .MTU(MTU),
      .CLK_MHZ(CLK_MHZ)
  ) u_nic (
      .clk,
      .rst,
      .mac,
      .s_axil(s_axil_host),
      .m_axi (m_axi_host),
      .m_irq (m_hdr_host_irq),
      .s_eth (to_card),
      .m_eth (from_card),
      .busy  (nic_busy)
  );

  // ---- kernel --------------------------------------------------------------------------------
  logic kernel_busy;

  kumi_node_link_echo #(
      .DATA_W(W)
  ) u_kernel (
      .clk,
      .rst,
      .s_axil_ip(axil[AT_IP]),
      .s_axil_echo(axil[AT_ECHO]),
      .s_packet(m_packet[CIRCUITS]),
      .m_packet(s_packet[CIRCUITS]),
      .busy(kernel_busy)
  );

  assign busy = net_busy || nic_busy || kernel_busy;

  logic unused;
  assign unused = ^now;
endmodule
