// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_roce_endpoint_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: an RDMA adapter. Reliable connections and datagrams (kumi_rc) over RoCEv2, ARP and ping
// beside them, and a memory that peers read and write.
//
// Ports and registers as in kumi_node_ip_shell; those of RDMA (regs/rdma.rdl) are at 0x2000.
// m_axi_mem: the memory; addresses of work requests and regions are addresses there.
module kumi_node_roce_endpoint
  import kumi_rc_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int QPS = 64,  // queue pairs
    parameter int REGIONS = 64,  // memory regions
    parameter int SQ = 16,  // send requests per queue pair
    parameter int RQ = 16,  // receive requests per queue pair
    parameter int WINDOW = 128,  // packets under way per queue pair
    parameter int RX_BYTES = 32768,  // receive buffer that drops when full, a power of two
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    input logic [DATA_W-1:0] s_axis_eth0_tdata,
    input logic [DATA_W/8-1:0] s_axis_eth0_tkeep,
    input logic s_axis_eth0_tvalid,
    output logic s_axis_eth0_tready,
    input logic s_axis_eth0_tlast,
    input logic s_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_eth0_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth0_tkeep,
    output logic m_axis_eth0_tvalid,
    input logic m_axis_eth0_tready,
    output logic m_axis_eth0_tlast,
    output logic m_axis_eth0_tuser,
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
    output logic [0:0] m_axi_mem_awid,
    output logic [63:0] m_axi_mem_awaddr,
    output logic [7:0] m_axi_mem_awlen,
    output logic [2:0] m_axi_mem_awsize,
    output logic [1:0] m_axi_mem_awburst,
    output logic m_axi_mem_awvalid,
    input logic m_axi_mem_awready,
    output logic [DATA_W-1:0] m_axi_mem_wdata,
    output logic [DATA_W/8-1:0] m_axi_mem_wstrb,
    output logic m_axi_mem_wlast,
    output logic m_axi_mem_wvalid,
    input logic m_axi_mem_wready,
    input logic [0:0] m_axi_mem_bid,
    input logic [1:0] m_axi_mem_bresp,
    input logic m_axi_mem_bvalid,
    output logic m_axi_mem_bready,
    output logic [0:0] m_axi_mem_arid,
    output logic [63:0] m_axi_mem_araddr,
    output logic [7:0] m_axi_mem_arlen,
    output logic [2:0] m_axi_mem_arsize,
    output logic [1:0] m_axi_mem_arburst,
    output logic m_axi_mem_arvalid,
    input logic m_axi_mem_arready,
    input logic [0:0] m_axi_mem_rid,
    input logic [DATA_W-1:0] m_axi_mem_rdata,
    input logic [1:0] m_axi_mem_rresp,
    input logic m_axi_mem_rlast,
    input logic m_axi_mem_rvalid,
    output logic m_axi_mem_rready,

    output logic busy
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_eth0 ();
  assign s_axis_eth0.tdata = s_axis_eth0_tdata;
  assign s_axis_eth0.tkeep = s_axis_eth0_tkeep;
  assign s_axis_eth0.tvalid = s_axis_eth0_tvalid;
  assign s_axis_eth0_tready = s_axis_eth0.tready;
  assign s_axis_eth0.tlast = s_axis_eth0_tlast;
  assign s_axis_eth0.tuser = s_axis_eth0_tuser;
  assign s_axis_eth0.tid = '0;
  assign s_axis_eth0.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_eth0 ();
  assign m_axis_eth0_tdata = m_axis_eth0.tdata;
  assign m_axis_eth0_tkeep = m_axis_eth0.tkeep;
  assign m_axis_eth0_tvalid = m_axis_eth0.tvalid;
  assign m_axis_eth0.tready = m_axis_eth0_tready;
  assign m_axis_eth0_tlast = m_axis_eth0.tlast;
  assign m_axis_eth0_tuser = m_axis_eth0.tuser;

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

  kumi_axi_if #(.DATA_W(DATA_W), .ADDR_W(64)) m_axi_mem ();
  assign m_axi_mem_awid = m_axi_mem.awid;
  assign m_axi_mem_awaddr = m_axi_mem.awaddr;
  assign m_axi_mem_awlen = m_axi_mem.awlen;
  assign m_axi_mem_awsize = m_axi_mem.awsize;
  assign m_axi_mem_awburst = m_axi_mem.awburst;
  assign m_axi_mem_awvalid = m_axi_mem.awvalid;
  assign m_axi_mem.awready = m_axi_mem_awready;
  assign m_axi_mem_wdata = m_axi_mem.wdata;
  assign m_axi_mem_wstrb = m_axi_mem.wstrb;
  assign m_axi_mem_wlast = m_axi_mem.wlast;
  assign m_axi_mem_wvalid = m_axi_mem.wvalid;
  assign m_axi_mem.wready = m_axi_mem_wready;
  assign m_axi_mem.bid = m_axi_mem_bid;
  assign m_axi_mem.bresp = m_axi_mem_bresp;
  assign m_axi_mem.bvalid = m_axi_mem_bvalid;
  assign m_axi_mem_bready = m_axi_mem.bready;
  assign m_axi_mem_arid = m_axi_mem.arid;
  assign m_axi_mem_araddr = m_axi_mem.araddr;
  assign m_axi_mem_arlen = m_axi_mem.arlen;
  assign m_axi_mem_arsize = m_axi_mem.arsize;
  assign m_axi_mem_arburst = m_axi_mem.arburst;
  assign m_axi_mem_arvalid = m_axi_mem.arvalid;
  assign m_axi_mem.arready = m_axi_mem_arready;
  assign m_axi_mem.rid = m_axi_mem_rid;
  assign m_axi_mem.rdata = m_axi_mem_rdata;
  assign m_axi_mem.rresp = m_axi_mem_rresp;
  assign m_axi_mem.rlast = m_axi_mem_rlast;
  assign m_axi_mem.rvalid = m_axi_mem_rvalid;
  assign m_axi_mem_rready = m_axi_mem.rready;

  kumi_node_roce_endpoint_core #(
      .DATA_W(DATA_W),
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW),
      .RX_BYTES(RX_BYTES),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .s_axis_eth0,
      .m_axis_eth0,
      .s_axil,
      .m_axi_mem,
      .busy
  );
endmodule
