// SPDX-License-Identifier: Apache-2.0
//
// Ethernet transport: messages arrive exactly once and in order at up to 1,024 peers, over Ethernet
// that loses, corrupts, doubles and reorders frames. Format, rules: docs/blocks/eth-transport.md.
module kumi_eth_transport
  import kumi_eth_tp_pkg::*;
#(
    parameter int PEERS     = 64,    // entries of the peer table, 2..1024
    parameter int WINDOW    = 16,    // receive window of each peer in frames, 2..64, power of two
    parameter int TX_WINDOW = 16,    // frames under way to one peer at most, 2..64, power of two
    parameter int TX_SLOTS  = 32,    // frames that wait for acknowledgement, power of two, 4..256
    parameter int MTU       = 9216   // bytes of the longest frame without FCS: size of the slots
) (
    input logic clk,
    input logic rst,

    kumi_hdr_if.snk  set_source_addr,  // 48 bits
    kumi_hdr_if.snk  set_peer,         // tp_peer_t, 60 bits
    kumi_axis_if.snk s_msg,            // a frame a message, tdest: peer
    kumi_axis_if.src m_msg,            // tid: peer; tuser, 3 bits: {last, first, bad}
    kumi_hdr_if.src  m_status,         // tp_status_t, 16 bits

    kumi_axis_if.src m_frame,  // Ethernet frames without FCS
    kumi_axis_if.snk s_frame,

    input logic    [47:0] cfg_addr,  // own address until set_source_addr; constant during reset
    input tp_cfg_t        cfg,

    // Two cycles after room_peer: that peer is up; a message of one frame would be sent at once.
    input  logic [$clog2(PEERS)-1:0] room_peer,
    output logic                     room_up,
    output logic                     room,

    output logic       busy,  // frames, timers or messages are under way
    output tp_events_t ev
);
endmodule
