// SPDX-License-Identifier: Apache-2.0
//
// MAC control sublayer between client and MAC: PAUSE and priority flow control in both directions
// (IEEE 802.3 annexes 31B and 31D).
//
// Handshake, latency, bad input: see kumi_mac_ctrl_rx and kumi_mac_ctrl_tx. Transmit and receive
//   have their own clocks; only levels cross between them.
module kumi_mac_ctrl
  import kumi_eth_pkg::*;
  import kumi_mac_ctrl_pkg::*;
#(
    parameter int QUANTUM_CYCLES = 8,  // cycles of either clock in 512 bit times of the line
    parameter bit CDC            = 1   // transmit and receive clocks differ
) (
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_axis_if.snk s_axis,  // tx_clk: from the client
    kumi_axis_if.src m_mac,   // tx_clk: to the MAC
    kumi_axis_if.snk s_mac,   // rx_clk: from the MAC
    kumi_axis_if.src m_axis,  // rx_clk: to the client

    input mac_ctrl_cfg_t       cfg,      // constant while running
    input logic          [2:0] s_class,  // tx_clk: class of the frame at s_axis
    input logic                xoff,     // tx_clk: receive buffer above its watermark
    input logic          [7:0] pfc_xoff, // tx_clk: the same per class

    output logic                   pause,      // tx_clk: paused by the partner
    output logic             [7:0] pfc_pause,  // tx_clk: the same per class
    output mac_ctrl_events_t       ev          // tx_* in tx_clk, rx_* in rx_clk
);

  logic [8:0] rx_active, tx_active;

  assign {pfc_pause, pause} = tx_active;

  if (CDC) begin : gen_cdc
    kumi_cdc_sync #(
        .W(9)
    ) sync (
        .clk(tx_clk),
        .d  (rx_active),
        .q  (tx_active)
    );
  end else begin : gen_one_clock
    assign tx_active = rx_active;
  end

  kumi_mac_ctrl_rx #(
      .QUANTUM_CYCLES(QUANTUM_CYCLES)
  ) rx (
      .clk(rx_clk),
      .rst(rx_rst),
      .s_axis(s_mac),
      .m_axis(m_axis),
      .cfg_mac(cfg.mac),
      .cfg_pause_en(cfg.rx_pause_en),
      .cfg_pfc_en(cfg.rx_pfc_en),
      .pause(rx_active[0]),
      .pfc_pause(rx_active[8:1]),
      .rx_pause(ev.rx_pause),
      .rx_pfc(ev.rx_pfc),
      .rx_other(ev.rx_other),
      .rx_bad(ev.rx_bad)
  );

  kumi_mac_ctrl_tx #(
      .QUANTUM_CYCLES(QUANTUM_CYCLES)
  ) tx (
      .clk(tx_clk),
      .rst(tx_rst),
      .s_axis(s_axis),
      .m_axis(m_mac),
      .cfg_mac(cfg.mac),
      .cfg_pause_en(cfg.tx_pause_en),
      .cfg_pfc_en(cfg.tx_pfc_en),
      .cfg_quanta(cfg.quanta),
      .pause,
      .pfc_pause,
      .s_class,
      .xoff,
      .pfc_xoff,
      .tx_pause(ev.tx_pause),
      .tx_pfc(ev.tx_pfc)
  );

endmodule
