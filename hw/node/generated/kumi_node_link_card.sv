// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_link_card_core.sv by `python -m kumihimo.dev nodes`; do not edit.
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
module kumi_node_link_card
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

    input logic [31:0] s_axil_host_awaddr,
    input logic [2:0] s_axil_host_awprot,
    input logic s_axil_host_awvalid,
    output logic s_axil_host_awready,
    input logic [31:0] s_axil_host_wdata,
    input logic [3:0] s_axil_host_wstrb,
    input logic s_axil_host_wvalid,
    output logic s_axil_host_wready,
    output logic [1:0] s_axil_host_bresp,
    output logic s_axil_host_bvalid,
    input logic s_axil_host_bready,
    input logic [31:0] s_axil_host_araddr,
    input logic [2:0] s_axil_host_arprot,
    input logic s_axil_host_arvalid,
    output logic s_axil_host_arready,
    output logic [31:0] s_axil_host_rdata,
    output logic [1:0] s_axil_host_rresp,
    output logic s_axil_host_rvalid,
    input logic s_axil_host_rready,
    output logic [3:0] m_axi_host_awid,
    output logic [63:0] m_axi_host_awaddr,
    output logic [7:0] m_axi_host_awlen,
    output logic [2:0] m_axi_host_awsize,
    output logic [1:0] m_axi_host_awburst,
    output logic m_axi_host_awvalid,
    input logic m_axi_host_awready,
    output logic [511:0] m_axi_host_wdata,
    output logic [512/8-1:0] m_axi_host_wstrb,
    output logic m_axi_host_wlast,
    output logic m_axi_host_wvalid,
    input logic m_axi_host_wready,
    input logic [3:0] m_axi_host_bid,
    input logic [1:0] m_axi_host_bresp,
    input logic m_axi_host_bvalid,
    output logic m_axi_host_bready,
    output logic [3:0] m_axi_host_arid,
    output logic [63:0] m_axi_host_araddr,
    output logic [7:0] m_axi_host_arlen,
    output logic [2:0] m_axi_host_arsize,
    output logic [1:0] m_axi_host_arburst,
    output logic m_axi_host_arvalid,
    input logic m_axi_host_arready,
    input logic [3:0] m_axi_host_rid,
    input logic [511:0] m_axi_host_rdata,
    input logic [1:0] m_axi_host_rresp,
    input logic m_axi_host_rlast,
    input logic m_axi_host_rvalid,
    output logic m_axi_host_rready,
    output logic [15:0] m_hdr_host_irq_data,
    output logic m_hdr_host_irq_valid,
    input logic m_hdr_host_irq_ready,

    input logic [31:0] s_axil_awaddr,
    input logic [2:0] s_axil_awprot,
    input logic s_axil_awvalid,
    output logic s_axil_awready,
    input logic [31:0] s_axil_wdata,
    input logic [3:0] s_axil_wstrb,
    input logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input logic s_axil_bready,
    input logic [31:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready,

    input  logic [47:0] mac,
    output logic        busy
);
  kumi_axil_if s_axil_host ();
  assign s_axil_host.awaddr = s_axil_host_awaddr;
  assign s_axil_host.awprot = s_axil_host_awprot;
  assign s_axil_host.awvalid = s_axil_host_awvalid;
  assign s_axil_host_awready = s_axil_host.awready;
  assign s_axil_host.wdata = s_axil_host_wdata;
  assign s_axil_host.wstrb = s_axil_host_wstrb;
  assign s_axil_host.wvalid = s_axil_host_wvalid;
  assign s_axil_host_wready = s_axil_host.wready;
  assign s_axil_host_bresp = s_axil_host.bresp;
  assign s_axil_host_bvalid = s_axil_host.bvalid;
  assign s_axil_host.bready = s_axil_host_bready;
  assign s_axil_host.araddr = s_axil_host_araddr;
  assign s_axil_host.arprot = s_axil_host_arprot;
  assign s_axil_host.arvalid = s_axil_host_arvalid;
  assign s_axil_host_arready = s_axil_host.arready;
  assign s_axil_host_rdata = s_axil_host.rdata;
  assign s_axil_host_rresp = s_axil_host.rresp;
  assign s_axil_host_rvalid = s_axil_host.rvalid;
  assign s_axil_host.rready = s_axil_host_rready;

  kumi_axi_if #(.DATA_W(512), .ADDR_W(64), .ID_W(4)) m_axi_host ();
  assign m_axi_host_awid = m_axi_host.awid;
  assign m_axi_host_awaddr = m_axi_host.awaddr;
  assign m_axi_host_awlen = m_axi_host.awlen;
  assign m_axi_host_awsize = m_axi_host.awsize;
  assign m_axi_host_awburst = m_axi_host.awburst;
  assign m_axi_host_awvalid = m_axi_host.awvalid;
  assign m_axi_host.awready = m_axi_host_awready;
  assign m_axi_host_wdata = m_axi_host.wdata;
  assign m_axi_host_wstrb = m_axi_host.wstrb;
  assign m_axi_host_wlast = m_axi_host.wlast;
  assign m_axi_host_wvalid = m_axi_host.wvalid;
  assign m_axi_host.wready = m_axi_host_wready;
  assign m_axi_host.bid = m_axi_host_bid;
  assign m_axi_host.bresp = m_axi_host_bresp;
  assign m_axi_host.bvalid = m_axi_host_bvalid;
  assign m_axi_host_bready = m_axi_host.bready;
  assign m_axi_host_arid = m_axi_host.arid;
  assign m_axi_host_araddr = m_axi_host.araddr;
  assign m_axi_host_arlen = m_axi_host.arlen;
  assign m_axi_host_arsize = m_axi_host.arsize;
  assign m_axi_host_arburst = m_axi_host.arburst;
  assign m_axi_host_arvalid = m_axi_host.arvalid;
  assign m_axi_host.arready = m_axi_host_arready;
  assign m_axi_host.rid = m_axi_host_rid;
  assign m_axi_host.rdata = m_axi_host_rdata;
  assign m_axi_host.rresp = m_axi_host_rresp;
  assign m_axi_host.rlast = m_axi_host_rlast;
  assign m_axi_host.rvalid = m_axi_host_rvalid;
  assign m_axi_host_rready = m_axi_host.rready;

  kumi_rec_if #(.W(16)) m_hdr_host_irq ();
  assign m_hdr_host_irq_data = m_hdr_host_irq.data;
  assign m_hdr_host_irq_valid = m_hdr_host_irq.valid;
  assign m_hdr_host_irq.ready = m_hdr_host_irq_ready;

  kumi_axil_if s_axil ();
  assign s_axil.awaddr = s_axil_awaddr;
  assign s_axil.awprot = s_axil_awprot;
  assign s_axil.awvalid = s_axil_awvalid;
  assign s_axil_awready = s_axil.awready;
  assign s_axil.wdata = s_axil_wdata;
  assign s_axil.wstrb = s_axil_wstrb;
  assign s_axil.wvalid = s_axil_wvalid;
  assign s_axil_wready = s_axil.wready;
  assign s_axil_bresp = s_axil.bresp;
  assign s_axil_bvalid = s_axil.bvalid;
  assign s_axil.bready = s_axil_bready;
  assign s_axil.araddr = s_axil_araddr;
  assign s_axil.arprot = s_axil_arprot;
  assign s_axil.arvalid = s_axil_arvalid;
  assign s_axil_arready = s_axil.arready;
  assign s_axil_rdata = s_axil.rdata;
  assign s_axil_rresp = s_axil.rresp;
  assign s_axil_rvalid = s_axil.rvalid;
  assign s_axil.rready = s_axil_rready;

  kumi_node_link_card_core #(
      .LANES(LANES),
      .CIRCUITS(CIRCUITS),
      .PAIRS(PAIRS),
      .SIZE(SIZE),
      .MTU(MTU),
      .CLK_MHZ(CLK_MHZ),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .m_lane_l0_0_data,
      .m_lane_l0_0_head,
      .s_lane_l0_0_data,
      .s_lane_l0_0_head,
      .s_lane_l0_0_slip,
      .m_lane_l0_1_data,
      .m_lane_l0_1_head,
      .s_lane_l0_1_data,
      .s_lane_l0_1_head,
      .s_lane_l0_1_slip,
      .m_lane_l0_2_data,
      .m_lane_l0_2_head,
      .s_lane_l0_2_data,
      .s_lane_l0_2_head,
      .s_lane_l0_2_slip,
      .m_lane_l0_3_data,
      .m_lane_l0_3_head,
      .s_lane_l0_3_data,
      .s_lane_l0_3_head,
      .s_lane_l0_3_slip,
      .m_lane_l1_0_data,
      .m_lane_l1_0_head,
      .s_lane_l1_0_data,
      .s_lane_l1_0_head,
      .s_lane_l1_0_slip,
      .m_lane_l1_1_data,
      .m_lane_l1_1_head,
      .s_lane_l1_1_data,
      .s_lane_l1_1_head,
      .s_lane_l1_1_slip,
      .m_lane_l1_2_data,
      .m_lane_l1_2_head,
      .s_lane_l1_2_data,
      .s_lane_l1_2_head,
      .s_lane_l1_2_slip,
      .m_lane_l1_3_data,
      .m_lane_l1_3_head,
      .s_lane_l1_3_data,
      .s_lane_l1_3_head,
      .s_lane_l1_3_slip,
      .s_axil_host,
      .m_axi_host,
      .m_hdr_host_irq,
      .s_axil,
      .mac,
      .busy
  );
endmodule
