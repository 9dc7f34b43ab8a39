// SPDX-License-Identifier: Apache-2.0
//
// Frame format and records of the Ethernet transport: see docs/blocks/eth-transport.md.
package kumi_eth_tp_pkg;

  localparam logic [15:0] TP_ETHERTYPE = 16'h88B6;  // local experimental 2
  localparam logic [3:0] TP_VERSION = 4'd1;
  localparam int TP_HEADER = 30;  // bytes in front of the payload
  localparam int TP_ACK_BYTES = 12;  // payload of an ACK and of a HELLO
  localparam int TP_MAX_WINDOW = 64;  // what the selective acknowledgement can name

  // Type of a frame.
  localparam logic [3:0] TP_DATA = 4'd0;
  localparam logic [3:0] TP_ACK = 4'd1;
  localparam logic [3:0] TP_HELLO = 4'd2;
  localparam logic [3:0] TP_RESET = 4'd3;

  // Flags, byte 15.
  localparam int TP_FIRST = 0;  // DATA: first frame of its message
  localparam int TP_LAST = 1;  // DATA: last frame of its message
  localparam int TP_WANT = 2;  // DATA, ACK: an ACK is wanted now
  localparam int TP_DUP = 3;  // ACK: a frame came twice

  // Record of set_peer.
  typedef struct packed {
    logic [11:0] number;  // place in the table
    logic [47:0] addr;    // first byte on the wire in [47:40]; all ones: take the peer out
  } tp_peer_t;

  // Record of m_status.
  typedef enum logic [3:0] {
    TP_UP           = 4'd1,  // messages can be sent
    TP_DOWN_DEAD    = 4'd2,  // no answer
    TP_DOWN_RESTART = 4'd3,  // the other side began anew
    TP_DOWN_BYE     = 4'd4,  // the other side took leave, or the peer was taken out
    TP_MSG_FAILED   = 4'd5   // a message was given up: the peer is not up
  } tp_code_e;

  typedef struct packed {
    logic [11:0] peer;
    tp_code_e    code;
  } tp_status_t;

  // Settings, constant in use. Times count ticks of 16 cycles of clk.
  typedef struct packed {
    logic [13:0] mtu;        // bytes of the longest frame without FCS
    logic [19:0] nonce;      // where tags begin: another after each restart, e.g. random
    logic [15:0] ack_delay;  // an ACK that is not urgent waits so long for data to ride on
    logic [19:0] rto_init;   // retransmission time-out before the first measured round trip
    logic [19:0] rto_min;
    logic [19:0] rto_max;
    logic [19:0] hello;      // between two tries to reach a peer; doubles up to eight times
    logic [19:0] keep;       // between two probes of a peer that owes something
    logic [3:0]  retry;      // time-outs in a row, after which a peer is dead; 0 counts as 1
  } tp_cfg_t;

  // At 312.5 MHz (a tick is 51.2 ns): 1 us, 100 us, 10 us, 50 ms, 100 us, 500 us.
  localparam tp_cfg_t TP_CFG_DEFAULT = '{
      mtu: 14'd9216,
      nonce: 20'd1,
      ack_delay: 16'd20,
      rto_init: 20'd2000,
      rto_min: 20'd200,
      rto_max: 20'd1000000,
      hello: 20'd2000,
      keep: 20'd10000,
      retry: 4'd8
  };

  // Pulses, clk.
  typedef struct packed {
    // Sending.
    logic tx_message;    // a message of the kernel was sent for the first time, whole
    logic tx_failed;     // ... was given up (TP_MSG_FAILED)
    logic tx_bad;        // ... was marked bad by the kernel
    logic tx_data;       // DATA frame sent for the first time
    logic tx_again;      // DATA frame sent again
    logic tx_ack;
    logic tx_hello;
    logic tx_reset;
    logic lost;          // a frame was found to be lost by later ones that arrived
    logic timeout;       // a time-out ran off
    logic needless;      // the other side had a frame twice
    // Receiving. Each frame raises one of these.
    logic rx_data;       // taken into the window
    logic rx_dup;        // DATA that was there already
    logic rx_ack;
    logic rx_hello;
    logic rx_reset;
    logic rx_bad;        // dropped: marked bad
    logic rx_malformed;  // dropped: version, type, length
    logic rx_unknown;    // dropped: HELLO of an address that is not in the table
    logic rx_old_tag;    // dropped: not of this association
    logic rx_outside;    // dropped: sequence number outside the window
    logic rx_forged;     // dropped: acknowledges what was never sent, or an absurd limit
    logic rx_busy;       // dropped: HELLO while several others wait to be looked up
    // Associations.
    logic up;
    logic down_dead;
    logic down_restart;
    logic down_bye;
  } tp_events_t;

  // Pulses of the port's receive filter, rx_clk: one a frame.
  typedef struct packed {
    logic ok;        // handed on
    logic not_ours;  // for another address
    logic foreign;   // another EtherType
    logic no_room;   // the buffer was full
  } tp_filter_events_t;

endpackage
