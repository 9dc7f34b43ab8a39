// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_ib_hca_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: an InfiniBand host channel adapter, 1x4: reliable connections and datagrams (kumi_rc) over
// native packets, a memory that peers read and write, a management agent, and a mailbox for the
// programs of a host (opensm, infiniband-diags).
//
// s_ib, m_ib: port p1; clocks and rates, node_guid, node_description: kumi_node_ib_shell. Packets
//   of queue pairs 0 and 1 are the agent's, and the mailbox's what that delivers.
// s_axil: registers; port at 0x1000 (regs/ib_port.rdl), RDMA at 0x2000 (regs/rdma.rdl), mailbox at
//   0x3000 (regs/mmio_fifo.rdl). path of a queue pair: LID in peer_addr, service level in flow.
// m_axi_mem: the memory; addresses of work requests and regions are addresses there.
// busy: the link trains, the port comes up, or something passed less than IDLE cycles ago.
module kumi_node_ib_hca
  import kumi_rc_pkg::*;
#(
    parameter int LANES = 4,  // of the link; the adapter is for 4
    parameter int DATA_W = 64,  // 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 256,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 5,  // largest MTU, code 1 to 5
    parameter int QPS = 64,  // queue pairs
    parameter int REGIONS = 64,  // memory regions
    parameter int SQ = 16,  // send requests per queue pair
    parameter int RQ = 16,  // receive requests per queue pair
    parameter int WINDOW = 128,  // packets under way per queue pair
    parameter int RX_BYTES = 32768,  // receive buffer of the mailbox
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

  kumi_node_ib_hca_core #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW),
      .RX_BYTES(RX_BYTES),
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
      .m_axi_mem,
      .node_guid,
      .node_description,
      .busy
  );
endmodule
