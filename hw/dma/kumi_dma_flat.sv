// SPDX-License-Identifier: Apache-2.0
//
// kumi_dma with one channel and flat ports, for tools and test benches without interfaces.
// Ports and figures: see kumi_dma.
module kumi_dma_flat #(
    parameter int DATA_W      = 64,   // bits of the memory port and of the streams
    parameter int ADDR_W      = 64,   // bits of a memory address
    parameter int ID_W        = 4,    // bits of a transaction id
    parameter int BURST       = 0,    // beats of the longest burst, 0: 1 KiB
    parameter int READ_BEATS  = 512,  // beats that may be on their way from memory
    parameter int WRITE_BEATS = 512   // beats of the buffer toward memory
) (
    input logic clk,
    input logic rst,

    input logic [11:0] s_axil_awaddr,
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
    input logic [11:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready,

    output logic [DATA_W-1:0] m_axis_tdata,
    output logic [DATA_W/8-1:0] m_axis_tkeep,
    output logic m_axis_tvalid,
    input logic m_axis_tready,
    output logic m_axis_tlast,
    output logic m_axis_tuser,
    output logic [7:0] m_axis_tdest,
    input logic [DATA_W-1:0] s_axis_tdata,
    input logic [DATA_W/8-1:0] s_axis_tkeep,
    input logic s_axis_tvalid,
    output logic s_axis_tready,
    input logic s_axis_tlast,
    input logic s_axis_tuser,
    input logic [7:0] s_axis_tid,

    output logic [ID_W-1:0] m_axi_awid,
    output logic [ADDR_W-1:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen,
    output logic [2:0] m_axi_awsize,
    output logic [1:0] m_axi_awburst,
    output logic m_axi_awvalid,
    input logic m_axi_awready,
    output logic [DATA_W-1:0] m_axi_wdata,
    output logic [DATA_W/8-1:0] m_axi_wstrb,
    output logic m_axi_wlast,
    output logic m_axi_wvalid,
    input logic m_axi_wready,
    input logic [ID_W-1:0] m_axi_bid,
    input logic [1:0] m_axi_bresp,
    input logic m_axi_bvalid,
    output logic m_axi_bready,
    output logic [ID_W-1:0] m_axi_arid,
    output logic [ADDR_W-1:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [ID_W-1:0] m_axi_rid,
    input logic [DATA_W-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready,

    output logic irq,
    output logic busy
);
  kumi_axil_if axil[1] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) tx[1] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8)
  ) rx[1] ();

  assign axil[0].awaddr = {20'h0, s_axil_awaddr};
  assign axil[0].awprot = s_axil_awprot;
  assign axil[0].awvalid = s_axil_awvalid;
  assign axil[0].wdata = s_axil_wdata;
  assign axil[0].wstrb = s_axil_wstrb;
  assign axil[0].wvalid = s_axil_wvalid;
  assign axil[0].bready = s_axil_bready;
  assign axil[0].araddr = {20'h0, s_axil_araddr};
  assign axil[0].arprot = s_axil_arprot;
  assign axil[0].arvalid = s_axil_arvalid;
  assign axil[0].rready = s_axil_rready;
  assign s_axil_awready = axil[0].awready;
  assign s_axil_wready = axil[0].wready;
  assign s_axil_bresp = axil[0].bresp;
  assign s_axil_bvalid = axil[0].bvalid;
  assign s_axil_arready = axil[0].arready;
  assign s_axil_rdata = axil[0].rdata;
  assign s_axil_rresp = axil[0].rresp;
  assign s_axil_rvalid = axil[0].rvalid;

  assign m_axis_tdata = tx[0].tdata;
  assign m_axis_tkeep = tx[0].tkeep;
  assign m_axis_tvalid = tx[0].tvalid;
  assign m_axis_tlast = tx[0].tlast;
  assign m_axis_tuser = tx[0].tuser;
  assign m_axis_tdest = tx[0].tdest;
  assign tx[0].tready = m_axis_tready;
  assign rx[0].tdata = s_axis_tdata;
  assign rx[0].tkeep = s_axis_tkeep;
  assign rx[0].tvalid = s_axis_tvalid;
  assign rx[0].tlast = s_axis_tlast;
  assign rx[0].tuser = s_axis_tuser;
  assign rx[0].tid = s_axis_tid;
  assign rx[0].tdest = '0;
  assign s_axis_tready = rx[0].tready;

  kumi_dma #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W(ID_W),
      .CHANNELS(1),
      .BURST(BURST),
      .READ_BEATS(READ_BEATS),
      .WRITE_BEATS(WRITE_BEATS)
  ) u_dma (
      .s_axil(axil),
      .m_axis(tx),
      .s_axis(rx),
      .*  // clk, rst, the memory port, irq, busy
  );
endmodule
