// SPDX-License-Identifier: Apache-2.0
//
// Node: a board with two serial links of 1, 2 or 4 lanes, a circuit switch, s_axil DMA and a kernel
// that answers IP (kumi_node_link_board). This flat top only wires.
//
// s_lane, m_lane: 66-bit blocks, one per cycle of clk and lane (156.25 MHz: 10 Gb/s); l0_2 is lane
//   2 of link 0; lanes beyond LANES are silent. m_axi_host: s_axil memory. irq: a level per DMA
//   channel.
// s_axil: registers.
module kumi_node_link_core
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,  // of a link: 1, 2, 4
    parameter int CIRCUITS = 3,  // of the s_axil, each way, 1..6
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

    kumi_axi_if.mst m_axi_host,  // DATA_W=64*LANES ADDR_W=64 ID_W=5

    kumi_axil_if.slv s_axil,

    output logic [CIRCUITS:0] irq,
    output logic busy
);
  localparam int LINKS = 2;

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

  kumi_node_link_board #(
      .LANES(LANES),
      .LINKS(LINKS),
      .CIRCUITS(CIRCUITS),
      .NAME("link"),
      .BUILD(BUILD)
  ) u_board (
      .clk,
      .rst,
      .m_lane_data(tx_data),
      .m_lane_head(tx_head),
      .s_lane_data(rx_data),
      .s_lane_head(rx_head),
      .s_lane_slip(slip),
      .m_axi_awid(m_axi_host.awid),
      .m_axi_awaddr(m_axi_host.awaddr),
      .m_axi_awlen(m_axi_host.awlen),
      .m_axi_awsize(m_axi_host.awsize),
      .m_axi_awburst(m_axi_host.awburst),
      .m_axi_awvalid(m_axi_host.awvalid),
      .m_axi_awready(m_axi_host.awready),
      .m_axi_wdata(m_axi_host.wdata),
      .m_axi_wstrb(m_axi_host.wstrb),
      .m_axi_wlast(m_axi_host.wlast),
      .m_axi_wvalid(m_axi_host.wvalid),
      .m_axi_wready(m_axi_host.wready),
      .m_axi_bid(m_axi_host.bid),
      .m_axi_bresp(m_axi_host.bresp),
      .m_axi_bvalid(m_axi_host.bvalid),
      .m_axi_bready(m_axi_host.bready),
      .m_axi_arid(m_axi_host.arid),
      .m_axi_araddr(m_axi_host.araddr),
      .m_axi_arlen(m_axi_host.arlen),
      .m_axi_arsize(m_axi_host.arsize),
      .m_axi_arburst(m_axi_host.arburst),
      .m_axi_arvalid(m_axi_host.arvalid),
      .m_axi_arready(m_axi_host.arready),
      .m_axi_rid(m_axi_host.rid),
      .m_axi_rdata(m_axi_host.rdata),
      .m_axi_rresp(m_axi_host.rresp),
      .m_axi_rlast(m_axi_host.rlast),
      .m_axi_rvalid(m_axi_host.rvalid),
      .m_axi_rready(m_axi_host.rready),
      .s_axil,
      .irq,
      .busy
  );
endmodule
