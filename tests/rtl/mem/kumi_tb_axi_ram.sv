// SPDX-License-Identifier: Apache-2.0
//
// kumi_axi_ram with flat ports, for cocotb.
module kumi_tb_axi_ram #(
    parameter int DATA_W = 64,
    parameter int ADDR_W = 20,
    parameter int ID_W   = 4,
    parameter int BYTES  = 8192
) (
    input logic clk,
    input logic rst,
    input logic [ID_W-1:0] s_axi_awid,
    input logic [ADDR_W-1:0] s_axi_awaddr,
    input logic [7:0] s_axi_awlen,
    input logic [2:0] s_axi_awsize,
    input logic [1:0] s_axi_awburst,
    input logic s_axi_awvalid,
    output logic s_axi_awready,
    input logic [DATA_W-1:0] s_axi_wdata,
    input logic [DATA_W/8-1:0] s_axi_wstrb,
    input logic s_axi_wlast,
    input logic s_axi_wvalid,
    output logic s_axi_wready,
    input logic s_axi_bready,
    output logic [ID_W-1:0] s_axi_bid,
    output logic [1:0] s_axi_bresp,
    output logic s_axi_bvalid,
    input logic [ID_W-1:0] s_axi_arid,
    input logic [ADDR_W-1:0] s_axi_araddr,
    input logic [7:0] s_axi_arlen,
    input logic [2:0] s_axi_arsize,
    input logic [1:0] s_axi_arburst,
    input logic s_axi_arvalid,
    output logic s_axi_arready,
    input logic s_axi_rready,
    output logic [ID_W-1:0] s_axi_rid,
    output logic [DATA_W-1:0] s_axi_rdata,
    output logic [1:0] s_axi_rresp,
    output logic s_axi_rlast,
    output logic s_axi_rvalid
);
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W  (ID_W)
  ) axi ();
  assign axi.awid = s_axi_awid;
  assign axi.awaddr = s_axi_awaddr;
  assign axi.awlen = s_axi_awlen;
  assign axi.awsize = s_axi_awsize;
  assign axi.awburst = s_axi_awburst;
  assign axi.awvalid = s_axi_awvalid;
  assign s_axi_awready = axi.awready;
  assign axi.wdata = s_axi_wdata;
  assign axi.wstrb = s_axi_wstrb;
  assign axi.wlast = s_axi_wlast;
  assign axi.wvalid = s_axi_wvalid;
  assign s_axi_wready = axi.wready;
  assign axi.bready = s_axi_bready;
  assign s_axi_bid = axi.bid;
  assign s_axi_bresp = axi.bresp;
  assign s_axi_bvalid = axi.bvalid;
  assign axi.arid = s_axi_arid;
  assign axi.araddr = s_axi_araddr;
  assign axi.arlen = s_axi_arlen;
  assign axi.arsize = s_axi_arsize;
  assign axi.arburst = s_axi_arburst;
  assign axi.arvalid = s_axi_arvalid;
  assign s_axi_arready = axi.arready;
  assign axi.rready = s_axi_rready;
  assign s_axi_rid = axi.rid;
  assign s_axi_rdata = axi.rdata;
  assign s_axi_rresp = axi.rresp;
  assign s_axi_rlast = axi.rlast;
  assign s_axi_rvalid = axi.rvalid;

  kumi_axi_ram #(
      .BYTES(BYTES)
  ) u_ram (
      .clk,
      .rst,
      .s_axi(axi)
  );
endmodule
