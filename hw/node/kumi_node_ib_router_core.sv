// SPDX-License-Identifier: Apache-2.0
//
// Node: an InfiniBand port with a management agent, an SW2 to InfiniBand router behind it, and an
// SW2 network interface: stores, windows and RDMA writes of software reach the memories of other
// such nodes.
//
// s_ib, m_ib: port p1; clocks and rates, node_guid, node_description: kumi_node_ib_shell. The SW2
//   link runs at 20 bits a cycle.
// m_axi_mem: memory of the node: regions that others may write, and what RDMA writes read.
// Management packets and those of software's mailbox pass beside the router's; the mailbox is the
//   agent's local manager.
// s_axil: registers; port at 0x1000 (regs/ib_port.rdl), mailbox at 0x2000 (regs/mmio_fifo.rdl),
//   router and interface at 0x3000 (regs/ib_router.rdl).
// busy: the link trains, or a packet moved less than IDLE cycles ago or waits for its answer.
module kumi_node_ib_router_core #(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 2 to 5
    parameter int RX_BYTES = 8192,  // receive buffer of the mailbox
    parameter int PEERS = 64,  // routers, this one included: 2, 4 .. 64
    parameter int WINDOW = 4,  // packets under way per peer and SW2 channel
    parameter int KICKS = 16,  // kick pages, 2 to 128
    parameter int WINDOWS = 16,  // 2 to 32
    parameter int REGIONS = 16,  // 2 to 128
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

    kumi_axi_if.mst m_axi_mem,  // DATA_W=64 ADDR_W=32 ID_W=1

    kumi_axil_if.slv s_axil,

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
  import kumi_regs_pkg::*;

  if (MTU_CAP < 2) begin : gen_check
    $fatal(0, "MTU_CAP must be 2..5: an SW2 packet has up to 488 bytes (%m)");
  end

  kumi_axil_if axil[3] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("ib_router"),
      .BLOCKS(3),
      .KINDS ({BLOCK_IB_ROUTER, BLOCK_MMIO_FIFO, BLOCK_IB_PORT}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  // ---- port, agent, mailbox ---------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_port ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_port ();
  logic [15:0] lid;
  logic [2:0] lmc;
  logic active;

  kumi_node_ib_host #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .RX_BYTES(RX_BYTES),
      .TICK(TICK)
  ) u_host (
      .clk,
      .rst,
      .m_ib_data(m_ib_p1_data),
      .m_ib_k(m_ib_p1_k),
      .m_ib_quiet(m_ib_p1_quiet),
      .s_ib_data(s_ib_p1_data),
      .s_ib_k(s_ib_p1_k),
      .s_ib_err(s_ib_p1_err),
      .s_ib_signal(s_ib_p1_signal),
      .s_axil_port(axil[0]),
      .s_axil_mail(axil[1]),
      .node_guid,
      .node_description,
      .s_axis(to_port),
      .m_axis(from_port),
      .lid,
      .lmc,
      .active,
      .busy
  );

  // ---- router and interface ---------------------------------------------------------------------
  kumi_ib_router_pkg::cfg_t router_cfg;
  kumi_ib_router_pkg::router_peer_t peer_entry;
  kumi_ib_router_pkg::events_t router_ev;
  kumi_sw2_pkg::table_write_t write;
  kumi_sw2_pkg::tx_events_t tx_ev;
  kumi_sw2_pkg::rx_events_t rx_ev;
  kumi_sw2_pkg::link_events_t up_ev, down_ev;
  logic peer_valid, peer_ready, sending, arriving, moving, store_busy;
  logic [$clog2(PEERS)-1:0] peer_index;
  logic [PEERS-1:0] dead;
  logic [15:0] node;
  logic [WINDOWS-1:0] window_busy;

  kumi_axi_if #(
      .DATA_W(64),
      .ADDR_W(20)
  ) stores ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) router_rx ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) router_tx ();

  kumi_axis_width u_widen (
      .clk,
      .rst,
      .s_axis(from_port),
      .m_axis(router_rx)
  );
  kumi_axis_width u_narrow (
      .clk,
      .rst,
      .s_axis(router_tx),
      .m_axis(to_port)
  );

  kumi_node_ib_router_regs #(
      .PEERS  (PEERS),
      .KICKS  (KICKS),
      .WINDOWS(WINDOWS),
      .REGIONS(REGIONS)
  ) u_router_regs (
      .clk,
      .rst,
      .s_axil(axil[2]),
      .lid,
      .now(now[31:0]),
      .cfg(router_cfg),
      .peer_valid,
      .peer_ready,
      .peer_index,
      .peer_entry,
      .dead,
      .sending,
      .arriving,
      .node,
      .write,
      .m_axi(stores),
      .store_busy,
      .mem_write(m_axi_mem.wvalid && m_axi_mem.wready),
      .window_busy,
      .router_ev,
      .tx_ev,
      .rx_ev,
      .up_ev,
      .down_ev
  );
  kumi_node_ib_router_sw2 #(
      .PEERS  (PEERS),
      .WINDOW (WINDOW),
      .KICKS  (KICKS),
      .WINDOWS(WINDOWS),
      .REGIONS(REGIONS)
  ) u_sw2 (
      .clk,
      .rst,
      .cfg  (router_cfg),
      .peer_valid,
      .peer_ready,
      .peer_index,
      .peer_entry,
      .dead,
      .sending,
      .arriving,
      .node,
      .write,
      .window_busy,
      .moving,
      .router_ev,
      .tx_ev,
      .rx_ev,
      .up_ev,
      .down_ev,
      .s_axi(stores),
      .m_axi(m_axi_mem),
      .s_ib (router_rx),
      .m_ib (router_tx)
  );

  assign active = moving || store_busy || peer_valid;

  logic unused;
  assign unused = ^{now[63:32], lmc};
endmodule
