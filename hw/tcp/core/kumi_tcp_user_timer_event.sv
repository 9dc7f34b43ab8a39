// SPDX-License-Identifier: Apache-2.0
//
// Stage of events that are not received segments (user calls, timers): the new state of the
// session. Combinational.
//
// EV_DATA: the application has written up to seg.seq, closes (fin) or aborts (rst). A record
//   outside of what the ring can hold belongs to an earlier session and is ignored.
// EV_READ: the application has read up to seg.seq; fin: the receive side has released the session.
//   FIN-WAIT-2 and the linger time do not end while it reads.
// EV_TIMER: expired timers: retransmission (RFC 6298, 5), tail loss probe (RFC 8985, 7.3),
//   zero-window probe (RFC 9293, 3.8.6.1), delayed ACK, keep-alive (3.8.4), FIN-WAIT-2, TIME-WAIT,
//   linger; and the end of an idle time after which the congestion window starts again (RFC 5681,
//   4.1).
// EV_PASSIVE, EV_COOKIE, EV_ACTIVE: a session begins. EV_RECYCLE: ends a session in TIME-WAIT.
// EV_SEND: turn in the output queue, no change. EV_CUBIC_K: handled by kumi_tcp_cc_cubic.
module kumi_tcp_user_timer_event
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int TX_RING = 65536,
    parameter int RX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input tcp_long_times_t at,
    input logic [31:0] now_us,
    input logic [31:0] now_long,  // ticks of 256 us
    input tcb_t t,
    input tcp_event_t e,
    output tcb_t n,
    output tcp_action_t w,
    output tcp_core_ev_t ev
);
  // ---- first cycle ----------------------------------------------------------------------------

  tcp_syn_numbers_t y;
  kumi_tcp_syn_numbers #(
      .RX_RING(RX_RING)
  ) u_syn (
      .clk,
      .cfg,
      .seg(e.seg),
      .y
  );

  logic ahead_q, read_new_q, rtx_past_q, ack_past_q, misc_past_q, in_flight_q, more_q;
  logic [31:0] beyond_q, iss_next_q, rtx_at_q;
  always_ff @(posedge clk) begin
    ahead_q <= !is_before(e.seg.seq, t.snd_end);
    beyond_q <= e.seg.seq - t.snd_una;
    read_new_q <= is_before(t.rcv_read, e.seg.seq) && !is_before(t.rcv_nxt, e.seg.seq);
    rtx_past_q <= !is_before(now_us, t.rtx_at);
    ack_past_q <= !is_before(now_us, t.ack_at);
    misc_past_q <= !is_before(now_long, t.misc_at);
    in_flight_q <= t.snd_nxt != t.snd_una;
    more_q <= t.snd_end != t.snd_nxt && !is_next(t.snd_nxt, t.snd_end);  // unsent data
    iss_next_q <= e.iss + 32'd1;
    rtx_at_q <= now_us + cfg.rto_min;
  end

  // ---- second cycle ---------------------------------------------------------------------------

  logic fits, rtx_due, idle_due, ack_due, misc_due;
  logic [3:0] limit;
  assign fits = t.app_notified && synchronized(
      t.state
  ) && t.state != ST_TIME_WAIT && ahead_q && beyond_q <= TX_RING;
  assign rtx_due = t.rtx_on && rtx_past_q;
  assign idle_due = t.idle_on && rtx_past_q;
  assign ack_due = t.ack_on && ack_past_q;
  assign misc_due = t.misc_on && misc_past_q;
  assign limit = in_handshake(t.state) ? cfg.syn_retries : cfg.retries;

  // A new session; only its queue entries carry over.
  tcb_t blank;
  always_comb begin
    blank = '0;
    blank.out_queued = t.out_queued;
    blank.tw_queued = t.tw_queued;
    blank.tuple = e.seg.tuple;
    blank.snd_una = e.iss;
    blank.snd_nxt = e.iss;
    blank.snd_end = iss_next_q;
    blank.high_rxt = e.iss;
    blank.recover = e.iss;
    blank.ecn_recover = e.iss;
    blank.cwnd = '1;
  end

  always_comb begin
    n = t;
    w = '0;
    ev = '0;
    w.output_due = 1'b1;
    w.rx.tuple = t.tuple;

    unique case (e.kind)
      EV_DATA: begin
        if (!fits) begin
          ev.data_ignored = 1'b1;
          w.output_due = 1'b0;
        end else if (e.seg.flags.rst) begin
          n.rst_pending = 1'b1;
          w.ends = 1'b1;
          w.reason = TCP_ABORTED;
        end else if (!t.snd_fin) begin
          n.snd_end = e.seg.seq;
          n.snd_fin = e.seg.flags.fin;
          if (e.seg.flags.fin) begin
            n.state   = t.state == ST_ESTAB ? ST_FIN_WAIT1 : ST_LAST_ACK;
            n.misc_on = 1'b0;
          end
        end
      end

      EV_READ: begin
        w.output_due = receives(t.state);
        if (t.app_notified && read_new_q) begin
          n.rcv_read = e.seg.seq;
          if (t.state == ST_FIN_WAIT2) n.misc_at = at.fin_wait;
          if (t.state == ST_DRAIN) n.misc_at = at.linger;
        end
        if (e.seg.flags.fin && t.app_notified) begin
          n.released = 1'b1;
          if (t.state == ST_DRAIN) n.misc_on = 1'b0;
        end
      end

      EV_TIMER: begin
        if (ack_due) begin
          n.ack_on  = 1'b0;
          n.ack_now = 1'b1;
        end
        if (idle_due) begin
          // The deadline was that of a probe, less than the RTO.
          n.tlp_on = 1'b0;
          if (t.tlp_on) begin
            n.rtx_at = rtx_at_q;
          end else begin
            n.idle_on = 1'b0;
            n.iw_pending = 1'b1;
          end
        end
        if (rtx_due && t.tlp_on) begin
          n.rtx_on = 1'b0;
          n.tlp_on = 1'b0;
          n.tlp_pending = in_flight_q;
        end else if (rtx_due) begin
          n.rtx_on = 1'b0;
          n.rtt_timing = 1'b0;
          if (t.backoff != '1) n.backoff = t.backoff + 1'b1;
          if (t.rtx_count >= limit) begin
            w.ends   = 1'b1;
            w.reason = t.state == ST_SYN_SENT ? TCP_UNREACHABLE : TCP_TIMEOUT;
          end else if (in_flight_q) begin
            ev.rto = 1'b1;
            n.rtx_count = t.rtx_count + 1'b1;
            n.syn_pending = in_handshake(t.state);
            if (!in_handshake(t.state)) begin
              n.recovery = RECOVERY_RTO;
              n.tlp_pending = 1'b0;
              n.tlp_out = 1'b0;
              n.ecn_cwr = t.ecn_ok;
              n.ecn_recover = t.snd_nxt;
              n.recover = t.snd_nxt;
              n.high_rxt = t.snd_una;
              n.dupacks = '0;
              n.dupack_bytes = '0;
              n.cwnd = WND_W'(t.mss);
              n.bytes_acked = '0;
              w.reduce_cwnd = t.backoff == '0;
              if (!w.reduce_cwnd) n.sacked = '0;  // the receiver may have reneged: RFC 2018, 8
            end
          end else if (more_q || t.snd_fin) begin
            n.rtx_count = t.rtx_count + 1'b1;
            n.probe_pending = 1'b1;
          end
        end
        if (misc_due) begin
          unique case (t.state)
            ST_ESTAB, ST_CLOSE_WAIT: begin
              n.misc_at = at.keep_interval;
              if (in_flight_q || more_q) begin
                n.misc_at = at.keep_idle;
              end else if (t.rtx_count >= cfg.keep_probes) begin
                n.rst_pending = 1'b1;
                w.ends = 1'b1;
                w.reason = TCP_TIMEOUT;
              end else begin
                n.rtx_count = t.rtx_count + 1'b1;
                n.probe_pending = 1'b1;
                ev.keepalive = 1'b1;
              end
            end
            ST_FIN_WAIT2: begin
              w.ends   = 1'b1;
              w.reason = TCP_TIMEOUT;
            end
            ST_TIME_WAIT: begin
              w.ends   = 1'b1;
              w.reason = TCP_CLOSED;
            end
            ST_DRAIN: begin
              ev.linger_timeout = !t.rx_discard_sent;
              n.misc_on = 1'b0;
              n.rx_discard_sent = 1'b1;
              w.cmd = !t.rx_discard_sent;
              w.rx.notify = 1'b1;
              w.rx.discard = 1'b1;
            end
            default: n.misc_on = 1'b0;
          endcase
        end
      end

      EV_PASSIVE: begin
        n = apply_syn_options(blank, e.seg, cfg, y);
        n.state = ST_SYN_RCVD;
        n.passive = 1'b1;
        n.syn_pending = 1'b1;
      end

      // The segment's numbers are those of the SYN, one before those of the ACK.
      EV_COOKIE: begin
        n = apply_syn_options(blank, e.seg, cfg, y);
        n.snd_una = iss_next_q;
        n.snd_nxt = iss_next_q;
        n.state = ST_ESTAB;
        n.passive = 1'b1;
        n.app_notified = 1'b1;
        n.snd_wnd = WND_W'(e.seg.wnd) << n.snd_ws;
        n.snd_wnd_max = n.snd_wnd;
        n.misc_on = cfg.keep_idle != '0;
        n.misc_at = at.keep_idle;
        w.opened = 1'b1;
        w.tx_space = 1'b1;
      end

      EV_ACTIVE: begin
        n = blank;
        n.state = ST_SYN_SENT;
        n.syn_pending = 1'b1;
      end

      EV_RECYCLE: begin
        w.output_due = 1'b0;
        n.tw_queued  = 1'b0;
        if (t.state == ST_TIME_WAIT) begin
          ev.time_wait_recycled = t.released;
          w.ends = t.released;
          w.reason = TCP_CLOSED;
          w.enter_tw = !t.released;  // back to the tail of the queue
        end
      end

      EV_CUBIC_K: w.output_due = 1'b0;

      default: ;
    endcase
  end

  logic unused;
  assign unused = ^{cfg, at, e};
endmodule
