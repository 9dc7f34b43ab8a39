// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA host port below the command layer: PHY initialisation, link layer and transport layer,
// between FISes and PHY words. One clock, the PHY's word clock (37.5, 75 or 150 MHz).
//
// s_axis, m_axis, done, code: FISes, see kumi_sata_transport. receiving: see kumi_sata_link.
// PHY side: see kumi_sata_phy_init and kumi_sata_prim_decode. restart: send COMRESET, which also
//   follows an unanswered SYNC escape. up, present: see kumi_sata_phy_init.
module kumi_sata_host
  import kumi_sata_pkg::*;
#(
    parameter int DEPTH        = 128,        // words of the receive FIFO, a power of two
    parameter int SLACK        = 64,         // words that may arrive after HOLD
    parameter int WAIT_CYCLES  = 1_500_000,  // link-layer time-out
    parameter int RETRIES      = 3,          // retransmissions of a non-data FIS
    parameter bit CONT         = 1'b1,       // send CONT
    parameter int RETRY_CYCLES = 1_500_000,  // see kumi_sata_phy_init
    parameter int ALIGN_CYCLES = 131_000,
    parameter int LOST_CYCLES  = 64
) (
    input logic clk,
    input logic rst,
    input logic restart,
    output logic up,
    output logic present,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic done,
    output tx_status_e code,
    output logic receiving,
    output link_ev_t ev,
    output logic ev_retry,
    output logic ev_drop,
    output logic ev_init_retry,
    output logic ev_lost,
    input logic phy_ready,
    output logic tx_cominit,
    output logic tx_comwake,
    input logic tx_oob_done,
    output logic tx_idle,
    output logic [31:0] tx_data,
    output logic [3:0] tx_k,
    input logic rx_cominit,
    input logic rx_comwake,
    input logic rx_idle,
    output logic rx_invert,
    input logic [31:0] rx_data,
    input logic [3:0] rx_k,
    input logic rx_valid,
    input logic rx_error
);
  logic w_valid, init_k, link_done;
  prim_e w_prim;
  logic [31:0] w_data, init_data;
  tx_status_e link_code;

  kumi_axis_if #(.DATA_W(32)) link_tx ();
  kumi_axis_if #(.DATA_W(32)) link_rx ();

  kumi_sata_prim_decode u_rx_words (
      .clk,
      .rst,
      .rx_data,
      .rx_k,
      .rx_valid,
      .rx_error,
      .w_valid,
      .w_prim,
      .w_data
  );

  kumi_sata_phy_init #(
      .RETRY_CYCLES(RETRY_CYCLES),
      .ALIGN_CYCLES(ALIGN_CYCLES),
      .LOST_CYCLES (LOST_CYCLES)
  ) u_init (
      .clk,
      .rst,
      .restart (restart || ev.dead),
      .up,
      .present,
      .ev_retry(ev_init_retry),
      .ev_lost,
      .phy_ready,
      .tx_cominit,
      .tx_comwake,
      .tx_oob_done,
      .tx_idle,
      .rx_cominit,
      .rx_comwake,
      .rx_idle,
      .rx_invert,
      .rx_data,
      .rx_k,
      .rx_valid,
      .w_valid,
      .w_prim,
      .init_data,
      .init_k
  );

  kumi_sata_link #(
      .DEPTH(DEPTH),
      .SLACK(SLACK),
      .WAIT_CYCLES(WAIT_CYCLES),
      .CONT(CONT)
  ) u_link (
      .clk,
      .rst,
      .up,
      .s_axis (link_tx),
      .m_axis (link_rx),
      .tx_done(link_done),
      .tx_code(link_code),
      .receiving,
      .ev,
      .init_data,
      .init_k,
      .tx_data,
      .tx_k,
      .w_valid,
      .w_prim,
      .w_data
  );

  kumi_sata_transport #(
      .RETRIES(RETRIES)
  ) u_transport (
      .clk,
      .rst,
      .s_axis,
      .m_axis,
      .done,
      .code,
      .ev_retry,
      .ev_drop,
      .link_tx,
      .link_rx,
      .link_done,
      .link_code
  );
endmodule
