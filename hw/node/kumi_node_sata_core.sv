// SPDX-License-Identifier: Apache-2.0
//
// Node: two Serial ATA ports whose requests and data are channels, for benches, tests, and software
// that drives disks directly.
//
// Channels of port N, in clk: cmdN, rspN, fetchN, segmentN carry the records of kumi_blk_pkg; wrN
//   and rdN the data (kumi_sata_port).
// SATA ports p0, p1 in sata_clk (150 MHz: 6 Gb/s). s_axil: registers; those of port N
//   (regs/sata.rdl) at 0x1000 (N + 1).
module kumi_node_sata_core
  import kumi_blk_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data channels, 32..512
    parameter int COMRESET_CYCLES = 384,  // this and the following: see kumi_node_sata_port
    parameter int COMWAKE_CYCLES = 192,
    parameter int TICK_CYCLES = 150_000,
    parameter int RESET_CYCLES = 1_024,
    parameter int WAIT_CYCLES = 1_500_000,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_sata_p0:s_sata_p0:m_sata_p1:s_sata_p1" *)
    input logic sata_clk,
    input logic sata_rst,

    kumi_rec_if.snk s_hdr_cmd0,  // W=$bits(blk_cmd_t)
    kumi_rec_if.src m_hdr_rsp0,  // W=$bits(blk_rsp_t)
    kumi_rec_if.src m_hdr_fetch0,  // W=$bits(blk_fetch_t)
    kumi_axis_if.snk s_axis_wr0,
    kumi_rec_if.src m_hdr_segment0,  // W=$bits(blk_segment_t)
    kumi_axis_if.src m_axis_rd0,

    output logic [31:0] m_sata_p0_data,
    output logic [3:0] m_sata_p0_k,
    output logic m_sata_p0_cominit,
    output logic m_sata_p0_comwake,
    output logic m_sata_p0_idle,
    input logic [31:0] s_sata_p0_data,
    input logic [3:0] s_sata_p0_k,
    input logic s_sata_p0_error,
    input logic s_sata_p0_cominit,
    input logic s_sata_p0_comwake,
    input logic s_sata_p0_idle,

    kumi_rec_if.snk s_hdr_cmd1,  // W=$bits(blk_cmd_t)
    kumi_rec_if.src m_hdr_rsp1,  // W=$bits(blk_rsp_t)
    kumi_rec_if.src m_hdr_fetch1,  // W=$bits(blk_fetch_t)
    kumi_axis_if.snk s_axis_wr1,
    kumi_rec_if.src m_hdr_segment1,  // W=$bits(blk_segment_t)
    kumi_axis_if.src m_axis_rd1,

    output logic [31:0] m_sata_p1_data,
    output logic [3:0] m_sata_p1_k,
    output logic m_sata_p1_cominit,
    output logic m_sata_p1_comwake,
    output logic m_sata_p1_idle,
    input logic [31:0] s_sata_p1_data,
    input logic [3:0] s_sata_p1_k,
    input logic s_sata_p1_error,
    input logic s_sata_p1_cominit,
    input logic s_sata_p1_comwake,
    input logic s_sata_p1_idle,

    kumi_axil_if.slv s_axil,

    output logic busy
);
  localparam int PORTS = 2;

  kumi_axil_if axil[PORTS] ();
  logic [PORTS-1:0] busy_port;
  logic [63:0] now;
  logic unused;
  assign unused = ^now;
  assign busy   = |busy_port;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("sata"),
      .BLOCKS(PORTS),
      .KINDS ({PORTS{kumi_regs_pkg::BLOCK_SATA}}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  // ---- port 0 -----------------------------------------------------------------------------------

  kumi_node_sata_port #(
      .COMRESET_CYCLES(COMRESET_CYCLES),
      .COMWAKE_CYCLES (COMWAKE_CYCLES),
      .TICK_CYCLES    (TICK_CYCLES),
      .RESET_CYCLES   (RESET_CYCLES),
      .WAIT_CYCLES    (WAIT_CYCLES),
      .RETRY_CYCLES   (RETRY_CYCLES),
      .ALIGN_CYCLES   (ALIGN_CYCLES)
  ) u_port0 (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_cmd(s_hdr_cmd0),
      .m_rsp(m_hdr_rsp0),
      .m_fetch(m_hdr_fetch0),
      .s_axis(s_axis_wr0),
      .m_segment(m_hdr_segment0),
      .m_axis(m_axis_rd0),
      .s_axil(axil[0]),
      .busy(busy_port[0]),
      .tx_data(m_sata_p0_data),
      .tx_k(m_sata_p0_k),
      .tx_cominit(m_sata_p0_cominit),
      .tx_comwake(m_sata_p0_comwake),
      .tx_idle(m_sata_p0_idle),
      .rx_data(s_sata_p0_data),
      .rx_k(s_sata_p0_k),
      .rx_error(s_sata_p0_error),
      .rx_cominit(s_sata_p0_cominit),
      .rx_comwake(s_sata_p0_comwake),
      .rx_idle(s_sata_p0_idle)
  );

  // ---- port 1 -----------------------------------------------------------------------------------

  kumi_node_sata_port #(
      .COMRESET_CYCLES(COMRESET_CYCLES),
      .COMWAKE_CYCLES (COMWAKE_CYCLES),
      .TICK_CYCLES    (TICK_CYCLES),
      .RESET_CYCLES   (RESET_CYCLES),
      .WAIT_CYCLES    (WAIT_CYCLES),
      .RETRY_CYCLES   (RETRY_CYCLES),
      .ALIGN_CYCLES   (ALIGN_CYCLES)
  ) u_port1 (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_cmd(s_hdr_cmd1),
      .m_rsp(m_hdr_rsp1),
      .m_fetch(m_hdr_fetch1),
      .s_axis(s_axis_wr1),
      .m_segment(m_hdr_segment1),
      .m_axis(m_axis_rd1),
      .s_axil(axil[1]),
      .busy(busy_port[1]),
      .tx_data(m_sata_p1_data),
      .tx_k(m_sata_p1_k),
      .tx_cominit(m_sata_p1_cominit),
      .tx_comwake(m_sata_p1_comwake),
      .tx_idle(m_sata_p1_idle),
      .rx_data(s_sata_p1_data),
      .rx_k(s_sata_p1_k),
      .rx_error(s_sata_p1_error),
      .rx_cominit(s_sata_p1_cominit),
      .rx_comwake(s_sata_p1_comwake),
      .rx_idle(s_sata_p1_idle)
  );
endmodule
