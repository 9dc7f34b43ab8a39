// SPDX-License-Identifier: Apache-2.0
//
// 10 Gb/s Ethernet MAC with reconciliation sublayer on 64-bit XGMII (IEEE 802.3 clauses 3, 4, 46).
//
// Transmit and receive halves have their own clocks (156.25 MHz, or anything that the XGMII runs
// at); only the two link fault levels cross. With one clock on both, set CDC=0.
// Handshakes, latency and bad input: see kumi_mac_xgmii_tx and kumi_mac_xgmii_rx.
module kumi_mac_xgmii
  import kumi_eth_pkg::*;
#(
    parameter bit DIC     = 1,  // deficit idle count
    parameter bit OUT_REG = 0,  // register on m_axis, one cycle more
    parameter bit CDC     = 1   // transmit and receive clocks differ
) (
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_axis_if.snk s_axis,  // tx_clk
    kumi_axis_if.src m_axis,  // rx_clk

    output logic [63:0] xgmii_txd,
    output logic [ 7:0] xgmii_txc,
    input  logic [63:0] xgmii_rxd,
    input  logic [ 7:0] xgmii_rxc,

    input logic [13:0] cfg_max_frame,  // longest frame received, bytes with FCS

    output logic           local_fault,   // rx_clk
    output logic           remote_fault,  // rx_clk
    output mac_tx_events_t tx_ev,         // tx_clk
    output mac_rx_events_t rx_ev          // rx_clk
);

  logic tx_local_fault, tx_remote_fault;

  kumi_mac_xgmii_rs rs (
      .clk(rx_clk),
      .rst(rx_rst),
      .xgmii_rxd,
      .xgmii_rxc,
      .local_fault,
      .remote_fault
  );

  if (CDC) begin : gen_cdc
    kumi_cdc_sync sync_local (
        .clk(tx_clk),
        .d  (local_fault),
        .q  (tx_local_fault)
    );
    kumi_cdc_sync sync_remote (
        .clk(tx_clk),
        .d  (remote_fault),
        .q  (tx_remote_fault)
    );
  end else begin : gen_one_clock
    assign tx_local_fault  = local_fault;
    assign tx_remote_fault = remote_fault;
  end

  kumi_mac_xgmii_tx #(
      .DIC(DIC)
  ) tx (
      .clk(tx_clk),
      .rst(tx_rst),
      .s_axis,
      .xgmii_txd,
      .xgmii_txc,
      .local_fault(tx_local_fault),
      .remote_fault(tx_remote_fault),
      .ev(tx_ev)
  );

  kumi_mac_xgmii_rx #(
      .OUT_REG(OUT_REG)
  ) rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .xgmii_rxd,
      .xgmii_rxc,
      .m_axis,
      .cfg_max_frame,
      .ev (rx_ev)
  );

endmodule
