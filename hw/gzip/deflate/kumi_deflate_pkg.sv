// SPDX-License-Identifier: Apache-2.0
//
// Records that the parts of the compressor exchange.
package kumi_deflate_pkg;

  localparam int NEAR = 4;  // distances that are always tried: 1..NEAR
  localparam int SWEEP_W = 8;  // every 2**SWEEP_W groups clear a bucket, storing nothing
  localparam int FAR_LENGTH_3 = 4096;  // a match of 3 bytes is not worth a larger distance

  // Groups that empty a matcher for groups of n bytes: its latency, and one more.
  function automatic int match_steps(input int n, input int ways, input int match);
    return (match - 2 + n) / n + 8 + match_waits(n) + match / n + match_levels(n, ways);
  endfunction

  // Steps between a table's memory and its use: one lane's wide entries are read into a register,
  // which would cost the most where all lanes look into the tables of all.
  function automatic int match_waits(input int n);
    return n == 1 ? 1 : 0;
  endfunction

  // Steps in which the best of its candidates is found: of a bucket, or the near distances; of all.
  function automatic int bucket_levels(input int ways);
    return $clog2(ways > NEAR ? ways : NEAR);
  endfunction
  function automatic int match_levels(input int n, input int ways);
    return bucket_levels(ways) + $clog2(n + 1);
  endfunction

  // A position and the best match that was found there.
  typedef struct packed {
    logic [7:0]  data;
    logic [6:0]  length;  // 0, or 3..64
    logic [14:0] dist1;   // distance minus 1
  } deflate_match_t;

  // What begins at a position: a match, or a literal.
  typedef struct packed {
    logic        has_byte;  // not at the end of a segment without a byte
    logic        match;
    logic [7:0]  len3;      // length minus 3
    logic [14:0] dist1;     // distance minus 1
    logic [7:0]  data;
  } deflate_choice_t;

  // What becomes of a byte.
  typedef enum logic [1:0] {
    SLOT_EMPTY   = 2'd0,  // no byte: the end of a segment without one
    SLOT_COVERED = 2'd1,  // inside a match
    SLOT_LITERAL = 2'd2,
    SLOT_MATCH   = 2'd3   // the last byte of a match
  } deflate_slot_e;

  typedef struct packed {
    deflate_slot_e kind;
    logic          last;   // of the segment
    logic [7:0]    len3;   // of a match: length minus 3
    logic [14:0]   dist1;  // distance minus 1
    logic [7:0]    data;
  } deflate_slot_t;

  // A row: N segments, compressed as one block.
  typedef struct packed {
    logic                        first;   // of the message
    logic                        piece;   // ends a piece
    logic                        last;    // ends the message
    kumi_gzip_pkg::gzip_format_e format;
    logic [16:0]                 size;    // bytes
    logic [31:0]                 sum;     // CRC-32 or Adler-32 of the message, with last
    logic [31:0]                 total;   // bytes of the message modulo 2**32, with last
  } deflate_row_t;

  // A block that is ready to be sent.
  typedef struct packed {
    kumi_gzip_pkg::gzip_block_e kind;
    logic [3:0]                 end_bits;  // end of block: length and bit-reversed code
    logic [14:0]                end_code;
    deflate_row_t               row;
  } deflate_block_t;

  // A code as the encoders have it.
  typedef struct packed {
    logic [3:0]  bits;
    logic [14:0] code;  // bit-reversed
  } deflate_code_t;

  // A word of packed bits; zero beyond `count` bits. Only the last one of a stream may be partial.
  typedef struct packed {
    logic        last;
    logic [6:0]  count;  // 0..64
    logic [63:0] data;
  } deflate_word_t;

endpackage
