// SPDX-License-Identifier: Apache-2.0
//
// Both sides of the 10GBASE-R PCS with flat ports and one clock. See kumi_pcs_10g_tx and
// kumi_pcs_10g_rx for the handshake, latency and bad input.
module kumi_pcs_10g_flat
  import kumi_eth_pkg::*;
#(
    parameter int SLIP_WAIT  = 32,    // cycles until a slip has taken effect
    parameter int BER_WINDOW = 19531  // cycles of 125 microseconds
) (
    input logic clk,
    input logic rst,

    input  logic [63:0] xgmii_txd,
    input  logic [ 7:0] xgmii_txc,
    output logic [65:0] tx_block,

    input  logic [65:0] rx_block,
    output logic        rx_slip,
    output logic [63:0] xgmii_rxd,
    output logic [ 7:0] xgmii_rxc,

    output logic        block_lock,
    output logic        hi_ber,
    output pcs_events_t ev
);

  kumi_pcs_10g_tx tx (
      .clk,
      .rst,
      .xgmii_txd,
      .xgmii_txc,
      .tx_block
  );

  kumi_pcs_10g_rx #(
      .SLIP_WAIT (SLIP_WAIT),
      .BER_WINDOW(BER_WINDOW)
  ) rx (
      .clk,
      .rst,
      .rx_block,
      .rx_slip,
      .xgmii_rxd,
      .xgmii_rxc,
      .block_lock,
      .hi_ber,
      .ev
  );

endmodule
