// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_storage_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: a storage array on up to sixteen Serial ATA disks. The array and its ports are
// kumi_node_storage_units; this module adds the pins.
//
// Channels, in clk: cmd and rsp carry the records of kumi_array_pkg, wr and rd the data (see
//   kumi_storage).
// SATA ports p0 to p15 in sata_clk (150 MHz: 6 Gb/s), of which PORTS are built; the others are
//   silent. m_axi_mem: memory for chunk buffers, the map and the list of superseded versions.
// s_axil: registers; the node's identity at 0, the array's (regs/storage.rdl) at 0x1000, those of
//   port N (regs/sata.rdl) at 0x1000 (N + 2). The identity's block table lists at most 14 ports;
//   the number of ports is in the array's INFO.
module kumi_node_storage
  import kumi_array_pkg::*;
  import kumi_node_storage_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path, 64..512
    parameter int PORTS = 4,  // disks, 1..16
    parameter int WIDTH = 8,  // maximum stripe width
    parameter int CONTEXTS = 8,  // stripe contexts
    parameter int CHUNK_BYTES = 1 << 21,  // longest chunk, this and the following: see kumi_storage
    parameter int PARITY_BYTES = CHUNK_BYTES < 65536 ? CHUNK_BYTES : 65536,
    parameter int STRIPES = 1 << 24,  // maximum logical stripes, a power of two
    parameter int SLOTS = 1 << 24,  // maximum slots per disk, a power of two
    parameter int COMRESET_CYCLES = 384,  // this and the following: see kumi_node_sata_oob
    parameter int COMWAKE_CYCLES = 192,
    parameter int TICK_CYCLES = 150_000,
    parameter int RESET_CYCLES = 1_024,
    parameter int WAIT_CYCLES = 1_500_000,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst, (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF \
m_sata_p0:s_sata_p0:m_sata_p1:s_sata_p1:m_sata_p2:s_sata_p2:\
m_sata_p3:s_sata_p3:m_sata_p4:s_sata_p4:m_sata_p5:s_sata_p5:\
m_sata_p6:s_sata_p6:m_sata_p7:s_sata_p7:m_sata_p8:s_sata_p8:\
m_sata_p9:s_sata_p9:m_sata_p10:s_sata_p10:m_sata_p11:s_sata_p11:\
m_sata_p12:s_sata_p12:m_sata_p13:s_sata_p13:m_sata_p14:s_sata_p14:\
m_sata_p15:s_sata_p15" *)
    input logic sata_clk,
    input logic sata_rst,

    input logic [$bits(array_cmd_t)-1:0] s_hdr_cmd_data,
    input logic s_hdr_cmd_valid,
    output logic s_hdr_cmd_ready,
    output logic [$bits(array_rsp_t)-1:0] m_hdr_rsp_data,
    output logic m_hdr_rsp_valid,
    input logic m_hdr_rsp_ready,
    input logic [DATA_W-1:0] s_axis_wr_tdata,
    input logic [DATA_W/8-1:0] s_axis_wr_tkeep,
    input logic s_axis_wr_tvalid,
    output logic s_axis_wr_tready,
    input logic s_axis_wr_tlast,
    input logic s_axis_wr_tuser,
    output logic [DATA_W-1:0] m_axis_rd_tdata,
    output logic [DATA_W/8-1:0] m_axis_rd_tkeep,
    output logic m_axis_rd_tvalid,
    input logic m_axis_rd_tready,
    output logic m_axis_rd_tlast,
    output logic m_axis_rd_tuser,

    output logic [0:0] m_axi_mem_awid,
    output logic [39:0] m_axi_mem_awaddr,
    output logic [7:0] m_axi_mem_awlen,
    output logic [2:0] m_axi_mem_awsize,
    output logic [1:0] m_axi_mem_awburst,
    output logic m_axi_mem_awvalid,
    input logic m_axi_mem_awready,
    output logic [DATA_W-1:0] m_axi_mem_wdata,
    output logic [DATA_W/8-1:0] m_axi_mem_wstrb,
    output logic m_axi_mem_wlast,
    output logic m_axi_mem_wvalid,
    input logic m_axi_mem_wready,
    input logic [0:0] m_axi_mem_bid,
    input logic [1:0] m_axi_mem_bresp,
    input logic m_axi_mem_bvalid,
    output logic m_axi_mem_bready,
    output logic [0:0] m_axi_mem_arid,
    output logic [39:0] m_axi_mem_araddr,
    output logic [7:0] m_axi_mem_arlen,
    output logic [2:0] m_axi_mem_arsize,
    output logic [1:0] m_axi_mem_arburst,
    output logic m_axi_mem_arvalid,
    input logic m_axi_mem_arready,
    input logic [0:0] m_axi_mem_rid,
    input logic [DATA_W-1:0] m_axi_mem_rdata,
    input logic [1:0] m_axi_mem_rresp,
    input logic m_axi_mem_rlast,
    input logic m_axi_mem_rvalid,
    output logic m_axi_mem_rready,

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
    output logic [31:0] m_sata_p2_data,
    output logic [3:0] m_sata_p2_k,
    output logic m_sata_p2_cominit,
    output logic m_sata_p2_comwake,
    output logic m_sata_p2_idle,
    input logic [31:0] s_sata_p2_data,
    input logic [3:0] s_sata_p2_k,
    input logic s_sata_p2_error,
    input logic s_sata_p2_cominit,
    input logic s_sata_p2_comwake,
    input logic s_sata_p2_idle,
    output logic [31:0] m_sata_p3_data,
    output logic [3:0] m_sata_p3_k,
    output logic m_sata_p3_cominit,
    output logic m_sata_p3_comwake,
    output logic m_sata_p3_idle,
    input logic [31:0] s_sata_p3_data,
    input logic [3:0] s_sata_p3_k,
    input logic s_sata_p3_error,
    input logic s_sata_p3_cominit,
    input logic s_sata_p3_comwake,
    input logic s_sata_p3_idle,
    output logic [31:0] m_sata_p4_data,
    output logic [3:0] m_sata_p4_k,
    output logic m_sata_p4_cominit,
    output logic m_sata_p4_comwake,
    output logic m_sata_p4_idle,
    input logic [31:0] s_sata_p4_data,
    input logic [3:0] s_sata_p4_k,
    input logic s_sata_p4_error,
    input logic s_sata_p4_cominit,
    input logic s_sata_p4_comwake,
    input logic s_sata_p4_idle,
    output logic [31:0] m_sata_p5_data,
    output logic [3:0] m_sata_p5_k,
    output logic m_sata_p5_cominit,
    output logic m_sata_p5_comwake,
    output logic m_sata_p5_idle,
    input logic [31:0] s_sata_p5_data,
    input logic [3:0] s_sata_p5_k,
    input logic s_sata_p5_error,
    input logic s_sata_p5_cominit,
    input logic s_sata_p5_comwake,
    input logic s_sata_p5_idle,
    output logic [31:0] m_sata_p6_data,
    output logic [3:0] m_sata_p6_k,
    output logic m_sata_p6_cominit,
    output logic m_sata_p6_comwake,
    output logic m_sata_p6_idle,
    input logic [31:0] s_sata_p6_data,
    input logic [3:0] s_sata_p6_k,
    input logic s_sata_p6_error,
    input logic s_sata_p6_cominit,
    input logic s_sata_p6_comwake,
    input logic s_sata_p6_idle,
    output logic [31:0] m_sata_p7_data,
    output logic [3:0] m_sata_p7_k,
    output logic m_sata_p7_cominit,
    output logic m_sata_p7_comwake,
    output logic m_sata_p7_idle,
    input logic [31:0] s_sata_p7_data,
    input logic [3:0] s_sata_p7_k,
    input logic s_sata_p7_error,
    input logic s_sata_p7_cominit,
    input logic s_sata_p7_comwake,
    input logic s_sata_p7_idle,
    output logic [31:0] m_sata_p8_data,
    output logic [3:0] m_sata_p8_k,
    output logic m_sata_p8_cominit,
    output logic m_sata_p8_comwake,
    output logic m_sata_p8_idle,
    input logic [31:0] s_sata_p8_data,
    input logic [3:0] s_sata_p8_k,
    input logic s_sata_p8_error,
    input logic s_sata_p8_cominit,
    input logic s_sata_p8_comwake,
    input logic s_sata_p8_idle,
    output logic [31:0] m_sata_p9_data,
    output logic [3:0] m_sata_p9_k,
    output logic m_sata_p9_cominit,
    output logic m_sata_p9_comwake,
    output logic m_sata_p9_idle,
    input logic [31:0] s_sata_p9_data,
    input logic [3:0] s_sata_p9_k,
    input logic s_sata_p9_error,
    input logic s_sata_p9_cominit,
    input logic s_sata_p9_comwake,
    input logic s_sata_p9_idle,
    output logic [31:0] m_sata_p10_data,
    output logic [3:0] m_sata_p10_k,
    output logic m_sata_p10_cominit,
    output logic m_sata_p10_comwake,
    output logic m_sata_p10_idle,
    input logic [31:0] s_sata_p10_data,
    input logic [3:0] s_sata_p10_k,
    input logic s_sata_p10_error,
    input logic s_sata_p10_cominit,
    input logic s_sata_p10_comwake,
    input logic s_sata_p10_idle,
    output logic [31:0] m_sata_p11_data,
    output logic [3:0] m_sata_p11_k,
    output logic m_sata_p11_cominit,
    output logic m_sata_p11_comwake,
    output logic m_sata_p11_idle,
    input logic [31:0] s_sata_p11_data,
    input logic [3:0] s_sata_p11_k,
    input logic s_sata_p11_error,
    input logic s_sata_p11_cominit,
    input logic s_sata_p11_comwake,
    input logic s_sata_p11_idle,
    output logic [31:0] m_sata_p12_data,
    output logic [3:0] m_sata_p12_k,
    output logic m_sata_p12_cominit,
    output logic m_sata_p12_comwake,
    output logic m_sata_p12_idle,
    input logic [31:0] s_sata_p12_data,
    input logic [3:0] s_sata_p12_k,
    input logic s_sata_p12_error,
    input logic s_sata_p12_cominit,
    input logic s_sata_p12_comwake,
    input logic s_sata_p12_idle,
    output logic [31:0] m_sata_p13_data,
    output logic [3:0] m_sata_p13_k,
    output logic m_sata_p13_cominit,
    output logic m_sata_p13_comwake,
    output logic m_sata_p13_idle,
    input logic [31:0] s_sata_p13_data,
    input logic [3:0] s_sata_p13_k,
    input logic s_sata_p13_error,
    input logic s_sata_p13_cominit,
    input logic s_sata_p13_comwake,
    input logic s_sata_p13_idle,
    output logic [31:0] m_sata_p14_data,
    output logic [3:0] m_sata_p14_k,
    output logic m_sata_p14_cominit,
    output logic m_sata_p14_comwake,
    output logic m_sata_p14_idle,
    input logic [31:0] s_sata_p14_data,
    input logic [3:0] s_sata_p14_k,
    input logic s_sata_p14_error,
    input logic s_sata_p14_cominit,
    input logic s_sata_p14_comwake,
    input logic s_sata_p14_idle,
    output logic [31:0] m_sata_p15_data,
    output logic [3:0] m_sata_p15_k,
    output logic m_sata_p15_cominit,
    output logic m_sata_p15_comwake,
    output logic m_sata_p15_idle,
    input logic [31:0] s_sata_p15_data,
    input logic [3:0] s_sata_p15_k,
    input logic s_sata_p15_error,
    input logic s_sata_p15_cominit,
    input logic s_sata_p15_comwake,
    input logic s_sata_p15_idle,

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
  kumi_rec_if #(.W($bits(array_cmd_t))) s_hdr_cmd ();
  assign s_hdr_cmd.data = s_hdr_cmd_data;
  assign s_hdr_cmd.valid = s_hdr_cmd_valid;
  assign s_hdr_cmd_ready = s_hdr_cmd.ready;

  kumi_rec_if #(.W($bits(array_rsp_t))) m_hdr_rsp ();
  assign m_hdr_rsp_data = m_hdr_rsp.data;
  assign m_hdr_rsp_valid = m_hdr_rsp.valid;
  assign m_hdr_rsp.ready = m_hdr_rsp_ready;

  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_wr ();
  assign s_axis_wr.tdata = s_axis_wr_tdata;
  assign s_axis_wr.tkeep = s_axis_wr_tkeep;
  assign s_axis_wr.tvalid = s_axis_wr_tvalid;
  assign s_axis_wr_tready = s_axis_wr.tready;
  assign s_axis_wr.tlast = s_axis_wr_tlast;
  assign s_axis_wr.tuser = s_axis_wr_tuser;
  assign s_axis_wr.tid = '0;
  assign s_axis_wr.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_rd ();
  assign m_axis_rd_tdata = m_axis_rd.tdata;
  assign m_axis_rd_tkeep = m_axis_rd.tkeep;
  assign m_axis_rd_tvalid = m_axis_rd.tvalid;
  assign m_axis_rd.tready = m_axis_rd_tready;
  assign m_axis_rd_tlast = m_axis_rd.tlast;
  assign m_axis_rd_tuser = m_axis_rd.tuser;

  kumi_axi_if #(.DATA_W(DATA_W), .ADDR_W(40)) m_axi_mem ();
  assign m_axi_mem_awid = m_axi_mem.awid;
  assign m_axi_mem_awaddr = m_axi_mem.awaddr;
  assign m_axi_mem_awlen = m_axi_mem.awlen;
  assign m_axi_mem_awsize = m_axi_mem.awsize;
  assign m_axi_mem_awburst = m_axi_mem.awburst;
  assign m_axi_mem_awvalid = m_axi_mem.awvalid;
  assign m_axi_mem.awready = m_axi_mem_awready;
  assign m_axi_mem_wdata = m_axi_mem.wdata;
  assign m_axi_mem_wstrb = m_axi_mem.wstrb;
  assign m_axi_mem_wlast = m_axi_mem.wlast;
  assign m_axi_mem_wvalid = m_axi_mem.wvalid;
  assign m_axi_mem.wready = m_axi_mem_wready;
  assign m_axi_mem.bid = m_axi_mem_bid;
  assign m_axi_mem.bresp = m_axi_mem_bresp;
  assign m_axi_mem.bvalid = m_axi_mem_bvalid;
  assign m_axi_mem_bready = m_axi_mem.bready;
  assign m_axi_mem_arid = m_axi_mem.arid;
  assign m_axi_mem_araddr = m_axi_mem.araddr;
  assign m_axi_mem_arlen = m_axi_mem.arlen;
  assign m_axi_mem_arsize = m_axi_mem.arsize;
  assign m_axi_mem_arburst = m_axi_mem.arburst;
  assign m_axi_mem_arvalid = m_axi_mem.arvalid;
  assign m_axi_mem.arready = m_axi_mem_arready;
  assign m_axi_mem.rid = m_axi_mem_rid;
  assign m_axi_mem.rdata = m_axi_mem_rdata;
  assign m_axi_mem.rresp = m_axi_mem_rresp;
  assign m_axi_mem.rlast = m_axi_mem_rlast;
  assign m_axi_mem.rvalid = m_axi_mem_rvalid;
  assign m_axi_mem_rready = m_axi_mem.rready;

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

  kumi_node_storage_core #(
      .DATA_W(DATA_W),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(CHUNK_BYTES),
      .PARITY_BYTES(PARITY_BYTES),
      .STRIPES(STRIPES),
      .SLOTS(SLOTS),
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
      .s_hdr_cmd,
      .m_hdr_rsp,
      .s_axis_wr,
      .m_axis_rd,
      .m_axi_mem,
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
      .m_sata_p2_data,
      .m_sata_p2_k,
      .m_sata_p2_cominit,
      .m_sata_p2_comwake,
      .m_sata_p2_idle,
      .s_sata_p2_data,
      .s_sata_p2_k,
      .s_sata_p2_error,
      .s_sata_p2_cominit,
      .s_sata_p2_comwake,
      .s_sata_p2_idle,
      .m_sata_p3_data,
      .m_sata_p3_k,
      .m_sata_p3_cominit,
      .m_sata_p3_comwake,
      .m_sata_p3_idle,
      .s_sata_p3_data,
      .s_sata_p3_k,
      .s_sata_p3_error,
      .s_sata_p3_cominit,
      .s_sata_p3_comwake,
      .s_sata_p3_idle,
      .m_sata_p4_data,
      .m_sata_p4_k,
      .m_sata_p4_cominit,
      .m_sata_p4_comwake,
      .m_sata_p4_idle,
      .s_sata_p4_data,
      .s_sata_p4_k,
      .s_sata_p4_error,
      .s_sata_p4_cominit,
      .s_sata_p4_comwake,
      .s_sata_p4_idle,
      .m_sata_p5_data,
      .m_sata_p5_k,
      .m_sata_p5_cominit,
      .m_sata_p5_comwake,
      .m_sata_p5_idle,
      .s_sata_p5_data,
      .s_sata_p5_k,
      .s_sata_p5_error,
      .s_sata_p5_cominit,
      .s_sata_p5_comwake,
      .s_sata_p5_idle,
      .m_sata_p6_data,
      .m_sata_p6_k,
      .m_sata_p6_cominit,
      .m_sata_p6_comwake,
      .m_sata_p6_idle,
      .s_sata_p6_data,
      .s_sata_p6_k,
      .s_sata_p6_error,
      .s_sata_p6_cominit,
      .s_sata_p6_comwake,
      .s_sata_p6_idle,
      .m_sata_p7_data,
      .m_sata_p7_k,
      .m_sata_p7_cominit,
      .m_sata_p7_comwake,
      .m_sata_p7_idle,
      .s_sata_p7_data,
      .s_sata_p7_k,
      .s_sata_p7_error,
      .s_sata_p7_cominit,
      .s_sata_p7_comwake,
      .s_sata_p7_idle,
      .m_sata_p8_data,
      .m_sata_p8_k,
      .m_sata_p8_cominit,
      .m_sata_p8_comwake,
      .m_sata_p8_idle,
      .s_sata_p8_data,
      .s_sata_p8_k,
      .s_sata_p8_error,
      .s_sata_p8_cominit,
      .s_sata_p8_comwake,
      .s_sata_p8_idle,
      .m_sata_p9_data,
      .m_sata_p9_k,
      .m_sata_p9_cominit,
      .m_sata_p9_comwake,
      .m_sata_p9_idle,
      .s_sata_p9_data,
      .s_sata_p9_k,
      .s_sata_p9_error,
      .s_sata_p9_cominit,
      .s_sata_p9_comwake,
      .s_sata_p9_idle,
      .m_sata_p10_data,
      .m_sata_p10_k,
      .m_sata_p10_cominit,
      .m_sata_p10_comwake,
      .m_sata_p10_idle,
      .s_sata_p10_data,
      .s_sata_p10_k,
      .s_sata_p10_error,
      .s_sata_p10_cominit,
      .s_sata_p10_comwake,
      .s_sata_p10_idle,
      .m_sata_p11_data,
      .m_sata_p11_k,
      .m_sata_p11_cominit,
      .m_sata_p11_comwake,
      .m_sata_p11_idle,
      .s_sata_p11_data,
      .s_sata_p11_k,
      .s_sata_p11_error,
      .s_sata_p11_cominit,
      .s_sata_p11_comwake,
      .s_sata_p11_idle,
      .m_sata_p12_data,
      .m_sata_p12_k,
      .m_sata_p12_cominit,
      .m_sata_p12_comwake,
      .m_sata_p12_idle,
      .s_sata_p12_data,
      .s_sata_p12_k,
      .s_sata_p12_error,
      .s_sata_p12_cominit,
      .s_sata_p12_comwake,
      .s_sata_p12_idle,
      .m_sata_p13_data,
      .m_sata_p13_k,
      .m_sata_p13_cominit,
      .m_sata_p13_comwake,
      .m_sata_p13_idle,
      .s_sata_p13_data,
      .s_sata_p13_k,
      .s_sata_p13_error,
      .s_sata_p13_cominit,
      .s_sata_p13_comwake,
      .s_sata_p13_idle,
      .m_sata_p14_data,
      .m_sata_p14_k,
      .m_sata_p14_cominit,
      .m_sata_p14_comwake,
      .m_sata_p14_idle,
      .s_sata_p14_data,
      .s_sata_p14_k,
      .s_sata_p14_error,
      .s_sata_p14_cominit,
      .s_sata_p14_comwake,
      .s_sata_p14_idle,
      .m_sata_p15_data,
      .m_sata_p15_k,
      .m_sata_p15_cominit,
      .m_sata_p15_comwake,
      .m_sata_p15_idle,
      .s_sata_p15_data,
      .s_sata_p15_k,
      .s_sata_p15_error,
      .s_sata_p15_cominit,
      .s_sata_p15_comwake,
      .s_sata_p15_idle,
      .s_axil,
      .busy
  );
endmodule
