// SPDX-License-Identifier: Apache-2.0
//
// Node: collectives. A ring of these nodes sends, scatters, gathers, broadcasts, reduces and
// synchronises over TCP (kumi_coll).
//
// s_hdr_cmd (coll_cmd_t), m_hdr_done (tcp_reason_e): operations and their results, or by registers.
// s_axis_local: this node's bytes, one frame per part; m_axis_local: what it receives, one frame
//   per part, tid the rank of the sender.
// Other ports as in kumi_node_tcp_shell; the kernel's registers are at 0x3000.
module kumi_node_tcp_coll_core
  import kumi_tcp_pkg::*;
  import kumi_coll_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 4,  // connections at a time, a power of two, 4..16384
    parameter int RING = 16384,  // bytes that wait, each way and connection, a power of two
    parameter int CHUNK = 1024,  // bytes of a block; RING holds WINDOW * (CHUNK + 64)
    parameter int WINDOW = 3,  // blocks of an all-reduce in flight
    parameter int MTU = 1500,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b1,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    kumi_axi_if.mst m_axi_rx,
    kumi_axi_if.mst m_axi_tx,

    input coll_cmd_t s_hdr_cmd_data,
    input logic s_hdr_cmd_valid,
    output logic s_hdr_cmd_ready,
    output logic [3:0] m_hdr_done_data,
    output logic m_hdr_done_valid,
    input logic m_hdr_done_ready,

    input logic [DATA_W-1:0] s_axis_local_tdata,
    input logic [DATA_W/8-1:0] s_axis_local_tkeep,
    input logic s_axis_local_tvalid,
    output logic s_axis_local_tready,
    input logic s_axis_local_tlast,
    output logic [DATA_W-1:0] m_axis_local_tdata,
    output logic [DATA_W/8-1:0] m_axis_local_tkeep,
    output logic m_axis_local_tvalid,
    input logic m_axis_local_tready,
    output logic m_axis_local_tlast,
    output logic [7:0] m_axis_local_tid,

    output logic busy
);
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_axil_if axil[1] ();
  logic [63:0] now;
  logic [31:0] now_us;
  kumi_ip_pkg::ip_unresolved_t unresolved;
  logic kernel_busy;

  // ---- engine ---------------------------------------------------------------------------------
  kumi_tcp_app_if #(.DATA_W(DATA_W)) app ();

  kumi_node_tcp_shell #(
      .DATA_W(DATA_W),
      .NAME("tcp_coll"),
      .BLOCKS(1),
      .KINDS(kumi_regs_pkg::BLOCK_COLL),
      .BUILD(BUILD),
      .SESSIONS(SESSIONS),
      .TX_RING(RING),
      .RX_RING(RING),
      .CUBIC(CUBIC),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE)
  ) u_shell (
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .s_app(app),
      .m_axil(axil),
      .now,
      .now_us,
      .unresolved,
      .udp_listen('0),
      .notify_skip(1'b0),
      .kernel_busy,
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  // ---- kernel ---------------------------------------------------------------------------------
  kumi_rec_if #(.W(COLL_CMD_W)) cmd ();
  assign cmd.data = s_hdr_cmd_data;
  assign cmd.valid = s_hdr_cmd_valid;
  assign s_hdr_cmd_ready = cmd.ready;

  kumi_rec_if #(.W(4)) done ();
  assign m_hdr_done_data = done.data;
  assign m_hdr_done_valid = done.valid;
  assign done.ready = m_hdr_done_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) local_in ();
  assign local_in.tdata = s_axis_local_tdata;
  assign local_in.tkeep = s_axis_local_tkeep;
  assign local_in.tvalid = s_axis_local_tvalid;
  assign s_axis_local_tready = local_in.tready;
  assign local_in.tlast = s_axis_local_tlast;
  assign local_in.tuser = '0;
  assign local_in.tid = '0;
  assign local_in.tdest = '0;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8)
  ) local_out ();
  assign m_axis_local_tdata = local_out.tdata;
  assign m_axis_local_tkeep = local_out.tkeep;
  assign m_axis_local_tvalid = local_out.tvalid;
  assign local_out.tready = m_axis_local_tready;
  assign m_axis_local_tlast = local_out.tlast;
  assign m_axis_local_tid = local_out.tid;

  kumi_coll #(
      .CHUNK (CHUNK),
      .WINDOW(WINDOW)
  ) u_coll (
      .clk,
      .rst,
      .now_us,
      .s_axil(axil[0]),
      .s_cmd(cmd),
      .m_done(done),
      .s_local(local_in),
      .m_local(local_out),
      .m_app(app),
      .busy(kernel_busy)
  );

  // No kernel here speaks UDP.
  assign udp_rx_hdr.ready = 1'b1;
  assign udp_rx.tready = 1'b1;
  assign udp_tx_hdr.valid = 1'b0;
  assign udp_tx_hdr.data = '0;
  assign udp_tx.tvalid = 1'b0;
  assign udp_tx.tdata = '0;
  assign udp_tx.tkeep = '0;
  assign udp_tx.tlast = 1'b0;
  assign udp_tx.tuser = '0;
  assign udp_tx.tid = '0;
  assign udp_tx.tdest = '0;

  logic unused;
  assign unused = ^{now, unresolved, local_out.tuser, local_out.tdest};
endmodule
