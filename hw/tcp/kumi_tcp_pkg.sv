// SPDX-License-Identifier: Apache-2.0
//
// Records, settings and events that the units of the TCP engine (RFC 9293) share.
//
// Sequence numbers are the wire's own, modulo 2^32. A byte of a session lives in that session's
// ring at its sequence number modulo the ring's size, so no unit needs to know where it began.
package kumi_tcp_pkg;

  localparam int SID_W = 16;  // bits of a session number in a record; engines use the low ones
  localparam int SACKS = 4;  // blocks that fit into the options of a segment (RFC 2018)

  // ---- on the wire ---------------------------------------------------------------------------

  typedef struct packed {
    logic cwr;
    logic ece;
    logic urg;
    logic ack;
    logic psh;
    logic rst;
    logic syn;
    logic fin;
  } tcp_flags_t;

  typedef struct packed {
    logic [31:0] left;   // first sequence number
    logic [31:0] right;  // the one after the last
  } tcp_range_t;

  typedef struct packed {
    logic                   mss_valid;
    logic [15:0]            mss;
    logic                   ws_valid;   // window scale (RFC 7323)
    logic [3:0]             ws;         // 0..14
    logic                   sack_ok;    // SACK permitted (RFC 2018)
    logic                   ts_valid;   // timestamps (RFC 7323)
    logic [31:0]            ts_val;
    logic [31:0]            ts_ecr;
    logic [2:0]             sacks;      // valid blocks, 0..4
    tcp_range_t [SACKS-1:0] sack;       // sack[0] is the first one on the wire
  } tcp_opts_t;

  // The four numbers that name a connection; the local address is the node's.
  typedef struct packed {
    logic [31:0] peer_ip;
    logic [15:0] peer_port;
    logic [15:0] local_port;
  } tcp_tuple_t;

  // A received segment with right checksum and well-formed header.
  typedef struct packed {
    tcp_tuple_t  tuple;
    logic [31:0] seq;
    logic [31:0] ack;
    tcp_flags_t  flags;
    logic [15:0] wnd;    // as on the wire, not scaled
    logic [15:0] len;    // bytes of payload
    tcp_opts_t   opts;
  } tcp_seg_t;

  // A received segment and what the tables know of it.
  typedef struct packed {
    tcp_seg_t         seg;
    logic             hit;     // sid is its session
    logic [SID_W-1:0] sid;
    logic             listen;  // no session, but local_port is open
    logic             stale;   // the tables changed while it was looked up: look again
    logic [31:0]      hash;    // keyed hash of the tuple, for sequence numbers; misses only
  } tcp_seg_lookup_t;

  // A segment to send. Its payload is the session's transmit ring from seq on.
  typedef struct packed {
    tcp_tuple_t       tuple;
    logic [31:0]      seq;
    logic [31:0]      ack;
    tcp_flags_t       flags;
    logic [15:0]      wnd;    // as on the wire, scaled
    logic [15:0]      len;    // bytes of payload; 0: the ring is not read
    tcp_opts_t        opts;
    logic [SID_W-1:0] sid;
  } tcp_tx_t;

  // ---- tables --------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    TABLE_FIND   = 2'd0,  // the session of a tuple
    TABLE_INSERT = 2'd1,  // tuple -> sid; ok low: no room
    TABLE_DELETE = 2'd2,  // forget a tuple
    TABLE_PORT   = 2'd3   // open (sid[0]) or close local_port; answers whether it was open before
  } tcp_table_op_e;

  typedef struct packed {
    tcp_table_op_e    op;
    tcp_tuple_t       tuple;
    logic [SID_W-1:0] sid;
  } tcp_table_req_t;

  typedef struct packed {
    logic             ok;      // FIND: found; INSERT: done; DELETE: was there; PORT: was open
    logic [SID_W-1:0] sid;     // FIND
    logic             listen;  // FIND: local_port is open
    logic [31:0]      hash;    // FIND: keyed hash of the tuple
  } tcp_table_rsp_t;

  // ---- between the core and the units that move data -------------------------------------------

  // Why a session ended, or an operation failed.
  typedef enum logic [3:0] {
    TCP_OK          = 4'd0,
    TCP_CLOSED      = 4'd1,   // both sides closed in order
    TCP_RESET       = 4'd2,   // the peer sent RST
    TCP_TIMEOUT     = 4'd3,   // the peer does not answer any more
    TCP_REFUSED     = 4'd4,   // RST in answer to SYN
    TCP_UNREACHABLE = 4'd5,   // no answer to SYN
    TCP_ABORTED     = 4'd6,   // by the application
    TCP_NO_SESSION  = 4'd7,   // no such session
    TCP_NO_SPACE    = 4'd8,   // the ring has less room than asked for: try again
    TCP_NO_ROOM     = 4'd9,   // all sessions, or all ports, are in use
    TCP_IN_USE      = 4'd10,  // the port is open already
    TCP_HALF_CLOSED = 4'd11,  // this side has closed: nothing can be written any more
    TCP_DISABLED    = 4'd12,  // the engine is off
    TCP_BAD_LENGTH  = 4'd13   // a write of no bytes
  } tcp_reason_e;

  // Core to receive side, in the order of the sessions' events. For each hit with payload exactly
  // one command has `frame`.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             frame;   // take the next frame of payload
    logic [15:0]      skip;    // bytes of it to leave out at its start
    logic [15:0]      len;     // bytes to write then, at sequence number seq; 0: none
    logic [31:0]      seq;
    logic             note;    // tell the application side, after all earlier bytes are in memory
    logic             opened;  // note: a new session, whose first byte is `upto`
    logic             fin;     // note: the peer has closed, nothing comes after `upto`
    logic             gone;    // note: the session is over (reason)
    logic             forget;  // note: what was not read yet is given up
    logic [31:0]      upto;    // note: bytes before it are in order and may be read
    tcp_reason_e      reason;
    tcp_tuple_t       tuple;   // note
  } tcp_rx_cmd_t;

  // Receive side to core. `released` comes exactly once a session: after `gone`, when all has been
  // read or given up.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      seq;       // read so far: room before it is free again
    logic             released;  // the session's number may be used again
  } tcp_rx_done_t;

  // Core to transmit side: what the writer may know of a session.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             open;   // data may be written
    logic             fresh;  // a new session: its first byte is `una`
    logic [31:0]      una;    // bytes before it are acknowledged: their room is free
  } tcp_tx_space_t;

  // Transmit side to core, in order with the data of a session.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      seq;    // data before it are in the ring
    logic             fin;    // the application closes: nothing comes after it
    logic             abort;  // the application ends the session at once
    logic             push;   // the end of what one write handed over
  } tcp_tx_data_t;

  // ---- application side ------------------------------------------------------------------------

  typedef struct packed {
    logic [15:0] port;
    logic        off;   // 1: close the port for new connections
  } tcp_listen_t;

  typedef struct packed {
    logic [15:0] port;
    tcp_reason_e reason;  // TCP_OK: done
  } tcp_listen_rsp_t;

  typedef struct packed {
    logic [31:0] ip;
    logic [15:0] port;
  } tcp_open_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      ip;
    logic [15:0]      port;
    tcp_reason_e      reason;  // TCP_OK: open
  } tcp_open_rsp_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             abort;  // 1: RST and forget, 0: FIN after the data
  } tcp_close_t;

  // What happened to a session. Exactly one has `opened` (passive opens; an active one is answered
  // by tcp_open_rsp_t), then any number with length, at most one `fin`, exactly one `gone`, the last.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;  // new bytes to read
    logic             opened;
    logic             fin;     // nothing comes after these bytes
    logic             gone;    // the session is over; what is there may still be read
    tcp_reason_e      reason;  // gone: why
    tcp_tuple_t       tuple;
  } tcp_notify_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
  } tcp_read_t;

  // Answer to a read. length: bytes that come as one frame; 0 and no frame if there is nothing.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
    tcp_reason_e      reason;
  } tcp_read_rsp_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;  // 1..65535
  } tcp_write_t;

  // Answer to a write. TCP_OK: one frame of `length` bytes must follow on the data stream.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
    logic [29:0]      space;   // bytes free, after this write if it was taken
    tcp_reason_e      reason;
  } tcp_write_rsp_t;

  localparam int LISTEN_W = $bits(tcp_listen_t);
  localparam int LISTEN_RSP_W = $bits(tcp_listen_rsp_t);
  localparam int OPEN_W = $bits(tcp_open_t);
  localparam int OPEN_RSP_W = $bits(tcp_open_rsp_t);
  localparam int CLOSE_W = $bits(tcp_close_t);
  localparam int NOTIFY_W = $bits(tcp_notify_t);
  localparam int READ_W = $bits(tcp_read_t);
  localparam int READ_RSP_W = $bits(tcp_read_rsp_t);
  localparam int WRITE_W = $bits(tcp_write_t);
  localparam int WRITE_RSP_W = $bits(tcp_write_rsp_t);

  // ---- settings --------------------------------------------------------------------------------

  // Times are microseconds of the engine's own clock. Steady while sessions are open, but enable.
  typedef struct packed {
    logic         enable;         // low: segments are dropped, operations answer TCP_DISABLED
    logic [31:0]  ip;             // own address, for checksums
    logic [15:0]  period_ps;      // of clk
    logic [15:0]  mss;            // longest payload sent and announced, without options: MTU - 40
    logic         use_ws;         // offer window scale, timestamps, SACK
    logic         use_ts;
    logic         use_sack;
    logic         use_cubic;      // CUBIC (RFC 9438) where built in, else NewReno (RFC 6582)
    logic [7:0]   init_segs;      // initial congestion window (RFC 6928), segments
    logic [31:0]  rto_init;       // RFC 6298
    logic [31:0]  rto_min;
    logic [31:0]  rto_max;
    logic [3:0]   syn_retries;    // SYN or SYN-ACK sent again before giving up
    logic [3:0]   retries;        // segments or probes sent again before giving up
    logic [31:0]  ack_delay;      // longest delay of an ACK
    logic [31:0]  time_wait;
    logic [31:0]  fin_wait;       // longest wait for the peer's FIN after the application closed
    logic [31:0]  linger;         // longest wait for the application to read what is left
    logic [31:0]  keep_idle;      // silence before keep-alive probes; 0: none
    logic [31:0]  keep_interval;  // between them
    logic [3:0]   keep_probes;    // without answer before giving up
    logic [15:0]  half_open;      // sessions in SYN-RECEIVED before cookies are used instead
    logic [127:0] secret;         // of the keyed hash (RFC 6528)
  } tcp_cfg_t;
endpackage
