// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_ib_endpoint_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: an InfiniBand endpoint with one port, 1x or 4x, and a mailbox: software sends and receives
// whole packets on every lane, and sets the port by registers.
//
// s_ib, m_ib: port p1; clocks and rates, AGENT, node_guid, node_description: kumi_node_ib_shell.
//   With an agent the mailbox is its local manager (push_option.dest 0x81).
// s_axil: registers; port at 0x1000 (regs/ib_port.rdl), mailbox at 0x2000 (regs/mmio_fifo.rdl).
// busy: the link trains, the port comes up, or a packet passed less than IDLE cycles ago.
module kumi_node_ib_endpoint #(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int RX_BYTES = 32768,  // receive buffer of the mailbox
    parameter bit AGENT = 1'b0,  // 1: with a management agent
    parameter int TICK = 512,  // of the agent: cycles of 4.096 us
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

  kumi_node_ib_endpoint_core #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .RX_BYTES(RX_BYTES),
      .AGENT(AGENT),
      .TICK(TICK),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .m_ib_p1_data,
      .m_ib_p1_k,
      .m_ib_p1_quiet,
      .s_ib_p1_data,
      .s_ib_p1_k,
      .s_ib_p1_err,
      .s_ib_p1_signal,
      .s_axil,
      .node_guid,
      .node_description,
      .busy
  );
endmodule
