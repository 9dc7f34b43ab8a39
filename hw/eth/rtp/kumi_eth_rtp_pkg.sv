// SPDX-License-Identifier: Apache-2.0
//
// Frame format and records of the reliable transport protocol (RTP) on Ethernet, EtherType 0x88B6.
// The format and the rules are in docs/blocks/eth-rtp.md. Not related to RFC 3550.
package kumi_eth_rtp_pkg;

  localparam logic [15:0] RTP_ETHERTYPE = 16'h88B6;  // local experimental 2
  localparam logic [3:0] RTP_VERSION = 4'd1;
  localparam int RTP_HEADER = 30;  // bytes in front of the payload
  localparam int RTP_ACK_BYTES = 12;  // payload of an ACK and of a HELLO
  localparam int RTP_MAX_WINDOW = 64;  // range of the selective acknowledgement

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
    RTP_DOWN_RESTART = 4'd3,  // the peer restarted
    RTP_DOWN_CLOSED  = 4'd4,  // closed by the peer, or the peer was removed
    RTP_MSG_FAILED   = 4'd5   // a message was discarded: the peer is not up
  } rtp_status_e;

  typedef struct packed {
    logic [11:0] peer;
    rtp_status_e code;
  } rtp_status_t;

  // Settings, constant in use. Times count ticks of 16 cycles of clk.
  typedef struct packed {
    logic [13:0] mtu;             // bytes of the longest frame without FCS
    logic [19:0] nonce;           // first nonce of tags: must differ after each restart
    logic [15:0] ack_delay;       // delay of an ACK that may piggyback on data
    logic [19:0] rto_init;        // retransmission time-out before the first sample
    logic [19:0] rto_min;
    logic [19:0] rto_max;
    logic [19:0] hello_interval;  // between HELLOs to a silent peer; backs off to 8 times
    logic [19:0] probe_interval;  // between probes of a peer that owes credit or data
    logic [3:0]  max_timeouts;    // consecutive time-outs until a peer is dead; 0 counts as 1
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
    logic tx_message;         // a message was sent completely for the first time
    logic tx_failed;          // ... was discarded (RTP_MSG_FAILED)
    logic tx_bad;             // ... was marked bad by the kernel
    logic tx_data;            // DATA frame sent for the first time
    logic tx_retransmit;      // DATA frame retransmitted
    logic tx_ack;
    logic tx_hello;
    logic tx_reset;
    logic lost;               // a frame was declared lost because later ones arrived
    logic timeout;            // a retransmission timer expired
    logic spurious_rtx;       // the peer reported a duplicate
    // Receiving. Each frame raises one of these.
    logic rx_data;            // accepted into the window
    logic rx_dup;             // duplicate DATA
    logic rx_ack;
    logic rx_hello;
    logic rx_reset;
    logic rx_bad;             // dropped: marked bad
    logic rx_malformed;       // dropped: version, type, length
    logic rx_unknown;         // dropped: HELLO from an address that is not in the table
    logic rx_stale_tag;       // dropped: tag of another association
    logic rx_out_of_window;   // dropped: sequence number outside the window
    logic rx_bad_ack;         // dropped: acknowledges an unsent frame, or invalid limit
    logic rx_hello_overflow;  // dropped: HELLO queue full
    // Associations.
    logic up;
    logic down_timeout;
    logic down_restart;
    logic down_closed;
  } rtp_events_t;

  // Pulses of the port's receive filter, rx_clk: one per frame.
  typedef struct packed {
    logic ok;        // passed on
    logic not_ours;  // for another address
    logic foreign;   // another EtherType
    logic no_room;   // the buffer was full
  } rtp_filter_events_t;

  // ---- Between the modules of the core. Peer and slot numbers are wider than most configurations
  // need; constant zeros cost nothing. `gen`, the nonce of the own tag, identifies the association.

  localparam logic [31:0] RTP_TICK = 32'd16;  // cycles

  typedef struct packed {  // a segment of a message in a slot of the retransmission buffer
    logic [11:0] peer;
    logic        oob;    // there is no such peer
    logic [7:0]  slot;
    logic [31:0] base;   // its first word in the buffer
    logic [13:0] len;    // bytes; 0: the message was aborted
    logic        first;
    logic        last;
  } rtp_seg_t;

  typedef struct packed {  // association, transmit side
    logic        up;
    logic [19:0] gen;
    logic [31:0] tag;  // the other side's
  } rtp_conn_t;

  typedef struct packed {  // association, receive side
    logic        up;
    logic [19:0] own;
    logic        pend;   // a fresh tag has been offered
    logic [19:0] fresh;
  } rtp_tags_t;

  typedef struct packed {  // descriptor of a frame to send
    logic [3:0]  kind;
    logic [3:0]  flags;
    logic [11:0] peer;
    logic [47:0] addr;
    logic [31:0] tag;
    logic [31:0] seq;
    logic [31:0] ack;
    logic [13:0] len;
    logic        rtx;    // retransmission
    logic [7:0]  slot;   // DATA
    logic [31:0] base;
    logic [95:0] pay;    // payload of other kinds, first byte in the high bits
  } rtp_tx_desc_t;

  typedef struct packed {  // HELLO or RESET to send
    logic        reset;
    logic [11:0] peer;
    logic [47:0] addr;
    logic [31:0] tag;
    logic [31:0] own;
  } rtp_handshake_t;

  typedef struct packed {  // DATA to retransmit
    logic [11:0] peer;
    logic [19:0] gen;
    logic [7:0]  slot;
    logic [31:0] seq;
  } rtp_rtx_t;

  typedef struct packed {  // ACK to send
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

  typedef enum logic [1:0] {  // of the transmit window over the slots of a peer
    RTP_WALK_FREE,  // acknowledged or flushed
    RTP_WALK_MARK,  // arrived out of order
    RTP_WALK_LOST,  // find the ones that were overtaken
    RTP_WALK_HEAD   // oldest one, after a time-out
  } rtp_walk_e;

  typedef struct packed {  // last transmission of a slot
    logic [15:0] order;    // counts the DATA frames sent to the peer
    logic [23:0] at;       // tick
    logic        rtx;
    logic        ack_req;  // requested an ACK
    logic [7:0]  seq;      // low bits, to detect a record of an earlier use of the slot
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
    RTP_DELIVER_FRAMES,  // `count` more frames are in order
    RTP_DELIVER_DRAIN,   // association closed: deliver in-order frames, then report
    RTP_DELIVER_DROP,    // ... discard them
    RTP_DELIVER_INIT     // a new association
  } rtp_deliver_cmd_e;

  typedef struct packed {  // to the delivery
    rtp_deliver_cmd_e kind;
    logic [11:0]      peer;
    logic [6:0]       count;
    logic [31:0]      base;   // of the first frame, in the window buffer
    logic [13:0]      len;
    logic             first;
    logic             last;
  } rtp_deliver_cmd_t;

  // ---- Writes to tables. Each reader of a table keeps a copy of it (kumi_ram_sdp); only the low
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

  typedef struct packed {  // receive state
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

  typedef struct packed {  // last advertised to the peer
    logic        en;
    logic        full;   // with the limit
    logic [11:0] peer;
    logic [7:0]  ack;    // low bits
    logic [7:0]  limit;
  } rtp_advertised_wr_t;

endpackage
