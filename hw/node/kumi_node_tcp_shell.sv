// SPDX-License-Identifier: Apache-2.0
//
// What nodes have in common whose kernels speak TCP and UDP: everything of kumi_node_ip_shell, and
// the TCP engine with its register block.
//
//   eth0 <-> IP stack <-> kumi_tcp <-> kernels        UDP goes straight to the kernels
//                          \-> m_axi_rx, m_axi_tx: memory of the rings (with ON_CHIP = 0)
//   s_axil -> identity at 0x0000, IP stack at 0x1000, TCP engine at 0x2000, kernel block k
//             (m_axil[k]) at 0x3000 + 4096 k
//
// The kernels' side has the names that the engine's application side has (kumi_tcp). now_us:
//   microseconds since reset. Flat ports, now, busy: see kumi_node_ip_shell.
module kumi_node_tcp_shell
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks of the kernels, 1..13
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, block 0 in KINDS[0]
    parameter logic [63:0] BUILD = '0,  // build hash shown in the identity block
    parameter int SESSIONS = 64,  // a power of two, 4..16384
    parameter int TX_RING = 65536,  // bytes a session, a power of two
    parameter int RX_RING = 65536,  // bytes a session, a power of two
    parameter int OOO_RANGES = 4,  // out-of-order ranges a session, 1..4
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int TX_QUEUE = 0,  // segments that may wait for the wire, a power of two; 0: a few
    parameter bit ON_CHIP = 1'b0,  // 1: rings in the chip's memory
    parameter int MTU = 9000,  // longest IP packet either way, at most the IP stack's 9000
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b0  // 1: hold each frame until it is complete
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

    output logic busy,

    // the kernels' side
    kumi_rec_if.src m_udp_hdr,
    kumi_axis_if.src m_udp,
    kumi_rec_if.snk s_udp_hdr,
    kumi_axis_if.snk s_udp,
    kumi_rec_if.snk s_listen,
    kumi_rec_if.src m_listen_rsp,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_rsp,
    kumi_rec_if.snk s_close,
    kumi_rec_if.src m_notify,
    kumi_rec_if.snk s_read,
    kumi_rec_if.src m_read,
    kumi_axis_if.src m_axis,
    kumi_rec_if.snk s_write,
    kumi_rec_if.src m_write,
    kumi_axis_if.snk s_axis,
    kumi_axil_if.mst m_axil[BLOCKS],
    output logic [63:0] now,
    output logic [31:0] now_us,
    input logic kernel_busy
);
  if (BLOCKS < 1 || BLOCKS > 13) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be 1..13 (%m)");
  end

  localparam int ADDR_W = 32;  // 16,384 sessions of two times 64 KiB are 1 GiB a direction

  // ---- IP -------------------------------------------------------------------------------------
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) rx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx_ip ();
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) tx_ip_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx_ip ();
  kumi_axil_if axil[BLOCKS+1] ();
  logic [31:0] own_ip;
  logic tcp_busy;

  kumi_node_ip_shell #(
      .DATA_W(DATA_W),
      .NAME(NAME),
      .BLOCKS(BLOCKS + 1),
      .KINDS({KINDS, kumi_regs_pkg::BLOCK_TCP}),
      .BUILD(BUILD),
      .TX_STORE(TX_STORE),
      .RX_BYTES(RX_BYTES),
      .RAW(1'b1)
  ) u_ip (
      .m_ip_hdr(rx_ip_hdr),
      .m_ip(rx_ip),
      .s_ip_hdr(tx_ip_hdr),
      .s_ip(tx_ip),
      .m_axil(axil),
      .own_ip,
      .kernel_busy(kernel_busy || tcp_busy),
      .*  // everything else has the same name there
  );

  // ---- TCP ------------------------------------------------------------------------------------
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) axi_rx ();
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) axi_tx ();
  tcp_cfg_t cfg;
  kumi_tcp_ev_pkg::tcp_events_t ev;
  logic ready;
  logic [15:0] sessions;

  kumi_tcp #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC),
      .TX_QUEUE(TX_QUEUE),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .ADDR_W(ADDR_W)
  ) u_tcp (
      .clk,
      .rst,
      .cfg,
      .rx_base('0),
      .tx_base('0),
      .ready,
      .sessions,
      .now_us,
      .busy(tcp_busy),
      .ev,
      .s_ip_hdr(rx_ip_hdr),
      .s_ip(rx_ip),
      .m_ip_hdr(tx_ip_hdr),
      .m_ip(tx_ip),
      .s_listen,
      .m_listen_rsp,
      .s_open,
      .m_open_rsp,
      .s_close,
      .m_notify,
      .s_read,
      .m_read,
      .m_axis,
      .s_write,
      .m_write,
      .s_axis,
      .m_axi_rx(axi_rx),
      .m_axi_tx(axi_tx)
  );

  kumi_node_tcp_regs #(
      .MTU(MTU)
  ) u_tcp_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .own_ip,
      .cfg,
      .ready,
      .sessions,
      .now_us,
      .ev
  );

  // ---- flat memory ports ----------------------------------------------------------------------
  assign m_axi_rx_awid = axi_rx.awid;
  assign m_axi_rx_awaddr = axi_rx.awaddr;
  assign m_axi_rx_awlen = axi_rx.awlen;
  assign m_axi_rx_awsize = axi_rx.awsize;
  assign m_axi_rx_awburst = axi_rx.awburst;
  assign m_axi_rx_awvalid = axi_rx.awvalid;
  assign axi_rx.awready = m_axi_rx_awready;
  assign m_axi_rx_wdata = axi_rx.wdata;
  assign m_axi_rx_wstrb = axi_rx.wstrb;
  assign m_axi_rx_wlast = axi_rx.wlast;
  assign m_axi_rx_wvalid = axi_rx.wvalid;
  assign axi_rx.wready = m_axi_rx_wready;
  assign axi_rx.bid = m_axi_rx_bid;
  assign axi_rx.bresp = m_axi_rx_bresp;
  assign axi_rx.bvalid = m_axi_rx_bvalid;
  assign m_axi_rx_bready = axi_rx.bready;
  assign m_axi_rx_arid = axi_rx.arid;
  assign m_axi_rx_araddr = axi_rx.araddr;
  assign m_axi_rx_arlen = axi_rx.arlen;
  assign m_axi_rx_arsize = axi_rx.arsize;
  assign m_axi_rx_arburst = axi_rx.arburst;
  assign m_axi_rx_arvalid = axi_rx.arvalid;
  assign axi_rx.arready = m_axi_rx_arready;
  assign axi_rx.rid = m_axi_rx_rid;
  assign axi_rx.rdata = m_axi_rx_rdata;
  assign axi_rx.rresp = m_axi_rx_rresp;
  assign axi_rx.rlast = m_axi_rx_rlast;
  assign axi_rx.rvalid = m_axi_rx_rvalid;
  assign m_axi_rx_rready = axi_rx.rready;

  assign m_axi_tx_awid = axi_tx.awid;
  assign m_axi_tx_awaddr = axi_tx.awaddr;
  assign m_axi_tx_awlen = axi_tx.awlen;
  assign m_axi_tx_awsize = axi_tx.awsize;
  assign m_axi_tx_awburst = axi_tx.awburst;
  assign m_axi_tx_awvalid = axi_tx.awvalid;
  assign axi_tx.awready = m_axi_tx_awready;
  assign m_axi_tx_wdata = axi_tx.wdata;
  assign m_axi_tx_wstrb = axi_tx.wstrb;
  assign m_axi_tx_wlast = axi_tx.wlast;
  assign m_axi_tx_wvalid = axi_tx.wvalid;
  assign axi_tx.wready = m_axi_tx_wready;
  assign axi_tx.bid = m_axi_tx_bid;
  assign axi_tx.bresp = m_axi_tx_bresp;
  assign axi_tx.bvalid = m_axi_tx_bvalid;
  assign m_axi_tx_bready = axi_tx.bready;
  assign m_axi_tx_arid = axi_tx.arid;
  assign m_axi_tx_araddr = axi_tx.araddr;
  assign m_axi_tx_arlen = axi_tx.arlen;
  assign m_axi_tx_arsize = axi_tx.arsize;
  assign m_axi_tx_arburst = axi_tx.arburst;
  assign m_axi_tx_arvalid = axi_tx.arvalid;
  assign axi_tx.arready = m_axi_tx_arready;
  assign axi_tx.rid = m_axi_tx_rid;
  assign axi_tx.rdata = m_axi_tx_rdata;
  assign axi_tx.rresp = m_axi_tx_rresp;
  assign axi_tx.rlast = m_axi_tx_rlast;
  assign axi_tx.rvalid = m_axi_tx_rvalid;
  assign m_axi_tx_rready = axi_tx.rready;

  // ---- register blocks of the kernels ---------------------------------------------------------
  for (genvar k = 0; k < BLOCKS; ++k) begin : gen_kernel_block
    assign m_axil[k].awaddr  = axil[k+1].awaddr;
    assign m_axil[k].awprot  = axil[k+1].awprot;
    assign m_axil[k].awvalid = axil[k+1].awvalid;
    assign axil[k+1].awready = m_axil[k].awready;
    assign m_axil[k].wdata   = axil[k+1].wdata;
    assign m_axil[k].wstrb   = axil[k+1].wstrb;
    assign m_axil[k].wvalid  = axil[k+1].wvalid;
    assign axil[k+1].wready  = m_axil[k].wready;
    assign axil[k+1].bresp   = m_axil[k].bresp;
    assign axil[k+1].bvalid  = m_axil[k].bvalid;
    assign m_axil[k].bready  = axil[k+1].bready;
    assign m_axil[k].araddr  = axil[k+1].araddr;
    assign m_axil[k].arprot  = axil[k+1].arprot;
    assign m_axil[k].arvalid = axil[k+1].arvalid;
    assign axil[k+1].arready = m_axil[k].arready;
    assign axil[k+1].rdata   = m_axil[k].rdata;
    assign axil[k+1].rresp   = m_axil[k].rresp;
    assign axil[k+1].rvalid  = m_axil[k].rvalid;
    assign m_axil[k].rready  = axil[k+1].rready;
  end
endmodule
