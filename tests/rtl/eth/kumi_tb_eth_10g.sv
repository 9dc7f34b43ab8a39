// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_eth_10g whose lane comes back through one register.
module kumi_tb_eth_10g
  import kumi_eth_pkg::*;
  import kumi_mac_ctrl_pkg::*;
(
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    input  mac_ctrl_cfg_t        cfg,
    input  logic                 xoff,
    input  logic          [65:0] flip,         // wrong bits of the next block
    output logic                 pause,
    output logic                 block_lock,
    output logic                 local_fault,
    output logic                 remote_fault,

    output mac_tx_events_t   tx_ev,
    output mac_rx_events_t   rx_ev,
    output mac_ctrl_events_t ctrl_ev,
    output pcs_events_t      pcs_ev
);

  logic [65:0] tx_block, rx_block;
  logic rx_slip, hi_ber;
  logic [7:0] pfc_pause;

  always_ff @(posedge clk) rx_block <= tx_block ^ flip;

  kumi_eth_10g #(
      .CDC(0)
  ) dut (
      .tx_clk(clk),
      .tx_rst(rst),
      .rx_clk(clk),
      .rx_rst(rst),
      .s_axis,
      .m_axis,
      .tx_block,
      .rx_block,
      .rx_slip,
      .cfg,
      .cfg_max_frame(14'd9022),
      .s_class(3'd0),
      .xoff,
      .pfc_xoff(8'h00),
      .pause,
      .pfc_pause,
      .block_lock,
      .hi_ber,
      .local_fault,
      .remote_fault,
      .tx_ev,
      .rx_ev,
      .ctrl_ev,
      .pcs_ev
  );

  logic unused;
  assign unused = ^{rx_slip, hi_ber, pfc_pause};

endmodule
