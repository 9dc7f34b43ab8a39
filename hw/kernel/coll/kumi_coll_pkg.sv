// SPDX-License-Identifier: Apache-2.0
//
// Operations, blocks and transfers of the collectives (kumi_coll).
package kumi_coll_pkg;

  typedef enum logic [3:0] {
    COLL_NONE       = 4'd0,
    COLL_SEND       = 4'd1,
    COLL_RECV       = 4'd2,
    COLL_SCATTER    = 4'd3,
    COLL_GATHER     = 4'd4,
    COLL_BROADCAST  = 4'd5,
    COLL_REDUCE     = 4'd6,
    COLL_ALL_REDUCE = 4'd7,
    COLL_BARRIER    = 4'd8,
    COLL_PASS       = 4'd9   // wait until a message between two others has passed
  } coll_op_e;

  typedef struct packed {
    coll_op_e    op;
    logic        is_float;
    logic [7:0]  root;      // of send and receive: the other node
    logic [31:0] length;    // bytes of each node's part
  } coll_cmd_t;
  localparam int COLL_CMD_W = $bits(coll_cmd_t);

  // What a block is. Data (of send) and a part (of scatter) go to one node; gathered data is let
  // through in the order of the ring; a sum is added to on its way, a result is kept and passed on.
  typedef enum logic [3:0] {
    COLL_BLOCK_DATA   = 4'd1,
    COLL_BLOCK_GATHER = 4'd2,
    COLL_BLOCK_SUM    = 4'd3,
    COLL_BLOCK_RESULT = 4'd4,
    COLL_BLOCK_PART   = 4'd5
  } coll_block_e;

  // Head of a block on a connection: these 8 bytes, least significant first, then zeros up to byte
  //   63.
  localparam logic [15:0] COLL_MAGIC = 16'h4B43;
  localparam int COLL_HDR_BYTES = 64;

  typedef struct packed {
    logic [15:0] length;    // bytes behind the hdr
    logic [7:0]  dest;
    logic [7:0]  source;
    logic [7:0]  hops;      // of a result: nodes that still get it
    logic [2:0]  reserved;
    logic        last;      // of its part
    coll_block_e kind;
    logic [15:0] mark;
  } coll_block_t;
  localparam int COLL_BLOCK_W = $bits(coll_block_t);

  // One block through the node.
  typedef struct packed {
    logic        from_prev;   // its bytes come from the node before
    logic        from_local;  // and, or, from this node; both: they are added
    logic        is_float;
    logic        to_next;
    logic        to_local;
    logic        ends;        // the user's frame ends with it
    coll_block_t hdr;         // that goes to the next node; its source and length in any case
  } coll_xfer_t;
  localparam int COLL_XFER_W = $bits(coll_xfer_t);
endpackage
