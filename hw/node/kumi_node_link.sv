// SPDX-License-Identifier: Apache-2.0
//
// Node: a board with two serial links of 1, 2 or 4 lanes, a circuit switch, host DMA and a kernel
// that answers IP (kumi_node_link_core). This flat top only wires.
//
// s_lane, m_lane: 66-bit blocks, one per cycle of clk and lane (156.25 MHz: 10 Gb/s); l0_2 is lane
//   2 of link 0; lanes beyond LANES are silent. m_axi_host: host memory. irq: a level per DMA
//   channel.
// s_axil: registers.
module kumi_node_link
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,  // of a link: 1, 2, 4
    parameter int CIRCUITS = 3,  // of the host, each way, 1..6
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

    output logic [4:0] m_axi_host_awid,
    output logic [63:0] m_axi_host_awaddr,
    output logic [7:0] m_axi_host_awlen,
    output logic [2:0] m_axi_host_awsize,
    output logic [1:0] m_axi_host_awburst,
    output logic m_axi_host_awvalid,
    input logic m_axi_host_awready,
    output logic [64*LANES-1:0] m_axi_host_wdata,
    output logic [8*LANES-1:0] m_axi_host_wstrb,
    output logic m_axi_host_wlast,
    output logic m_axi_host_wvalid,
    input logic m_axi_host_wready,
    input logic [4:0] m_axi_host_bid,
    input logic [1:0] m_axi_host_bresp,
    input logic m_axi_host_bvalid,
    output logic m_axi_host_bready,
    output logic [4:0] m_axi_host_arid,
    output logic [63:0] m_axi_host_araddr,
    output logic [7:0] m_axi_host_arlen,
    output logic [2:0] m_axi_host_arsize,
    output logic [1:0] m_axi_host_arburst,
    output logic m_axi_host_arvalid,
    input logic m_axi_host_arready,
    input logic [4:0] m_axi_host_rid,
    input logic [64*LANES-1:0] m_axi_host_rdata,
    input logic [1:0] m_axi_host_rresp,
    input logic m_axi_host_rlast,
    input logic m_axi_host_rvalid,
    output logic m_axi_host_rready,

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

    output logic [CIRCUITS:0] irq,
    output logic busy
);
  localparam int LINKS = 2;

  // ---- lanes ---------------------------------------------------------------------------------
  logic [LINKS-1:0][MAX_LANES-1:0][63:0] tx_data, rx_data;
  logic [LINKS-1:0][MAX_LANES-1:0][1:0] tx_head, rx_head;
  logic [LINKS-1:0][MAX_LANES-1:0] slip;

  assign m_lane_l0_0_data = tx_data[0][0];
  assign m_lane_l0_0_head = tx_head[0][0];
  assign rx_data[0][0] = s_lane_l0_0_data;
  assign rx_head[0][0] = s_lane_l0_0_head;
  assign s_lane_l0_0_slip = slip[0][0];
  assign m_lane_l0_1_data = tx_data[0][1];
  assign m_lane_l0_1_head = tx_head[0][1];
  assign rx_data[0][1] = s_lane_l0_1_data;
  assign rx_head[0][1] = s_lane_l0_1_head;
  assign s_lane_l0_1_slip = slip[0][1];
  assign m_lane_l0_2_data = tx_data[0][2];
  assign m_lane_l0_2_head = tx_head[0][2];
  assign rx_data[0][2] = s_lane_l0_2_data;
  assign rx_head[0][2] = s_lane_l0_2_head;
  assign s_lane_l0_2_slip = slip[0][2];
  assign m_lane_l0_3_data = tx_data[0][3];
  assign m_lane_l0_3_head = tx_head[0][3];
  assign rx_data[0][3] = s_lane_l0_3_data;
  assign rx_head[0][3] = s_lane_l0_3_head;
  assign s_lane_l0_3_slip = slip[0][3];
  assign m_lane_l1_0_data = tx_data[1][0];
  assign m_lane_l1_0_head = tx_head[1][0];
  assign rx_data[1][0] = s_lane_l1_0_data;
  assign rx_head[1][0] = s_lane_l1_0_head;
  assign s_lane_l1_0_slip = slip[1][0];
  assign m_lane_l1_1_data = tx_data[1][1];
  assign m_lane_l1_1_head = tx_head[1][1];
  assign rx_data[1][1] = s_lane_l1_1_data;
  assign rx_head[1][1] = s_lane_l1_1_head;
  assign s_lane_l1_1_slip = slip[1][1];
  assign m_lane_l1_2_data = tx_data[1][2];
  assign m_lane_l1_2_head = tx_head[1][2];
  assign rx_data[1][2] = s_lane_l1_2_data;
  assign rx_head[1][2] = s_lane_l1_2_head;
  assign s_lane_l1_2_slip = slip[1][2];
  assign m_lane_l1_3_data = tx_data[1][3];
  assign m_lane_l1_3_head = tx_head[1][3];
  assign rx_data[1][3] = s_lane_l1_3_data;
  assign rx_head[1][3] = s_lane_l1_3_head;
  assign s_lane_l1_3_slip = slip[1][3];

  logic [LINKS-1:0][LANES-1:0][63:0] board_tx_data, board_rx_data;
  logic [LINKS-1:0][LANES-1:0][1:0] board_tx_head, board_rx_head;
  logic [LINKS-1:0][LANES-1:0] board_slip;

  for (genvar l = 0; l < LINKS; ++l) begin : gen_link
    for (genvar i = 0; i < MAX_LANES; ++i) begin : gen_lane
      if (i < LANES) begin : gen_used
        assign tx_data[l][i] = board_tx_data[l][i];
        assign tx_head[l][i] = board_tx_head[l][i];
        assign board_rx_data[l][i] = rx_data[l][i];
        assign board_rx_head[l][i] = rx_head[l][i];
        assign slip[l][i] = board_slip[l][i];
      end else begin : gen_silent
        assign tx_data[l][i] = '0;
        assign tx_head[l][i] = '0;
        assign slip[l][i] = 1'b0;
        logic unused;
        assign unused = ^{rx_data[l][i], rx_head[l][i]};
      end
    end
  end

  kumi_axil_if host ();

  assign host.awaddr = s_axil_awaddr;
  assign host.awprot = s_axil_awprot;
  assign host.awvalid = s_axil_awvalid;
  assign s_axil_awready = host.awready;
  assign host.wdata = s_axil_wdata;
  assign host.wstrb = s_axil_wstrb;
  assign host.wvalid = s_axil_wvalid;
  assign s_axil_wready = host.wready;
  assign s_axil_bresp = host.bresp;
  assign s_axil_bvalid = host.bvalid;
  assign host.bready = s_axil_bready;
  assign host.araddr = s_axil_araddr;
  assign host.arprot = s_axil_arprot;
  assign host.arvalid = s_axil_arvalid;
  assign s_axil_arready = host.arready;
  assign s_axil_rdata = host.rdata;
  assign s_axil_rresp = host.rresp;
  assign s_axil_rvalid = host.rvalid;
  assign host.rready = s_axil_rready;

  kumi_node_link_core #(
      .LANES(LANES),
      .LINKS(LINKS),
      .CIRCUITS(CIRCUITS),
      .NAME("link"),
      .BUILD(BUILD)
  ) u_board (
      .clk,
      .rst,
      .m_lane_data(board_tx_data),
      .m_lane_head(board_tx_head),
      .s_lane_data(board_rx_data),
      .s_lane_head(board_rx_head),
      .s_lane_slip(board_slip),
      .m_axi_awid(m_axi_host_awid),
      .m_axi_awaddr(m_axi_host_awaddr),
      .m_axi_awlen(m_axi_host_awlen),
      .m_axi_awsize(m_axi_host_awsize),
      .m_axi_awburst(m_axi_host_awburst),
      .m_axi_awvalid(m_axi_host_awvalid),
      .m_axi_awready(m_axi_host_awready),
      .m_axi_wdata(m_axi_host_wdata),
      .m_axi_wstrb(m_axi_host_wstrb),
      .m_axi_wlast(m_axi_host_wlast),
      .m_axi_wvalid(m_axi_host_wvalid),
      .m_axi_wready(m_axi_host_wready),
      .m_axi_bid(m_axi_host_bid),
      .m_axi_bresp(m_axi_host_bresp),
      .m_axi_bvalid(m_axi_host_bvalid),
      .m_axi_bready(m_axi_host_bready),
      .m_axi_arid(m_axi_host_arid),
      .m_axi_araddr(m_axi_host_araddr),
      .m_axi_arlen(m_axi_host_arlen),
      .m_axi_arsize(m_axi_host_arsize),
      .m_axi_arburst(m_axi_host_arburst),
      .m_axi_arvalid(m_axi_host_arvalid),
      .m_axi_arready(m_axi_host_arready),
      .m_axi_rid(m_axi_host_rid),
      .m_axi_rdata(m_axi_host_rdata),
      .m_axi_rresp(m_axi_host_rresp),
      .m_axi_rlast(m_axi_host_rlast),
      .m_axi_rvalid(m_axi_host_rvalid),
      .m_axi_rready(m_axi_host_rready),
      .s_axil(host),
      .irq,
      .busy
  );
endmodule
