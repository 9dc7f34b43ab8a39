// SPDX-License-Identifier: Apache-2.0
//
// Records between the parts of kumi_inflate.
package kumi_inflate_pkg;

  localparam int TABLE_BITS = 10;  // codes up to this long are decoded by table

  // What the decoder hands to the copy engine, in the order of the stream.
  typedef enum logic [2:0] {
    TOKEN_DATA,    // `count` bytes; `match`: then the length of a match
    TOKEN_DIST,    // distance minus 1 of that match, in data[14:0]
    TOKEN_CHECK,   // CRC-32 or Adler-32 of the member
    TOKEN_SIZE,    // ISIZE of the member
    TOKEN_MEMBER,  // a member begins, its format in data[1:0]
    TOKEN_END      // the stream ends, with the error in data[4:0]
  } inflate_token_e;

  typedef struct packed {
    inflate_token_e kind;
    logic [2:0]     count;
    logic           match;
    logic [7:0]     len;    // minus 3
    logic [31:0]    data;   // first byte low
  } inflate_token_t;
  localparam int TOKEN_W = $bits(inflate_token_t);

  // Tables by the next TABLE_BITS bits, for places: may the symbol be decoded by table, and how
  // many bits does it take with its extra bits?
  typedef struct packed {
    logic       ok;    // no end of block, not longer than TABLE_BITS, not reserved
    logic       lit;
    logic [3:0] step;
  } inflate_litlen_step_t;

  typedef struct packed {
    logic       ok;
    logic [4:0] step;
  } inflate_dist_step_t;

  // Tables by the same bits, for symbols.
  typedef struct packed {
    logic [3:0] bits;   // of the code
    logic [7:0] value;  // literal, or length symbol minus 257
  } inflate_litlen_t;

  typedef struct packed {
    logic [3:0] bits;
    logic [4:0] value;  // distance symbol
  } inflate_dist_t;

  // Symbols that are decoded at once: `count` of them from bit `pos` on, all literals, the last one
  // a length if `match`; or one distance.
  typedef struct packed {
    logic       raw;       // a token in the low bits instead
    logic       distance;
    logic       match;
    logic [2:0] count;
    logic [4:0] pos;
  } inflate_group_t;

  // States of kumi_inflate_ctrl.
  typedef enum logic [4:0] {
    AT_START,       // wait for a stream
    AT_MEMBER,
    AT_HEADER,
    AT_BLOCK,
    AT_STORED_LEN,
    AT_STORED,
    AT_STORED_END,
    AT_TABLES,
    AT_RUN,
    AT_PEEK,        // a symbol that is not in the tables
    AT_DECODING,
    AT_SYMBOL,
    AT_EXTRA,
    AT_RESUME,
    AT_CHECK,
    AT_SIZE,
    AT_NEXT,        // another member?
    AT_FINISH,
    AT_DRAIN
  } inflate_state_e;
endpackage
