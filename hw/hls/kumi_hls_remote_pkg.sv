// SPDX-License-Identifier: Apache-2.0
//
// Format of channels between kernels of different boards, on messages that arrive once and in
// order.
//
// A message is a word with a header, then, if it carries words, one channel's words. Flow control
// is by credits, channel by channel: a sender has at most REMOTE_WINDOW words under way, for which
// the receiver has room, so no channel ever waits for the reader of another.
package kumi_hls_remote_pkg;

  localparam int REMOTE_W = 256;  // bits of a word; narrower channels are filled with zeros
  localparam int REMOTE_WINDOW = 512;  // words, a power of two
  localparam int REMOTE_REPORT = REMOTE_WINDOW / 4;  // words read until the sender is told
  localparam int REMOTE_BURST = 256;  // words of the longest message, a power of two

  typedef enum logic [7:0] {
    REMOTE_DATA   = 8'd1,
    REMOTE_CREDIT = 8'd2   // count: words that the kernel has read since reset
  } remote_kind_e;

  typedef struct packed {
    logic [15:0]      count;  // modulo 2^16
    logic [7:0] from;         // number of the channel at the sender of the message
    logic [7:0]       to;     // ... at its receiver
    remote_kind_e     kind;
  } remote_header_t;

  // Where a channel leads, from the registers of its node.
  typedef struct packed {
    logic connected;
    logic [7:0] peer;
    logic [7:0] to;  // number of the channel there
  } remote_dest_t;

  // A report of words read, to be sent.
  typedef struct packed {
    logic pending;
    logic [7:0] peer;
    logic [7:0] to;  // number of the channel at its writer
    logic [15:0] count;
  } remote_report_t;

endpackage
