// SPDX-License-Identifier: Apache-2.0
//
// Complete 10GBASE-R port: MAC control (PAUSE, PFC), MAC, reconciliation sublayer and PCS (IEEE
// 802.3 clauses 4, 46, 49 and annexes 31B, 31D), from AXI4-Stream frames to 66-bit blocks.
//
// s_axis, m_axis: frames without FCS; for the rules of a client see kumi_mac_xgmii.
// tx_block, rx_block: one block per cycle of 156.25 MHz, bit 0 first on the wire.
// Latency in cycles: 4 from a beat to the block with its start, 3 from a block to XGMII, and 3 more
//   to the client's beat.
// Bad input: see kumi_mac_ctrl, kumi_mac_xgmii, kumi_pcs_10g_rx.
module kumi_eth_10g
  import kumi_eth_pkg::*;
  import kumi_mac_ctrl_pkg::*;
#(
    parameter bit CDC        = 1,     // transmit and receive clocks differ
    parameter bit OUT_REG    = 0,     // register on the MAC's output, one cycle more
    parameter int SLIP_WAIT  = 32,    // cycles until a bit slip has taken effect
    parameter int BER_WINDOW = 19531  // cycles of 125 microseconds
) (
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_axis_if.snk s_axis,  // tx_clk
    kumi_axis_if.src m_axis,  // rx_clk

    output logic [65:0] tx_block,
    input  logic [65:0] rx_block,
    output logic        rx_slip,

    input mac_ctrl_cfg_t        cfg,
    input logic          [13:0] cfg_max_frame,  // longest frame received, bytes with FCS
    input logic          [ 2:0] s_class,        // tx_clk: class of the frame at s_axis
    input logic                 xoff,           // tx_clk: receive buffer above its watermark
    input logic          [ 7:0] pfc_xoff,       // tx_clk: the same per class

    output logic                   pause,         // tx_clk: paused by the partner
    output logic             [7:0] pfc_pause,     // tx_clk: the same per class
    output logic                   block_lock,    // rx_clk
    output logic                   hi_ber,        // rx_clk
    output logic                   local_fault,   // rx_clk
    output logic                   remote_fault,  // rx_clk
    output mac_tx_events_t         tx_ev,         // tx_clk
    output mac_rx_events_t         rx_ev,         // rx_clk
    output mac_ctrl_events_t       ctrl_ev,       // tx_* in tx_clk, rx_* in rx_clk
    output pcs_events_t            pcs_ev         // rx_clk
);

  kumi_axis_if mac_tx ();
  kumi_axis_if mac_rx ();
  logic [63:0] txd, rxd;
  logic [7:0] txc, rxc;

  kumi_mac_ctrl #(
      .CDC(CDC)
  ) ctrl (
      .tx_clk,
      .tx_rst,
      .rx_clk,
      .rx_rst,
      .s_axis,
      .m_mac(mac_tx),
      .s_mac(mac_rx),
      .m_axis,
      .cfg,
      .s_class,
      .xoff,
      .pfc_xoff,
      .pause,
      .pfc_pause,
      .ev(ctrl_ev)
  );

  kumi_mac_xgmii #(
      .CDC(CDC),
      .OUT_REG(OUT_REG)
  ) mac (
      .tx_clk,
      .tx_rst,
      .rx_clk,
      .rx_rst,
      .s_axis(mac_tx),
      .m_axis(mac_rx),
      .xgmii_txd(txd),
      .xgmii_txc(txc),
      .xgmii_rxd(rxd),
      .xgmii_rxc(rxc),
      .cfg_max_frame,
      .local_fault,
      .remote_fault,
      .tx_ev,
      .rx_ev
  );

  kumi_pcs_10g_tx pcs_tx (
      .clk(tx_clk),
      .rst(tx_rst),
      .xgmii_txd(txd),
      .xgmii_txc(txc),
      .tx_block
  );

  kumi_pcs_10g_rx #(
      .SLIP_WAIT (SLIP_WAIT),
      .BER_WINDOW(BER_WINDOW)
  ) pcs_rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .rx_block,
      .rx_slip,
      .xgmii_rxd(rxd),
      .xgmii_rxc(rxc),
      .block_lock,
      .hi_ber,
      .ev(pcs_ev)
  );

endmodule
