// SPDX-License-Identifier: Apache-2.0
//
// Words, table entries, timing, status and error codes of the circuit switch (STDM: static
// time-division multiplexing).
package kumi_stdm_pkg;

  localparam int MAX_SLOTS = 256;
  localparam int MIN_GUARD = 6;  // cycles of a TDM frame in which link outputs carry no word
  localparam int MAX_GUARD = 16;
  localparam int MAX_PORTS = 17;
  localparam int MAX_CHANNELS = 64;
  localparam int OWNERS = 64;  // circuits of an output with their own counters
  localparam int POS_W = 9;  // bits of a position in a TDM frame, 0..MAX_SLOTS+MAX_GUARD-1
  localparam int MARGIN_W = 3;
  localparam int PORT_W = 5;

  // Kind of a word. Circuits carry data; heads and tails belong to best-effort packets.
  typedef enum logic [1:0] {
    WORD_EMPTY = 2'd0,
    WORD_DATA  = 2'd1,
    WORD_HEAD  = 2'd2,
    WORD_TAIL  = 2'd3
  } stdm_word_e;

  // ---- Tables -----------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    OUT_NONE    = 2'd0,
    OUT_CIRCUIT = 2'd1,
    OUT_BE    = 2'd2   // free slot of a link: best-effort packets may use it
  } stdm_out_e;

  typedef struct packed {
    stdm_out_e         kind;
    logic [PORT_W-1:0] src;    // input port
    logic [5:0]        owner;  // owner of the slot; at a local output its channel
  } stdm_out_entry_t;

  typedef struct packed {
    logic       on;       // local input: pull a channel; link: the word is best effort
    logic [5:0] channel;
  } stdm_in_entry_t;

  // ---- Time -------------------------------------------------------------------------------------
  // Pipeline timing. A table entry is read at A, known at C; words cross at T = C + 1 and are
  // at the outputs at X = T + 1.
  typedef struct packed {
    logic             run;      // a table is active
    logic [POS_W-1:0] pos;      // position at stage C
    logic [1:0]       step;     // increment of pos: 1; 0 or 2 at R-2
    logic [1:0]       next;     // step of the next cycle
    logic             restart;  // the position has jumped
    logic             slot_x;   // stage X is in a slot
    logic             last_x;   // stage X is in the last slot
    logic             mark_x;   // stage X is in the last position of the TDM frame
    logic             first_x;  // stage X is in slot 0
  } stdm_time_t;

  typedef struct packed {
    logic [POS_W-1:0]    slots;   // S, active
    logic [POS_W-1:0]    cycles;  // R, active
    logic [MARGIN_W-1:0] margin;  // cycles that a word arrives early
  } stdm_frame_t;

  // ---- Link ports -------------------------------------------------------------------------------
  typedef struct packed {
    logic             fixed;   // use the given offset; else measure it
    logic [POS_W-1:0] offset;
  } stdm_link_cfg_t;

  typedef struct packed {
    logic             up;      // lanes are up
    logic             locked;  // aligned to the TDM frames of the other side
    logic [POS_W-1:0] offset;  // added to a word's position by this link
    logic [7:0]       number;  // of the last TDM frame that started
  } stdm_link_status_t;

  // One-cycle pulses.
  typedef struct packed {
    logic locked;    // aligned
    logic lost;      // alignment lost
    logic bad_crc;   // a TDM frame whose CRC-32 is wrong
    logic bad_word;  // a corrupt slot, or a word outside TDM frames
    logic skipped;   // a TDM frame out of sequence
    logic moved;     // a TDM frame outside its window; its words are dropped
    logic unsent;    // a word that the lanes did not accept: they are down
  } stdm_link_events_t;

  // Control blocks, 64 bits: type, check, 48 bits of body. check: the complement of the exclusive
  // or of the six bytes; it finds the pattern that one wrong bit on the line becomes in the
  // descrambler (bits 39 and 58 apart).
  localparam logic [7:0] BT_EMPTY = 8'hD2;
  localparam logic [7:0] BT_MARK = 8'h99;
  localparam logic [7:0] BT_HEAD = 8'h55;
  localparam logic [7:0] BT_TAIL = 8'hB4;

  function automatic logic [7:0] ctrl_check(input logic [47:0] body);
    return ~(body[7:0] ^ body[15:8] ^ body[23:16] ^ body[31:24] ^ body[39:32] ^ body[47:40]);
  endfunction

  // Body of a marker: CRC-32 of the TDM frame before in [31:0] (of the lane that carries it).
  localparam int MARK_NUMBER = 32;  // [39:32] number of the TDM frame that begins
  localparam int MARK_XOFF = 40;
  // Body of an empty word.
  localparam int EMPTY_XOFF = 0;
  localparam int EMPTY_OPEN = 1;  // a best-effort packet is in progress on this link
  // Body of a tail: CRC-32 of the packet's data in [31:0].
  localparam int TAIL_ABORT = 32;
  localparam int TAIL_BYTES = 33;  // [38:33] bytes in the last data word

  // Body of a head.
  typedef struct packed {
    logic [15:0] zero;
    logic [3:0]  port;   // local port at the destination
    logic [11:0] bytes;  // of data
    logic [7:0]  src;    // board
    logic [7:0]  dest;   // board
  } be_header_t;

  // ---- Reasons of a refusal ---------------------------------------------------------------------
  typedef enum logic [3:0] {
    REFUSED_NONE    = 4'd0,
    REFUSED_TABLE   = 4'd1,  // no such table
    REFUSED_ENTRY   = 4'd2,  // entry beyond the longest TDM frame
    REFUSED_KIND    = 4'd3,  // kind 3
    REFUSED_INPUT   = 4'd4,  // input number beyond the last port
    REFUSED_OWNER   = 4'd5,  // owner, or channel of a local port, out of range
    REFUSED_BE    = 4'd6,  // best effort on a local output, or the switch has none
    REFUSED_PENDING = 4'd7,  // written, or swap requested, while a swap is pending
    REFUSED_LENGTH  = 4'd8,  // swap requested with a length of 0 or too long
    REFUSED_GUARD   = 4'd9,  // ... with a guard out of range
    REFUSED_BROKEN  = 4'd10, // ... after an entry was refused
    REFUSED_CLEAR   = 4'd11  // written while the tables are being cleared after reset
  } stdm_refusal_e;
endpackage
