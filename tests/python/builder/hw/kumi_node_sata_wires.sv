// SPDX-License-Identifier: Apache-2.0
//
// A Serial ATA port of which everything is a pin, in a clock of its own.
module kumi_node_sata_wires (
    input logic clk,
    input logic rst,
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_sata_p0:m_sata_p0, ASSOCIATED_RESET sata_rst" *)
    input logic sata_clk,
    input logic sata_rst,
    input logic [31:0] s_sata_p0_data,
    input logic [3:0] s_sata_p0_k,
    input logic s_sata_p0_cominit,
    input logic s_sata_p0_comwake,
    input logic s_sata_p0_idle,
    input logic s_sata_p0_oob_done,
    output logic [31:0] m_sata_p0_data,
    output logic [3:0] m_sata_p0_k,
    output logic m_sata_p0_cominit,
    output logic m_sata_p0_comwake,
    output logic m_sata_p0_idle,
    input logic [31:0] tx_data,
    input logic [3:0] tx_k,
    input logic tx_cominit,
    input logic tx_comwake,
    input logic tx_idle,
    output logic [31:0] rx_data,
    output logic [3:0] rx_k,
    output logic rx_cominit,
    output logic rx_comwake,
    output logic rx_idle,
    output logic oob_done,
    output logic [7:0] edges,  // of both clocks
    output logic [15:0] dones
);
  assign m_sata_p0_data = tx_data;
  assign m_sata_p0_k = tx_k;
  assign m_sata_p0_cominit = tx_cominit;
  assign m_sata_p0_comwake = tx_comwake;
  assign m_sata_p0_idle = tx_idle;
  assign oob_done = s_sata_p0_oob_done;
  always_ff @(posedge sata_clk) begin
    rx_data <= s_sata_p0_data;
    rx_k <= s_sata_p0_k;
    rx_cominit <= s_sata_p0_cominit;
    rx_comwake <= s_sata_p0_comwake;
    rx_idle <= s_sata_p0_idle;
    dones <= sata_rst ? '0 : dones + 16'(s_sata_p0_oob_done);
  end
  always_ff @(posedge clk) edges <= rst ? '0 : edges + 1'b1;
endmodule
