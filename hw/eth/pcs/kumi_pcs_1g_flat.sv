// SPDX-License-Identifier: Apache-2.0
//
// Both sides of the 1000BASE-X PCS with one clock. See kumi_pcs_1g_tx and kumi_pcs_1g_rx for the
// handshake, latency and bad input.
module kumi_pcs_1g_flat
  import kumi_eth_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic [7:0] gmii_txd,
    input  logic       gmii_tx_en,
    input  logic       gmii_tx_er,
    output logic [9:0] tx_code,

    input  logic [9:0] rx_code,
    output logic [7:0] gmii_rxd,
    output logic       gmii_rx_dv,
    output logic       gmii_rx_er,

    output logic        sync,
    output pcs_events_t ev
);

  kumi_pcs_1g_tx tx (
      .clk,
      .rst,
      .gmii_txd,
      .gmii_tx_en,
      .gmii_tx_er,
      .tx_code
  );

  kumi_pcs_1g_rx rx (
      .clk,
      .rst,
      .rx_code,
      .gmii_rxd,
      .gmii_rx_dv,
      .gmii_rx_er,
      .sync,
      .ev
  );

endmodule
