// SPDX-License-Identifier: Apache-2.0
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
module kumi_node_storage_core
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

    kumi_rec_if.snk  s_hdr_cmd,  // W=$bits(array_cmd_t)
    kumi_rec_if.src  m_hdr_rsp,  // W=$bits(array_rsp_t)
    kumi_axis_if.snk s_axis_wr,
    kumi_axis_if.src m_axis_rd,

    kumi_axi_if.mst m_axi_mem,  // ADDR_W=40

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

    kumi_axil_if.slv s_axil,

    output logic busy
);
  localparam int MOST = 16;

  if (PORTS < 1 || PORTS > MOST) begin : gen_check
    $fatal(0, "PORTS must be 1..16 (%m)");
  end

  // Pins of line N.
  `define KUMI_SATA_JOIN(N) \
    assign {m_sata_p``N``_data, m_sata_p``N``_k, m_sata_p``N``_cominit, m_sata_p``N``_comwake, \
            m_sata_p``N``_idle} = tx[N]; \
    assign rx[N] = {s_sata_p``N``_data, s_sata_p``N``_k, s_sata_p``N``_error, \
                    s_sata_p``N``_cominit, s_sata_p``N``_comwake, s_sata_p``N``_idle};

  sata_tx_t [MOST-1:0] tx;
  sata_rx_t [MOST-1:0] rx;
  `KUMI_SATA_JOIN(0)
  `KUMI_SATA_JOIN(1)
  `KUMI_SATA_JOIN(2)
  `KUMI_SATA_JOIN(3)
  `KUMI_SATA_JOIN(4)
  `KUMI_SATA_JOIN(5)
  `KUMI_SATA_JOIN(6)
  `KUMI_SATA_JOIN(7)
  `KUMI_SATA_JOIN(8)
  `KUMI_SATA_JOIN(9)
  `KUMI_SATA_JOIN(10)
  `KUMI_SATA_JOIN(11)
  `KUMI_SATA_JOIN(12)
  `KUMI_SATA_JOIN(13)
  `KUMI_SATA_JOIN(14)
  `KUMI_SATA_JOIN(15)

  kumi_node_storage_units #(
      .DATA_W         (DATA_W),
      .PORTS          (PORTS),
      .WIDTH          (WIDTH),
      .CONTEXTS       (CONTEXTS),
      .CHUNK_BYTES    (CHUNK_BYTES),
      .PARITY_BYTES   (PARITY_BYTES),
      .STRIPES        (STRIPES),
      .SLOTS          (SLOTS),
      .COMRESET_CYCLES(COMRESET_CYCLES),
      .COMWAKE_CYCLES (COMWAKE_CYCLES),
      .TICK_CYCLES    (TICK_CYCLES),
      .RESET_CYCLES   (RESET_CYCLES),
      .WAIT_CYCLES    (WAIT_CYCLES),
      .RETRY_CYCLES   (RETRY_CYCLES),
      .ALIGN_CYCLES   (ALIGN_CYCLES),
      .BUILD          (BUILD)
  ) u_core (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_cmd(s_hdr_cmd),
      .m_rsp(m_hdr_rsp),
      .s_axis(s_axis_wr),
      .m_axis(m_axis_rd),
      .m_axi(m_axi_mem),
      .tx(tx[PORTS-1:0]),
      .rx(rx[PORTS-1:0]),
      .s_axil,
      .busy
  );

  if (PORTS < MOST) begin : gen_silent
    logic unused;
    assign unused = ^rx[MOST-1:PORTS];
    assign tx[MOST-1:PORTS] = {(MOST - PORTS) {sata_tx_t'(1)}};  // idle
  end
endmodule
`undef KUMI_SATA_JOIN
