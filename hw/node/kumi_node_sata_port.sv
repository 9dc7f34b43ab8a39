// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA port of a node: kumi_sata_port with a PHY model of words and strobes, one word per
// direction in every cycle of sata_clk.
//
// Streams and registers: see kumi_sata_port. rx_*, tx_*: port kind `sata`; tx_cominit and
//   tx_comwake last as long as their six bursts. busy: requests are outstanding, or a present
//   device is not ready yet.
module kumi_node_sata_port
  import kumi_sata_cmd_pkg::*;
#(
    parameter int COMRESET_CYCLES = 384,        // 6 bursts of 106.7 ns, 6 gaps of 320 ns
    parameter int COMWAKE_CYCLES  = 192,        // 6 bursts and gaps of 106.7 ns
    parameter int TICK_CYCLES     = 150_000,    // this and the following: see kumi_sata_port
    parameter int RESET_CYCLES    = 1_024,
    parameter int WAIT_CYCLES     = 1_500_000,
    parameter int RETRY_CYCLES    = 1_500_000,
    parameter int ALIGN_CYCLES    = 131_000
) (
    input logic clk,
    input logic rst,
    input logic sata_clk,
    input logic sata_rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_rec_if.src m_fetch,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_segment,
    kumi_axis_if.src m_axis,
    kumi_axil_if.slv s_axil,
    output logic busy,
    output logic [31:0] tx_data,
    output logic [3:0] tx_k,
    output logic tx_cominit,
    output logic tx_comwake,
    output logic tx_idle,
    input logic [31:0] rx_data,
    input logic [3:0] rx_k,
    input logic rx_error,
    input logic rx_cominit,
    input logic rx_comwake,
    input logic rx_idle
);
  sata_status_t status;
  logic oob_done, rx_invert;
  logic unused;
  assign unused = rx_invert;

  kumi_node_sata_oob #(
      .COMRESET_CYCLES(COMRESET_CYCLES),
      .COMWAKE_CYCLES (COMWAKE_CYCLES)
  ) u_line (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .tx_cominit,
      .tx_comwake,
      .oob_done,
      .asked(s_cmd.valid && s_cmd.ready),
      .answered(m_rsp.valid && m_rsp.ready),
      .waits(s_cmd.valid),
      .status,
      .busy
  );

  kumi_sata_port #(
      .TICK_CYCLES (TICK_CYCLES),
      .RESET_CYCLES(RESET_CYCLES),
      .WAIT_CYCLES (WAIT_CYCLES),
      .RETRY_CYCLES(RETRY_CYCLES),
      .ALIGN_CYCLES(ALIGN_CYCLES)
  ) u_port (
      .clk,
      .rst,
      .sata_clk,
      .sata_rst,
      .s_cmd,
      .m_rsp,
      .m_fetch,
      .s_axis,
      .m_segment,
      .m_axis,
      .status,
      .s_axil,
      .phy_ready(1'b1),
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
      .rx_valid(1'b1),
      .rx_error
  );
endmodule
