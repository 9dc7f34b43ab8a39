// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_traffic_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: UDP traffic generator and checker; answers ARP and ping.
//
// Ports and registers as in kumi_node_udp_shell; the generator's registers are at 0x2000, the
// checker's at 0x3000. Generator and checker run at the same time, each on its own direction.
module kumi_node_traffic #(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit RX_STORE = 1'b0,  // 1: show a payload only when its checksum is right
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit DHCP = 1'b0,  // 1: a DHCP client, off until its register says otherwise
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

  kumi_node_traffic_core #(
      .DATA_W(DATA_W),
      .TX_STORE(TX_STORE),
      .RX_STORE(RX_STORE),
      .RX_BYTES(RX_BYTES),
      .DHCP(DHCP),
      .IPV6(IPV6),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .s_axis_eth0,
      .m_axis_eth0,
      .s_axil,
      .busy
  );
endmodule
