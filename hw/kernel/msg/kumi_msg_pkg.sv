// SPDX-License-Identifier: Apache-2.0
//
// What the message kernels send and recognise: a header of 16 bytes, then a pattern.
//
//   bytes 0..1    mark 0x4B4D ("KM")
//   bytes 2..3    source: number of the sender
//   bytes 4..7    number of the message, from 0 for each peer in each run
//   bytes 8..11   bytes of the message, including this header
//   bytes 12..15  time stamp: cycles of the sender's counter
//   bytes 16..    PRBS-31 (x^31 + x^28 + 1, ITU-T O.150, not inverted), bit 0 of byte 16 first;
//                 the 31 bits preceding it are the seed, the oldest in seed[0]
// Numbers are big-endian. The seed depends on every bit of the header, so each byte of a message is
// a function of its source, its number, its length and the byte's offset.
package kumi_msg_pkg;

  localparam logic [15:0] MSG_MARK = 16'h4B4D;
  localparam int MSG_HDR_BYTES = 16;

  typedef struct packed {
    logic [15:0] mark;
    logic [15:0] source;
    logic [31:0] number;
    logic [31:0] length;
    logic [31:0] stamp;
  } msg_hdr_t;

  // Beside a message to send, before its first beat: who gets it, and how long it is.
  typedef struct packed {
    logic [15:0] peer;
    logic [31:0] length;
  } msg_rec_t;

  // Beside a received frame, before its first beat: whose it is, and which part of its message.
  typedef struct packed {
    logic [15:0] peer;
    logic last;
    logic first;
  } msg_source_t;

  // The header as 16 bytes of a stream, or back: byte order reversed.
  function automatic logic [127:0] msg_swap(input logic [127:0] bytes);
    for (int i = 0; i < 16; ++i) msg_swap[8*i+:8] = bytes[8*(15-i)+:8];
  endfunction

  // Seed of the PRBS: all header bits folded to 31, never zero. Number and stamp are turned against
  // each other, or a later message that is sent as much later would have the same pattern.
  function automatic logic [30:0] msg_seed(input msg_hdr_t hdr);
    logic [31:0] fold;
    fold = {hdr.source, hdr.mark} ^ {hdr.number[18:0], hdr.number[31:19]};
    fold = fold ^ {hdr.length[8:0], hdr.length[31:9]} ^ hdr.stamp;
    msg_seed = fold[30:0] ^ {fold[31], 30'h0};
    if (msg_seed == '0) msg_seed = '1;
  endfunction

endpackage
