// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_ib_switch_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: an InfiniBand switch of 4 to 8 ports with its management agent (kumi_ib_switch,
// kumi_ib_agent). A subnet manager sets it, by packets.
//
// s_ib, m_ib: ports p1 to p8, as of kumi_node_ib_endpoint_core; those beyond PORTS are silent.
// s_axil: registers; state and counters of the ports at 0x1000 (regs/ib_switch.rdl).
// node_guid, node_description: of the agent, stable from reset on.
// busy: a link trains, or a packet passed less than IDLE cycles ago.
module kumi_node_ib_switch
  import kumi_ib_link_pkg::*;
  import kumi_ib_mgmt_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter int PORTS = 8,  // 4 to 8
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle and port, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 64,  // of 64 bytes per port and VL
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int LFT_CAP = 1024,  // LIDs of the forwarding table, a multiple of 64
    parameter int MFT_CAP = 64,  // multicast LIDs, a power of two
    parameter int TICK = 512,  // cycles of 4.096 us
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    output logic [DATA_W-1:0] m_ib_p1_data,
    output logic [DATA_W/8-1:0] m_ib_p1_k,
    output logic m_ib_p1_quiet,
    input logic [DATA_W-1:0] s_ib_p1_data,
    input logic [DATA_W/8-1:0] s_ib_p1_k,
    input logic [DATA_W/8-1:0] s_ib_p1_err,
    input logic [LANES-1:0] s_ib_p1_signal,
    output logic [DATA_W-1:0] m_ib_p2_data,
    output logic [DATA_W/8-1:0] m_ib_p2_k,
    output logic m_ib_p2_quiet,
    input logic [DATA_W-1:0] s_ib_p2_data,
    input logic [DATA_W/8-1:0] s_ib_p2_k,
    input logic [DATA_W/8-1:0] s_ib_p2_err,
    input logic [LANES-1:0] s_ib_p2_signal,
    output logic [DATA_W-1:0] m_ib_p3_data,
    output logic [DATA_W/8-1:0] m_ib_p3_k,
    output logic m_ib_p3_quiet,
    input logic [DATA_W-1:0] s_ib_p3_data,
    input logic [DATA_W/8-1:0] s_ib_p3_k,
    input logic [DATA_W/8-1:0] s_ib_p3_err,
    input logic [LANES-1:0] s_ib_p3_signal,
    output logic [DATA_W-1:0] m_ib_p4_data,
    output logic [DATA_W/8-1:0] m_ib_p4_k,
    output logic m_ib_p4_quiet,
    input logic [DATA_W-1:0] s_ib_p4_data,
    input logic [DATA_W/8-1:0] s_ib_p4_k,
    input logic [DATA_W/8-1:0] s_ib_p4_err,
    input logic [LANES-1:0] s_ib_p4_signal,
    output logic [DATA_W-1:0] m_ib_p5_data,
    output logic [DATA_W/8-1:0] m_ib_p5_k,
    output logic m_ib_p5_quiet,
    input logic [DATA_W-1:0] s_ib_p5_data,
    input logic [DATA_W/8-1:0] s_ib_p5_k,
    input logic [DATA_W/8-1:0] s_ib_p5_err,
    input logic [LANES-1:0] s_ib_p5_signal,
    output logic [DATA_W-1:0] m_ib_p6_data,
    output logic [DATA_W/8-1:0] m_ib_p6_k,
    output logic m_ib_p6_quiet,
    input logic [DATA_W-1:0] s_ib_p6_data,
    input logic [DATA_W/8-1:0] s_ib_p6_k,
    input logic [DATA_W/8-1:0] s_ib_p6_err,
    input logic [LANES-1:0] s_ib_p6_signal,
    output logic [DATA_W-1:0] m_ib_p7_data,
    output logic [DATA_W/8-1:0] m_ib_p7_k,
    output logic m_ib_p7_quiet,
    input logic [DATA_W-1:0] s_ib_p7_data,
    input logic [DATA_W/8-1:0] s_ib_p7_k,
    input logic [DATA_W/8-1:0] s_ib_p7_err,
    input logic [LANES-1:0] s_ib_p7_signal,
    output logic [DATA_W-1:0] m_ib_p8_data,
    output logic [DATA_W/8-1:0] m_ib_p8_k,
    output logic m_ib_p8_quiet,
    input logic [DATA_W-1:0] s_ib_p8_data,
    input logic [DATA_W/8-1:0] s_ib_p8_k,
    input logic [DATA_W/8-1:0] s_ib_p8_err,
    input logic [LANES-1:0] s_ib_p8_signal,

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

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
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

  kumi_node_ib_switch_core #(
      .PORTS(PORTS),
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP),
      .TICK(TICK),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .m_ib_p_data({m_ib_p8_data, m_ib_p7_data, m_ib_p6_data, m_ib_p5_data, m_ib_p4_data, m_ib_p3_data, m_ib_p2_data, m_ib_p1_data}),
      .m_ib_p_k({m_ib_p8_k, m_ib_p7_k, m_ib_p6_k, m_ib_p5_k, m_ib_p4_k, m_ib_p3_k, m_ib_p2_k, m_ib_p1_k}),
      .m_ib_p_quiet({m_ib_p8_quiet, m_ib_p7_quiet, m_ib_p6_quiet, m_ib_p5_quiet, m_ib_p4_quiet, m_ib_p3_quiet, m_ib_p2_quiet, m_ib_p1_quiet}),
      .s_ib_p_data({s_ib_p8_data, s_ib_p7_data, s_ib_p6_data, s_ib_p5_data, s_ib_p4_data, s_ib_p3_data, s_ib_p2_data, s_ib_p1_data}),
      .s_ib_p_k({s_ib_p8_k, s_ib_p7_k, s_ib_p6_k, s_ib_p5_k, s_ib_p4_k, s_ib_p3_k, s_ib_p2_k, s_ib_p1_k}),
      .s_ib_p_err({s_ib_p8_err, s_ib_p7_err, s_ib_p6_err, s_ib_p5_err, s_ib_p4_err, s_ib_p3_err, s_ib_p2_err, s_ib_p1_err}),
      .s_ib_p_signal({s_ib_p8_signal, s_ib_p7_signal, s_ib_p6_signal, s_ib_p5_signal, s_ib_p4_signal, s_ib_p3_signal, s_ib_p2_signal, s_ib_p1_signal}),
      .s_axil,
      .node_guid,
      .node_description,
      .busy
  );
endmodule
