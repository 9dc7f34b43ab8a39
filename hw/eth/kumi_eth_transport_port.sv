// SPDX-License-Identifier: Apache-2.0
//
// Ethernet transport with its crossings to the clocks of the MAC and the filter for its frames.
module kumi_eth_transport_port
  import kumi_eth_tp_pkg::*;
#(
    parameter int PEERS     = 64,    // entries of the peer table, 2..1024
    parameter int WINDOW    = 16,    // receive window of each peer in frames, 2..64, power of two
    parameter int TX_WINDOW = 16,    // frames under way to one peer at most, 2..64, power of two
    parameter int TX_SLOTS  = 32,    // frames that wait for acknowledgement, power of two, 4..256
    parameter int MTU       = 9216,  // bytes of the longest frame without FCS: size of the slots
    parameter int TX_BYTES  = 16384, // buffer of the crossing to tx_clk
    parameter int RX_BYTES  = 32768, // buffer of the crossing from rx_clk
    parameter int TX_FRAMES = 64,    // frames that they hold at most
    parameter int RX_FRAMES = 64
) (
    input logic clk,
    input logic rst,
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    // clk
    kumi_hdr_if.snk  set_source_addr,  // 48 bits
    kumi_hdr_if.snk  set_peer,         // tp_peer_t, 60 bits
    kumi_axis_if.snk s_msg,            // a frame a message, tdest: peer
    kumi_axis_if.src m_msg,            // tid: peer; tuser, 3 bits: {last, first, bad}
    kumi_hdr_if.src  m_status,         // tp_status_t, 16 bits

    kumi_axis_if.src m_frame,  // tx_clk: to the MAC
    kumi_axis_if.snk s_frame,  // rx_clk: from the MAC, tready always high

    input logic    [47:0] cfg_addr,  // own address until set_source_addr; constant during reset
    input tp_cfg_t        cfg,       // clk, constant in use

    // clk. Two cycles after room_peer: that peer is up; a message of one frame would be sent at once.
    input  logic [$clog2(PEERS)-1:0] room_peer,
    output logic                     room_up,
    output logic                     room,

    output logic              busy,  // clk: frames, timers or messages are under way
    output tp_events_t        ev,    // clk
    output tp_filter_events_t rx_ev  // rx_clk
);
endmodule
