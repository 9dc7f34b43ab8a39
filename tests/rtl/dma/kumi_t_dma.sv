// SPDX-License-Identifier: Apache-2.0
//
// Test node: two DMA channels whose streams are joined crosswise, and a register stream port whose
// two ends are joined. What channel 0 sends channel 1 receives, and the other way round; tdest
// becomes tid.
module kumi_t_dma #(
    parameter int DATA_W      = 64,   // bits of the memory port and of the streams
    parameter int ADDR_W      = 64,   // bits of a memory address
    parameter int BURST       = 0,    // beats of the longest burst
    parameter int READ_BEATS  = 512,
    parameter int WRITE_BEATS = 512
) (
    input logic clk,
    input logic rst,

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

    output logic [3:0] m_axi_host_awid,
    output logic [ADDR_W-1:0] m_axi_host_awaddr,
    output logic [7:0] m_axi_host_awlen,
    output logic [2:0] m_axi_host_awsize,
    output logic [1:0] m_axi_host_awburst,
    output logic m_axi_host_awvalid,
    input logic m_axi_host_awready,
    output logic [DATA_W-1:0] m_axi_host_wdata,
    output logic [DATA_W/8-1:0] m_axi_host_wstrb,
    output logic m_axi_host_wlast,
    output logic m_axi_host_wvalid,
    input logic m_axi_host_wready,
    input logic [3:0] m_axi_host_bid,
    input logic [1:0] m_axi_host_bresp,
    input logic m_axi_host_bvalid,
    output logic m_axi_host_bready,
    output logic [3:0] m_axi_host_arid,
    output logic [ADDR_W-1:0] m_axi_host_araddr,
    output logic [7:0] m_axi_host_arlen,
    output logic [2:0] m_axi_host_arsize,
    output logic [1:0] m_axi_host_arburst,
    output logic m_axi_host_arvalid,
    input logic m_axi_host_arready,
    input logic [3:0] m_axi_host_rid,
    input logic [DATA_W-1:0] m_axi_host_rdata,
    input logic [1:0] m_axi_host_rresp,
    input logic m_axi_host_rlast,
    input logic m_axi_host_rvalid,
    output logic m_axi_host_rready,


    output logic [1:0] irq,
    output logic busy
);
  localparam int ID_W = 4;
  kumi_axil_if host ();
  kumi_axil_if axil[3] ();
  kumi_axil_if dma_axil[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8),
      .DEST_W(8)
  ) tx[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8),
      .DEST_W(8)
  ) rx[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8),
      .DEST_W(8)
  ) slow ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8),
      .DEST_W(8)
  ) back ();

  assign host.awaddr = s_axil_awaddr;
  assign host.awprot = s_axil_awprot;
  assign host.awvalid = s_axil_awvalid;
  assign host.wdata = s_axil_wdata;
  assign host.wstrb = s_axil_wstrb;
  assign host.wvalid = s_axil_wvalid;
  assign host.bready = s_axil_bready;
  assign host.araddr = s_axil_araddr;
  assign host.arprot = s_axil_arprot;
  assign host.arvalid = s_axil_arvalid;
  assign host.rready = s_axil_rready;
  assign s_axil_awready = host.awready;
  assign s_axil_wready = host.wready;
  assign s_axil_bresp = host.bresp;
  assign s_axil_bvalid = host.bvalid;
  assign s_axil_arready = host.arready;
  assign s_axil_rdata = host.rdata;
  assign s_axil_rresp = host.rresp;
  assign s_axil_rvalid = host.rvalid;


  logic [63:0] now;
  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("host"),
      .BLOCKS(3),
      .KINDS ({kumi_regs_pkg::BLOCK_MMIO_FIFO, kumi_regs_pkg::BLOCK_DMA, kumi_regs_pkg::BLOCK_DMA})
  ) u_bus (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil),
      .now
  );

  for (genvar c = 0; c < 2; ++c) begin : gen_channel
    assign dma_axil[c].awaddr = axil[c].awaddr;
    assign dma_axil[c].awprot = axil[c].awprot;
    assign dma_axil[c].awvalid = axil[c].awvalid;
    assign dma_axil[c].wdata = axil[c].wdata;
    assign dma_axil[c].wstrb = axil[c].wstrb;
    assign dma_axil[c].wvalid = axil[c].wvalid;
    assign dma_axil[c].bready = axil[c].bready;
    assign dma_axil[c].araddr = axil[c].araddr;
    assign dma_axil[c].arprot = axil[c].arprot;
    assign dma_axil[c].arvalid = axil[c].arvalid;
    assign dma_axil[c].rready = axil[c].rready;
    assign axil[c].awready = dma_axil[c].awready;
    assign axil[c].wready = dma_axil[c].wready;
    assign axil[c].bresp = dma_axil[c].bresp;
    assign axil[c].bvalid = dma_axil[c].bvalid;
    assign axil[c].arready = dma_axil[c].arready;
    assign axil[c].rdata = dma_axil[c].rdata;
    assign axil[c].rresp = dma_axil[c].rresp;
    assign axil[c].rvalid = dma_axil[c].rvalid;
    assign rx[1-c].tdata = tx[c].tdata;
    assign rx[1-c].tkeep = tx[c].tkeep;
    assign rx[1-c].tvalid = tx[c].tvalid;
    assign rx[1-c].tlast = tx[c].tlast;
    assign rx[1-c].tuser = tx[c].tuser;
    assign rx[1-c].tid = tx[c].tdest;
    assign rx[1-c].tdest = '0;
    assign tx[c].tready = rx[1-c].tready;
  end

  kumi_dma #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W(ID_W),
      .CHANNELS(2),
      .BURST(BURST),
      .READ_BEATS(READ_BEATS),
      .WRITE_BEATS(WRITE_BEATS)
  ) u_dma (
      .clk,
      .rst,
      .s_axil(dma_axil),
      .m_axis(tx),
      .s_axis(rx),
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
      .irq,
      .busy
  );

  kumi_mmio_fifo #(
      .DATA_W(DATA_W),
      .DEPTH (64)
  ) u_mmio_fifo (
      .clk,
      .rst,
      .s_axil(axil[2]),
      .m_axis(slow),
      .s_axis(back)
  );
  assign back.tdata = slow.tdata;
  assign back.tkeep = slow.tkeep;
  assign back.tvalid = slow.tvalid;
  assign back.tlast = slow.tlast;
  assign back.tuser = slow.tuser;
  assign back.tid = slow.tdest;
  assign back.tdest = '0;
  assign slow.tready = back.tready;

  logic unused;
  assign unused = ^now;
endmodule
