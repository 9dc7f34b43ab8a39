// SPDX-License-Identifier: Apache-2.0
//
// Frame format and records of the Ethernet transport: see docs/blocks/eth-rtp.md.
package kumi_eth_rtp_pkg;

  localparam logic [15:0] RTP_ETHERTYPE = 16'h88B6;  // local experimental 2
  localparam logic [3:0] RTP_VERSION = 4'd1;
  localparam int RTP_HEADER = 30;  // bytes in front of the payload
  localparam int RTP_ACK_BYTES = 12;  // payload of an ACK and of a HELLO
  localparam int RTP_MAX_WINDOW = 64;  // what the selective acknowledgement can name

  // Type of a frame.
  localparam logic [3:0] RTP_DATA = 4'd0;
  localparam logic [3:0] RTP_ACK = 4'd1;
  localparam logic [3:0] RTP_HELLO = 4'd2;
  localparam logic [3:0] RTP_RESET = 4'd3;

  // Flags, byte 15.
  localparam int RTP_FIRST = 0;  // DATA: first frame of its message
  localparam int RTP_LAST = 1;  // DATA: last frame of its message
  localparam int RTP_ACK_REQ = 2;  // DATA, ACK: an ACK is wanted now
  localparam int RTP_DUP = 3;  // ACK: a frame came twice

  // Record of set_peer.
  typedef struct packed {
    logic [11:0] number;  // place in the table
    logic [47:0] addr;    // first byte on the wire in [47:40]; all ones: take the peer out
  } rtp_peer_t;

  // Record of m_status.
  typedef enum logic [3:0] {
    RTP_UP           = 4'd1,  // messages can be sent
    RTP_DOWN_TIMEOUT = 4'd2,  // no answer
    RTP_DOWN_RESTART = 4'd3,  // the other side began anew
    RTP_DOWN_CLOSED  = 4'd4,  // the other side took leave, or the peer was taken out
    RTP_MSG_FAILED   = 4'd5   // a message was given up: the peer is not up
  } rtp_status_e;

  typedef struct packed {
    logic [11:0] peer;
    rtp_status_e code;
  } rtp_status_t;

  // Settings, constant in use. Times count ticks of 16 cycles of clk.
  typedef struct packed {
    logic [13:0] mtu;             // bytes of the longest frame without FCS
    logic [19:0] nonce;           // where tags begin: another after each restart, e.g. random
    logic [15:0] ack_delay;       // an ACK that is not urgent waits so long for data to ride on
    logic [19:0] rto_init;        // retransmission time-out before the first measured round trip
    logic [19:0] rto_min;
    logic [19:0] rto_max;
    logic [19:0] hello_interval;  // between two tries to reach a peer; doubles up to eight times
    logic [19:0] probe_interval;  // between two probes of a peer that owes something
    logic [3:0]  max_timeouts;    // time-outs in a row, after which a peer is dead; 0 counts as 1
  } rtp_cfg_t;

  // At 312.5 MHz (a tick is 51.2 ns): 1 us, 100 us, 10 us, 50 ms, 100 us, 500 us.
  localparam rtp_cfg_t RTP_CFG_DEFAULT = '{
      mtu: 14'd9216,
      nonce: 20'd1,
      ack_delay: 16'd20,
      rto_init: 20'd2000,
      rto_min: 20'd200,
      rto_max: 20'd1000000,
      hello_interval: 20'd2000,
      probe_interval: 20'd10000,
      max_timeouts: 4'd8
  };

  // Pulses, clk.
  typedef struct packed {
    // Sending.
    logic tx_message;         // a message of the kernel was sent for the first time, whole
    logic tx_failed;          // ... was given up (RTP_MSG_FAILED)
    logic tx_bad;             // ... was marked bad by the kernel
    logic tx_data;            // DATA frame sent for the first time
    logic tx_retransmit;      // DATA frame sent again
    logic tx_ack;
    logic tx_hello;
    logic tx_reset;
    logic lost;               // a frame was found to be lost by later ones that arrived
    logic timeout;            // a time-out ran off
    logic spurious_rtx;       // the other side had a frame twice
    // Receiving. Each frame raises one of these.
    logic rx_data;            // taken into the window
    logic rx_dup;             // DATA that was there already
    logic rx_ack;
    logic rx_hello;
    logic rx_reset;
    logic rx_bad;             // dropped: marked bad
    logic rx_malformed;       // dropped: version, type, length
    logic rx_unknown;         // dropped: HELLO of an address that is not in the table
    logic rx_stale_tag;       // dropped: not of this association
    logic rx_out_of_window;   // dropped: sequence number outside the window
    logic rx_bad_ack;         // dropped: acknowledges what was never sent, or an absurd limit
    logic rx_hello_overflow;  // dropped: HELLO while several others wait to be looked up
    // Associations.
    logic up;
    logic down_timeout;
    logic down_restart;
    logic down_closed;
  } rtp_events_t;

  // Pulses of the port's receive filter, rx_clk: one a frame.
  typedef struct packed {
    logic ok;        // handed on
    logic not_ours;  // for another address
    logic foreign;   // another EtherType
    logic no_room;   // the buffer was full
  } rtp_filter_events_t;

  // ---- Between the modules of the transport. Numbers of peers and slots are wider than most need;
  // what is constant zero costs nothing. `gen` is the own tag's nonce: it tells associations apart.

  localparam logic [31:0] RTP_TICK = 32'd16;  // cycles

  typedef struct packed {  // a piece of a message in a slot of the retransmission store
    logic [11:0] peer;
    logic        oob;    // there is no such peer
    logic [7:0]  slot;
    logic [31:0] base;   // its first word in the store
    logic [13:0] len;    // bytes; 0: the message was broken off
    logic        first;
    logic        last;
  } rtp_seg_t;

  typedef struct packed {  // association, as senders need it
    logic        up;
    logic [19:0] gen;
    logic [31:0] tag;  // the other side's
  } rtp_conn_t;

  typedef struct packed {  // association, as the receiver needs it
    logic        up;
    logic [19:0] own;
    logic        pend;   // a fresh tag has been offered
    logic [19:0] fresh;
  } rtp_tags_t;

  typedef struct packed {  // a frame to be built
    logic [3:0]  kind;
    logic [3:0]  flags;
    logic [11:0] peer;
    logic [47:0] addr;
    logic [31:0] tag;
    logic [31:0] seq;
    logic [31:0] ack;
    logic [13:0] len;
    logic        rtx;    // sent before
    logic [7:0]  slot;   // DATA
    logic [31:0] base;
    logic [95:0] pay;    // payload of the others, first byte on top
  } rtp_tx_desc_t;

  typedef struct packed {  // HELLO or RESET to be sent
    logic        reset;
    logic [11:0] peer;
    logic [47:0] addr;
    logic [31:0] tag;
    logic [31:0] own;
  } rtp_handshake_t;

  typedef struct packed {  // DATA to be sent again
    logic [11:0] peer;
    logic [19:0] gen;
    logic [7:0]  slot;
    logic [31:0] seq;
  } rtp_rtx_t;

  typedef struct packed {  // ACK to be sent
    logic [11:0] peer;
    logic        ack_req;
    logic        dup;
  } rtp_ack_req_t;

  typedef struct packed {  // acknowledgement received
    logic [11:0] peer;
    logic [19:0] gen;
    logic [31:0] ack;
    logic        full;   // with the rest: from an ACK
    logic [31:0] limit;
    logic [63:0] sack;
    logic        dup;
  } rtp_rx_ack_t;

  typedef struct packed {  // when a slot was last sent
    logic [15:0] order;    // counts the DATA frames sent to the peer
    logic [23:0] at;       // tick
    logic        rtx;
    logic        ack_req;  // it asked for an ACK
    logic [7:0]  seq;      // low bits: that it was sent at all in its present use
  } rtp_tx_record_t;

  typedef enum logic [1:0] {
    RTP_EVENT_HELLO,
    RTP_EVENT_CONFIRM,  // a frame carried the fresh tag
    RTP_EVENT_RESET
  } rtp_assoc_event_e;

  typedef struct packed {  // to the association engine
    rtp_assoc_event_e    kind;
    logic [11:0] peer;   // not HELLO
    logic [47:0] addr;   // HELLO: sender
    logic [31:0] tag;    // HELLO: the tag that it echoes
    logic [31:0] own;    // HELLO: the sender's tag
    logic [6:0]  limit;  // HELLO
  } rtp_assoc_event_t;

  typedef enum logic [1:0] {
    RTP_DELIVER_FRAMES,  // `count` frames more are in order
    RTP_DELIVER_DRAIN,   // the association has ended: hand on what is in order, then report
    RTP_DELIVER_DROP,    // ... without handing it on
    RTP_DELIVER_INIT     // a new association
  } rtp_deliver_cmd_e;

  typedef struct packed {  // to the delivery
    rtp_deliver_cmd_e kind;
    logic [11:0]      peer;
    logic [6:0]       count;
    logic [31:0]      base;   // of the first of the frames in the window store
    logic [13:0]      len;
    logic             first;
    logic             last;
  } rtp_deliver_cmd_t;

  // ---- Writes to tables. Each reader of a table keeps a copy of it (kumi_eth_rtp_ram); only the low
  // bits of `peer` that the table has are used.

  typedef struct packed {  // associations
    logic        en;
    logic [11:0] peer;
    rtp_conn_t   conn;
    rtp_tags_t   tags;
  } rtp_conn_wr_t;

  typedef struct packed {  // next sequence number to be sent
    logic        en;
    logic [11:0] peer;
    logic [31:0] data;
  } rtp_snd_nxt_wr_t;

  typedef struct packed {  // transmit window
    logic        en;
    logic [11:0] peer;
    logic [31:0] una;    // oldest number not acknowledged
    logic [31:0] limit;
  } rtp_tx_win_wr_t;

  typedef struct packed {  // what has been received
    logic        en;
    logic [11:0] peer;
    logic [31:0] nxt;   // next number expected
    logic [63:0] sack;  // bit i: nxt + 1 + i has arrived; as many as the window has frames
  } rtp_rcv_wr_t;

  typedef struct packed {  // frames delivered to the kernel
    logic        en;
    logic [11:0] peer;
    logic [7:0]  count;  // low bits
  } rtp_delivered_wr_t;

  typedef struct packed {  // what the peer was told last
    logic        en;
    logic        full;   // with the limit
    logic [11:0] peer;
    logic [7:0]  ack;    // low bits
    logic [7:0]  limit;
  } rtp_advertised_wr_t;

endpackage
