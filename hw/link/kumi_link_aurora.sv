// SPDX-License-Identifier: Apache-2.0
//
// Serial link without retransmission: lanes (kumi_link_lanes) and framing (kumi_link_frame_tx,
// kumi_link_frame_rx) of Aurora 64B/66B.
//
// s, m: frames, see kumi_link_if; m must always be ready. k_*, nfc_*: user K-blocks and native flow
//   control in both directions. pause: see kumi_link_frame_tx. status.up: frames pass. While it is
//   low s stalls and data in flight is lost; afterwards s must start with a new frame.
// Latency: s to m through two of these, without cable, 6 cycles with one lane, 9 with more.
module kumi_link_aurora
  import kumi_link_pkg::*;
#(
    parameter int LANES     = 1,
    parameter int CC_PERIOD = 4992,
    parameter int CC_BLOCKS = 7,
    parameter int SLIP_WAIT = 32,
    parameter int TRAIN     = 4096,
    parameter int REJOIN    = 4096
) (
    input logic clk,
    input logic rst,

    output logic [LANES-1:0][63:0] m_lane_data,
    output logic [LANES-1:0][ 1:0] m_lane_head,
    input  logic [LANES-1:0][63:0] s_lane_data,
    input  logic [LANES-1:0][ 1:0] s_lane_head,
    output logic [LANES-1:0]       s_lane_slip,

    kumi_link_if.snk s,
    kumi_link_if.src m,

    input  logic        k_tx_valid,
    output logic        k_tx_ready,
    input  logic [ 3:0] k_tx_number,
    input  logic [55:0] k_tx_data,
    output logic        k_rx_valid,
    output logic [ 3:0] k_rx_number,
    output logic [55:0] k_rx_data,

    input  logic        nfc_tx_valid,
    output logic        nfc_tx_ready,
    input  logic [55:0] nfc_tx_data,
    output logic        nfc_rx_valid,
    output logic [55:0] nfc_rx_data,

    input  logic          pause,
    input  logic          retrain,
    input  lanes_cfg_t    cfg,
    output lanes_status_t status,
    output lanes_events_t ev,
    output logic          ev_broken,
    output logic          ev_stray
);
  logic tx_take;
  logic [LANES-1:0][1:0] tx_kind, rx_kind;
  logic [LANES-1:0][63:0] tx_data, rx_data;

  kumi_link_lanes #(
      .LANES(LANES),
      .CC_PERIOD(CC_PERIOD),
      .CC_BLOCKS(CC_BLOCKS),
      .SLIP_WAIT(SLIP_WAIT),
      .TRAIN(TRAIN),
      .REJOIN(REJOIN)
  ) u_lanes (
      .clk,
      .rst,
      .m_lane_data,
      .m_lane_head,
      .s_lane_data,
      .s_lane_head,
      .s_lane_slip,
      .tx_take,
      .tx_kind,
      .tx_data,
      .rx_kind,
      .rx_data,
      .cc_start(1'b0),
      .retrain,
      .cfg,
      .status,
      .ev
  );

  kumi_link_frame_tx #(
      .LANES(LANES)
  ) u_tx (
      .clk,
      .rst,
      .size(status.count),
      .clear(!status.up),
      .pause,
      .s,
      .k_valid(k_tx_valid),
      .k_ready(k_tx_ready),
      .k_number(k_tx_number),
      .k_data(k_tx_data),
      .nfc_valid(nfc_tx_valid),
      .nfc_ready(nfc_tx_ready),
      .nfc_data(nfc_tx_data),
      .tx_take,
      .tx_kind,
      .tx_data
  );

  kumi_link_frame_rx #(
      .LANES(LANES)
  ) u_rx (
      .clk,
      .rst,
      .up(status.rx_up),
      .rx_kind,
      .rx_data,
      .m,
      .k_valid(k_rx_valid),
      .k_number(k_rx_number),
      .k_data(k_rx_data),
      .nfc_valid(nfc_rx_valid),
      .nfc_data(nfc_rx_data),
      .ev_broken,
      .ev_stray
  );
endmodule
