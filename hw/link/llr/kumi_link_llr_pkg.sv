// SPDX-License-Identifier: Apache-2.0
//
// Format of link-level retry (LLR), and the sizes that both ends rely on.
//
// A chunk is a frame of the framing layer: 1 to CHUNK payload blocks, and 7 bytes in its separator:
//   llr_trailer_t (3 bytes), then CRC-32 (as zlib's, low byte first) over payload and trailer. A
//   message is user K-block 0 with llr_message_t (3 bytes) and the CRC-32 over these; a HELLO is
//   user K-block 1 with llr_hello_t and its CRC-32.
package kumi_link_llr_pkg;

  // Maximum payload blocks in flight, a sender's limit; a receiver has room for all of them, and
  // for one more chunk, whatever their sizes.
  localparam int WINDOW_BLOCKS = 1664;
  localparam int WINDOW_CHUNKS = 120;

  // Beats of a chunk. With its separator a chunk fills whole rows: CHUNK is one less than a
  // multiple of LANES where that is possible, at most 128.
  function automatic int chunk_beats(input int lanes);
    return lanes == 1 ? 128 : lanes == 2 ? 64 : lanes == 3 ? 43 : 32;
  endfunction
  function automatic int chunk_last_blocks(input int lanes);  // blocks of the last beat
    return lanes == 1 ? 1 : lanes - 1;
  endfunction
  function automatic int store_beats(input int lanes);
    return lanes == 1 ? 2048 : 1024;
  endfunction

  typedef enum logic [1:0] {
    CHUNK_PART,  // the frame continues in the next chunk
    CHUNK_LAST,  // the frame ends here
    CHUNK_BAD,   // the frame ends here and is bad
    CHUNK_ABORT  // aborted: the sender goes back
  } llr_chunk_e;

  typedef struct packed {
    llr_chunk_e kind;
    logic [2:0] pad;     // bytes missing in the last payload block
    logic [1:0] flight;  // incremented each time the sender goes back
    logic       zero;
    logic [7:0] seq;     // number of the chunk
    logic [7:0] freed;   // chunks of the other direction up to this one have left the receiver
  } llr_trailer_t;

  typedef enum logic [1:0] {
    MSG_ACK,    // freed
    MSG_NAK,    // retransmit from `expected` on
    MSG_PROBE,  // requests an answer
    MSG_ANSWER
  } llr_message_e;

  typedef struct packed {
    llr_message_e kind;
    logic [5:0]   zero;
    logic [7:0]   expected;  // number of the next chunk in order
    logic [7:0]   freed;
  } llr_message_t;

  typedef struct packed {
    logic        open;   // the sender knows the receiver's nonce
    logic [10:0] nonce;  // the sender's
    logic        zero;
    logic [10:0] echo;   // the receiver's, 0 if not known
  } llr_hello_t;

  localparam logic [3:0] K_MESSAGE = 4'd0;
  localparam logic [3:0] K_HELLO = 4'd1;

endpackage
