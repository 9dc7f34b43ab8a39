// SPDX-License-Identifier: Apache-2.0
//
// Stage 3 of a received segment: the new state of the session. Combinational.
//
// ACK: snd_una, window (RFC 9293, 3.10.7.4), congestion window, duplicate ACK count; later stages
//   detect losses. Payload: in-order data advance rcv_nxt past the ranges they join, out-of-order
//   data become a range. A FIN counts once all data before it have arrived, even if it was received
//   out of order. An ACK is sent immediately for out-of-order data, data that fill a gap, and a
//   FIN; else for every second segment, or after cfg.ack_delay (RFC 5681, 4.2).
// w: commands and notifications. Each segment with payload yields one command with `frame`,
//   whatever the verdict.
module kumi_tcp_seg_process
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int TX_RING = 65536,
    parameter int RX_RING = 65536,
    parameter int OOO_RANGES = 4,
    parameter bit CUBIC = 1'b0
) (
    input tcp_cfg_t cfg,
    input tcp_long_times_t long_times,
    input logic [31:0] now_us,
    input logic [31:0] now_long,  // ticks of 256 us
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input tcp_seg_check_t j,
    output tcb_t n,
    output tcp_action_t w,
    output tcp_core_ev_t ev
);
  localparam logic [31:0] SYN_WND = RX_RING > 65535 ? 32'd65535 : RX_RING;

  logic reports;  // SACK reports data beyond the ACK, not only a duplicate (RFC 2883)
  assign reports = seg.opts.sacks != '0 && is_before(seg.ack, seg.opts.sack[0].left);

  logic ack_new, fin_acked, dup, in_order, ahead, wnd_new;
  logic [WND_W-1:0] grown, bytes_acked_next, deflated;
  tcp_seq_ranges_t ranges_merged;
  logic ranges_full;

  assign ack_new = c.d_ack > 0;
  assign fin_acked = t.snd_fin && ack_new && c.d_nxt == 0 && t.snd_nxt == t.snd_end + 32'd1;
  assign wnd_new = c.d_wl1 > 0 || (c.d_wl1 == 0 && c.d_wl2 >= 0);
  assign dup = c.d_ack == 0 && seg.len == '0 && !seg.flags.fin && t.snd_una != t.snd_nxt &&
      (t.sack_ok ? reports : c.wnd == t.snd_wnd);

  // CUBIC's window grows in a later stage (kumi_tcp_cc_cubic).
  logic cubic;
  assign cubic = CUBIC && cfg.use_cubic;

  kumi_tcp_cc_newreno #(
      .MAX_WND(TX_RING)
  ) u_cc (
      .cwnd(t.cwnd),
      .ssthresh(t.ssthresh),
      .bytes_acked(t.bytes_acked),
      .mss(t.mss),
      .acked(WND_W'(c.d_ack)),
      .grown,
      .bytes_acked_next
  );

  kumi_tcp_range_list #(
      .OOO_RANGES(OOO_RANGES)
  ) u_ooo_ranges (
      .list (t.ooo_ranges),
      .left (j.start),
      .right(j.stop),
      .next (ranges_merged),
      .full (ranges_full)
  );

  tcp_state_e acked;  // state after the ACK, before the payload
  always_comb begin
    acked = t.state;
    if (t.state == ST_SYN_RCVD) acked = ST_ESTAB;
    if (fin_acked && t.state == ST_FIN_WAIT1) acked = ST_FIN_WAIT2;
    if (fin_acked && t.state == ST_CLOSING) acked = ST_TIME_WAIT;
  end

  logic tlp_end, tlp_loss, ece, ecn_reduced, ce, echo, echo_now;
  kumi_tcp_congestion_signals u_signals (
      .payload(receives(acked)),
      .*  // t, seg, c, reports and what follows from them
  );

  // A partial ACK deflates the count by the bytes acknowledged, less one segment (RFC 6582).
  always_comb begin
    deflated = '0;
    if (t.dupack_bytes + WND_W'(t.mss) > WND_W'(c.d_ack)) begin
      deflated = t.dupack_bytes + WND_W'(t.mss) - WND_W'(c.d_ack);
    end
  end

  // Sequence number of the peer's FIN: known before, or from this segment.
  logic fin_here, fin_rcvd;
  logic [31:0] fin_seq;
  assign fin_here = receives(
      acked
  ) && !seg.flags.syn && !t.fin_rcvd && seg.flags.fin && !j.beyond_window;
  assign fin_rcvd = t.fin_rcvd || fin_here;
  assign fin_seq = fin_here ? c.end_data : t.fin_seq;

  // In-order payload advances the edge to its end or, if that lies in a range, to the range's end.
  // All candidates are compared with fin_seq in parallel, not after the selection.
  logic [31:0] edge_nxt;
  tcp_seq_ranges_t ranges_left;
  logic touched, edge_fin;
  always_comb begin
    edge_nxt = j.stop;
    edge_fin = fin_seq == j.stop;
    ranges_left = t.ooo_ranges;
    touched = 1'b0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (t.ooo_ranges[i].valid && !is_before(j.stop, t.ooo_ranges[i].left)) begin
        touched = 1'b1;
        ranges_left[i].valid = 1'b0;
        if (is_before(j.stop, t.ooo_ranges[i].right)) begin
          edge_nxt = t.ooo_ranges[i].right;
          edge_fin = fin_seq == t.ooo_ranges[i].right;
        end
      end
    end
  end

  tcp_state_e state;
  logic [31:0] rcv_nxt;
  logic fin_now;

  always_comb begin
    n = t;
    w = '0;
    ev = '0;
    w.output_due = 1'b1;
    state = t.state;
    in_order = 1'b0;
    ahead = 1'b0;
    fin_now = 1'b0;
    rcv_nxt = t.rcv_nxt;
    w.rx.sid = '0;
    w.rx.tuple = t.tuple;
    w.cmd = seg.len != '0;
    w.rx.frame = w.cmd;

    unique case (j.verdict)
      SEG_ACCEPT: begin
        ev.hit_accepted = 1'b1;
        // ---- ACK
        state = acked;
        if (t.state == ST_SYN_RCVD) begin
          n.app_notified = 1'b1;
          n.syn_pending = 1'b0;
          w.opened = 1'b1;
          w.tx_space = 1'b1;
          // RFC 5681, 3.1: a window of one segment after a lost SYN or SYN-ACK.
          if (t.rtx_count != '0) begin
            n.iw_pending = 1'b0;
            n.cwnd = WND_W'(t.mss);
          end
        end
        if (ack_new) begin
          n.snd_una = seg.ack;
          n.backoff = '0;
          n.rtx_on = 1'b0;
          n.idle_on = 1'b1;  // until data are in flight again
          n.dupacks = '0;
          n.tlp_pending = 1'b0;
          w.tx_space = 1'b1;
          // Keep it close behind, or it would appear ahead after 2^31 bytes.
          if (t.recovery == RECOVERY_NONE && c.d_recover > 0) n.recover = t.snd_una;
          if (c.d_ecn > 0) n.ecn_recover = t.snd_una;
          if (is_before(t.high_rxt, seg.ack)) n.high_rxt = seg.ack;
          if (t.rtt_timing && c.d_rtt >= 0) begin
            n.rtt_timing = 1'b0;
            w.rtt_sample = 1'b1;
            w.rtt = c.rtt_age;
          end
          for (int i = 0; i < MAX_RANGES; i++) begin
            if (!is_before(seg.ack, t.sacked[i].left)) n.sacked[i].valid = 1'b0;
          end
          if (!in_handshake(t.state)) begin
            if (t.recovery == RECOVERY_FAST) begin
              n.dupack_bytes = deflated;
            end else begin
              n.dupack_bytes = '0;
              // RFC 3168, 6.1.2: it does not grow with ECE.
              if (cubic) begin
                w.cubic_acked = ece ? '0 : WND_W'(c.d_ack);
              end else if (!ece) begin
                n.cwnd = grown;
                n.bytes_acked = bytes_acked_next;
              end
            end
          end
          if (t.recovery != RECOVERY_NONE && c.d_recover >= 0) begin
            n.recovery = RECOVERY_NONE;
            n.dupack_bytes = '0;
            if (t.recovery == RECOVERY_FAST) begin
              n.cwnd = t.ssthresh;
              n.bytes_acked = '0;
            end
          end
        end else if (dup) begin
          ev.rx_dup_ack = 1'b1;
          if (t.dupacks != '1) n.dupacks = t.dupacks + 1'b1;
          if (!t.sack_ok && t.dupack_bytes < WND_W'(TX_RING)) begin
            n.dupack_bytes = t.dupack_bytes + WND_W'(t.mss);
          end
        end
        if (tlp_end) n.tlp_out = 1'b0;
        if (tlp_loss || ecn_reduced) n.cut_pending = 1'b1;
        ev.tlp_loss = tlp_loss;
        ev.ecn_reduced = ecn_reduced;
        if (ack_new || t.snd_una == t.snd_nxt) n.rtx_count = '0;
        if (wnd_new) begin
          n.snd_wnd = c.wnd;
          n.snd_wl1 = seg.seq;
          n.snd_wl2 = seg.ack;
          if (c.wnd > t.snd_wnd_max) n.snd_wnd_max = c.wnd;
          if (t.snd_una == t.snd_nxt) begin
            n.rtx_on = 1'b0;  // the persist timer; restarted if still needed
            if (c.wnd >= WND_W'(t.mss)) n.backoff = '0;
          end
        end
        if (fin_acked && t.state == ST_LAST_ACK) begin
          w.ends   = 1'b1;
          w.reason = TCP_CLOSED;
        end
        // ---- timestamp, RFC 7323 4.3
        if (t.ts_ok && c.d_acked >= 0) n.ts_recent = seg.opts.ts_val;
        // ---- payload
        if (receives(acked) && !seg.flags.syn) begin
          in_order = j.len != '0 && c.d_seq <= 0;
          ahead = j.len != '0 && c.d_seq > 0;
          if (in_order) begin
            rcv_nxt = edge_nxt;
            n.ooo_ranges = ranges_left;
            w.rx.len = j.len;
            n.ack_pending = 1'b1;
            if (t.ack_pending || touched) begin
              n.ack_now = 1'b1;
            end else begin
              n.ack_on = 1'b1;
              n.ack_at = now_us + cfg.ack_delay;
            end
          end
          if (ahead) begin
            n.ooo_ranges = ranges_merged;
            if (!ranges_full) w.rx.len = j.len;
            if (t.dupacks_owed != '1) n.dupacks_owed = t.dupacks_owed + 1'b1;
            ev.rx_out_of_order = !ranges_full;
            ev.rx_ooo_full = ranges_full;
          end
          if (seg.len != '0 && j.len == '0) n.ack_now = 1'b1;
          ev.rx_beyond_window = j.beyond_window;
          n.fin_rcvd = fin_rcvd;
          n.fin_seq = fin_seq;
          if (fin_here && c.d_seq > 0) n.ack_now = 1'b1;
          fin_now = fin_rcvd && (in_order ? edge_fin : fin_seq == t.rcv_nxt);
        end
        n.ecn_echo = echo;
        ev.ecn_ce  = ce;
        if (echo_now) n.ack_now = 1'b1;
        w.rx.skip = j.skip;
        w.rx.seq  = j.start;
        if (fin_now) begin
          n.ack_now = 1'b1;
          if (state == ST_ESTAB) state = ST_CLOSE_WAIT;
          if (state == ST_FIN_WAIT1) state = ST_CLOSING;
          if (state == ST_FIN_WAIT2) state = ST_TIME_WAIT;
        end
        n.rcv_nxt = fin_now ? fin_seq + 32'd1 : rcv_nxt;
        if (in_order || fin_now) begin
          w.cmd = 1'b1;
          w.rx.notify = 1'b1;
          w.rx.fin = fin_now;
        end
        w.rx.in_order_end = rcv_nxt;
        n.state = state;
        // ---- timers restarted by any segment
        if (state == ST_ESTAB || state == ST_CLOSE_WAIT) begin
          n.misc_on = cfg.keep_idle != '0;
          n.misc_at = now_long + long_times.keep_idle;
        end
        if (state == ST_FIN_WAIT2 && (t.state != ST_FIN_WAIT2 || seg.len != '0)) begin
          n.misc_on = 1'b1;
          n.misc_at = now_long + long_times.fin_wait;
        end
        if (state == ST_FIN_WAIT1 || state == ST_CLOSING || state == ST_LAST_ACK) begin
          n.misc_on = 1'b0;
        end
        if (state == ST_TIME_WAIT && t.state != ST_TIME_WAIT) begin
          w.enter_tw = 1'b1;
          n.misc_on  = 1'b1;
          n.misc_at  = now_long + long_times.time_wait;
          n.rtx_on   = 1'b0;
        end
      end

      SEG_SYNACK: begin
        ev.hit_accepted = 1'b1;
        n.snd_una = seg.ack;
        n = apply_syn_options(n, seg, cfg, SYN_WND);
        n.snd_wl2 = seg.ack;
        n.state = ST_ESTAB;
        n.app_notified = 1'b1;
        n.syn_pending = 1'b0;
        n.ack_now = 1'b1;
        n.rtx_on = 1'b0;
        n.rtt_timing = 1'b0;
        n.backoff = '0;
        n.rtx_count = '0;
        if (t.rtx_count != '0) begin
          n.iw_pending = 1'b0;
          n.cwnd = WND_W'(n.mss);
        end
        n.misc_on    = cfg.keep_idle != '0;
        n.misc_at    = now_long + long_times.keep_idle;
        w.opened     = 1'b1;
        w.tx_space   = 1'b1;
        w.rtt_sample = t.rtt_timing;
        w.rtt        = c.rtt_age;
      end

      SEG_SIMULT_OPEN: begin
        ev.hit_accepted = 1'b1;
        n = apply_syn_options(t, seg, cfg, SYN_WND);
        n.state = ST_SYN_RCVD;
        n.syn_pending = 1'b1;
        n.rtx_on = 1'b0;
        n.rtt_timing = 1'b0;
      end

      SEG_SYN_RTX: begin
        ev.hit_syn_retransmit = 1'b1;
        if (j.challenge_ok) n.syn_pending = 1'b1;
      end

      SEG_UNACCEPTABLE: begin
        ev.hit_paws = j.paws;
        ev.hit_unacceptable = !j.paws;
        ev.rx_duplicate = seg.len != '0 && !j.paws;
        if (c.seq_space || j.challenge_ok) n.ack_now = 1'b1;
        // RFC 9293, 3.10.7.4: a retransmitted FIN restarts TIME-WAIT.
        if (t.state == ST_TIME_WAIT && seg.flags.fin) n.misc_at = now_long + long_times.time_wait;
      end

      SEG_CHALLENGE: begin
        ev.hit_challenged   = j.challenge_ok;
        ev.hit_rate_limited = !j.challenge_ok;
        if (j.challenge_ok) n.ack_now = 1'b1;
      end

      SEG_RESET: begin
        ev.hit_reset = 1'b1;
        w.ends = 1'b1;
        w.reason = in_handshake(t.state) ? TCP_REFUSED : TCP_RESET;
      end

      SEG_BAD_ACK: begin
        ev.hit_bad_ack = 1'b1;
        w.rst = 1'b1;
        w.rst_seq = seg.ack;
      end

      SEG_REUSE: begin
        ev.hit_time_wait_reuse = 1'b1;
        w.ends = 1'b1;
        w.reason = TCP_CLOSED;
        w.relookup = 1'b1;
      end

      SEG_DROP: begin
        ev.hit_dropped = 1'b1;
        w.output_due   = 1'b0;
      end

      default: begin
        // Its session has ended, or its number was reused, since the lookup.
        ev.hit_stale = 1'b1;
        w.relookup   = !seg.flags.rst;
        w.output_due = 1'b0;
      end
    endcase

    if (j.verdict == SEG_CHALLENGE || j.verdict == SEG_SYN_RTX ||
        (j.verdict == SEG_UNACCEPTABLE && !c.seq_space)) begin
      if (j.challenge_ok) begin
        n.challenge_slot  = now_us[23:17];
        n.challenge_count = t.challenge_slot == now_us[23:17] ? t.challenge_count + 1'b1 : 3'd1;
      end
    end
  end

  logic unused;
  assign unused = ^{c, cfg, long_times};
endmodule
