// SPDX-License-Identifier: Apache-2.0
//
// Node: a storage array on up to eight Serial ATA disks. This shell only wires.
//
// Channels, in clk: cmd and rsp carry the records of kumi_array_pkg, wr and rd the data
//   (kumi_storage says what belongs to what).
// sata ports p0 to p7 in sata_clk (150 MHz: 6 Gb/s), of which PORTS are built; the others are
//   silent. m_axi_mem: memory for chunks under way, the map and the list of versions.
// s_axil: registers; the array's (regs/storage.rdl) at 0x1000, port N's (regs/sata.rdl) at
//   0x1000 (N + 2).
module kumi_node_storage
  import kumi_array_pkg::*;
  import kumi_sata_cmd_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path, 64..512
    parameter int PORTS = 4,  // disks, 1..8
    parameter int WIDTH = 8,  // chunks of a stripe at most
    parameter int CONTEXTS = 8,  // stripes under way
    parameter int CHUNK_BYTES = 65536,  // longest chunk
    parameter int STRIPES = 65536,  // logical stripes at most, a power of two
    parameter int SLOTS = 65536,  // slots of a disk at most, a power of two
    parameter int COMRESET_CYCLES = 384,  // see kumi_node_sata_port, as the following
    parameter int COMWAKE_CYCLES = 192,
    parameter int TICK_CYCLES = 150_000,
    parameter int RESET_CYCLES = 1_024,
    parameter int WAIT_CYCLES = 1_500_000,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter logic [63:0] BUILD = '0,  // build hash
    localparam int CMD_W = $bits(array_cmd_t),
    localparam int RSP_W = $bits(array_rsp_t)
) (
    input logic clk,
    input logic rst,
        (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_sata_p0:s_sata_p0:m_sata_p1:s_sata_p1:\
m_sata_p2:s_sata_p2:m_sata_p3:s_sata_p3:m_sata_p4:s_sata_p4:m_sata_p5:s_sata_p5:\
m_sata_p6:s_sata_p6:m_sata_p7:s_sata_p7" *)
    input logic sata_clk,
    input logic sata_rst,

    input logic [CMD_W-1:0] s_hdr_cmd_data,
    input logic s_hdr_cmd_valid,
    output logic s_hdr_cmd_ready,
    output logic [RSP_W-1:0] m_hdr_rsp_data,
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
    output logic [31:0] m_axi_mem_awaddr,
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
    output logic [31:0] m_axi_mem_araddr,
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
  localparam int MOST = 8;

  if (PORTS < 1 || PORTS > MOST) begin : gen_check
    $fatal(0, "PORTS must be 1..8 (%m)");
  end

  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  k;
    logic        cominit;
    logic        comwake;
    logic        idle;
  } tx_t;
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  k;
    logic        error;
    logic        cominit;
    logic        comwake;
    logic        idle;
  } rx_t;
  tx_t [MOST-1:0] tx;
  rx_t [MOST-1:0] rx;
  assign {
    m_sata_p0_data,
    m_sata_p0_k,
    m_sata_p0_cominit,
    m_sata_p0_comwake,
    m_sata_p0_idle
  } = tx[0];
  assign rx[0] = {
    s_sata_p0_data,
    s_sata_p0_k,
    s_sata_p0_error,
    s_sata_p0_cominit,
    s_sata_p0_comwake,
    s_sata_p0_idle
  };
  assign {
    m_sata_p1_data,
    m_sata_p1_k,
    m_sata_p1_cominit,
    m_sata_p1_comwake,
    m_sata_p1_idle
  } = tx[1];
  assign rx[1] = {
    s_sata_p1_data,
    s_sata_p1_k,
    s_sata_p1_error,
    s_sata_p1_cominit,
    s_sata_p1_comwake,
    s_sata_p1_idle
  };
  assign {
    m_sata_p2_data,
    m_sata_p2_k,
    m_sata_p2_cominit,
    m_sata_p2_comwake,
    m_sata_p2_idle
  } = tx[2];
  assign rx[2] = {
    s_sata_p2_data,
    s_sata_p2_k,
    s_sata_p2_error,
    s_sata_p2_cominit,
    s_sata_p2_comwake,
    s_sata_p2_idle
  };
  assign {
    m_sata_p3_data,
    m_sata_p3_k,
    m_sata_p3_cominit,
    m_sata_p3_comwake,
    m_sata_p3_idle
  } = tx[3];
  assign rx[3] = {
    s_sata_p3_data,
    s_sata_p3_k,
    s_sata_p3_error,
    s_sata_p3_cominit,
    s_sata_p3_comwake,
    s_sata_p3_idle
  };
  assign {
    m_sata_p4_data,
    m_sata_p4_k,
    m_sata_p4_cominit,
    m_sata_p4_comwake,
    m_sata_p4_idle
  } = tx[4];
  assign rx[4] = {
    s_sata_p4_data,
    s_sata_p4_k,
    s_sata_p4_error,
    s_sata_p4_cominit,
    s_sata_p4_comwake,
    s_sata_p4_idle
  };
  assign {
    m_sata_p5_data,
    m_sata_p5_k,
    m_sata_p5_cominit,
    m_sata_p5_comwake,
    m_sata_p5_idle
  } = tx[5];
  assign rx[5] = {
    s_sata_p5_data,
    s_sata_p5_k,
    s_sata_p5_error,
    s_sata_p5_cominit,
    s_sata_p5_comwake,
    s_sata_p5_idle
  };
  assign {
    m_sata_p6_data,
    m_sata_p6_k,
    m_sata_p6_cominit,
    m_sata_p6_comwake,
    m_sata_p6_idle
  } = tx[6];
  assign rx[6] = {
    s_sata_p6_data,
    s_sata_p6_k,
    s_sata_p6_error,
    s_sata_p6_cominit,
    s_sata_p6_comwake,
    s_sata_p6_idle
  };
  assign {
    m_sata_p7_data,
    m_sata_p7_k,
    m_sata_p7_cominit,
    m_sata_p7_comwake,
    m_sata_p7_idle
  } = tx[7];
  assign rx[7] = {
    s_sata_p7_data,
    s_sata_p7_k,
    s_sata_p7_error,
    s_sata_p7_cominit,
    s_sata_p7_comwake,
    s_sata_p7_idle
  };

  kumi_axil_if host ();
  kumi_axil_if axil[PORTS+1] ();
  logic [PORTS-1:0] busy_port, usable, readable, failed;
  logic [31:0] occupied;
  logic [15:0] failures;
  logic [63:0] now;
  logic [5:0] ev;
  logic busy_array;
  logic unused;
  assign unused = ^{now, rx};
  assign busy = busy_array || |busy_port;

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

  kumi_node_bus #(
      .DATA_W(DATA_W),
      .NAME  ("storage"),
      .BLOCKS(PORTS + 1),
      .KINDS ({{PORTS{kumi_regs_pkg::BLOCK_SATA}}, kumi_regs_pkg::BLOCK_STORAGE}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil),
      .now
  );

  kumi_array_ctl #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(CHUNK_BYTES),
      .STRIPES(STRIPES),
      .SLOTS(SLOTS)
  ) u_ctl (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .usable,
      .readable,
      .failed,
      .failures,
      .occupied,
      .busy  (busy_array),
      .ev
  );

  kumi_hdr_if #(.W(CMD_W)) cmd ();
  kumi_hdr_if #(.W(RSP_W)) rsp ();
  kumi_axis_if #(.DATA_W(DATA_W)) wr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rd ();
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(32)
  ) mem ();
  kumi_hdr_if #(.W($bits(sata_cmd_t))) port_cmd[PORTS] ();
  kumi_hdr_if #(.W($bits(sata_rsp_t))) port_rsp[PORTS] ();
  kumi_hdr_if #(.W($bits(sata_fetch_t))) port_fetch[PORTS] ();
  kumi_hdr_if #(.W($bits(sata_piece_t))) port_piece[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) port_wr[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) port_rd[PORTS] ();

  assign cmd.data = s_hdr_cmd_data;
  assign cmd.valid = s_hdr_cmd_valid;
  assign s_hdr_cmd_ready = cmd.ready;
  assign m_hdr_rsp_data = rsp.data;
  assign m_hdr_rsp_valid = rsp.valid;
  assign rsp.ready = m_hdr_rsp_ready;
  assign wr.tdata = s_axis_wr_tdata;
  assign wr.tkeep = s_axis_wr_tkeep;
  assign wr.tvalid = s_axis_wr_tvalid;
  assign s_axis_wr_tready = wr.tready;
  assign wr.tlast = s_axis_wr_tlast;
  assign wr.tuser = s_axis_wr_tuser;
  assign wr.tid = '0;
  assign wr.tdest = '0;
  assign m_axis_rd_tdata = rd.tdata;
  assign m_axis_rd_tkeep = rd.tkeep;
  assign m_axis_rd_tvalid = rd.tvalid;
  assign rd.tready = m_axis_rd_tready;
  assign m_axis_rd_tlast = rd.tlast;
  assign m_axis_rd_tuser = rd.tuser;
  assign m_axi_mem_awid = mem.awid;
  assign m_axi_mem_awaddr = mem.awaddr;
  assign m_axi_mem_awlen = mem.awlen;
  assign m_axi_mem_awsize = mem.awsize;
  assign m_axi_mem_awburst = mem.awburst;
  assign m_axi_mem_awvalid = mem.awvalid;
  assign m_axi_mem_wdata = mem.wdata;
  assign m_axi_mem_wstrb = mem.wstrb;
  assign m_axi_mem_wlast = mem.wlast;
  assign m_axi_mem_wvalid = mem.wvalid;
  assign m_axi_mem_bready = mem.bready;
  assign m_axi_mem_arid = mem.arid;
  assign m_axi_mem_araddr = mem.araddr;
  assign m_axi_mem_arlen = mem.arlen;
  assign m_axi_mem_arsize = mem.arsize;
  assign m_axi_mem_arburst = mem.arburst;
  assign m_axi_mem_arvalid = mem.arvalid;
  assign m_axi_mem_rready = mem.rready;
  assign mem.awready = m_axi_mem_awready;
  assign mem.wready = m_axi_mem_wready;
  assign mem.bid = m_axi_mem_bid;
  assign mem.bresp = m_axi_mem_bresp;
  assign mem.bvalid = m_axi_mem_bvalid;
  assign mem.arready = m_axi_mem_arready;
  assign mem.rid = m_axi_mem_rid;
  assign mem.rdata = m_axi_mem_rdata;
  assign mem.rresp = m_axi_mem_rresp;
  assign mem.rlast = m_axi_mem_rlast;
  assign mem.rvalid = m_axi_mem_rvalid;

  kumi_storage #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(CHUNK_BYTES),
      .STRIPES(STRIPES),
      .SLOTS(SLOTS)
  ) u_storage (
      .clk,
      .rst,
      .s_cmd(cmd),
      .m_rsp(rsp),
      .s_axis(wr),
      .m_axis(rd),
      .cmd(port_cmd),
      .rsp(port_rsp),
      .fetch(port_fetch),
      .wr(port_wr),
      .piece(port_piece),
      .rd(port_rd),
      .m_axi(mem),
      .usable,
      .readable,
      .failed,
      .failures,
      .occupied,
      .ev,
      .busy(busy_array)
  );

  for (genvar i = 0; i < MOST; i++) begin : gen_port
    if (i < PORTS) begin : gen_built
      kumi_node_sata_port #(
          .COMRESET_CYCLES(COMRESET_CYCLES),
          .COMWAKE_CYCLES (COMWAKE_CYCLES),
          .TICK_CYCLES    (TICK_CYCLES),
          .RESET_CYCLES   (RESET_CYCLES),
          .WAIT_CYCLES    (WAIT_CYCLES),
          .RETRY_CYCLES   (RETRY_CYCLES),
          .ALIGN_CYCLES   (ALIGN_CYCLES)
      ) u_port (
          .clk,
          .rst,
          .sata_clk,
          .sata_rst,
          .s_cmd(port_cmd[i]),
          .m_rsp(port_rsp[i]),
          .m_fetch(port_fetch[i]),
          .s_axis(port_wr[i]),
          .m_piece(port_piece[i]),
          .m_axis(port_rd[i]),
          .s_axil(axil[i+1]),
          .busy(busy_port[i]),
          .tx_data(tx[i].data),
          .tx_k(tx[i].k),
          .tx_cominit(tx[i].cominit),
          .tx_comwake(tx[i].comwake),
          .tx_idle(tx[i].idle),
          .rx_data(rx[i].data),
          .rx_k(rx[i].k),
          .rx_error(rx[i].error),
          .rx_cominit(rx[i].cominit),
          .rx_comwake(rx[i].comwake),
          .rx_idle(rx[i].idle)
      );
    end else begin : gen_silent
      assign tx[i] = '{data: '0, k: '0, cominit: 1'b0, comwake: 1'b0, idle: 1'b1};
    end
  end
endmodule
