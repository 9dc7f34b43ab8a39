// SPDX-License-Identifier: Apache-2.0
//
// Frame format and records of the Ethernet controller: see docs/blocks/eth-controller.md.
package kumi_eth_controller_pkg;

  localparam int MAX_MTU = 9216;  // bytes of a frame without FCS
  localparam logic [15:0] CTL_ETHERTYPE = 16'h88B5;  // local experimental 1
  localparam logic [15:0] MAC_CONTROL = 16'h8808;
  localparam logic [3:0] CTL_VERSION = 4'd1;

  // Record of the channel set_dest_addr_count.
  typedef struct packed {
    logic [47:0] addr;   // destination, first byte on the wire in [47:40]
    logic [31:0] count;  // bytes of the message; words of the data width with paper framing
  } eth_dest_count_t;

  // Record of the channel receive_info.
  typedef struct packed {
    logic [47:0] addr;    // source
    logic [31:0] left;    // bytes of the message from this frame on; 0 with paper framing
    logic [7:0]  number;  // of the message, as its sender counts
    logic        last;    // last frame of its message
    logic        first;   // first frame of its message
  } eth_rx_info_t;

  // Pulses of the sending side, kernel clock.
  typedef struct packed {
    logic frame;    // frame sent
    logic message;  // message sent completely
    logic short_;   // data ended early or was marked bad: message aborted
    logic long_;    // data beyond the count was discarded
    logic empty;    // a record with count 0 was ignored
  } eth_controller_tx_events_t;

  // Pulses of the receiving side, clock of the MAC. Each frame raises exactly one of all but
  // `broken`, some cycles after its last beat.
  typedef struct packed {
    logic ok;         // delivered
    logic bad;        // marked bad by the MAC
    logic control;    // MAC control frame
    logic not_ours;   // for another address
    logic foreign;    // other EtherType or version
    logic malformed;  // shorter than its header says
    logic no_room;    // the buffer was full
    logic orphan;     // does not continue a message (its predecessor was lost)
    logic broken;     // message aborted because another one started
  } eth_controller_rx_events_t;

endpackage
