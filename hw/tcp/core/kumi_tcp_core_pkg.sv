// SPDX-License-Identifier: Apache-2.0
//
// State of a session (the TCB of RFC 9293, 3.3.1), events, and what the steps of kumi_tcp_core hand
// to each other.
package kumi_tcp_core_pkg;
  import kumi_tcp_pkg::*;

  localparam int LIST = SACKS;  // entries of a list of ranges
  localparam int WND_W = 30;  // largest scaled window, RFC 7323
  localparam int TS_SHIFT = 10;  // a tick of the timestamp clock is 1024 us
  localparam logic [15:0] MIN_MSS = 16'd88;  // a smaller one of the peer's is taken as this

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
    ST_GONE       = 4'd10  // over; the application has not taken all yet
  } tcp_state_e;

  typedef struct packed {
    logic        valid;
    logic [31:0] left;
    logic [31:0] right;
  } tcp_seq_range_t;

  typedef tcp_seq_range_t [LIST-1:0] tcp_seq_ranges_t;  // [0] is the newest

  typedef enum logic [1:0] {
    LOSS_NONE = 2'd0,
    LOSS_FAST = 2'd1,  // fast recovery, RFC 6582 and 6675
    LOSS_RTO  = 2'd2   // after a time-out: all that is not selectively acknowledged goes again
  } tcp_recovery_e;

  typedef struct packed {
    tcp_state_e       state;
    tcp_tuple_t       tuple;
    logic             passive;
    logic             told;        // the application side knows of it
    logic             queued;      // has an entry in the queue of senders
    logic             tw_queued;   // has an entry in the queue of TIME_WAIT
    logic             released;    // the receive side is done with it
    logic             forgot;      // the receive side was told to give up what is unread
    logic             want_rst;
    logic             want_syn;
    logic             want_probe;
    // options
    logic             ts_ok;
    logic             ws_ok;
    logic             sack_ok;
    logic [3:0]       snd_ws;
    logic [15:0]      mss;         // payload of a full segment sent
    // receiving
    logic [31:0]      rcv_nxt;
    logic [31:0]      rcv_read;    // the application has read so far
    logic [31:0]      rcv_adv;     // right edge of the window as offered
    logic [31:0]      rcv_acked;   // last ACK sent
    logic [31:0]      ts_recent;
    logic             fin_known;   // FIN came, maybe ahead of a gap
    logic [31:0]      fin_at;
    tcp_seq_ranges_t            gaps;        // received ahead of a gap
    logic             ack_half;    // one segment came since the last ACK
    logic             ack_now;
    logic [3:0]       dups;        // duplicate ACKs owed
    // sending
    logic [31:0]      una;
    logic [31:0]      nxt;
    logic [31:0]      tail;        // end of what the application has written
    logic             fin;         // the application has closed: FIN at tail
    logic [WND_W-1:0] wnd;
    logic [WND_W-1:0] max_wnd;
    logic [31:0]      wl1;
    logic [31:0]      wl2;
    tcp_seq_ranges_t            sacked;
    // loss and congestion
    tcp_recovery_e        loss;
    logic [31:0]      recover;
    logic [31:0]      hi_rtx;      // sent again so far
    logic [1:0]       dup_cnt;
    logic [WND_W-1:0] dup_bytes;   // left the network by count of duplicate ACKs; without SACK
    logic             first_wnd;   // cwnd is still to be set to its initial value
    logic [WND_W-1:0] cwnd;
    logic [WND_W-1:0] ssthresh;
    logic [WND_W-1:0] acc;         // bytes acknowledged since cwnd grew
    // time
    logic             rtt_known;
    logic             rtt_on;      // a segment is being timed
    logic [31:0]      rtt_seq;
    logic [31:0]      rtt_at;
    logic [27:0]      srtt;        // us, times 8
    logic [27:0]      rttvar;      // us, times 4
    logic [3:0]       backoff;
    logic [3:0]       tries;
    logic             rtx_on;      // retransmission or persist
    logic [31:0]      rtx_at;
    logic             ack_on;      // delayed ACK
    logic [31:0]      ack_at;
    logic             misc_on;     // keep-alive, FIN-WAIT-2, TIME-WAIT, linger
    logic [31:0]      misc_at;
    logic [6:0]       chal_slot;   // challenge ACKs: slot of time and count in it
    logic [2:0]       chal_cnt;
  } tcb_t;

  // ---- events of a session ----------------------------------------------------------------------

  typedef enum logic [3:0] {
    EV_FOUND   = 4'd0,
    EV_DATA    = 4'd1,  // the application has written, or closes
    EV_READ    = 4'd2,  // the application has read
    EV_SEND    = 4'd3,  // its turn in the queue of senders
    EV_TIMER   = 4'd4,
    EV_PASSIVE = 4'd5,  // a SYN for an open port
    EV_COOKIE  = 4'd6,  // an ACK that brings a SYN cookie back
    EV_ACTIVE  = 4'd7,  // the application opens
    EV_RECYCLE = 4'd8,  // its number is wanted if it is in TIME_WAIT
    EV_ROOT    = 4'd9   // CUBIC's K is known
  } tcp_event_e;

  // EV_DATA and EV_READ use seq, fin (closes; released) and rst (aborts) of the segment; EV_ROOT
  // seq (K) and iss (the stage that it is for).
  typedef struct packed {
    tcp_event_e       kind;
    logic [SID_W-1:0] sid;
    tcp_seg_t         seg;
    logic [31:0]      iss;
  } tcp_event_t;

  // A segment that is to be looked up again.
  typedef struct packed {
    tcp_seg_t    seg;
    logic [31:0] iss;    // no initial number before this, if floor
    logic        floor;
  } tcp_relookup_t;

  // From the admission to the processor.
  typedef tcp_event_t tcp_inject_t;

  // ---- between the steps ------------------------------------------------------------------------

  // Differences of a segment's numbers and a session's, signed.
  typedef struct packed {
    logic               own;       // the segment belongs to this session
    logic signed [31:0] d_seq;     // seq - rcv_nxt
    logic signed [31:0] d_end;     // end of its sequence space - rcv_nxt
    logic signed [31:0] d_adv;     // rcv_adv - seq
    logic signed [31:0] d_cut;     // end of its payload - rcv_adv
    logic               space;     // it takes sequence space
    logic signed [31:0] d_ack;     // ack - una
    logic signed [31:0] d_nxt;     // nxt - ack
    logic signed [31:0] d_wl1;     // seq - wl1
    logic signed [31:0] d_wl2;     // ack - wl2
    logic signed [31:0] d_ts;      // ts_val - ts_recent
    logic signed [31:0] d_acked;   // rcv_acked - seq
    logic signed [31:0] d_rec;     // ack - recover
    logic signed [31:0] d_rtt;     // ack - rtt_seq
    logic [31:0]        rtt_age;
    logic [WND_W-1:0]   wnd;       // scaled
    logic [31:0]        end_data;  // end of its payload
  } tcp_seg_diff_t;

  typedef enum logic [3:0] {
    V_STALE     = 4'd0,  // the session is another or over
    V_DROP      = 4'd1,
    V_ACK       = 4'd2,  // not acceptable: say what is expected
    V_CHALLENGE = 4'd3,  // RFC 5961
    V_RESET     = 4'd4,  // RST that ends the session
    V_RST       = 4'd5,  // acknowledges what was never sent, in a handshake
    V_TAKE      = 4'd6,
    V_SYN_AGAIN = 4'd7,  // the peer's SYN once more: it did not get ours
    V_OPEN      = 4'd8,  // SYN, ACK for our SYN
    V_CROSS     = 4'd9,  // SYN for our SYN: simultaneous open
    V_REUSE     = 4'd10  // a new connection on one in TIME_WAIT
  } tcp_verdict_e;

  typedef struct packed {
    tcp_verdict_e v;
    logic         paws;
    logic         allowed;  // rate of challenge ACKs permits one
    logic [15:0]  skip;     // payload: left out at its start
    logic [15:0]  len;      // then taken
    logic [31:0]  start;    // at this number
    logic [31:0]  stop;
    logic         cut;      // payload beyond the window
  } tcp_seg_check_t;

  // What the work of an event causes outside of the session's state.
  typedef struct packed {
    logic             over;      // the session ends
    tcp_reason_e      reason;
    logic             cmd;       // command to the receive side, without its end
    tcp_rx_cmd_t      rx;
    logic             opened;    // established: tell both sides
    logic             room;      // tell the transmit side
    logic             rst;       // answer with a RST of this number
    logic [31:0]      rst_seq;
    logic             enter_tw;  // TIME_WAIT begins
    logic             again;     // hand the segment to the admission once more
    logic sample;                // of the round trip
    logic [31:0]      rtt;
    logic             dupack;    // look for losses
    logic             cut;       // a time-out cuts the congestion window
    logic [WND_W-1:0] acked;     // bytes that let CUBIC's window grow
    logic             reply;     // a segment may be due
  } tcp_action_t;

  // Sums over a session's state that planning needs.
  typedef struct packed {
    logic [31:0]               flight;   // nxt - una
    logic signed [31:0]        avail;    // tail - nxt; -1 when FIN is sent
    logic signed [31:0]        space;    // room in the peer's window
    logic [31:0]               cand;     // right edge that could be offered
    logic [31:0]               offered;  // rcv_adv - rcv_nxt
    logic [31:0]               rto;      // without back-off and limits
    logic [LIST-1:0][31:0]     size;     // bytes in each sacked range
    logic [LIST-1:0][31:0]     above;    // bytes in sacked ranges from this one up
    logic [LIST-1:0][LIST-1:0] up;       // [i][k]: range k begins where i begins, or above it
    logic [31:0]               again;    // sent again, or acknowledged, up to here
  } tcp_snd_calc_t;

  // What was lost, and what is still in the network.
  typedef struct packed {
    logic                  entered;  // a recovery begins
    logic                  twice;    // what was sent again is lost, too
    logic [31:0]           lost;     // what is not acknowledged below it is lost
    logic [31:0]           high;     // bytes sent above it
    logic [31:0]           again;    // bytes sent again below it
    logic [LIST-1:0][31:0] sub;      // thereof acknowledged selectively, by range
    logic signed [31:0]    pipe;     // bytes in the network
    logic                  hole;     // something is to be sent again: from, to
    logic [31:0] from;
    logic [31:0]           to;
    logic                  first;    // of this recovery
  } tcp_scoreboard_t;

  typedef struct packed {
    logic        rst;
    logic        syn;
    logic        bare;     // ACK without data that nothing may replace
    logic        rtx;
    logic        fresh;    // new data
    logic        probe;
    logic        ack;      // ACK that data may carry
    logic [31:0] seq;      // of rtx or fresh
    logic [15:0] len;
    logic        fin;
    logic        blocked;  // data wait for the peer's window
    logic [31:0] adv;      // right edge to offer
    logic [15:0] wnd;      // field of the header
  } tcp_output_t;

  // One pulse each. A hit has exactly one of the first group. A miss has exactly one of the second,
  // and so has a hit_stale or hit_time_wait_reuse that is looked up again.
  typedef struct packed {
    logic hit_accepted;
    logic hit_stale;          // its session is over
    logic hit_dropped;        // no ACK flag, RST out of the window, RST in TIME_WAIT, no timestamp
    logic hit_paws;
    logic hit_unacceptable;            // not acceptable: old, or beyond the window
    logic hit_challenged;
    logic hit_rate_limited;        // would have been challenged
    logic hit_reset;
    logic hit_bad_ack;        // in a handshake
    logic hit_syn_retransmit;
    logic hit_time_wait_reuse;          // of TIME_WAIT
    logic miss_passive;
    logic miss_cookie_sent;
    logic miss_cookie_accepted;
    logic miss_reset_sent;
    logic miss_no_reply;      // no room for a stateless answer
    logic miss_ignored;       // RST, or the engine is off
    logic miss_relookup_hit;         // the tables had changed: it was a hit
    logic miss_refused;       // no session free, or no room in the table
    logic open_passive;
    logic open_active;
    logic open_failed;
    logic close_ok;
    logic close_reset;
    logic close_timeout;
    logic close_abort;
    logic close_handshake;        // a handshake that did not complete
    logic session_freed;
    logic time_wait;
    logic recycled;
    logic forgotten;          // linger time-out
    logic rx_out_of_order;           // payload ahead of a gap
    logic rx_ooo_full;          // all ranges in use: dropped
    logic rx_duplicate;        // payload that is already there
    logic rx_beyond_window;          // payload beyond the window
    logic rx_dup_ack;
    logic tx_data;
    logic tx_again;
    logic tx_ack;
    logic tx_rst;
    logic tx_probe;
    logic rto;
    logic fast_recovery;
    logic keepalive;
    logic data_ignored;       // the writer's record does not fit the session
  } tcp_core_ev_t;

  // ---- arithmetic -------------------------------------------------------------------------------

  // a comes before b, modulo 2^32.
  function automatic logic is_before(input logic [31:0] a, input logic [31:0] b);
    return (a - b) >= 32'h8000_0000;
  endfunction

  function automatic logic [31:0] later(input logic [31:0] a, input logic [31:0] b);
    return is_before(a, b) ? b : a;
  endfunction

  // Bits that the window is shifted by, so that RX_RING fits into 16.
  function automatic int ring_ws(input int ring);
    int ws;
    ws = 0;
    while ((ring >> ws) > 65535) ws++;
    return ws;
  endfunction

  // States in which payload of the peer is taken.
  function automatic logic receives(input tcp_state_e s);
    return s == ST_ESTAB || s == ST_FIN_WAIT1 || s == ST_FIN_WAIT2;
  endfunction

  // States in which something can be on its way to the peer, or still has to go.
  function automatic logic sends(input tcp_state_e s);
    return s == ST_ESTAB || s == ST_FIN_WAIT1 || s == ST_CLOSE_WAIT || s == ST_CLOSING ||
        s == ST_LAST_ACK;
  endfunction

  function automatic logic opening(input tcp_state_e s);
    return s == ST_SYN_SENT || s == ST_SYN_RCVD;
  endfunction

  // End of the payload that is in order: FIN takes a number, but no byte.
  function automatic logic [31:0] data_end(input tcb_t t);
    logic unused;
    unused = ^t;
    return t.fin_known && t.rcv_nxt == t.fin_at + 32'd1 ? t.fin_at : t.rcv_nxt;
  endfunction

  // A timer runs that the engine must not sleep over.
  function automatic logic matters(input tcb_t t);
    logic unused;
    unused = ^t;
    return t.rtx_on || t.ack_on || t.queued ||
        (t.misc_on && (t.state == ST_FIN_WAIT2 || t.state == ST_GONE));
  endfunction

  function automatic logic synced(input tcp_state_e s);
    return s != ST_FREE && s != ST_GONE && !opening(s);
  endfunction

  // What the peer's SYN settles (its SYN, or what a cookie has kept of it). `wnd0` is the window
  // that a SYN of this side offers.
  function automatic tcb_t hello(input tcb_t t, input tcp_seg_t seg, input tcp_cfg_t cfg,
                                 input logic [31:0] wnd0);
    tcb_t n;
    logic [15:0] mss;
    logic unused;
    unused = ^{seg, cfg};
    n = t;
    n.ts_ok = cfg.use_ts && seg.opts.ts_valid;
    n.ws_ok = cfg.use_ws && seg.opts.ws_valid;
    n.sack_ok = cfg.use_sack && seg.opts.sack_ok;
    n.snd_ws = !n.ws_ok ? 4'd0 : seg.opts.ws > 4'd14 ? 4'd14 : seg.opts.ws;
    mss = !seg.opts.mss_valid ? 16'd536 : seg.opts.mss < MIN_MSS ? MIN_MSS : seg.opts.mss;
    mss = mss < cfg.mss ? mss : cfg.mss;
    n.mss = n.ts_ok ? mss - 16'd12 : mss;
    n.first_wnd = 1'b1;
    n.ssthresh = '1;
    n.rcv_nxt = seg.seq + 32'd1;
    n.rcv_read = n.rcv_nxt;
    n.rcv_acked = n.rcv_nxt;
    n.rcv_adv = n.rcv_nxt + wnd0;
    n.ts_recent = seg.opts.ts_val;
    n.wnd = WND_W'(seg.wnd);
    n.max_wnd = WND_W'(seg.wnd);
    n.wl1 = seg.seq;
    n.wl2 = n.una;
    return n;
  endfunction

  // The session ends. What is left: the receive side's word that all was read (`released`).
  function automatic tcb_t finish(input tcb_t t, input tcp_cfg_t cfg, input logic [31:0] now_us);
    tcb_t n;
    logic unused;
    unused = ^cfg;
    n = t;
    n.state = ST_GONE;
    n.released = t.released || !t.told;
    n.want_syn = 1'b0;
    n.want_probe = 1'b0;
    n.ack_now = 1'b0;
    n.dups = '0;
    n.gaps = '0;
    n.sacked = '0;
    n.loss = LOSS_NONE;
    n.rtx_on = 1'b0;
    n.ack_on = 1'b0;
    n.misc_on = !n.released;
    n.misc_at = now_us + cfg.linger;
    return n;
  endfunction
endpackage
