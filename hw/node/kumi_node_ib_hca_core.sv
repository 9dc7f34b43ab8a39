// SPDX-License-Identifier: Apache-2.0
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
module kumi_node_ib_hca_core
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

    kumi_axil_if.slv s_axil,
    kumi_axi_if.mst  m_axi_mem, // ADDR_W=64 ID_W=1

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
  if (DATA_W != 64 || LANES != 4) begin : gen_check
    $fatal(0, "an adapter has 4 lanes and 64 bits (%m)");
  end

  kumi_axil_if axil[3] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME("ib_hca"),
      .BLOCKS(3),
      .KINDS({
        kumi_regs_pkg::BLOCK_MMIO_FIFO, kumi_regs_pkg::BLOCK_RDMA, kumi_regs_pkg::BLOCK_IB_PORT
      }),
      .BUILD(BUILD)
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
  logic [ 2:0] lmc;
  logic rx_busy, tx_busy, active;

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
      .s_axil_mail(axil[2]),
      .node_guid,
      .node_description,
      .s_axis(to_port),
      .m_axis(from_port),
      .lid,
      .lmc,
      .active(active || rx_busy || tx_busy),
      .busy
  );

  // ---- wire -------------------------------------------------------------------------------------
  kumi_rec_if #(.W(RC_PKT_W)) rx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx ();
  kumi_rec_if #(.W(RC_PKT_W)) tx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx ();
  kumi_roce_pkg::roce_rx_events_t ev_wire;
  logic sent;

  kumi_ib_wire_rx u_rx (
      .clk,
      .rst,
      .lid,
      .lmc,
      .s_axis(from_port),
      .m_pkt (rx_pkt),
      .m_axis(rx),
      .ev    (ev_wire),
      .busy  (rx_busy)
  );
  kumi_ib_wire_tx u_tx (
      .clk,
      .rst,
      .lid,
      .s_pkt(tx_pkt),
      .s_axis(tx),
      .m_axis(to_port),
      .busy(tx_busy),
      .ev_packet(sent)
  );

  // ---- engine -----------------------------------------------------------------------------------
  kumi_node_rdma #(
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW)
  ) u_rdma (
      .clk,
      .rst,
      .s_axil (axil[1]),
      .s_hdr  (rx_pkt),
      .s_axis (rx),
      .m_hdr  (tx_pkt),
      .m_axis (tx),
      .m_axi  (m_axi_mem),
      .ev_wire,
      .ev_sent(sent),
      .active
  );

  logic unused;
  assign unused = ^now;
endmodule
