// SPDX-License-Identifier: Apache-2.0
//
// Event records of the Ethernet MAC and PCS blocks.
package kumi_eth_pkg;

  // All members are one-cycle pulses.

  // Every frame that starts on the wire raises exactly one of the receive events but `overrun`.
  typedef struct packed {
    logic ok;            // good frame delivered
    logic bad_fcs;       // frame check sequence wrong
    logic err_char;      // error or other control character inside the frame, or no terminate
    logic runt;          // shorter than 64 bytes with FCS, whether correct or not
    logic giant;         // longer than the limit; truncated
    logic bad_preamble;  // start without preamble and start-of-frame delimiter; not delivered
    logic overrun;       // a beat was lost because the client was not ready (one pulse per beat)
  } mac_rx_events_t;

  // Every client frame raises exactly one of the transmit events.
  typedef struct packed {
    logic ok;        // sent completely
    logic underrun;  // the client paused inside a frame: ended with error characters
    logic bad;       // the client marked the frame bad: ended with error characters
    logic fault;     // discarded, in part or completely, because the link reports a fault
  } mac_tx_events_t;

  // MAC control frames; receive and transmit events are independent.
  typedef struct packed {
    logic rx_pause;  // valid PAUSE frame received
    logic rx_pfc;    // valid PFC frame received
    logic rx_other;  // MAC control frame with another opcode or destination: dropped
    logic rx_bad;    // MAC control frame that is bad or too short: dropped and ignored
    logic tx_pause;  // PAUSE frame sent
    logic tx_pfc;    // PFC frame sent
  } mac_ctrl_events_t;

  // Receive side of a PCS.
  typedef struct packed {
    logic bad_block;   // invalid block, or invalid after its predecessor
    logic bad_header;  // 10GBASE-R: sync header 00 or 11
    logic lock_lost;   // block lock (10GBASE-R) or synchronisation (1000BASE-X) lost
  } pcs_events_t;

endpackage
