// SPDX-License-Identifier: Apache-2.0
//
// State of a session (the TCB of RFC 9293, 3.3.1), events, and the records between the stages of
// kumi_tcp_core.
package kumi_tcp_core_pkg;
  import kumi_tcp_pkg::*;

  localparam int MAX_RANGES = SACKS;  // entries of a list of ranges
  localparam int WND_W = 30;  // largest scaled window, RFC 7323
  localparam int TS_SHIFT = 10;  // a tick of the timestamp clock is 1024 us
  localparam logic [15:0] MIN_MSS = 16'd88;  // lower bound on the peer's MSS

  // Timers of hours count in ticks of 256 us: half their range is 6.4 days, that of microseconds
  // 35.8 minutes.
  localparam int LONG_SHIFT = 8;

  // The settings of those timers, in ticks.
  typedef struct packed {
    logic [31:0] time_wait;
    logic [31:0] fin_wait;
    logic [31:0] linger;
    logic [31:0] keep_idle;
    logic [31:0] keep_interval;
  } tcp_long_times_t;

  typedef enum logic [3:0] {
    ST_FREE       = 4'd0,
    ST_SYN_SENT   = 4'd1,
    ST_SYN_RCVD   = 4'd2,
    ST_ESTAB      = 4'd3,
    ST_FIN_WAIT1  = 4'd4,
    ST_FIN_WAIT2  = 4'd5,
    ST_CLOSE_WAIT = 4'd6,
    ST_CLOSING    = 4'd7,
    ST_LAST_ACK   = 4'd8,
    ST_TIME_WAIT  = 4'd9,
    ST_DRAIN      = 4'd10  // ended; the application has not read all data yet
  } tcp_state_e;

  typedef struct packed {
    logic        valid;
    logic [31:0] left;
    logic [31:0] right;
  } tcp_seq_range_t;

  typedef tcp_seq_range_t [MAX_RANGES-1:0] tcp_seq_ranges_t;  // [0] changed last

  typedef enum logic [1:0] {
    RECOVERY_NONE = 2'd0,
    RECOVERY_FAST = 2'd1,  // fast recovery (RFC 6582, RFC 6675)
    RECOVERY_RTO  = 2'd2   // after a timeout: all that is not SACKed is retransmitted
  } tcp_recovery_e;

  typedef struct packed {
    tcp_state_e       state;
    tcp_tuple_t       tuple;
    logic             passive;          // opened by the peer
    logic             app_notified;     // the application knows the session
    logic             out_queued;       // has an entry in the output queue
    logic             tw_queued;        // has an entry in the TIME-WAIT queue
    logic             released;         // the receive side is done with it
    logic             rx_discard_sent;  // the receive side was told to discard unread data
    logic             rst_pending;
    logic             syn_pending;
    logic             probe_pending;
    // options
    logic             ts_ok;
    logic             ws_ok;
    logic             sack_ok;
    logic [3:0]       snd_ws;
    logic [15:0]      mss;              // payload of a full segment sent
    // receive sequence space
    logic [31:0]      rcv_nxt;
    logic [31:0]      rcv_read;         // the application has read up to here
    logic [31:0]      rcv_adv;          // right edge of the advertised window
    logic [31:0]      last_ack_sent;
    logic [31:0]      ts_recent;
    logic             fin_rcvd;         // FIN received, possibly out of order
    logic [31:0]      fin_seq;
    tcp_seq_ranges_t  ooo_ranges;       // received out of order
    logic             ack_pending;      // one segment received since the last ACK
    logic             ack_now;
    logic [3:0]       dupacks_owed;
    // send sequence space
    logic [31:0]      snd_una;
    logic [31:0]      snd_nxt;
    logic [31:0]      snd_end;          // end of the data written by the application
    logic             snd_fin;          // the application has closed: FIN at snd_end
    logic [WND_W-1:0] snd_wnd;
    logic [WND_W-1:0] snd_wnd_max;      // largest window the peer ever advertised
    logic [31:0]      snd_wl1;
    logic [31:0]      snd_wl2;
    tcp_seq_ranges_t  sacked;
    // loss recovery and congestion control
    tcp_recovery_e    recovery;
    logic [31:0]      recover;          // RFC 6582
    logic [31:0]      high_rxt;         // RFC 6675: retransmitted up to here
    logic [1:0]       dupacks;          // duplicate ACKs received
    logic [WND_W-1:0] dupack_bytes;     // without SACK: bytes that duplicate ACKs report delivered
    logic             iw_pending;       // cwnd is still to be limited to the initial window
    logic [WND_W-1:0] cwnd;
    logic [WND_W-1:0] ssthresh;
    logic [WND_W-1:0] bytes_acked;      // since cwnd last grew
    // round-trip time and timers
    logic             srtt_valid;
    logic             rtt_timing;       // a segment is being timed
    logic [31:0]      rtt_seq;
    logic [31:0]      rtt_start;
    logic [27:0]      srtt;             // us, times 8
    logic [27:0]      rttvar;           // us, times 4
    logic [3:0]       backoff;
    logic [3:0]       rtx_count;        // retransmissions or probes without an answer
    logic             rtx_on;           // retransmission, persist or probe timer
    logic             tlp_on;           // it is the probe timer (RFC 8985, 7.2)
    logic             tlp_again;        // it was started while more was to be sent: once more
    logic             tlp_pending;      // a tail loss probe is due
    logic             tlp_out;          // one is in flight; it ends at `recover`
    logic             tlp_rtx;          // and is a retransmission
    logic             cut_pending;      // a loss was repaired: the congestion window shrinks
    // explicit congestion notification (RFC 3168)
    logic             ecn_asked;        // the SYN requested it
    logic             ecn_ok;
    logic             ecn_echo;         // ECE until the peer sends CWR
    logic             ecn_cwr;          // CWR with the next new data
    logic [31:0]      ecn_recover;      // ECE counts again beyond it
    logic [31:0]      rtx_at;
    logic             ack_on;           // delayed ACK
    logic [31:0]      ack_at;
    logic             idle_on;          // all is acknowledged; at rtx_at the window is restarted
    logic             misc_on;          // keep-alive, FIN-WAIT-2, TIME-WAIT, linger
    logic [31:0]      misc_at;          // ticks of 256 us
    logic [6:0]       challenge_slot;   // time slot of the challenge ACK limit
    logic [2:0]       challenge_count;  // sent in this slot
  } tcb_t;

  // ---- events of a session --------------------------------------------------------------------

  typedef enum logic [3:0] {
    EV_SEGMENT = 4'd0,  // received segment
    EV_DATA    = 4'd1,  // the application has written, closes or aborts
    EV_READ    = 4'd2,  // the application has read
    EV_SEND    = 4'd3,  // turn in the output queue
    EV_TIMER   = 4'd4,
    EV_PASSIVE = 4'd5,  // SYN for a listening port
    EV_COOKIE  = 4'd6,  // ACK with a valid SYN cookie
    EV_ACTIVE  = 4'd7,  // active open by the application
    EV_RECYCLE = 4'd8,  // the number is wanted if the session is in TIME-WAIT
    EV_CUBIC_K = 4'd9   // CUBIC's K is computed
  } tcp_event_e;

  // EV_DATA and EV_READ use seq, fin (close; released) and rst (abort) of the segment; EV_CUBIC_K
  // uses seq (K) and iss (the epoch it belongs to).
  typedef struct packed {
    tcp_event_e       kind;
    logic [SID_W-1:0] sid;
    tcp_seg_t         seg;
    logic [31:0]      iss;
  } tcp_event_t;

  // A segment to be looked up once more.
  typedef struct packed {
    tcp_seg_t    seg;
    logic [31:0] iss;    // with floor: lower bound of the next initial sequence number
    logic        floor;
  } tcp_relookup_t;

  // ---- between the stages ---------------------------------------------------------------------

  // Differences between the numbers of a segment and of its session, signed.
  // d_end, d_beyond and end_data follow one cycle after the others (kumi_tcp_seg_diff).
  typedef struct packed {
    logic               session_match;  // the segment belongs to this session
    logic signed [31:0] d_seq;          // seq - rcv_nxt
    logic signed [31:0] d_end;          // end of its sequence space - rcv_nxt
    logic signed [31:0] d_adv;          // rcv_adv - seq
    logic signed [31:0] d_beyond;       // end of its payload - rcv_adv
    logic               seq_space;      // it occupies sequence space
    logic signed [31:0] d_ack;          // ack - snd_una
    logic signed [31:0] d_nxt;          // snd_nxt - ack
    logic signed [31:0] d_wl1;          // seq - snd_wl1
    logic signed [31:0] d_wl2;          // ack - snd_wl2
    logic signed [31:0] d_ts;           // ts_val - ts_recent
    logic signed [31:0] d_acked;        // last_ack_sent - seq
    logic signed [31:0] d_recover;      // ack - recover
    logic signed [31:0] d_ecn;          // ack - ecn_recover
    logic signed [31:0] d_rtt;          // ack - rtt_seq
    logic [31:0]        rtt_age;
    logic [WND_W-1:0]   wnd;            // scaled
    logic [31:0]        end_data;       // end of its payload
  } tcp_seg_diff_t;

  typedef enum logic [3:0] {
    SEG_STALE        = 4'd0,  // the session has ended or is another one
    SEG_DROP         = 4'd1,
    SEG_UNACCEPTABLE = 4'd2,  // not acceptable: answered by an ACK
    SEG_CHALLENGE    = 4'd3,  // challenge ACK (RFC 5961)
    SEG_RESET        = 4'd4,  // RST that ends the session
    SEG_BAD_ACK      = 4'd5,  // in a handshake, acknowledges what was never sent: answered by RST
    SEG_ACCEPT       = 4'd6,
    SEG_SYN_RTX      = 4'd7,  // the peer retransmitted its SYN: it did not receive ours
    SEG_SYNACK       = 4'd8,  // SYN, ACK in SYN-SENT
    SEG_SIMULT_OPEN  = 4'd9,  // SYN in SYN-SENT
    SEG_REUSE        = 4'd10  // a new connection replaces one in TIME-WAIT
  } tcp_verdict_e;

  typedef struct packed {
    tcp_verdict_e verdict;
    logic         paws;
    logic         challenge_ok;   // the rate limit permits a challenge ACK
    logic [15:0]  skip;           // payload bytes to skip at its start
    logic [15:0]  len;            // payload bytes to accept after them
    logic [31:0]  start;          // sequence number of the first accepted byte
    logic [31:0]  stop;
    logic         beyond_window;  // some payload lies beyond the window
  } tcp_seg_check_t;

  // What the new state after a segment depends on (kumi_tcp_seg_weigh): comparisons, and numbers
  // of which the new state takes some.
  typedef struct packed {
    logic                  reports;       // SACK reports data beyond the ACK (RFC 2883)
    logic                  ack_new;       // it acknowledges new data
    logic                  fin_acked;
    logic                  dup;           // duplicate ACK
    logic                  all_acked;     // no data were in flight before it
    logic                  wnd_new;       // its window counts
    logic                  wnd_record;    // the largest so far
    logic                  wnd_segment;   // a full segment fits into it
    logic                  past_recover;  // it acknowledges data beyond `recover`
    logic                  past_ecn;
    logic                  rxt_behind;    // high_rxt lies behind its ACK
    logic                  slot_same;     // of the challenge ACK limit
    logic [MAX_RANGES-1:0] covered;       // SACKed ranges that its ACK reaches
    tcp_state_e            acked;         // state after the ACK, before the payload
    logic                  tlp_end;       // see kumi_tcp_congestion_signals
    logic                  tlp_loss;
    logic                  ece;
    logic                  ecn_reduced;
    logic                  ce;
    logic                  echo;
    logic                  echo_now;
    logic [WND_W-1:0]      grown;         // congestion window after the ACK
    logic [WND_W-1:0]      bytes_acked;
    logic [WND_W-1:0]      deflated;      // dupack_bytes after a partial ACK (RFC 6582)
    logic [WND_W-1:0]      inflated;      // dupack_bytes after a duplicate ACK
    logic                  inflates;
    logic [31:0]           ack_at;        // of a delayed ACK
    logic                  in_order;      // payload to accept begins at rcv_nxt
    logic                  ahead;         // it begins behind a gap
    logic [MAX_RANGES-1:0] joined;        // out-of-order ranges that in-order payload reaches
    logic [MAX_RANGES-1:0] inner;         // ranges that end behind it
    logic                  fin_here;      // the segment's FIN counts
    logic                  fin_rcvd;
    logic [31:0]           fin_seq;
    logic [31:0]           fin_next;      // fin_seq + 1
    logic                  fin_at_stop;   // fin_seq is the end of the payload
    logic [MAX_RANGES-1:0] fin_at_right;  // the end of a range
    logic                  fin_at_nxt;    // fin_seq == rcv_nxt
  } tcp_seg_facts_t;

  // What a received SYN, or a cookie for one, sets (kumi_tcp_syn_numbers).
  typedef struct packed {
    logic [15:0] mss;  // payload of a full segment
    logic [31:0] nxt;  // first sequence number after the SYN
    logic [31:0] adv;  // right edge of the window that this side's SYN advertises
  } tcp_syn_numbers_t;

  // Actions of an event outside of the session's state.
  typedef struct packed {
    logic             ends;         // the session ends
    tcp_reason_e      reason;
    logic             cmd;          // command to the receive side
    tcp_rx_cmd_t      rx;
    logic             opened;       // established: notify both sides
    logic             tx_space;     // space record to the transmit side
    logic             rst;          // answer with a RST of this number
    logic [31:0]      rst_seq;
    logic             enter_tw;     // TIME-WAIT begins
    logic             relookup;     // return the segment to the connection manager
    logic             rtt_sample;
    logic             reduce_cwnd;  // a timeout reduces the slow start threshold
    logic [WND_W-1:0] cubic_acked;  // bytes that let CUBIC's window grow
    logic             output_due;   // a segment may have to be sent
  } tcp_action_t;

  // Sums over a session's state that the output decision needs.
  typedef struct packed {
    logic [31:0] flight;  // snd_nxt - snd_una
    logic single;  // it is at most one segment
    logic signed [31:0] unsent;  // snd_end - snd_nxt; -1: FIN was sent
    logic signed [31:0] least;  // of these one segment at most
    logic signed [31:0] wnd_space;  // free space in the peer's window
    logic [31:0] adv_max;  // right edge that can be advertised
    logic [31:0] rcv_wnd;  // rcv_adv - rcv_nxt
    logic [31:0] rto_base;  // RTO without back-off and bounds
    logic [31:0] rtx_next;  // retransmitted or acknowledged up to here
  } tcp_snd_calc_t;

  // SACK scoreboard (RFC 6675): lost data and data in flight.
  typedef struct packed {
    logic                        enter_recovery;
    logic                        reduce;          // the congestion window, without recovery
    logic                        rtx_lost;        // retransmissions are lost, too
    logic [31:0]                 lost_end;        // unacknowledged data below it are lost
    logic [31:0]                 sent_above;      // bytes sent above lost_end
    logic [31:0]                 rtx_below;       // bytes retransmitted below lost_end
    logic [MAX_RANGES-1:0][31:0] sacked_part;     // thereof SACKed, by range
    logic signed [31:0]          pipe;            // bytes in flight
    logic                        rtx_valid;       // data to retransmit: rtx_from, rtx_to
    logic [31:0]                 rtx_from;
    logic [31:0]                 rtx_to;
    logic [31:0]                 hole;            // rtx_to - rtx_from
    logic [31:0]                 rest;            // snd_end - rtx_from
    logic                        rtx_first;       // first retransmission of this recovery
  } tcp_scoreboard_t;

  typedef struct packed {
    logic        valid;        // a decision was made
    logic        rst;
    logic        syn;
    logic        dupack;       // ACK without data that nothing may replace
    logic        rtx;
    logic        tlp_rtx;      // the last segment, as a tail loss probe
    logic        new_data;
    logic        probe;
    logic        ack;          // ACK that data may carry
    logic [31:0] seq;          // of rtx or new_data
    logic [15:0] len;
    logic        fin;
    logic [31:0] upto;         // seq after len and fin
    logic        pto;          // the timer is that of a tail loss probe
    logic [31:0] rtx_at;       // when it expires, if it begins now
    logic        wnd_blocked;  // data wait for the peer's window
    logic [31:0] adv;          // right edge to advertise
    logic [15:0] wnd;          // field of the header
  } tcp_output_t;

  // Pulses of one cycle. A hit raises exactly one of the first group. A miss raises exactly one of
  // the second, as does a hit_stale or hit_time_wait_reuse that is looked up again.
  typedef struct packed {
    logic hit_accepted;
    logic hit_stale;  // its session has ended
    logic hit_dropped;  // no ACK flag, RST outside the window, RST in TIME-WAIT, no timestamp
    logic hit_paws;
    logic hit_unacceptable;  // old, or beyond the window
    logic hit_challenged;
    logic hit_rate_limited;  // a challenge ACK was suppressed by its rate limit
    logic hit_reset;
    logic hit_bad_ack;  // in a handshake
    logic hit_syn_retransmit;
    logic hit_time_wait_reuse;
    logic miss_passive;
    logic miss_cookie_sent;
    logic miss_cookie_accepted;
    logic miss_reset_sent;
    logic miss_no_reply;  // no space for a stateless answer
    logic miss_ignored;  // RST, or the engine is disabled
    logic miss_relookup_hit;  // the tables had changed: it was a hit
    logic miss_refused;  // no session number or table entry free
    logic open_passive;
    logic open_active;
    logic open_failed;
    logic close_ok;
    logic close_reset;
    logic close_timeout;
    logic close_abort;
    logic close_handshake;  // the handshake did not complete
    logic session_freed;
    logic time_wait;
    logic time_wait_recycled;
    logic linger_timeout;
    logic rx_out_of_order;
    logic rx_ooo_full;  // all ranges in use: dropped
    logic rx_duplicate;
    logic rx_beyond_window;
    logic rx_dup_ack;
    logic tx_data;
    logic tx_retransmit;
    logic tx_ack;
    logic tx_rst;
    logic tx_probe;
    logic rto;
    logic fast_recovery;
    logic keepalive;
    logic data_ignored;  // the record of the transmit side does not fit the session
    logic tx_tlp;  // tail loss probe, beside tx_data or tx_retransmit
    logic tlp_loss;  // one repaired a loss: the congestion window is reduced
    logic ecn_ce;  // congestion experienced, with payload
    logic ecn_reduced;  // ECE reduces the congestion window
  } tcp_core_ev_t;

  // ---- arithmetic -----------------------------------------------------------------------------

  // a precedes b, modulo 2^32.
  function automatic logic is_before(input logic [31:0] a, input logic [31:0] b);
    return (a - b) >= 32'h8000_0000;
  endfunction

  function automatic logic [31:0] later(input logic [31:0] a, input logic [31:0] b);
    return is_before(a, b) ? b : a;
  endfunction

  // Greater than zero, as a signed number.
  function automatic logic positive(input logic [31:0] x);
    return !x[31] && x != '0;
  endfunction

  // a == b + 1, modulo 2^32, without a carry chain. a + ~b must be 0. If the bit below is 0, it
  // carries when a or ~b has it, and that carry must equal a ^ ~b.
  function automatic logic is_next(input logic [31:0] a, input logic [31:0] b);
    return ((a ^ ~b) ^ {a[30:0] | ~b[30:0], 1'b0}) == '0;
  endfunction

  // Window scale with which a window of RX_RING bytes fits into 16 bits.
  function automatic int ring_ws(input int ring);
    int ws;
    ws = 0;
    while ((ring >> ws) > 65535) ws++;
    return ws;
  endfunction

  // States that accept payload.
  function automatic logic receives(input tcp_state_e s);
    return s == ST_ESTAB || s == ST_FIN_WAIT1 || s == ST_FIN_WAIT2;
  endfunction

  // States with data or a FIN in flight or still to be sent.
  function automatic logic sends(input tcp_state_e s);
    return s == ST_ESTAB || s == ST_FIN_WAIT1 || s == ST_CLOSE_WAIT || s == ST_CLOSING ||
        s == ST_LAST_ACK;
  endfunction

  function automatic logic in_handshake(input tcp_state_e s);
    return s == ST_SYN_SENT || s == ST_SYN_RCVD;
  endfunction

  // End of the in-order payload: FIN occupies a sequence number, but no byte.
  function automatic logic [31:0] data_end(input tcb_t t);
    logic unused;
    unused = ^t;
    return t.fin_rcvd && is_next(t.rcv_nxt, t.fin_seq) ? t.fin_seq : t.rcv_nxt;
  endfunction

  // The session keeps the engine busy: a timer other than keep-alive or TIME-WAIT runs.
  function automatic logic keeps_busy(input tcb_t t);
    logic unused;
    unused = ^t;
    return t.rtx_on || t.ack_on || t.out_queued ||
        (t.misc_on && (t.state == ST_FIN_WAIT2 || t.state == ST_DRAIN));
  endfunction

  function automatic logic synchronized(input tcp_state_e s);
    return s != ST_FREE && s != ST_DRAIN && !in_handshake(s);
  endfunction

  // Applies the peer's SYN (received, or restored from a cookie): options, numbers, window.
  function automatic tcb_t apply_syn_options(input tcb_t t, input tcp_seg_t seg,
                                             input tcp_cfg_t cfg, input tcp_syn_numbers_t y);
    tcb_t n;
    logic unused;
    unused = ^{seg, cfg};
    n = t;
    n.ts_ok = cfg.use_ts && seg.opts.ts_valid;
    n.ws_ok = cfg.use_ws && seg.opts.ws_valid;
    n.sack_ok = cfg.use_sack && seg.opts.sack_ok;
    // An ECN-setup SYN, or SYN-ACK (RFC 3168, 6.1.1); a cookie does not carry it.
    n.ecn_ok = seg.flags.ece && (seg.flags.ack ? t.ecn_asked && !seg.flags.cwr :
        cfg.ecn != '0 && seg.flags.cwr);
    n.snd_ws = !n.ws_ok ? 4'd0 : seg.opts.ws > 4'd14 ? 4'd14 : seg.opts.ws;
    n.mss = y.mss;
    n.iw_pending = 1'b1;
    n.ssthresh = '1;
    n.rcv_nxt = y.nxt;
    n.rcv_read = y.nxt;
    n.last_ack_sent = y.nxt;
    n.rcv_adv = y.adv;
    n.ts_recent = seg.opts.ts_val;
    n.snd_wnd = WND_W'(seg.wnd);
    n.snd_wnd_max = WND_W'(seg.wnd);
    n.snd_wl1 = seg.seq;
    n.snd_wl2 = n.snd_una;
    return n;
  endfunction

  // Ends the session. It drains until the receive side has released it.
  function automatic tcb_t finish(input tcb_t t, input logic [31:0] linger_at);
    tcb_t n;
    n = t;
    n.state = ST_DRAIN;
    n.released = t.released || !t.app_notified;
    n.syn_pending = 1'b0;
    n.probe_pending = 1'b0;
    n.tlp_pending = 1'b0;
    n.ack_now = 1'b0;
    n.dupacks_owed = '0;
    n.ooo_ranges = '0;
    n.sacked = '0;
    n.recovery = RECOVERY_NONE;
    n.rtx_on = 1'b0;
    n.idle_on = 1'b0;
    n.ack_on = 1'b0;
    n.misc_on = !n.released;
    n.misc_at = linger_at;
    return n;
  endfunction
endpackage
