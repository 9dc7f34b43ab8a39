// SPDX-License-Identifier: Apache-2.0
//
// 1 Gb/s full-duplex Ethernet MAC on GMII (IEEE 802.3 clauses 3, 4 and 35). Transmit and receive
// have their own clocks and share nothing. Handshakes, latency and bad input: see kumi_mac_gmii_tx
// and kumi_mac_gmii_rx.
module kumi_mac_gmii
  import kumi_eth_pkg::*;
(
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_axis_if.snk s_axis,  // tx_clk
    kumi_axis_if.src m_axis,  // rx_clk

    output logic [7:0] gmii_txd,
    output logic       gmii_tx_en,
    output logic       gmii_tx_er,
    input  logic [7:0] gmii_rxd,
    input  logic       gmii_rx_dv,
    input  logic       gmii_rx_er,

    input logic [13:0] cfg_max_frame,  // longest frame received, bytes with FCS

    output mac_tx_events_t tx_ev,  // tx_clk
    output mac_rx_events_t rx_ev   // rx_clk
);

  kumi_mac_gmii_tx tx (
      .clk(tx_clk),
      .rst(tx_rst),
      .s_axis,
      .gmii_txd,
      .gmii_tx_en,
      .gmii_tx_er,
      .ev (tx_ev)
  );

  kumi_mac_gmii_rx rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .gmii_rxd,
      .gmii_rx_dv,
      .gmii_rx_er,
      .m_axis,
      .cfg_max_frame,
      .ev (rx_ev)
  );

endmodule
