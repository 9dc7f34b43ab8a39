// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_tcp_iperf_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: an iperf 2 server alone (TCP and UDP, port 5001), beside ARP and ping: the node for
// measuring, and the smallest with TCP.
//
//   eth0 <-> kumi_node_tcp_shell <-> kumi_iperf_server
//
// Ports as in kumi_node_tcp_shell; the kernel's registers are at 0x3000.
module kumi_node_tcp_iperf
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 64,  // connections at a time, a power of two, 4..16384
    parameter int RING = 65536,  // bytes that wait, each way and connection, a power of two
    parameter int MTU = 9000,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b0,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
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

    output logic [0:0] m_axi_rx_awid,
    output logic [31:0] m_axi_rx_awaddr,
    output logic [7:0] m_axi_rx_awlen,
    output logic [2:0] m_axi_rx_awsize,
    output logic [1:0] m_axi_rx_awburst,
    output logic m_axi_rx_awvalid,
    input logic m_axi_rx_awready,
    output logic [DATA_W-1:0] m_axi_rx_wdata,
    output logic [DATA_W/8-1:0] m_axi_rx_wstrb,
    output logic m_axi_rx_wlast,
    output logic m_axi_rx_wvalid,
    input logic m_axi_rx_wready,
    input logic [0:0] m_axi_rx_bid,
    input logic [1:0] m_axi_rx_bresp,
    input logic m_axi_rx_bvalid,
    output logic m_axi_rx_bready,
    output logic [0:0] m_axi_rx_arid,
    output logic [31:0] m_axi_rx_araddr,
    output logic [7:0] m_axi_rx_arlen,
    output logic [2:0] m_axi_rx_arsize,
    output logic [1:0] m_axi_rx_arburst,
    output logic m_axi_rx_arvalid,
    input logic m_axi_rx_arready,
    input logic [0:0] m_axi_rx_rid,
    input logic [DATA_W-1:0] m_axi_rx_rdata,
    input logic [1:0] m_axi_rx_rresp,
    input logic m_axi_rx_rlast,
    input logic m_axi_rx_rvalid,
    output logic m_axi_rx_rready,
    output logic [0:0] m_axi_tx_awid,
    output logic [31:0] m_axi_tx_awaddr,
    output logic [7:0] m_axi_tx_awlen,
    output logic [2:0] m_axi_tx_awsize,
    output logic [1:0] m_axi_tx_awburst,
    output logic m_axi_tx_awvalid,
    input logic m_axi_tx_awready,
    output logic [DATA_W-1:0] m_axi_tx_wdata,
    output logic [DATA_W/8-1:0] m_axi_tx_wstrb,
    output logic m_axi_tx_wlast,
    output logic m_axi_tx_wvalid,
    input logic m_axi_tx_wready,
    input logic [0:0] m_axi_tx_bid,
    input logic [1:0] m_axi_tx_bresp,
    input logic m_axi_tx_bvalid,
    output logic m_axi_tx_bready,
    output logic [0:0] m_axi_tx_arid,
    output logic [31:0] m_axi_tx_araddr,
    output logic [7:0] m_axi_tx_arlen,
    output logic [2:0] m_axi_tx_arsize,
    output logic [1:0] m_axi_tx_arburst,
    output logic m_axi_tx_arvalid,
    input logic m_axi_tx_arready,
    input logic [0:0] m_axi_tx_rid,
    input logic [DATA_W-1:0] m_axi_tx_rdata,
    input logic [1:0] m_axi_tx_rresp,
    input logic m_axi_tx_rlast,
    input logic m_axi_tx_rvalid,
    output logic m_axi_tx_rready,

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

  kumi_axi_if #(.DATA_W(DATA_W)) m_axi_rx ();
  assign m_axi_rx_awid = m_axi_rx.awid;
  assign m_axi_rx_awaddr = m_axi_rx.awaddr;
  assign m_axi_rx_awlen = m_axi_rx.awlen;
  assign m_axi_rx_awsize = m_axi_rx.awsize;
  assign m_axi_rx_awburst = m_axi_rx.awburst;
  assign m_axi_rx_awvalid = m_axi_rx.awvalid;
  assign m_axi_rx.awready = m_axi_rx_awready;
  assign m_axi_rx_wdata = m_axi_rx.wdata;
  assign m_axi_rx_wstrb = m_axi_rx.wstrb;
  assign m_axi_rx_wlast = m_axi_rx.wlast;
  assign m_axi_rx_wvalid = m_axi_rx.wvalid;
  assign m_axi_rx.wready = m_axi_rx_wready;
  assign m_axi_rx.bid = m_axi_rx_bid;
  assign m_axi_rx.bresp = m_axi_rx_bresp;
  assign m_axi_rx.bvalid = m_axi_rx_bvalid;
  assign m_axi_rx_bready = m_axi_rx.bready;
  assign m_axi_rx_arid = m_axi_rx.arid;
  assign m_axi_rx_araddr = m_axi_rx.araddr;
  assign m_axi_rx_arlen = m_axi_rx.arlen;
  assign m_axi_rx_arsize = m_axi_rx.arsize;
  assign m_axi_rx_arburst = m_axi_rx.arburst;
  assign m_axi_rx_arvalid = m_axi_rx.arvalid;
  assign m_axi_rx.arready = m_axi_rx_arready;
  assign m_axi_rx.rid = m_axi_rx_rid;
  assign m_axi_rx.rdata = m_axi_rx_rdata;
  assign m_axi_rx.rresp = m_axi_rx_rresp;
  assign m_axi_rx.rlast = m_axi_rx_rlast;
  assign m_axi_rx.rvalid = m_axi_rx_rvalid;
  assign m_axi_rx_rready = m_axi_rx.rready;

  kumi_axi_if #(.DATA_W(DATA_W)) m_axi_tx ();
  assign m_axi_tx_awid = m_axi_tx.awid;
  assign m_axi_tx_awaddr = m_axi_tx.awaddr;
  assign m_axi_tx_awlen = m_axi_tx.awlen;
  assign m_axi_tx_awsize = m_axi_tx.awsize;
  assign m_axi_tx_awburst = m_axi_tx.awburst;
  assign m_axi_tx_awvalid = m_axi_tx.awvalid;
  assign m_axi_tx.awready = m_axi_tx_awready;
  assign m_axi_tx_wdata = m_axi_tx.wdata;
  assign m_axi_tx_wstrb = m_axi_tx.wstrb;
  assign m_axi_tx_wlast = m_axi_tx.wlast;
  assign m_axi_tx_wvalid = m_axi_tx.wvalid;
  assign m_axi_tx.wready = m_axi_tx_wready;
  assign m_axi_tx.bid = m_axi_tx_bid;
  assign m_axi_tx.bresp = m_axi_tx_bresp;
  assign m_axi_tx.bvalid = m_axi_tx_bvalid;
  assign m_axi_tx_bready = m_axi_tx.bready;
  assign m_axi_tx_arid = m_axi_tx.arid;
  assign m_axi_tx_araddr = m_axi_tx.araddr;
  assign m_axi_tx_arlen = m_axi_tx.arlen;
  assign m_axi_tx_arsize = m_axi_tx.arsize;
  assign m_axi_tx_arburst = m_axi_tx.arburst;
  assign m_axi_tx_arvalid = m_axi_tx.arvalid;
  assign m_axi_tx.arready = m_axi_tx_arready;
  assign m_axi_tx.rid = m_axi_tx_rid;
  assign m_axi_tx.rdata = m_axi_tx_rdata;
  assign m_axi_tx.rresp = m_axi_tx_rresp;
  assign m_axi_tx.rlast = m_axi_tx_rlast;
  assign m_axi_tx.rvalid = m_axi_tx_rvalid;
  assign m_axi_tx_rready = m_axi_tx.rready;

  kumi_node_tcp_iperf_core #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .RING(RING),
      .MTU(MTU),
      .ON_CHIP(ON_CHIP),
      .CUBIC(CUBIC),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE),
      .IPV6(IPV6),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .s_axis_eth0,
      .m_axis_eth0,
      .s_axil,
      .m_axi_rx,
      .m_axi_tx,
      .busy
  );
endmodule
