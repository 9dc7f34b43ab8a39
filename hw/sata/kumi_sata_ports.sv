// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA ports of an array: PORTS times kumi_sata_port.
//
// Index i of every port belongs to port i; see kumi_sata_port. Ports share only the clocks: each
// PHY's words arrive in sata_clk, to which its elastic buffer crosses.
module kumi_sata_ports
  import kumi_sata_cmd_pkg::*;
#(
    parameter int PORTS        = 16,         // at least 1
    parameter int TICK_CYCLES  = 150_000,    // this and the following: see kumi_sata_port
    parameter int RESET_CYCLES = 1_024,
    parameter int WAIT_CYCLES  = 1_500_000,
    parameter int RETRIES      = 3,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter int LOST_CYCLES  = 64,
    parameter int DEPTH        = 128,
    parameter int SLACK        = 64
) (
    input logic clk,
    input logic rst,
    input logic sata_clk,
    input logic sata_rst,
    kumi_rec_if.snk s_cmd[PORTS],
    kumi_rec_if.src m_rsp[PORTS],
    kumi_rec_if.src m_fetch[PORTS],
    kumi_axis_if.snk s_axis[PORTS],
    kumi_rec_if.src m_segment[PORTS],
    kumi_axis_if.src m_axis[PORTS],
    output sata_status_t [PORTS-1:0] status,
    kumi_axil_if.slv s_axil[PORTS],
    input logic [PORTS-1:0] phy_ready,
    output logic [PORTS-1:0] tx_cominit,
    output logic [PORTS-1:0] tx_comwake,
    input logic [PORTS-1:0] tx_oob_done,
    output logic [PORTS-1:0] tx_idle,
    output logic [PORTS-1:0][31:0] tx_data,
    output logic [PORTS-1:0][3:0] tx_k,
    input logic [PORTS-1:0] rx_cominit,
    input logic [PORTS-1:0] rx_comwake,
    input logic [PORTS-1:0] rx_idle,
    output logic [PORTS-1:0] rx_invert,
    input logic [PORTS-1:0][31:0] rx_data,
    input logic [PORTS-1:0][3:0] rx_k,
    input logic [PORTS-1:0] rx_valid,
    input logic [PORTS-1:0] rx_error
);
  if (PORTS < 1) begin : gen_check
    $fatal(0, "PORTS must be at least 1 (%m)");
  end

  for (genvar i = 0; i < PORTS; i++) begin : gen_port
    kumi_sata_port #(
        .TICK_CYCLES (TICK_CYCLES),
        .RESET_CYCLES(RESET_CYCLES),
        .WAIT_CYCLES (WAIT_CYCLES),
        .RETRIES     (RETRIES),
        .RETRY_CYCLES(RETRY_CYCLES),
        .ALIGN_CYCLES(ALIGN_CYCLES),
        .LOST_CYCLES (LOST_CYCLES),
        .DEPTH       (DEPTH),
        .SLACK       (SLACK)
    ) u_port (
        .clk,
        .rst,
        .sata_clk,
        .sata_rst,
        .s_cmd(s_cmd[i]),
        .m_rsp(m_rsp[i]),
        .m_fetch(m_fetch[i]),
        .s_axis(s_axis[i]),
        .m_segment(m_segment[i]),
        .m_axis(m_axis[i]),
        .status(status[i]),
        .s_axil(s_axil[i]),
        .phy_ready(phy_ready[i]),
        .tx_cominit(tx_cominit[i]),
        .tx_comwake(tx_comwake[i]),
        .tx_oob_done(tx_oob_done[i]),
        .tx_idle(tx_idle[i]),
        .tx_data(tx_data[i]),
        .tx_k(tx_k[i]),
        .rx_cominit(rx_cominit[i]),
        .rx_comwake(rx_comwake[i]),
        .rx_idle(rx_idle[i]),
        .rx_invert(rx_invert[i]),
        .rx_data(rx_data[i]),
        .rx_k(rx_k[i]),
        .rx_valid(rx_valid[i]),
        .rx_error(rx_error[i])
    );
  end
endmodule
