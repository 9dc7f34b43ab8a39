// SPDX-License-Identifier: Apache-2.0
//
// SW2: the lean link of DIMMnet-1 and RHiNET (source paper: Hamada et al., "bDais"): flits of 80
// bits with an error-correcting code, stop/go flow control, packets that only write.
//
// Flit: 72 bits of information and 8 check bits. Information: 64 bits of data, kind, virtual
//   channel, and a stop bit per channel for the other direction of the link.
// Code: odd-weight-column SECDED (M. Y. Hsiao, "A Class of Optimal Minimum Odd-weight-column
//   SEC-DED Codes", 1970): every column of the check matrix is a different byte of odd weight, so
//   one wrong bit gives its own column, and two give a syndrome of even weight.
// Packet: the head, the address, then data in the byte lanes of its place in memory. On a 64-bit
//   stream each flit's data is a beat; byte 0 of a word is data[7:0]. The paper gives sizes and
//   primitives, not formats: the fields below are this project's.
package kumi_sw2_pkg;

  localparam int VCS = 4;  // virtual channels
  localparam int INFO_W = 72;
  localparam int CHECK_W = 8;
  localparam int FLIT_W = INFO_W + CHECK_W;
  localparam int WORD_W = 20;  // of the line per cycle: 10 bits at both edges
  localparam int WORDS = FLIT_W / WORD_W;

  typedef enum logic [1:0] {
    FLIT_IDLE = 2'd0,  // carries the stop bits only
    FLIT_HEAD = 2'd1,
    FLIT_BODY = 2'd2,
    FLIT_TAIL = 2'd3
  } flit_kind_e;

  typedef struct packed {
    logic [VCS-1:0] stop;  // of the receiver of the other direction
    logic [1:0]     vc;
    flit_kind_e     kind;
    logic [63:0]    data;
  } flit_t;

  // ---- Packets ---------------------------------------------------------------------------------
  localparam int MAX_DATA = 472;  // bytes, the most that a BOTF carries
  localparam int MAX_BEATS = 2 + MAX_DATA / 8;

  typedef enum logic [3:0] {
    OP_AOTF = 4'd1,  // one store of 1 to 8 bytes
    OP_BOTF = 4'd2,  // 8 to 472 bytes out of a window
    OP_RDMA = 4'd3   // part of an RDMA write
  } sw2_op_e;

  // First beat.
  typedef struct packed {
    logic [3:0]  rsv;
    logic [3:0]  op;
    logic [15:0] len;     // bytes of data
    logic [7:0]  region;  // of the receiver's memory
    logic [15:0] src;     // node
    logic [15:0] dst;     // node
  } sw2_head_t;

  // Second beat.
  typedef struct packed {
    logic [15:0] rsv;
    logic [15:0] pgid;    // process group, set by the sender's interface and not by the process
    logic [31:0] offset;  // in the region; only an AOTF may begin inside a word
  } sw2_place_t;

  // Beats of a packet with its head and address; len in 1..MAX_DATA.
  function automatic logic [6:0] beats_of(input logic [15:0] len);
    return 7'(13'(len + 16'd7) >> 3) + 7'd2;
  endfunction

  function automatic logic len_good(input logic [15:0] len);
    return len != '0 && len <= 16'(MAX_DATA);
  endfunction

  // ---- Code ------------------------------------------------------------------------------------
  typedef logic [INFO_W-1:0][CHECK_W-1:0] sw2_columns_t;
  typedef logic [CHECK_W-1:0][INFO_W-1:0] sw2_rows_t;

  // All 56 bytes of weight 3, then the first 16 of weight 5.
  function automatic sw2_columns_t columns();
    sw2_columns_t c;
    int at;
    c  = '0;
    at = 0;
    for (int weight = 3; weight <= 5; weight += 2) begin
      for (int v = 0; v < 256; v++) begin
        if ($countones(8'(v)) == weight && at < INFO_W) begin
          c[at] = CHECK_W'(v);
          at++;
        end
      end
    end
    return c;
  endfunction

  localparam sw2_columns_t COLUMNS = columns();

  function automatic sw2_rows_t rows();
    sw2_rows_t r;
    for (int i = 0; i < INFO_W; i++) begin
      for (int j = 0; j < CHECK_W; j++) r[j][i] = COLUMNS[i][j];
    end
    return r;
  endfunction

  localparam sw2_rows_t ROWS = rows();

  function automatic logic [CHECK_W-1:0] check_bits(input logic [INFO_W-1:0] info);
    logic [CHECK_W-1:0] check;
    for (int j = 0; j < CHECK_W; j++) check[j] = ^(info & ROWS[j]);
    return check;
  endfunction

  // ---- Tables of the network interface ---------------------------------------------------------
  // A page of the kick area: the header of its stores.
  typedef struct packed {
    logic        enable;
    logic [1:0]  vc;
    logic [12:0] limit;   // bytes of the page that may be stored to, up to 4096
    logic [15:0] dst;
    logic [7:0]  region;
    logic [15:0] pgid;
    logic [31:0] offset;  // of the page in the region, a multiple of 8
  } kick_t;

  // A window of a process: its group, and the local memory that its RDMA writes may read.
  typedef struct packed {
    logic        enable;
    logic [1:0]  vc;
    logic [15:0] pgid;
    logic [31:0] base;    // a multiple of 8
    logic [31:0] limit;   // bytes
  } window_t;

  // A region that others may write.
  typedef struct packed {
    logic        enable;
    logic [15:0] pgid;
    logic [31:0] base;    // a multiple of 8
    logic [31:0] limit;   // bytes
  } region_t;

  typedef enum logic [1:0] {
    TABLE_KICK   = 2'd0,
    TABLE_WINDOW = 2'd1,
    TABLE_REGION = 2'd2
  } table_e;

  typedef struct packed {
    logic        valid;
    table_e      sel;
    logic [6:0]  index;
    logic [95:0] entry;
  } table_write_t;

  // ---- Events, one-cycle pulses ----------------------------------------------------------------
  typedef struct packed {
    logic corrected;      // flit with one wrong bit
    logic uncorrectable;  // flit with two wrong bits (or a multiple that looks like it), dropped
    logic framing;        // frame signal out of place, or flit lost
    logic bad_packet;     // flits missing, or an illegal length
    logic stray;          // flit outside a packet
    logic overrun;        // no space: a sender that ignored stop
  } link_events_t;

  typedef struct packed {
    logic store_refused;   // page not enabled, beyond its limit, strobes not a run
    logic window_refused;  // window busy or not enabled
    logic kick_refused;    // command with a bad length, offset or local place
    logic read_error;      // memory answered an RDMA read with an error
  } tx_events_t;

  typedef struct packed {
    logic received;       // packet written
    logic wrong_node;     // destination is another node
    logic bad_packet;     // operation unknown, or head and length disagree
    logic bad_region;     // region not enabled or of another process group
    logic out_of_bounds;  // offset and length pass the region's limit
    logic write_error;    // memory answered with an error
  } rx_events_t;
endpackage
