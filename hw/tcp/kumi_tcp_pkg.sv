// SPDX-License-Identifier: Apache-2.0
//
// Records and settings that the units of the TCP engine (RFC 9293) share.
//
// Sequence numbers are those on the wire, modulo 2^32. A byte lives in its session's ring at its
// sequence number modulo the ring size, so no unit needs the initial sequence number.
package kumi_tcp_pkg;

  localparam int SID_W = 16;  // bits of a session number in a record; an engine uses the low ones
  localparam int SACKS = 4;  // SACK blocks of a segment at most (RFC 2018)

  // ---- on the wire ----------------------------------------------------------------------------

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
    logic [31:0] right;  // one past the last
  } tcp_range_t;

  typedef struct packed {
    logic                   mss_valid;
    logic [15:0]            mss;
    logic                   ws_valid;   // window scale (RFC 7323)
    logic [3:0]             ws;         // 0..14
    logic                   sack_ok;    // SACK-permitted (RFC 2018)
    logic                   ts_valid;   // timestamps (RFC 7323)
    logic [31:0]            ts_val;
    logic [31:0]            ts_ecr;
    logic [2:0]             sacks;      // valid blocks, 0..4
    tcp_range_t [SACKS-1:0] sack;       // sack[0] is the first one on the wire
  } tcp_opts_t;

  // The 4-tuple of a connection; the local address is the node's.
  typedef struct packed {
    logic [31:0] peer_ip;
    logic [15:0] peer_port;
    logic [15:0] local_port;
  } tcp_tuple_t;

  // A received segment with valid checksum and header.
  typedef struct packed {
    tcp_tuple_t  tuple;
    logic [31:0] seq;
    logic [31:0] ack;
    tcp_flags_t  flags;
    logic [15:0] wnd;    // as on the wire, unscaled
    logic [15:0] len;    // bytes of payload
    logic        ce;     // congestion experienced (RFC 3168)
    tcp_opts_t   opts;
  } tcp_seg_t;

  // A received segment and the result of its table lookup.
  typedef struct packed {
    tcp_seg_t         seg;
    logic             hit;     // sid is its session
    logic [SID_W-1:0] sid;
    logic             listen;  // no session, but local_port is listening
    logic             stale;   // the tables changed since the lookup: look up again
    logic [31:0]      hash;    // keyed hash of the tuple, for the ISN; misses only
  } tcp_seg_lookup_t;

  // A segment to send. Its payload is read from the session's transmit ring, starting at seq.
  typedef struct packed {
    tcp_tuple_t       tuple;
    logic [31:0]      seq;
    logic [31:0]      ack;
    tcp_flags_t       flags;
    logic [15:0]      wnd;    // as on the wire, scaled
    logic [15:0]      len;    // bytes of payload
    logic             ect;    // the packet is sent as ECN-capable, ECT(0) (RFC 3168)
    tcp_opts_t        opts;
    logic [SID_W-1:0] sid;
  } tcp_tx_t;

  // ---- tables ---------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    TABLE_FIND   = 2'd0,  // the session of a tuple
    TABLE_INSERT = 2'd1,  // tuple -> sid; ok low: table full
    TABLE_DELETE = 2'd2,  // remove a tuple
    TABLE_PORT   = 2'd3   // open (sid[0]) or close local_port; ok: it was open before
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

  // ---- between the core and the memory side ---------------------------------------------------

  // Why a session ended, or an operation failed.
  typedef enum logic [3:0] {
    TCP_OK          = 4'd0,
    TCP_CLOSED      = 4'd1,   // both sides have closed
    TCP_RESET       = 4'd2,   // the peer sent RST
    TCP_TIMEOUT     = 4'd3,   // the peer does not answer
    TCP_REFUSED     = 4'd4,   // RST in answer to SYN
    TCP_UNREACHABLE = 4'd5,   // no answer to SYN
    TCP_ABORTED     = 4'd6,   // by the application
    TCP_NO_SESSION  = 4'd7,   // no such session
    TCP_NO_SPACE    = 4'd8,   // the ring has less free space than requested: retry
    TCP_NO_ROOM     = 4'd9,   // all sessions or all ports are in use
    TCP_IN_USE      = 4'd10,  // the port is open already
    TCP_HALF_CLOSED = 4'd11,  // this side has closed: no more writes
    TCP_DISABLED    = 4'd12,  // the engine is disabled
    TCP_BAD_LENGTH  = 4'd13   // a write of 0 bytes
  } tcp_reason_e;

  // Core to receive side, in the order of events. Exactly one command has `frame` for each hit
  // with payload.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             frame;         // consume the next payload frame
    logic [15:0]      skip;          // bytes to skip at its start
    logic [15:0]      len;           // bytes to write then, at sequence number seq
    logic [31:0]      seq;
    logic             notify;        // notify the application once all earlier bytes are in memory
    logic             opened;        // notify: a new session, whose first byte is in_order_end
    logic             fin;           // notify: the peer has closed at in_order_end
    logic             ended;         // notify: the session has ended (reason)
    logic             discard;       // notify: unread bytes are discarded
    logic [31:0]      in_order_end;  // notify: bytes before it are in order and readable
    tcp_reason_e      reason;
    tcp_tuple_t       tuple;         // notify
  } tcp_rx_cmd_t;

  // Receive side to core. `released` is set exactly once per session: after `ended`, when all
  // bytes are read or discarded.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      seq;       // read up to here: ring space before it is free
    logic             released;  // the session number may be reused
  } tcp_rx_done_t;

  // Core to transmit side: state and free ring space of a session.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             open;     // data may be written
    logic             first;    // a new session: its first byte is snd_una
    logic [31:0]      snd_una;  // bytes before it are acknowledged: their space is free
  } tcp_tx_space_t;

  // Transmit side to core, in order with the data of a session.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      seq;    // bytes before it are in the ring
    logic             fin;    // the application closes after these bytes
    logic             abort;  // the application aborts the session
    logic             push;   // end of a write
  } tcp_tx_data_t;

  // ---- application side -----------------------------------------------------------------------

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

  // Notification of a session. The first has `opened` (passive opens; an active open is answered by
  // tcp_open_rsp_t), any number carry a length, at most one `fin`; exactly one, the last, `ended`.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;  // new bytes to read
    logic             opened;
    logic             fin;     // the peer has closed after these bytes
    logic             ended;   // the session has ended; unread bytes may still be read
    tcp_reason_e      reason;  // of ended
    tcp_tuple_t       tuple;
  } tcp_notify_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
  } tcp_read_t;

  // Answer to a read: one frame of `length` bytes follows, none if length is 0.
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
    logic [29:0]      space;   // bytes free, after this write if it was accepted
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

  // ---- settings -------------------------------------------------------------------------------

  // Times in microseconds of the engine's clock where no unit is given, retransmission timeouts
  // below 2^31. Stable while sessions are open, except enable.
  typedef struct packed {
    logic         enable;         // low: segments are dropped, requests are answered TCP_DISABLED
    logic [31:0]  ip;             // own address, for checksums
    logic [15:0]  period_ps;      // of clk
    logic [15:0]  mss;            // MSS sent and announced: MTU - 40
    logic         use_ws;         // offer window scale, timestamps, SACK
    logic         use_ts;
    logic         use_sack;
    logic [1:0]   ecn;            // RFC 3168: 0 never, 1 requested and accepted, 2 accepted
    logic         use_tlp;        // tail loss probes (RFC 8985), with SACK only
    // Probe timeout: two round trips and, with one segment in flight, tlp_delay, else tlp_guard.
    logic [31:0]  tlp_delay;
    logic [31:0]  tlp_guard;
    logic         use_cubic;      // CUBIC (RFC 9438) where built in, else NewReno (RFC 6582)
    logic [7:0]   init_segs;      // initial congestion window (RFC 6928), segments
    logic [31:0]  rto_init;       // RFC 6298
    logic [31:0]  rto_min;
    logic [31:0]  rto_max;
    logic [3:0]   syn_retries;    // retransmissions of a SYN or SYN-ACK
    logic [3:0]   retries;        // retransmissions of a segment or probe
    logic [31:0]  ack_delay;      // delayed ACK timeout
    logic [31:0]  time_wait;
    logic [31:0]  fin_wait;       // in FIN-WAIT-2
    logic [31:0]  linger;         // for the application to read what is left of an ended session
    logic [31:0]  keep_idle;      // ms of idle time before keep-alive probes; 0: none
    logic [31:0]  keep_interval;  // ms between them
    logic [3:0]   keep_probes;    // unanswered, before the session ends
    logic [15:0]  half_open;      // sessions in SYN-RECEIVED before SYN cookies are used; 0: a
                                  // quarter of those that no connection uses
    logic [127:0] secret;         // of the keyed hash (RFC 6528)
    logic [63:0]  cookie_key;     // of SYN cookies
  } tcp_cfg_t;
endpackage
