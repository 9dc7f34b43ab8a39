// SPDX-License-Identifier: Apache-2.0
//
// DMA engine: packets between rings of descriptors in host memory (AXI4, ARM IHI 0022) and streams.
//
// A channel is a register block (regs/dma.rdl), a send ring (memory to m_axis) and a receive ring
// (s_axis to memory). All channels share one AXI4 master. docs/blocks/dma.md has the descriptors,
// the programming model and figures.
//
// s_axil[c]: registers of channel c, a window of 4 KiB. m_axis[c], s_axis[c]: packets, byte 0 in
//   tdata[7:0]; tuser[0] with tlast: bad. tdest of a packet sent is from its descriptor; tid of a
//   packet received goes into its completion.
// m_axi: bursts of whole beats (narrow writes by strobes) that never cross a multiple of their
//   size, and so never 4 KiB. Ids are client numbers; responses of different ids may come in any
//   order. rready and bready are always high: no request is made without space for its response.
// irq[c]: level. busy: work is in progress.
// Throughput: a beat a cycle each way, less the bus time of descriptors and completions.
// Latency (64 bits, memory that responds at once): doorbell to the first beat on m_axis 24 cycles,
//   first beat on s_axis to the completion in memory 30 for a packet of 64 bytes.
// Bad input: see docs/blocks/dma.md; memory errors end in a completion with a code.
module kumi_dma #(
    parameter int DATA_W      = 64,   // bits of the memory port and of the streams
    parameter int ADDR_W      = 64,   // bits of a memory address, 32..64
    parameter int ID_W        = 4,    // bits of a transaction id, room for 3 * CHANNELS
    parameter int CHANNELS    = 1,    // pairs of rings, 1..8
    parameter int BURST       = 0,    // beats of the longest burst, a power of two; 0: 1 KiB
    parameter int READ_BEATS  = 512,  // beats that may be on their way from memory, a channel
    parameter int WRITE_BEATS = 512   // beats of the buffer toward memory, a channel
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil[CHANNELS],
    kumi_axis_if.src m_axis[CHANNELS],
    kumi_axis_if.snk s_axis[CHANNELS],
    output logic [ID_W-1:0] m_axi_awid,
    output logic [ADDR_W-1:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen,
    output logic [2:0] m_axi_awsize,
    output logic [1:0] m_axi_awburst,
    output logic m_axi_awvalid,
    input logic m_axi_awready,
    output logic [DATA_W-1:0] m_axi_wdata,
    output logic [DATA_W/8-1:0] m_axi_wstrb,
    output logic m_axi_wlast,
    output logic m_axi_wvalid,
    input logic m_axi_wready,
    input logic [ID_W-1:0] m_axi_bid,
    input logic [1:0] m_axi_bresp,
    input logic m_axi_bvalid,
    output logic m_axi_bready,
    output logic [ID_W-1:0] m_axi_arid,
    output logic [ADDR_W-1:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [ID_W-1:0] m_axi_rid,
    input logic [DATA_W-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready,
    output logic [CHANNELS-1:0] irq,
    output logic busy
);
  localparam int BYTES = DATA_W / 8;
  localparam int BURST_BYTES = BURST == 0 ? 1024 : BURST * BYTES;
  localparam int READERS = 3 * CHANNELS;
  localparam int WRITERS = 2 * CHANNELS;

  if (DATA_W != 64 && DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end
  if (ADDR_W < 32 || ADDR_W > 64) begin : gen_check_addr
    $fatal(0, "ADDR_W must be 32..64 (%m)");
  end
  if (CHANNELS < 1 || CHANNELS > 8) begin : gen_check_channels
    $fatal(0, "CHANNELS must be 1..8 (%m)");
  end
  if (BURST_BYTES > 4096 || BURST_BYTES > 256 * BYTES || (BURST & (BURST - 1)) != 0)
  begin : gen_check_burst
    $fatal(0, "BURST must be a power of two, up to 256 beats and 4 KiB (%m)");
  end

  logic [READERS-1:0] ar_valid, ar_ready, r_valid;
  logic [READERS-1:0][ADDR_W-1:0] ar_addr;
  logic [READERS-1:0][7:0] ar_len;
  logic [DATA_W-1:0] r_data;
  logic [1:0] r_resp, b_resp;
  logic [WRITERS-1:0] aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid;
  logic [WRITERS-1:0][ADDR_W-1:0] aw_addr;
  logic [WRITERS-1:0][7:0] aw_len;
  logic [WRITERS-1:0][DATA_W-1:0] w_data;
  logic [WRITERS-1:0][BYTES-1:0] w_strb;
  logic [CHANNELS-1:0] channel_busy;

  for (genvar c = 0; c < CHANNELS; ++c) begin : gen_channel
    kumi_dma_channel #(
        .DATA_W(DATA_W),
        .ADDR_W(ADDR_W),
        .BURST_BYTES(BURST_BYTES),
        .READ_BEATS(READ_BEATS),
        .WRITE_BEATS(WRITE_BEATS)
    ) u_channel (
        .clk,
        .rst,
        .s_axil(s_axil[c]),
        .m_axis(m_axis[c]),
        .s_axis(s_axis[c]),
        .ar_valid(ar_valid[3*c+:3]),
        .ar_ready(ar_ready[3*c+:3]),
        .ar_addr(ar_addr[3*c+:3]),
        .ar_len(ar_len[3*c+:3]),
        .r_valid(r_valid[3*c+:3]),
        .r_data,
        .r_resp,
        .aw_valid(aw_valid[2*c+:2]),
        .aw_ready(aw_ready[2*c+:2]),
        .aw_addr(aw_addr[2*c+:2]),
        .aw_len(aw_len[2*c+:2]),
        .w_valid(w_valid[2*c+:2]),
        .w_ready(w_ready[2*c+:2]),
        .w_data(w_data[2*c+:2]),
        .w_strb(w_strb[2*c+:2]),
        .w_last(w_last[2*c+:2]),
        .b_valid(b_valid[2*c+:2]),
        .b_resp,
        .irq(irq[c]),
        .busy(channel_busy[c])
    );
  end

  kumi_dma_read_mux #(
      .N(READERS),
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W(ID_W)
  ) u_read_mux (
      .*  // clk, rst, the clients, m_axi_ar*, m_axi_r*
  );

  kumi_dma_write_mux #(
      .N(WRITERS),
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W(ID_W)
  ) u_write_mux (
      .*  // clk, rst, the clients, m_axi_aw*, m_axi_w*, m_axi_b*
  );

  assign busy = |channel_busy;
endmodule
