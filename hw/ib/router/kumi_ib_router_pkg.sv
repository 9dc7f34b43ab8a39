// SPDX-License-Identifier: Apache-2.0
//
// Router between SW2 and InfiniBand: connections, settings, events.
//
// A connection is a pair of queue pairs of reliable connection (IBTA volume 1, clause 9.7) per peer
// and SW2 channel: number {peer, channel}, queue pair QP_BASE + number. An SW2 packet is a message
// of one packet, SEND Only with Immediate: LRH, BTH, 4 bytes, and the SW2 packet from its head on.
package kumi_ib_router_pkg;

  localparam int VCS = 4;
  localparam logic [23:0] QP_BASE = 24'h00_1000;  // of both ends' first connection

  // AETH syndromes (clause 9.7.5.2): ACK without credit count, RNR NAK with timer 1 (0.01 ms), NAK.
  localparam logic [7:0] SYNDROME_ACK = kumi_rc_pkg::RC_SYNDROME_ACK;
  localparam logic [7:0] SYNDROME_RNR = {kumi_rc_pkg::RC_SYNDROME_RNR, 5'd1};
  localparam logic [7:0] SYNDROME_NAK_PSN = kumi_rc_pkg::RC_NAK_PSN;

  // Number of the node is its place in the table.
  typedef struct packed {
    logic        enable;
    logic [15:0] lid;
    logic [15:0] p_key;
    logic [23:0] qpn;     // of the peer's connection to this router, channel 0
  } router_peer_t;

  typedef struct packed {
    logic [15:0] lid;  // of this router
    logic [VCS-1:0][3:0] sl;  // service level of each SW2 channel
    logic [11:0] timeout;  // first retransmission, in 64 cycles; doubles up to 8 times as much
    logic [11:0] rnr_wait;  // after an RNR NAK, in 64 cycles
    logic [2:0] retries;  // in a row without an answer, then the peer is dead
  } cfg_t;

  localparam int UNIT = 64;  // cycles

  typedef enum logic [1:0] {
    ANSWER_ACK   = 2'd0,
    ANSWER_NAK   = 2'd1,  // from this PSN on again
    ANSWER_RNR   = 2'd2,  // the same, after a while
    ANSWER_FATAL = 2'd3
  } answer_e;

  // One-cycle pulses.
  typedef struct packed {
    logic sent;          // SW2 packet, the first time
    logic resent;
    logic received;      // SW2 packet given on
    logic ack_sent;      // also for a duplicate
    logic nak_sent;
    logic rnr_sent;
    logic nak_rcvd;
    logic rnr_rcvd;
    logic stale_ack;     // answers nothing that is open
    logic timed_out;
    logic died;          // a connection's retries are used up, or a fatal NAK came
    // Dropped, received from InfiniBand:
    logic duplicate;     // acknowledged again
    logic gap;           // one before it is missing
    logic no_space;      // RNR NAK
    logic bad_icrc;
    logic bad_header;    // LNH, opcode, version, or length
    logic bad_lid;       // DLID not this router's, or SLID not the peer's
    logic bad_qp;        // queue pair that belongs to no enabled peer
    logic bad_pkey;
    logic bad_payload;   // no SW2 packet
    logic answer_lost;   // ACK or NAK for which there was no space
    // Dropped, received from SW2:
    logic unknown_peer;
    logic dead_peer;
  } events_t;
endpackage
