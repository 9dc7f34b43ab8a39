// SPDX-License-Identifier: Apache-2.0
//
// Node: two Serial ATA ports whose requests and data are channels, for benches, tests, and software
// that drives disks directly. This shell only wires.
//
// Channels of port N, in clk: cmdN, rspN, fetchN, segmentN carry the records of kumi_blk_pkg; wrN
//   and rdN the data (kumi_sata_port).
// SATA ports p0, p1 in sata_clk (150 MHz: 6 Gb/s). s_axil: registers; those of port N
//   (regs/sata.rdl) at 0x1000 (N + 1).
module kumi_node_sata
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
    parameter logic [63:0] BUILD = '0,  // build hash
    localparam int CMD_W = $bits(blk_cmd_t),
    localparam int RSP_W = $bits(blk_rsp_t),
    localparam int FETCH_W = $bits(blk_fetch_t),
    localparam int SEGMENT_W = $bits(blk_segment_t)
) (
    input logic clk,
    input logic rst,
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_sata_p0:s_sata_p0:m_sata_p1:s_sata_p1" *)
    input logic sata_clk,
    input logic sata_rst,

    input logic [CMD_W-1:0] s_hdr_cmd0_data,
    input logic s_hdr_cmd0_valid,
    output logic s_hdr_cmd0_ready,
    output logic [RSP_W-1:0] m_hdr_rsp0_data,
    output logic m_hdr_rsp0_valid,
    input logic m_hdr_rsp0_ready,
    output logic [FETCH_W-1:0] m_hdr_fetch0_data,
    output logic m_hdr_fetch0_valid,
    input logic m_hdr_fetch0_ready,
    input logic [DATA_W-1:0] s_axis_wr0_tdata,
    input logic [DATA_W/8-1:0] s_axis_wr0_tkeep,
    input logic s_axis_wr0_tvalid,
    output logic s_axis_wr0_tready,
    input logic s_axis_wr0_tlast,
    input logic s_axis_wr0_tuser,
    output logic [SEGMENT_W-1:0] m_hdr_segment0_data,
    output logic m_hdr_segment0_valid,
    input logic m_hdr_segment0_ready,
    output logic [DATA_W-1:0] m_axis_rd0_tdata,
    output logic [DATA_W/8-1:0] m_axis_rd0_tkeep,
    output logic m_axis_rd0_tvalid,
    input logic m_axis_rd0_tready,
    output logic m_axis_rd0_tlast,
    output logic m_axis_rd0_tuser,

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

    input logic [CMD_W-1:0] s_hdr_cmd1_data,
    input logic s_hdr_cmd1_valid,
    output logic s_hdr_cmd1_ready,
    output logic [RSP_W-1:0] m_hdr_rsp1_data,
    output logic m_hdr_rsp1_valid,
    input logic m_hdr_rsp1_ready,
    output logic [FETCH_W-1:0] m_hdr_fetch1_data,
    output logic m_hdr_fetch1_valid,
    input logic m_hdr_fetch1_ready,
    input logic [DATA_W-1:0] s_axis_wr1_tdata,
    input logic [DATA_W/8-1:0] s_axis_wr1_tkeep,
    input logic s_axis_wr1_tvalid,
    output logic s_axis_wr1_tready,
    input logic s_axis_wr1_tlast,
    input logic s_axis_wr1_tuser,
    output logic [SEGMENT_W-1:0] m_hdr_segment1_data,
    output logic m_hdr_segment1_valid,
    input logic m_hdr_segment1_ready,
    output logic [DATA_W-1:0] m_axis_rd1_tdata,
    output logic [DATA_W/8-1:0] m_axis_rd1_tkeep,
    output logic m_axis_rd1_tvalid,
    input logic m_axis_rd1_tready,
    output logic m_axis_rd1_tlast,
    output logic m_axis_rd1_tuser,

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

    output logic busy
);
  localparam int PORTS = 2;

  kumi_axil_if host ();
  kumi_axil_if axil[PORTS] ();
  logic [PORTS-1:0] busy_port;
  logic [63:0] now;
  logic unused;
  assign unused = ^now;
  assign busy = |busy_port;

  assign host.awaddr = s_axil_awaddr;
  assign host.awprot = s_axil_awprot;
  assign host.awvalid = s_axil_awvalid;
  assign s_axil_awready = host.awready;
  assign host.wdata = s_axil_wdata;
  assign host.wstrb = s_axil_wstrb;
  assign host.wvalid = s_axil_wvalid;
  assign s_axil_wready = host.wready;
  assign s_axil_bresp = host.bresp;
  assign s_axil_bvalid = host.bvalid;
  assign host.bready = s_axil_bready;
  assign host.araddr = s_axil_araddr;
  assign host.arprot = s_axil_arprot;
  assign host.arvalid = s_axil_arvalid;
  assign s_axil_arready = host.arready;
  assign s_axil_rdata = host.rdata;
  assign s_axil_rresp = host.rresp;
  assign s_axil_rvalid = host.rvalid;
  assign host.rready = s_axil_rready;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("sata"),
      .BLOCKS(PORTS),
      .KINDS ({PORTS{kumi_regs_pkg::BLOCK_SATA}}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil),
      .now
  );

  // ---- port 0 -----------------------------------------------------------------------------------
  kumi_rec_if #(.W(CMD_W)) cmd0 ();
  kumi_rec_if #(.W(RSP_W)) rsp0 ();
  kumi_rec_if #(.W(FETCH_W)) fetch0 ();
  kumi_rec_if #(.W(SEGMENT_W)) segment0 ();
  kumi_axis_if #(.DATA_W(DATA_W)) wr0 ();
  kumi_axis_if #(.DATA_W(DATA_W)) rd0 ();

  assign cmd0.data = s_hdr_cmd0_data;
  assign cmd0.valid = s_hdr_cmd0_valid;
  assign s_hdr_cmd0_ready = cmd0.ready;
  assign m_hdr_rsp0_data = rsp0.data;
  assign m_hdr_rsp0_valid = rsp0.valid;
  assign rsp0.ready = m_hdr_rsp0_ready;
  assign m_hdr_fetch0_data = fetch0.data;
  assign m_hdr_fetch0_valid = fetch0.valid;
  assign fetch0.ready = m_hdr_fetch0_ready;
  assign m_hdr_segment0_data = segment0.data;
  assign m_hdr_segment0_valid = segment0.valid;
  assign segment0.ready = m_hdr_segment0_ready;
  assign wr0.tdata = s_axis_wr0_tdata;
  assign wr0.tkeep = s_axis_wr0_tkeep;
  assign wr0.tvalid = s_axis_wr0_tvalid;
  assign s_axis_wr0_tready = wr0.tready;
  assign wr0.tlast = s_axis_wr0_tlast;
  assign wr0.tuser = s_axis_wr0_tuser;
  assign wr0.tid = '0;
  assign wr0.tdest = '0;
  assign m_axis_rd0_tdata = rd0.tdata;
  assign m_axis_rd0_tkeep = rd0.tkeep;
  assign m_axis_rd0_tvalid = rd0.tvalid;
  assign rd0.tready = m_axis_rd0_tready;
  assign m_axis_rd0_tlast = rd0.tlast;
  assign m_axis_rd0_tuser = rd0.tuser;

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
      .s_cmd(cmd0),
      .m_rsp(rsp0),
      .m_fetch(fetch0),
      .s_axis(wr0),
      .m_segment(segment0),
      .m_axis(rd0),
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
  kumi_rec_if #(.W(CMD_W)) cmd1 ();
  kumi_rec_if #(.W(RSP_W)) rsp1 ();
  kumi_rec_if #(.W(FETCH_W)) fetch1 ();
  kumi_rec_if #(.W(SEGMENT_W)) segment1 ();
  kumi_axis_if #(.DATA_W(DATA_W)) wr1 ();
  kumi_axis_if #(.DATA_W(DATA_W)) rd1 ();

  assign cmd1.data = s_hdr_cmd1_data;
  assign cmd1.valid = s_hdr_cmd1_valid;
  assign s_hdr_cmd1_ready = cmd1.ready;
  assign m_hdr_rsp1_data = rsp1.data;
  assign m_hdr_rsp1_valid = rsp1.valid;
  assign rsp1.ready = m_hdr_rsp1_ready;
  assign m_hdr_fetch1_data = fetch1.data;
  assign m_hdr_fetch1_valid = fetch1.valid;
  assign fetch1.ready = m_hdr_fetch1_ready;
  assign m_hdr_segment1_data = segment1.data;
  assign m_hdr_segment1_valid = segment1.valid;
  assign segment1.ready = m_hdr_segment1_ready;
  assign wr1.tdata = s_axis_wr1_tdata;
  assign wr1.tkeep = s_axis_wr1_tkeep;
  assign wr1.tvalid = s_axis_wr1_tvalid;
  assign s_axis_wr1_tready = wr1.tready;
  assign wr1.tlast = s_axis_wr1_tlast;
  assign wr1.tuser = s_axis_wr1_tuser;
  assign wr1.tid = '0;
  assign wr1.tdest = '0;
  assign m_axis_rd1_tdata = rd1.tdata;
  assign m_axis_rd1_tkeep = rd1.tkeep;
  assign m_axis_rd1_tvalid = rd1.tvalid;
  assign rd1.tready = m_axis_rd1_tready;
  assign m_axis_rd1_tlast = rd1.tlast;
  assign m_axis_rd1_tuser = rd1.tuser;

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
      .s_cmd(cmd1),
      .m_rsp(rsp1),
      .m_fetch(fetch1),
      .s_axis(wr1),
      .m_segment(segment1),
      .m_axis(rd1),
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
