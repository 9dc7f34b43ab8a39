// SPDX-License-Identifier: Apache-2.0
//
// Blocks, settings, status and events of the serial link. Coding as in Aurora 64B/66B (published by
// its vendor in SP011 and PG074): a 66-bit block is a sync header and 64 scrambled bits, bit 63
// first on the wire; a control block has its type in data[63:56].
package kumi_link_pkg;

  localparam int MAX_LANES = 4;

  // Sync headers; bit 1 is first on the wire.
  localparam logic [1:0] HEAD_DATA = 2'b01;
  localparam logic [1:0] HEAD_CTRL = 2'b10;

  // Kind of a block, as seen above the lanes.
  typedef enum logic [1:0] {
    KIND_IDLE  = 2'd0,  // nothing; its data are ignored
    KIND_DATA  = 2'd1,  // 64 bits of data
    KIND_CTRL  = 2'd2,  // control block, type in [63:56]; never an idle block
    KIND_ERROR = 2'd3   // received only: no valid sync header
  } link_block_kind_e;

  // Types of control blocks.
  localparam logic [7:0] BT_IDLE = 8'h78;
  localparam logic [7:0] BT_SEP = 8'h1E;  // ends a frame, 0 to 6 bytes: count in [55:48]
  localparam logic [7:0] BT_SEP7 = 8'hE1;  // ends a frame, 7 bytes
  localparam logic [7:0] BT_NFC = 8'hAA;  // native flow control: pause in [55:48], XOFF in [47]
  localparam logic [7:0] BT_UFC = 8'h2D;  // user flow control (ignored here)
  localparam logic [8:0][7:0] BT_USER_K = {
    8'h87, 8'h4B, 8'h33, 8'h66, 8'hCC, 8'hB4, 8'h55, 8'h99, 8'hD2
  };  // user K-blocks 0 to 8, 56 bits of the user's in [55:0]

  // Flags of an idle block.
  localparam int FLAG_CC = 55;  // clock compensation: a receiver may drop or double it
  localparam int FLAG_CB = 54;  // channel bonding: sent on all lanes at once
  localparam int FLAG_NR = 53;  // sender is not ready: it does not receive (on) this lane
  localparam int FLAG_SA = 52;  // strict alignment: no data after an idle or SEP in a row

  localparam logic [63:0] IDLE_CC = {BT_IDLE, 8'h80, 48'h0};
  localparam logic [63:0] IDLE_CB = {BT_IDLE, 8'h40, 48'h0};
  localparam logic [63:0] IDLE_NR = {BT_IDLE, 8'h30, 48'h0};
  localparam logic [63:0] IDLE_SA = {BT_IDLE, 8'h10, 48'h0};

  // ---- Lanes ------------------------------------------------------------------------------------
  typedef struct packed {
    logic [MAX_LANES-1:0] lanes;      // lanes that may be used
    logic                 all_lanes;  // 1: all or none (as Aurora)
    logic                 cc_manual;  // 1: clock compensation is sent on cc_start
  } lanes_cfg_t;

  typedef enum logic [1:0] {
    LINK_ALIGN,   // waits for block lock and bonding; reports "not ready" on all lanes
    LINK_SETTLE,  // bonded; exchanges which lanes are received
    LINK_UP
  } link_state_e;

  typedef struct packed {
    logic                 up;      // rows may be sent and are received
    logic                 rx_up;   // rows are received (a little before and with `up`)
    link_state_e          state;
    logic [2:0]           count;   // lanes in use
    logic [MAX_LANES-1:0] used;    // which lanes are in use
    logic [MAX_LANES-1:0] locked;  // block lock
  } lanes_status_t;

  // One-cycle pulses.
  typedef struct packed {
    logic [MAX_LANES-1:0] bad_sync_header;  // sync header 00 or 11 while locked
    logic [MAX_LANES-1:0] lock_lost;        // block lock lost
    logic [MAX_LANES-1:0] slip;             // block boundary moved by a bit
    logic [MAX_LANES-1:0] lane_down;        // lane went out of use
    logic [MAX_LANES-1:0] lane_up;          // lane came into use
    logic                 cc_sent;          // clock compensation sequence sent
    logic                 cc_seen;          // clock compensation sequence received
    logic                 link_up;
    logic                 link_down;
    logic                 bond_fail;        // lanes could not be aligned, or fell out of alignment
  } lanes_events_t;

  // ---- Framing ----------------------------------------------------------------------------------
  // One-cycle pulses.
  typedef struct packed {
    logic broken;    // a frame was truncated by an error and marked bad
    logic overrun;   // a frame lost beats because the other side ignored XOFF; marked bad
    logic stray;     // a control block of an unknown type
    logic xoff_sent;
    logic xoff_seen;
  } link_frame_events_t;

  // ---- Retransmission ---------------------------------------------------------------------------
  typedef struct packed {
    logic        enable;    // 1: LLR, if the other side supports it
    logic        plain_ok;  // 1: without LLR if the other side has none; 0: stay closed
    logic [15:0] nonce;     // of this start: should differ from the last; ignored once up
  } llr_cfg_t;

  typedef struct packed {
    logic       open;     // frames pass
    logic       retry;    // ... with LLR
    logic [5:0] unacked;  // chunks sent and not acknowledged
  } llr_status_t;

  // One-cycle pulses.
  typedef struct packed {
    logic sent;       // chunk sent for the first time
    logic replayed;   // chunk retransmitted
    logic good;       // chunk received, correct and in order
    logic bad_crc;    // chunk or acknowledgement with a wrong CRC
    logic duplicate;  // duplicate chunk received
    logic gap;        // chunk received out of order; rejected
    logic nak_sent;
    logic nak_seen;
    logic timeout;    // no acknowledgement in time
    logic restart;    // other side restarted: data in flight is lost
  } llr_events_t;

  // ---- All layers -------------------------------------------------------------------------------
  typedef struct packed {
    lanes_cfg_t lanes;
    llr_cfg_t   retry;
  } serial_cfg_t;

  typedef struct packed {
    lanes_status_t lanes;
    llr_status_t   retry;
  } serial_status_t;

  typedef struct packed {
    lanes_events_t lanes;
    link_frame_events_t frame;
    llr_events_t retry;
  } serial_events_t;

endpackage
