// SPDX-License-Identifier: Apache-2.0
//
// Stage 3 of a received segment: the new state of the session.
//
// n, w and ev are valid one cycle after j (see kumi_tcp_seg_weigh for what comes before it, and
//   kumi_tcp_range_list). They are selections among registered numbers, without a carry chain.
// at: deadlines of the long timers.
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
    input logic clk,
    input tcp_cfg_t cfg,
    input tcp_long_times_t at,
    input logic [31:0] now_us,
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input tcp_seg_check_t j,
    output tcb_t n,
    output tcp_action_t w,
    output tcp_core_ev_t ev
);
  tcp_seg_facts_t g;
  kumi_tcp_seg_weigh #(
      .TX_RING(TX_RING)
  ) u_weigh (
      .clk,
      .cfg,
      .now_us,
      .t,
      .seg,
      .c,
      .j,
      .g
  );

  tcp_syn_numbers_t y;
  kumi_tcp_syn_numbers #(
      .RX_RING(RX_RING)
  ) u_syn (
      .clk,
      .cfg,
      .seg,
      .y
  );

  // CUBIC's window grows in a later stage (kumi_tcp_cc_cubic).
  logic cubic;
  assign cubic = CUBIC && cfg.use_cubic;

  tcp_seq_ranges_t ranges_merged;
  logic ranges_full;
  kumi_tcp_range_list #(
      .OOO_RANGES(OOO_RANGES)
  ) u_ooo_ranges (
      .clk,
      .list (t.ooo_ranges),
      .left (j.start),
      .right(j.stop),
      .next (ranges_merged),
      .full (ranges_full)
  );

  // In-order payload advances the edge to its end or, if that lies in a range, to the range's end.
  logic [31:0] edge_nxt;
  tcp_seq_ranges_t ranges_left;
  logic edge_fin;
  always_comb begin
    edge_nxt = j.stop;
    edge_fin = g.fin_at_stop;
    ranges_left = t.ooo_ranges;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (g.joined[i]) begin
        ranges_left[i].valid = 1'b0;
        if (g.inner[i]) begin
          edge_nxt = t.ooo_ranges[i].right;
          edge_fin = g.fin_at_right[i];
        end
      end
    end
  end

  tcp_state_e state;
  logic [31:0] rcv_nxt;
  logic in_order, ahead, fin_now;

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
        state = g.acked;
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
        if (g.ack_new) begin
          n.snd_una = seg.ack;
          n.backoff = '0;
          n.rtx_on = 1'b0;
          n.idle_on = 1'b1;  // until data are in flight again
          n.dupacks = '0;
          n.tlp_pending = 1'b0;
          w.tx_space = 1'b1;
          // Keep it close behind, or it would appear ahead after 2^31 bytes.
          if (t.recovery == RECOVERY_NONE && g.past_recover) n.recover = t.snd_una;
          if (g.past_ecn) n.ecn_recover = t.snd_una;
          if (g.rxt_behind) n.high_rxt = seg.ack;
          if (t.rtt_timing && !c.d_rtt[31]) begin
            n.rtt_timing = 1'b0;
            w.rtt_sample = 1'b1;
          end
          for (int i = 0; i < MAX_RANGES; i++) begin
            if (g.covered[i]) n.sacked[i].valid = 1'b0;
          end
          if (!in_handshake(t.state)) begin
            if (t.recovery == RECOVERY_FAST) begin
              n.dupack_bytes = g.deflated;
            end else begin
              n.dupack_bytes = '0;
              // RFC 3168, 6.1.2: it does not grow with ECE.
              if (cubic) begin
                w.cubic_acked = g.ece ? '0 : WND_W'(c.d_ack);
              end else if (!g.ece) begin
                n.cwnd = g.grown;
                n.bytes_acked = g.bytes_acked;
              end
            end
          end
          if (t.recovery != RECOVERY_NONE && !c.d_recover[31]) begin
            n.recovery = RECOVERY_NONE;
            n.dupack_bytes = '0;
            if (t.recovery == RECOVERY_FAST) begin
              n.cwnd = t.ssthresh;
              n.bytes_acked = '0;
            end
          end
        end else if (g.dup) begin
          ev.rx_dup_ack = 1'b1;
          if (t.dupacks != '1) n.dupacks = t.dupacks + 1'b1;
          if (g.inflates) n.dupack_bytes = g.inflated;
        end
        if (g.tlp_end) n.tlp_out = 1'b0;
        if (g.tlp_loss || g.ecn_reduced) n.cut_pending = 1'b1;
        ev.tlp_loss = g.tlp_loss;
        ev.ecn_reduced = g.ecn_reduced;
        if (g.ack_new || g.all_acked) n.rtx_count = '0;
        if (g.wnd_new) begin
          n.snd_wnd = c.wnd;
          n.snd_wl1 = seg.seq;
          n.snd_wl2 = seg.ack;
          if (g.wnd_record) n.snd_wnd_max = c.wnd;
          if (g.all_acked) begin
            n.rtx_on = 1'b0;  // the persist timer; restarted if still needed
            if (g.wnd_segment) n.backoff = '0;
          end
        end
        if (g.fin_acked && t.state == ST_LAST_ACK) begin
          w.ends   = 1'b1;
          w.reason = TCP_CLOSED;
        end
        // ---- timestamp, RFC 7323 4.3
        if (t.ts_ok && !c.d_acked[31]) n.ts_recent = seg.opts.ts_val;
        // ---- payload
        if (receives(g.acked) && !seg.flags.syn) begin
          in_order = g.in_order;
          ahead = g.ahead;
          if (in_order) begin
            rcv_nxt = edge_nxt;
            n.ooo_ranges = ranges_left;
            w.rx.len = j.len;
            n.ack_pending = 1'b1;
            if (t.ack_pending || g.joined != '0) begin
              n.ack_now = 1'b1;
            end else begin
              n.ack_on = 1'b1;
              n.ack_at = g.ack_at;
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
          n.fin_rcvd = g.fin_rcvd;
          n.fin_seq = g.fin_seq;
          if (g.fin_here && positive(c.d_seq)) n.ack_now = 1'b1;
          fin_now = g.fin_rcvd && (in_order ? edge_fin : g.fin_at_nxt);
        end
        n.ecn_echo = g.echo;
        ev.ecn_ce  = g.ce;
        if (g.echo_now) n.ack_now = 1'b1;
        w.rx.skip = j.skip;
        w.rx.seq  = j.start;
        if (fin_now) begin
          n.ack_now = 1'b1;
          if (state == ST_ESTAB) state = ST_CLOSE_WAIT;
          if (state == ST_FIN_WAIT1) state = ST_CLOSING;
          if (state == ST_FIN_WAIT2) state = ST_TIME_WAIT;
        end
        n.rcv_nxt = fin_now ? g.fin_next : rcv_nxt;
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
          n.misc_at = at.keep_idle;
        end
        if (state == ST_FIN_WAIT2 && (t.state != ST_FIN_WAIT2 || seg.len != '0)) begin
          n.misc_on = 1'b1;
          n.misc_at = at.fin_wait;
        end
        if (state == ST_FIN_WAIT1 || state == ST_CLOSING || state == ST_LAST_ACK) begin
          n.misc_on = 1'b0;
        end
        if (state == ST_TIME_WAIT && t.state != ST_TIME_WAIT) begin
          w.enter_tw = 1'b1;
          n.misc_on  = 1'b1;
          n.misc_at  = at.time_wait;
          n.rtx_on   = 1'b0;
        end
      end

      SEG_SYNACK: begin
        ev.hit_accepted = 1'b1;
        n.snd_una = seg.ack;
        n = apply_syn_options(n, seg, cfg, y);
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
        n.misc_at    = at.keep_idle;
        w.opened     = 1'b1;
        w.tx_space   = 1'b1;
        w.rtt_sample = t.rtt_timing;
      end

      SEG_SIMULT_OPEN: begin
        ev.hit_accepted = 1'b1;
        n = apply_syn_options(t, seg, cfg, y);
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
        if (t.state == ST_TIME_WAIT && seg.flags.fin) n.misc_at = at.time_wait;
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
        n.challenge_count = g.slot_same ? t.challenge_count + 1'b1 : 3'd1;
      end
    end
  end

  logic unused;
  assign unused = ^{c, cfg, at, g};
endmodule
