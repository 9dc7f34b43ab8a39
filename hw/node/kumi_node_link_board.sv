// SPDX-License-Identifier: Apache-2.0
//
// Board of a cluster joined by serial links: links and circuit switch, host side, kernel.
//
//   lanes <-> kumi_node_link_net <-> host: channels 0 .. CIRCUITS-1: DMA channels
//                                          channel CIRCUITS: register FIFO
//                                          best-effort packets: the last DMA channel
//                                <-> kernel: ping and UDP echo over IP
//
// s_axil: identity at 0x0000, then windows of 4 KiB: switch, links, circuits, DMA channels,
//   register FIFO, IP stack and echo of the kernel. Best-effort packets: tdest of the descriptor is
//   the board, tid of the completion the sender.
// lanes: see kumi_node_link_net. m_axi: host memory, see kumi_dma. irq: a level per DMA channel.
module kumi_node_link_board
  import kumi_link_pkg::*;
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

    output logic [LINKS-1:0][MAX_LANES-1:0][63:0] m_lane_data,
    output logic [LINKS-1:0][MAX_LANES-1:0][ 1:0] m_lane_head,
    input  logic [LINKS-1:0][MAX_LANES-1:0][63:0] s_lane_data,
    input  logic [LINKS-1:0][MAX_LANES-1:0][ 1:0] s_lane_head,
    output logic [LINKS-1:0][MAX_LANES-1:0]       s_lane_slip,

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
  localparam int CHANNELS = CIRCUITS + 1;  // of the host
  localparam int KERNEL = CHANNELS;  // the kernel's among all
  localparam int AT_DMA = LINKS + 2;  // register blocks; the network has the first
  localparam int AT_FIFO = AT_DMA + DMA_CHANNELS;
  localparam int AT_IP = AT_FIFO + 1;
  localparam int AT_ECHO = AT_IP + 1;
  localparam int BLOCKS = AT_ECHO + 1;

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

  // ---- links, switch, and packets on circuits --------------------------------------------------
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  )
      s_packet[CHANNELS+1] (), m_packet[CHANNELS+1] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(8)
  )
      dma_out[DMA_CHANNELS] (), dma_in[DMA_CHANNELS] ();
  logic net_busy;

  // The last DMA channel is the best-effort network.
  kumi_node_link_net #(
      .LANES(LANES),
      .LINKS(LINKS),
      .CHANNELS(CHANNELS),
      .RX_BYTES(RX_BYTES)
  ) u_net (
      .clk,
      .rst,
      .s_axil(axil[0:LINKS+1]),
      .m_lane_data,
      .m_lane_head,
      .s_lane_data,
      .s_lane_head,
      .s_lane_slip,
      .s_packet,
      .m_packet,
      .s_be  (dma_out[CIRCUITS]),
      .m_be  (dma_in[CIRCUITS]),
      .busy  (net_busy)
  );

  // ---- host: DMA -----------------------------------------------------------------------------
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
      .s_packet(m_packet[KERNEL]),
      .m_packet(s_packet[KERNEL]),
      .busy(kernel_busy)
  );

  assign busy = net_busy || dma_busy || kernel_busy;

  logic unused;
  assign unused = ^now;
endmodule
