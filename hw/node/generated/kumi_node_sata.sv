// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_sata_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: two Serial ATA ports whose requests and data are channels, for benches, tests, and software
// that drives disks directly.
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
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_sata_p0:s_sata_p0:m_sata_p1:s_sata_p1" *)
    input logic sata_clk,
    input logic sata_rst,

    input logic [$bits(blk_cmd_t)-1:0] s_hdr_cmd0_data,
    input logic s_hdr_cmd0_valid,
    output logic s_hdr_cmd0_ready,
    output logic [$bits(blk_rsp_t)-1:0] m_hdr_rsp0_data,
    output logic m_hdr_rsp0_valid,
    input logic m_hdr_rsp0_ready,
    output logic [$bits(blk_fetch_t)-1:0] m_hdr_fetch0_data,
    output logic m_hdr_fetch0_valid,
    input logic m_hdr_fetch0_ready,
    input logic [DATA_W-1:0] s_axis_wr0_tdata,
    input logic [DATA_W/8-1:0] s_axis_wr0_tkeep,
    input logic s_axis_wr0_tvalid,
    output logic s_axis_wr0_tready,
    input logic s_axis_wr0_tlast,
    input logic s_axis_wr0_tuser,
    output logic [$bits(blk_segment_t)-1:0] m_hdr_segment0_data,
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

    input logic [$bits(blk_cmd_t)-1:0] s_hdr_cmd1_data,
    input logic s_hdr_cmd1_valid,
    output logic s_hdr_cmd1_ready,
    output logic [$bits(blk_rsp_t)-1:0] m_hdr_rsp1_data,
    output logic m_hdr_rsp1_valid,
    input logic m_hdr_rsp1_ready,
    output logic [$bits(blk_fetch_t)-1:0] m_hdr_fetch1_data,
    output logic m_hdr_fetch1_valid,
    input logic m_hdr_fetch1_ready,
    input logic [DATA_W-1:0] s_axis_wr1_tdata,
    input logic [DATA_W/8-1:0] s_axis_wr1_tkeep,
    input logic s_axis_wr1_tvalid,
    output logic s_axis_wr1_tready,
    input logic s_axis_wr1_tlast,
    input logic s_axis_wr1_tuser,
    output logic [$bits(blk_segment_t)-1:0] m_hdr_segment1_data,
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
  kumi_rec_if #(.W($bits(blk_cmd_t))) s_hdr_cmd0 ();
  assign s_hdr_cmd0.data = s_hdr_cmd0_data;
  assign s_hdr_cmd0.valid = s_hdr_cmd0_valid;
  assign s_hdr_cmd0_ready = s_hdr_cmd0.ready;

  kumi_rec_if #(.W($bits(blk_rsp_t))) m_hdr_rsp0 ();
  assign m_hdr_rsp0_data = m_hdr_rsp0.data;
  assign m_hdr_rsp0_valid = m_hdr_rsp0.valid;
  assign m_hdr_rsp0.ready = m_hdr_rsp0_ready;

  kumi_rec_if #(.W($bits(blk_fetch_t))) m_hdr_fetch0 ();
  assign m_hdr_fetch0_data = m_hdr_fetch0.data;
  assign m_hdr_fetch0_valid = m_hdr_fetch0.valid;
  assign m_hdr_fetch0.ready = m_hdr_fetch0_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_wr0 ();
  assign s_axis_wr0.tdata = s_axis_wr0_tdata;
  assign s_axis_wr0.tkeep = s_axis_wr0_tkeep;
  assign s_axis_wr0.tvalid = s_axis_wr0_tvalid;
  assign s_axis_wr0_tready = s_axis_wr0.tready;
  assign s_axis_wr0.tlast = s_axis_wr0_tlast;
  assign s_axis_wr0.tuser = s_axis_wr0_tuser;
  assign s_axis_wr0.tid = '0;
  assign s_axis_wr0.tdest = '0;

  kumi_rec_if #(.W($bits(blk_segment_t))) m_hdr_segment0 ();
  assign m_hdr_segment0_data = m_hdr_segment0.data;
  assign m_hdr_segment0_valid = m_hdr_segment0.valid;
  assign m_hdr_segment0.ready = m_hdr_segment0_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_rd0 ();
  assign m_axis_rd0_tdata = m_axis_rd0.tdata;
  assign m_axis_rd0_tkeep = m_axis_rd0.tkeep;
  assign m_axis_rd0_tvalid = m_axis_rd0.tvalid;
  assign m_axis_rd0.tready = m_axis_rd0_tready;
  assign m_axis_rd0_tlast = m_axis_rd0.tlast;
  assign m_axis_rd0_tuser = m_axis_rd0.tuser;

  kumi_rec_if #(.W($bits(blk_cmd_t))) s_hdr_cmd1 ();
  assign s_hdr_cmd1.data = s_hdr_cmd1_data;
  assign s_hdr_cmd1.valid = s_hdr_cmd1_valid;
  assign s_hdr_cmd1_ready = s_hdr_cmd1.ready;

  kumi_rec_if #(.W($bits(blk_rsp_t))) m_hdr_rsp1 ();
  assign m_hdr_rsp1_data = m_hdr_rsp1.data;
  assign m_hdr_rsp1_valid = m_hdr_rsp1.valid;
  assign m_hdr_rsp1.ready = m_hdr_rsp1_ready;

  kumi_rec_if #(.W($bits(blk_fetch_t))) m_hdr_fetch1 ();
  assign m_hdr_fetch1_data = m_hdr_fetch1.data;
  assign m_hdr_fetch1_valid = m_hdr_fetch1.valid;
  assign m_hdr_fetch1.ready = m_hdr_fetch1_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_wr1 ();
  assign s_axis_wr1.tdata = s_axis_wr1_tdata;
  assign s_axis_wr1.tkeep = s_axis_wr1_tkeep;
  assign s_axis_wr1.tvalid = s_axis_wr1_tvalid;
  assign s_axis_wr1_tready = s_axis_wr1.tready;
  assign s_axis_wr1.tlast = s_axis_wr1_tlast;
  assign s_axis_wr1.tuser = s_axis_wr1_tuser;
  assign s_axis_wr1.tid = '0;
  assign s_axis_wr1.tdest = '0;

  kumi_rec_if #(.W($bits(blk_segment_t))) m_hdr_segment1 ();
  assign m_hdr_segment1_data = m_hdr_segment1.data;
  assign m_hdr_segment1_valid = m_hdr_segment1.valid;
  assign m_hdr_segment1.ready = m_hdr_segment1_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_rd1 ();
  assign m_axis_rd1_tdata = m_axis_rd1.tdata;
  assign m_axis_rd1_tkeep = m_axis_rd1.tkeep;
  assign m_axis_rd1_tvalid = m_axis_rd1.tvalid;
  assign m_axis_rd1.tready = m_axis_rd1_tready;
  assign m_axis_rd1_tlast = m_axis_rd1.tlast;
  assign m_axis_rd1_tuser = m_axis_rd1.tuser;

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

  kumi_node_sata_core #(
      .DATA_W(DATA_W),
      .COMRESET_CYCLES(COMRESET_CYCLES),
      .COMWAKE_CYCLES(COMWAKE_CYCLES),
      .TICK_CYCLES(TICK_CYCLES),
      .RESET_CYCLES(RESET_CYCLES),
      .WAIT_CYCLES(WAIT_CYCLES),
      .RETRY_CYCLES(RETRY_CYCLES),
      .ALIGN_CYCLES(ALIGN_CYCLES),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_hdr_cmd0,
      .m_hdr_rsp0,
      .m_hdr_fetch0,
      .s_axis_wr0,
      .m_hdr_segment0,
      .m_axis_rd0,
      .m_sata_p0_data,
      .m_sata_p0_k,
      .m_sata_p0_cominit,
      .m_sata_p0_comwake,
      .m_sata_p0_idle,
      .s_sata_p0_data,
      .s_sata_p0_k,
      .s_sata_p0_error,
      .s_sata_p0_cominit,
      .s_sata_p0_comwake,
      .s_sata_p0_idle,
      .s_hdr_cmd1,
      .m_hdr_rsp1,
      .m_hdr_fetch1,
      .s_axis_wr1,
      .m_hdr_segment1,
      .m_axis_rd1,
      .m_sata_p1_data,
      .m_sata_p1_k,
      .m_sata_p1_cominit,
      .m_sata_p1_comwake,
      .m_sata_p1_idle,
      .s_sata_p1_data,
      .s_sata_p1_k,
      .s_sata_p1_error,
      .s_sata_p1_cominit,
      .s_sata_p1_comwake,
      .s_sata_p1_idle,
      .s_axil,
      .busy
  );
endmodule
