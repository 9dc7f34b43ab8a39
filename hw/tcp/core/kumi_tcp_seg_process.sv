// SPDX-License-Identifier: Apache-2.0
//
// Third step of a received segment: the session's state after it; combinational.
//
// j says what is to be done. ACK: una, window (RFC 9293, 3.10.7.4), growth of the congestion
//   window, count of duplicate ACKs; losses are looked at in later steps. Payload: what is in order
//   moves rcv_nxt over the ranges behind it, what is ahead becomes a range. FIN counts when all
//   before it is there, also if it came ahead. ACKs: at once for what is ahead of a gap, fills
//   one, or is a FIN, else for every second segment, else after cfg.ack_delay (RFC 5681, 4.2).
// w: commands and notes that follow from it. Each segment with payload gives one command with
//   `frame`, whatever the verdict.
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
    input logic [31:0] now_us,
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input tcp_seg_check_t j,
    output tcb_t n,
    output tcp_action_t w,
    output tcp_core_ev_t ev
);
  localparam logic [31:0] SYN_WND = RX_RING > 65535 ? 32'd65535 : RX_RING;

  logic reports;  // SACK tells of something ahead; not only of a duplicate (RFC 2883)
  assign reports = seg.opts.sacks != '0 && is_before(seg.ack, seg.opts.sack[0].left);

  logic ack_new, fin_acked, dup, in_order, ahead, wnd_new;
  logic [WND_W-1:0] grown, acc_next, deflated;
  tcp_seq_ranges_t gaps_in;
  logic  gaps_full;

  assign ack_new = c.d_ack > 0;
  assign fin_acked = t.fin && ack_new && c.d_nxt == 0 && t.nxt == t.tail + 32'd1;
  assign wnd_new = c.d_wl1 > 0 || (c.d_wl1 == 0 && c.d_wl2 >= 0);
  assign dup = c.d_ack == 0 && seg.len == '0 && !seg.flags.fin && t.una != t.nxt &&
      (t.sack_ok ? reports : c.wnd == t.wnd);

  // CUBIC's window grows in a later step, in kumi_tcp_cc_cubic.
  logic cubic;
  assign cubic = CUBIC && cfg.use_cubic;

  kumi_tcp_cc_newreno #(
      .MAX_WND(TX_RING)
  ) u_cc (
      .cwnd(t.cwnd),
      .ssthresh(t.ssthresh),
      .acc(t.acc),
      .mss(t.mss),
      .acked(WND_W'(c.d_ack)),
      .grown,
      .acc_next
  );

  kumi_tcp_range_list #(
      .OOO_RANGES(OOO_RANGES)
  ) u_gaps (
      .list (t.gaps),
      .left (j.start),
      .right(j.stop),
      .next (gaps_in),
      .full (gaps_full)
  );

  // A partial ACK takes what it acknowledges from the count, less one segment (RFC 6582).
  always_comb begin
    deflated = '0;
    if (t.dup_bytes + WND_W'(t.mss) > WND_W'(c.d_ack)) begin
      deflated = t.dup_bytes + WND_W'(t.mss) - WND_W'(c.d_ack);
    end
  end

  tcp_state_e acked;  // the state after the ACK, before the payload
  always_comb begin
    acked = t.state;
    if (t.state == ST_SYN_RCVD) acked = ST_ESTAB;
    if (fin_acked && t.state == ST_FIN_WAIT1) acked = ST_FIN_WAIT2;
    if (fin_acked && t.state == ST_CLOSING) acked = ST_TIME_WAIT;
  end

  // Where the peer's FIN stands: as known before, or as this segment says.
  logic fin_here, fin_known;
  logic [31:0] fin_at;
  assign fin_here = receives(acked) && !seg.flags.syn && !t.fin_known && seg.flags.fin && !j.cut;
  assign fin_known = t.fin_known || fin_here;
  assign fin_at = fin_here ? c.end_data : t.fin_at;

  // In-order payload moves the edge to where it stops or, if that lies in a range, to its end. Each
  // place it may come to is compared with fin_at at once, not after it is chosen.
  logic [31:0] edge_nxt;
  tcp_seq_ranges_t gaps_left;
  logic touched, edge_fin;
  always_comb begin
    edge_nxt  = j.stop;
    edge_fin  = fin_at == j.stop;
    gaps_left = t.gaps;
    touched   = 1'b0;
    for (int i = 0; i < LIST; i++) begin
      if (t.gaps[i].valid && !is_before(j.stop, t.gaps[i].left)) begin
        touched = 1'b1;
        gaps_left[i].valid = 1'b0;
        if (is_before(j.stop, t.gaps[i].right)) begin
          edge_nxt = t.gaps[i].right;
          edge_fin = fin_at == t.gaps[i].right;
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
    w.reply = 1'b1;
    state = t.state;
    in_order = 1'b0;
    ahead = 1'b0;
    fin_now = 1'b0;
    rcv_nxt = t.rcv_nxt;
    w.rx.sid = '0;
    w.rx.tuple = t.tuple;
    w.cmd = seg.len != '0;
    w.rx.frame = w.cmd;

    unique case (j.v)
      V_TAKE: begin
        ev.hit_accepted = 1'b1;
        // ---- ACK
        state = acked;
        if (t.state == ST_SYN_RCVD) begin
          n.told = 1'b1;
          n.want_syn = 1'b0;
          w.opened = 1'b1;
          w.room = 1'b1;
          // RFC 5681, 3.1: a window of one segment after a lost handshake.
          if (t.tries != '0) begin
            n.first_wnd = 1'b0;
            n.cwnd = WND_W'(t.mss);
          end
        end
        if (ack_new) begin
          n.una = seg.ack;
          n.backoff = '0;
          n.rtx_on = 1'b0;
          n.dup_cnt = '0;
          w.room = 1'b1;
          // Kept close behind, or it would be ahead after 2^31 bytes.
          if (t.loss == LOSS_NONE && c.d_rec > 0) n.recover = t.una;
          if (is_before(t.hi_rtx, seg.ack)) n.hi_rtx = seg.ack;
          if (t.rtt_on && c.d_rtt >= 0) begin
            n.rtt_on = 1'b0;
            w.sample = 1'b1;
            w.rtt = c.rtt_age;
          end
          for (int i = 0; i < LIST; i++) begin
            if (!is_before(seg.ack, t.sacked[i].left)) n.sacked[i].valid = 1'b0;
          end
          if (!opening(t.state)) begin
            if (t.loss == LOSS_FAST) begin
              n.dup_bytes = deflated;
            end else begin
              n.dup_bytes = '0;
              if (cubic) begin
                w.acked = WND_W'(c.d_ack);
              end else begin
                n.cwnd = grown;
                n.acc  = acc_next;
              end
            end
          end
          if (t.loss != LOSS_NONE && c.d_rec >= 0) begin
            n.loss = LOSS_NONE;
            n.dup_bytes = '0;
            if (t.loss == LOSS_FAST) begin
              n.cwnd = t.ssthresh;
              n.acc  = '0;
            end
          end
        end else if (dup) begin
          w.dupack = 1'b1;
          ev.rx_dup_ack = 1'b1;
          if (t.dup_cnt != '1) n.dup_cnt = t.dup_cnt + 1'b1;
          if (!t.sack_ok && t.dup_bytes < WND_W'(TX_RING)) begin
            n.dup_bytes = t.dup_bytes + WND_W'(t.mss);
          end
        end
        if (ack_new || t.una == t.nxt) n.tries = '0;
        if (wnd_new) begin
          n.wnd = c.wnd;
          n.wl1 = seg.seq;
          n.wl2 = seg.ack;
          if (c.wnd > t.max_wnd) n.max_wnd = c.wnd;
          if (t.una == t.nxt) begin
            n.rtx_on = 1'b0;  // the persist timer; set anew if it is still needed
            if (c.wnd >= WND_W'(t.mss)) n.backoff = '0;
          end
        end
        if (fin_acked && t.state == ST_LAST_ACK) begin
          w.over   = 1'b1;
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
            n.gaps = gaps_left;
            w.rx.len = j.len;
            n.ack_half = 1'b1;
            if (t.ack_half || touched) begin
              n.ack_now = 1'b1;
            end else begin
              n.ack_on = 1'b1;
              n.ack_at = now_us + cfg.ack_delay;
            end
          end
          if (ahead) begin
            n.gaps = gaps_in;
            if (!gaps_full) w.rx.len = j.len;
            if (t.dups != '1) n.dups = t.dups + 1'b1;
            ev.rx_out_of_order  = !gaps_full;
            ev.rx_ooo_full = gaps_full;
          end
          if (seg.len != '0 && j.len == '0) n.ack_now = 1'b1;
          ev.rx_beyond_window = j.cut;
          n.fin_known = fin_known;
          n.fin_at = fin_at;
          if (fin_here && c.d_seq > 0) n.ack_now = 1'b1;
          fin_now = fin_known && (in_order ? edge_fin : fin_at == t.rcv_nxt);
        end
        w.rx.skip = j.skip;
        w.rx.seq  = j.start;
        if (fin_now) begin
          n.ack_now = 1'b1;
          if (state == ST_ESTAB) state = ST_CLOSE_WAIT;
          if (state == ST_FIN_WAIT1) state = ST_CLOSING;
          if (state == ST_FIN_WAIT2) state = ST_TIME_WAIT;
        end
        n.rcv_nxt = fin_now ? fin_at + 32'd1 : rcv_nxt;
        if (in_order || fin_now) begin
          w.cmd = 1'b1;
          w.rx.note = 1'b1;
          w.rx.fin = fin_now;
        end
        w.rx.upto = rcv_nxt;
        n.state   = state;
        // ---- timers that any sign of life sets back
        if (state == ST_ESTAB || state == ST_CLOSE_WAIT) begin
          n.misc_on = cfg.keep_idle != '0;
          n.misc_at = now_us + cfg.keep_idle;
        end
        if (state == ST_FIN_WAIT2 && (t.state != ST_FIN_WAIT2 || seg.len != '0)) begin
          n.misc_on = 1'b1;
          n.misc_at = now_us + cfg.fin_wait;
        end
        if (state == ST_FIN_WAIT1 || state == ST_CLOSING || state == ST_LAST_ACK) begin
          n.misc_on = 1'b0;
        end
        if (state == ST_TIME_WAIT && t.state != ST_TIME_WAIT) begin
          w.enter_tw = 1'b1;
          n.misc_on  = 1'b1;
          n.misc_at  = now_us + cfg.time_wait;
          n.rtx_on   = 1'b0;
        end
      end

      V_OPEN: begin
        ev.hit_accepted = 1'b1;
        n.una = seg.ack;
        n = hello(n, seg, cfg, SYN_WND);
        n.wl2 = seg.ack;
        n.state = ST_ESTAB;
        n.told = 1'b1;
        n.want_syn = 1'b0;
        n.ack_now = 1'b1;
        n.rtx_on = 1'b0;
        n.rtt_on = 1'b0;
        n.backoff = '0;
        n.tries = '0;
        if (t.tries != '0) begin
          n.first_wnd = 1'b0;
          n.cwnd = WND_W'(n.mss);
        end
        n.misc_on = cfg.keep_idle != '0;
        n.misc_at = now_us + cfg.keep_idle;
        w.opened  = 1'b1;
        w.room    = 1'b1;
        w.sample  = t.rtt_on;
        w.rtt     = c.rtt_age;
      end

      V_CROSS: begin
        ev.hit_accepted = 1'b1;
        n = hello(t, seg, cfg, SYN_WND);
        n.state = ST_SYN_RCVD;
        n.want_syn = 1'b1;
        n.rtx_on = 1'b0;
        n.rtt_on = 1'b0;
      end

      V_SYN_AGAIN: begin
        ev.hit_syn_retransmit = 1'b1;
        if (j.allowed) n.want_syn = 1'b1;
      end

      V_ACK: begin
        ev.hit_paws = j.paws;
        ev.hit_unacceptable = !j.paws;
        ev.rx_duplicate = seg.len != '0 && !j.paws;
        if (c.space || j.allowed) n.ack_now = 1'b1;
        // RFC 9293, 3.10.7.4: the peer's FIN once more begins TIME-WAIT anew.
        if (t.state == ST_TIME_WAIT && seg.flags.fin) n.misc_at = now_us + cfg.time_wait;
      end

      V_CHALLENGE: begin
        ev.hit_challenged = j.allowed;
        ev.hit_rate_limited = !j.allowed;
        if (j.allowed) n.ack_now = 1'b1;
      end

      V_RESET: begin
        ev.hit_reset = 1'b1;
        w.over = 1'b1;
        w.reason = opening(t.state) ? TCP_REFUSED : TCP_RESET;
      end

      V_RST: begin
        ev.hit_bad_ack = 1'b1;
        w.rst = 1'b1;
        w.rst_seq = seg.ack;
      end

      V_REUSE: begin
        ev.hit_time_wait_reuse = 1'b1;
        w.over = 1'b1;
        w.reason = TCP_CLOSED;
        w.again = 1'b1;
      end

      V_DROP: begin
        ev.hit_dropped = 1'b1;
        w.reply = 1'b0;
      end

      default: begin
        // Its session ended, or is another, since it was looked up.
        ev.hit_stale = 1'b1;
        w.again = !seg.flags.rst;
        w.reply = 1'b0;
      end
    endcase

    if (j.v == V_CHALLENGE || j.v == V_SYN_AGAIN || (j.v == V_ACK && !c.space)) begin
      if (j.allowed) begin
        n.chal_slot = now_us[23:17];
        n.chal_cnt  = t.chal_slot == now_us[23:17] ? t.chal_cnt + 1'b1 : 3'd1;
      end
    end
  end

  logic unused;
  assign unused = ^{c, cfg};
endmodule
