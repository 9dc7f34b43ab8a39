// SPDX-License-Identifier: Apache-2.0
//
// The storage node without its pins: the array controller, its Serial ATA ports, and all registers.
// kumi_node_storage_core adds the pins.
//
// s_cmd .. m_axi: of kumi_storage. tx, rx: the words of each line, in sata_clk.
// s_axil: the node's identity at 0, the array's registers at 0x1000, those of port N at
//   0x1000 (N + 2); DECERR beyond. The identity's block table lists at most 14 ports.
// busy: a command is in progress, or a present device is not ready yet.
module kumi_node_storage_units
  import kumi_node_storage_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
#(
    parameter int DATA_W = 64,  // of the data path, shown to software
    parameter int PORTS = 4,  // 1..62, the following: see kumi_storage
    parameter int WIDTH = 8,
    parameter int CONTEXTS = 8,
    parameter int CHUNK_BYTES = 1 << 21,
    parameter int PARITY_BYTES = CHUNK_BYTES < 65536 ? CHUNK_BYTES : 65536,
    parameter int STRIPES = 1 << 24,
    parameter int SLOTS = 1 << 24,
    parameter int COMRESET_CYCLES = 384,  // this and the following: see kumi_node_sata_oob
    parameter int COMWAKE_CYCLES = 192,
    parameter int TICK_CYCLES = 150_000,  // this and the following: see kumi_sata_port
    parameter int RESET_CYCLES = 1_024,
    parameter int WAIT_CYCLES = 1_500_000,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter logic [63:0] BUILD = '0
) (
    input logic clk,
    input logic rst,
    input logic sata_clk,
    input logic sata_rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_axi_if.mst m_axi,
    output sata_tx_t [PORTS-1:0] tx,
    input sata_rx_t [PORTS-1:0] rx,
    kumi_axil_if.slv s_axil,
    output logic busy
);
  localparam int LISTED = PORTS < 14 ? PORTS : 14;  // ports in the table of blocks

  // ---- registers ------------------------------------------------------------------------------
  kumi_axil_if axil[2+PORTS] ();
  logic [PORTS-1:0] busy_port, usable, readable, failed;
  logic [31:0] occupied;
  logic [15:0] failures;
  logic [63:0] now;
  logic [5:0] ev;
  logic busy_array;
  assign busy = busy_array || |busy_port;

  kumi_axil_demux #(
      .N(2 + PORTS)
  ) u_demux (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil)
  );
  kumi_node_id #(
      .DATA_W(DATA_W),
      .NAME  ("storage"),
      .BLOCKS(1 + LISTED),
      .KINDS ({{LISTED{kumi_regs_pkg::BLOCK_SATA}}, kumi_regs_pkg::BLOCK_STORAGE}),
      .BUILD (BUILD)
  ) u_id (
      .clk,
      .rst,
      .s_axil(axil[0]),
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
      .s_axil(axil[1]),
      .usable,
      .readable,
      .failed,
      .failures,
      .occupied,
      .busy  (busy_array),
      .ev
  );

  // ---- the controller -------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(blk_cmd_t))) port_cmd[PORTS] ();
  kumi_rec_if #(.W($bits(blk_rsp_t))) port_rsp[PORTS] ();
  kumi_rec_if #(.W($bits(blk_fetch_t))) port_fetch[PORTS] ();
  kumi_rec_if #(.W($bits(blk_segment_t))) port_segment[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) port_wr[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) port_rd[PORTS] ();

  kumi_storage #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(CHUNK_BYTES),
      .PARITY_BYTES(PARITY_BYTES),
      .STRIPES(STRIPES),
      .SLOTS(SLOTS)
  ) u_storage (
      .clk,
      .rst,
      .s_cmd,
      .m_rsp,
      .s_axis,
      .m_axis,
      .cmd(port_cmd),
      .rsp(port_rsp),
      .fetch(port_fetch),
      .wr(port_wr),
      .segment(port_segment),
      .rd(port_rd),
      .m_axi,
      .usable,
      .readable,
      .failed,
      .failures,
      .occupied,
      .ev,
      .busy(busy_array)
  );

  // ---- the ports ------------------------------------------------------------------------------
  sata_status_t [PORTS-1:0] status;
  logic [PORTS-1:0] oob_done, rx_invert;
  logic [PORTS-1:0] tx_cominit, tx_comwake, tx_idle, rx_error, rx_cominit, rx_comwake, rx_idle;
  logic [PORTS-1:0][31:0] tx_data, rx_data;
  logic [PORTS-1:0][3:0] tx_k, rx_k;

  kumi_sata_ports #(
      .PORTS       (PORTS),
      .TICK_CYCLES (TICK_CYCLES),
      .RESET_CYCLES(RESET_CYCLES),
      .WAIT_CYCLES (WAIT_CYCLES),
      .RETRY_CYCLES(RETRY_CYCLES),
      .ALIGN_CYCLES(ALIGN_CYCLES)
  ) u_ports (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_cmd(port_cmd),
      .m_rsp(port_rsp),
      .m_fetch(port_fetch),
      .s_axis(port_wr),
      .m_segment(port_segment),
      .m_axis(port_rd),
      .status,
      .s_axil(axil[2:PORTS+1]),
      .phy_ready('1),
      .tx_cominit,
      .tx_comwake,
      .tx_oob_done(oob_done),
      .tx_idle,
      .tx_data,
      .tx_k,
      .rx_cominit,
      .rx_comwake,
      .rx_idle,
      .rx_invert,
      .rx_data,
      .rx_k,
      .rx_valid('1),
      .rx_error
  );

  for (genvar i = 0; i < PORTS; i++) begin : gen_line
    assign tx[i] = '{
            data: tx_data[i],
            k: tx_k[i],
            cominit: tx_cominit[i],
            comwake: tx_comwake[i],
            idle: tx_idle[i]
        };
    assign rx_data[i] = rx[i].data;
    assign rx_k[i] = rx[i].k;
    assign rx_error[i] = rx[i].error;
    assign rx_cominit[i] = rx[i].cominit;
    assign rx_comwake[i] = rx[i].comwake;
    assign rx_idle[i] = rx[i].idle;
    kumi_node_sata_oob #(
        .COMRESET_CYCLES(COMRESET_CYCLES),
        .COMWAKE_CYCLES (COMWAKE_CYCLES)
    ) u_line (
        .clk,
        .rst,
        .sata_clk,
        .sata_rst,
        .tx_cominit(tx_cominit[i]),
        .tx_comwake(tx_comwake[i]),
        .oob_done(oob_done[i]),
        .asked(port_cmd[i].valid && port_cmd[i].ready),
        .answered(port_rsp[i].valid && port_rsp[i].ready),
        .waits(port_cmd[i].valid),
        .status(status[i]),
        .busy(busy_port[i])
    );
  end

  logic unused;
  assign unused = ^{now, rx_invert};
endmodule
