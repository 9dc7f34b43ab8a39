// SPDX-License-Identifier: Apache-2.0
//
// Board of a cluster joined by serial links: links and circuit switch, host side, kernel.
//
//   lanes <-> kumi_stdm_board <-> local port 0 (host): channels 0 .. CIRCUITS-1: DMA channels
//                                                      channel CIRCUITS: register FIFO
//                                                      best-effort packets: the last DMA channel
//                                 local port 1 (kernel): channel 0: ping and UDP echo over IP
//
// s_axil: identity at 0x0000, then windows of 4 KiB: switch, links, circuits, DMA channels,
//   register FIFO, IP stack and echo of the kernel. Packets on circuits: kumi_circuit_tx and _rx;
//   best-effort packets: tdest of the descriptor is the board, tid of the completion the sender.
// lanes: see kumi_link_lanes. m_axi: host memory, see kumi_dma. irq: a level per DMA channel.
module kumi_node_link_board
  import kumi_link_pkg::*;
  import kumi_circuit_pkg::*;
#(
    parameter int LANES = 1,  // of a link: 1, 2, 4
    parameter int LINKS = 2,  // 1..7
    parameter int CIRCUITS = 3,  // of the host, each way, 1..6
    parameter int RX_BYTES = 65536,  // buffer of each circuit, a power of two
    parameter logic [255:0] NAME = "link",  // of the design
    parameter logic [63:0] BUILD = '0,  // build hash
    localparam int W = 64 * LANES,
    localparam int DMA_CHANNELS = CIRCUITS + 1
) (
    input logic clk,
    input logic rst,

    output logic [LINKS-1:0][LANES-1:0][63:0] m_lane_data,
    output logic [LINKS-1:0][LANES-1:0][ 1:0] m_lane_head,
    input  logic [LINKS-1:0][LANES-1:0][63:0] s_lane_data,
    input  logic [LINKS-1:0][LANES-1:0][ 1:0] s_lane_head,
    output logic [LINKS-1:0][LANES-1:0]       s_lane_slip,

    output logic [4:0] m_axi_awid,
    output logic [63:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen,
    output logic [2:0] m_axi_awsize,
    output logic [1:0] m_axi_awburst,
    output logic m_axi_awvalid,
    input logic m_axi_awready,
    output logic [W-1:0] m_axi_wdata,
    output logic [W/8-1:0] m_axi_wstrb,
    output logic m_axi_wlast,
    output logic m_axi_wvalid,
    input logic m_axi_wready,
    input logic [4:0] m_axi_bid,
    input logic [1:0] m_axi_bresp,
    input logic m_axi_bvalid,
    output logic m_axi_bready,
    output logic [4:0] m_axi_arid,
    output logic [63:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [4:0] m_axi_rid,
    input logic [W-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready,

    kumi_axil_if.slv s_axil,
    output logic [DMA_CHANNELS-1:0] irq,
    output logic busy
);
  localparam int LOCALS = 2;
  localparam int CHANNELS = CIRCUITS + 1;  // of a local port
  localparam int KERNEL = CHANNELS;  // the kernel's channel among all words
  // A packet is sent from a store, a word each TDM frame at least: a longer pause is a broken
  // line.
  localparam int CUT_CYCLES = 16 * kumi_stdm_pkg::MAX_SLOTS;
  localparam int AT_LANES = 1;  // register blocks; the switch is the first
  localparam int AT_CIRCUIT = AT_LANES + LINKS;
  localparam int AT_DMA = AT_CIRCUIT + 1;
  localparam int AT_FIFO = AT_DMA + DMA_CHANNELS;
  localparam int AT_IP = AT_FIFO + 1;
  localparam int AT_ECHO = AT_IP + 1;
  localparam int BLOCKS = AT_ECHO + 1;

  if (LANES != 1 && LANES != 2 && LANES != 4) begin : gen_check_lanes
    $fatal(0, "LANES must be 1, 2 or 4 (%m)");
  end
  if (CIRCUITS < 1 || CIRCUITS > 6 || BLOCKS > 15) begin : gen_check_circuits
    $fatal(0, "CIRCUITS must be 1..6, and 9 less LINKS at most (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_axil_if axil[BLOCKS] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(W),
      .NAME(NAME),
      .BLOCKS(BLOCKS),
      .KINDS({
        kumi_regs_pkg::BLOCK_ECHO,
        kumi_regs_pkg::BLOCK_IP,
        kumi_regs_pkg::BLOCK_MMIO_FIFO,
        {DMA_CHANNELS{kumi_regs_pkg::BLOCK_DMA}},
        kumi_regs_pkg::BLOCK_CIRCUIT,
        {LINKS{kumi_regs_pkg::BLOCK_LANES}},
        kumi_regs_pkg::BLOCK_STDM
      }),
      .BUILD(BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  // ---- links and switch ----------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(W)) s_word[LOCALS*CHANNELS] ();
  kumi_axis_if #(.DATA_W(W)) m_word[LOCALS*CHANNELS] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(12)
  ) s_be[LOCALS] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(12)
  ) m_be[LOCALS] ();
  lanes_cfg_t [LINKS-1:0] lanes_cfg;
  lanes_status_t [LINKS-1:0] lanes_status;
  lanes_events_t [LINKS-1:0] lanes_ev;
  logic [LINKS-1:0] retrain;
  logic stdm_busy;

  kumi_stdm_board #(
      .LANES(LANES),
      .BUNDLED(1'b1),
      .P(LOCALS + LINKS),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS)
  ) u_board (
      .clk,
      .rst,
      .s_axil(axil[0:0]),
      .s_word,
      .m_word,
      .s_be,
      .m_be,
      .m_lane_data,
      .m_lane_head,
      .s_lane_data,
      .s_lane_head,
      .s_lane_slip,
      .lanes_cfg,
      .retrain,
      .lanes_status,
      .lanes_ev,
      .busy  (stdm_busy)
  );

  for (genvar l = 0; l < LINKS; ++l) begin : gen_lanes_ctl
    kumi_lanes_ctl #(
        .LANES(LANES),
        .CC_MANUAL(1'b1)
    ) u_lanes_ctl (
        .clk,
        .rst,
        .s_axil (axil[AT_LANES+l]),
        .cfg    (lanes_cfg[l]),
        .retrain(retrain[l]),
        .status (lanes_status[l]),
        .ev     (lanes_ev[l])
    );
  end

  // ---- packets on circuits -------------------------------------------------------------------
  // One a host channel, the register fifo's, and the kernel's; s_: toward the network.
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  ) s_packet[CHANNELS+1] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  ) m_packet[CHANNELS+1] ();

  // A circuit cannot be told to wait: a receiver that is late loses whole packets, counted.
  logic [CHANNELS:0] ev_sent, ev_drop, ev_full, ev_marked;
  circuit_rx_events_t [CHANNELS:0] ev_rx;

  for (genvar c = 0; c <= CHANNELS; ++c) begin : gen_circuit
    kumi_circuit_tx u_tx (
        .clk,
        .rst,
        .s_axis (s_packet[c]),
        .m_axis (s_word[c]),
        .ev_sent(ev_sent[c]),
        .ev_drop(ev_drop[c])
    );
    kumi_axis_if #(
        .DATA_W(W),
        .ID_W  (8),
        .DEST_W(8)
    ) arrived ();
    kumi_circuit_rx #(
        .TIMEOUT(CUT_CYCLES)
    ) u_rx (
        .clk,
        .rst,
        .s_axis(m_word[c]),
        .m_axis(arrived),
        .ev    (ev_rx[c])
    );
    kumi_node_buffer #(
        .BYTES(RX_BYTES),
        .DROP_FULL(1'b1)
    ) u_buffer (
        .clk,
        .rst,
        .s_axis (arrived),
        .m_axis (m_packet[c]),
        .ev_full(ev_full[c]),
        .ev_bad (ev_marked[c])
    );
  end

  kumi_circuit_ctl #(
      .CIRCUITS(CHANNELS + 1)
  ) u_circuit_ctl (
      .clk,
      .rst,
      .s_axil(axil[AT_CIRCUIT]),
      .ev_sent,
      .ev_drop,
      .ev_rx,
      .ev_full
  );

  // The kernel's other channels are closed: words for them count as lost at the switch.
  for (genvar c = KERNEL + 1; c < LOCALS * CHANNELS; ++c) begin : gen_closed
    assign s_word[c].tvalid = 1'b0;
    assign s_word[c].tdata = '0;
    assign s_word[c].tkeep = '0;
    assign s_word[c].tlast = 1'b0;
    assign s_word[c].tuser = '0;
    assign s_word[c].tid = '0;
    assign s_word[c].tdest = '0;
    assign m_word[c].tready = 1'b0;
  end

  // ---- host: DMA -----------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  ) dma_out[DMA_CHANNELS] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  ) dma_in[DMA_CHANNELS] ();
  logic dma_busy;

  kumi_dma #(
      .DATA_W(W),
      .ADDR_W(64),
      .ID_W(5),
      .CHANNELS(DMA_CHANNELS)
  ) u_dma (
      .clk,
      .rst,
      .s_axil(axil[AT_DMA:AT_DMA+DMA_CHANNELS-1]),
      .m_axis(dma_out),
      .s_axis(dma_in),
      .busy  (dma_busy),
      .*
  );

  for (genvar c = 0; c < CIRCUITS; ++c) begin : gen_host
    kumi_axis_reg u_out (
        .clk,
        .rst,
        .s_axis(dma_out[c]),
        .m_axis(s_packet[c])
    );
    kumi_axis_reg u_in (
        .clk,
        .rst,
        .s_axis(m_packet[c]),
        .m_axis(dma_in[c])
    );
  end

  // The last DMA channel is the best-effort network.
  assign s_be[0].tvalid = dma_out[CIRCUITS].tvalid;
  assign s_be[0].tdata = dma_out[CIRCUITS].tdata;
  assign s_be[0].tkeep = dma_out[CIRCUITS].tkeep;
  assign s_be[0].tlast = dma_out[CIRCUITS].tlast;
  assign s_be[0].tuser = dma_out[CIRCUITS].tuser;
  assign s_be[0].tid = '0;
  assign s_be[0].tdest = 12'(dma_out[CIRCUITS].tdest);  // local port 0 of that board
  assign dma_out[CIRCUITS].tready = s_be[0].tready;
  assign dma_in[CIRCUITS].tvalid = m_be[0].tvalid;
  assign dma_in[CIRCUITS].tdata = m_be[0].tdata;
  assign dma_in[CIRCUITS].tkeep = m_be[0].tkeep;
  assign dma_in[CIRCUITS].tlast = m_be[0].tlast;
  assign dma_in[CIRCUITS].tuser = m_be[0].tuser;
  assign dma_in[CIRCUITS].tid = m_be[0].tid;
  assign dma_in[CIRCUITS].tdest = '0;
  assign m_be[0].tready = dma_in[CIRCUITS].tready;

  // The kernel has no best-effort packets: those for it fill a buffer, then count as be_full.
  assign s_be[1].tvalid = 1'b0;
  assign s_be[1].tdata = '0;
  assign s_be[1].tkeep = '0;
  assign s_be[1].tlast = 1'b0;
  assign s_be[1].tuser = '0;
  assign s_be[1].tid = '0;
  assign s_be[1].tdest = '0;
  assign m_be[1].tready = 1'b0;

  // ---- host: word by word --------------------------------------------------------------------
  kumi_mmio_fifo #(
      .DATA_W(W),
      .DEPTH (4096)
  ) u_fifo (
      .clk,
      .rst,
      .s_axil(axil[AT_FIFO]),
      .m_axis(s_packet[CIRCUITS]),
      .s_axis(m_packet[CIRCUITS])
  );

  // ---- kernel --------------------------------------------------------------------------------
  logic kernel_busy;

  kumi_node_link_echo #(
      .DATA_W(W)
  ) u_kernel (
      .clk,
      .rst,
      .s_axil_ip(axil[AT_IP]),
      .s_axil_echo(axil[AT_ECHO]),
      .s_packet(m_packet[CHANNELS]),
      .m_packet(s_packet[CHANNELS]),
      .busy(kernel_busy)
  );

  assign busy = stdm_busy || dma_busy || kernel_busy;

  logic unused;
  assign unused = ^{now, ev_marked};  // bad packets are counted where they are found
endmodule
