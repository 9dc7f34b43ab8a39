// SPDX-License-Identifier: Apache-2.0
//
// Before stage 3 of a received segment: all comparisons and sums on which the new state of the
//   session depends, each registered, one carry chain deep.
//
// g is valid one cycle after j; then t and seg have been stable for four cycles, c but for d_end,
//   d_beyond and end_data for three, these for two. So what does not depend on j may take two
//   registers, and the congestion window three.
module kumi_tcp_seg_weigh
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int TX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input logic [31:0] now_us,
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input tcp_seg_check_t j,
    output tcp_seg_facts_t g
);
  // ---- ACK ------------------------------------------------------------------------------------

  logic fin_sent_q;
  logic [31:0] count_q;  // dupack_bytes and a segment
  logic [31:0] remains;
  assign remains = count_q - 32'(c.d_ack[WND_W-1:0]);

  tcp_state_e acked;  // state after the ACK, before the payload
  always_comb begin
    acked = t.state;
    if (t.state == ST_SYN_RCVD) acked = ST_ESTAB;
    if (g.fin_acked && t.state == ST_FIN_WAIT1) acked = ST_FIN_WAIT2;
    if (g.fin_acked && t.state == ST_CLOSING) acked = ST_TIME_WAIT;
  end

  logic [WND_W-1:0] grown, bytes_acked;
  kumi_tcp_cc_newreno #(
      .MAX_WND(TX_RING)
  ) u_cc (
      .clk,
      .cwnd(t.cwnd),
      .ssthresh(t.ssthresh),
      .bytes_acked(t.bytes_acked),
      .mss(t.mss),
      .acked(WND_W'(c.d_ack)),
      .grown,
      .bytes_acked_next(bytes_acked)
  );

  // ---- signals --------------------------------------------------------------------------------

  logic tlp_end, tlp_loss, ece, ecn_reduced, ce, echo, echo_now;
  kumi_tcp_congestion_signals u_signals (
      .payload(receives(g.acked)),
      .reports(g.reports),
      .*  // t, seg, c and what follows from them
  );

  // ---- payload --------------------------------------------------------------------------------

  logic [31:0] end_next_q, fin_next_q, fin_seq;
  logic fin_here;

  // Sequence number of the peer's FIN: known before, or from this segment.
  assign fin_here = receives(
      g.acked
  ) && !seg.flags.syn && !t.fin_rcvd && seg.flags.fin && !j.beyond_window;
  assign fin_seq = fin_here ? c.end_data : t.fin_seq;

  // ---- registers ------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    // ACK
    fin_sent_q <= t.snd_fin && is_next(t.snd_nxt, t.snd_end);
    count_q <= 32'(t.dupack_bytes) + 32'(t.mss);
    g.reports <= seg.opts.sacks != '0 && is_before(seg.ack, seg.opts.sack[0].left);
    g.ack_new <= positive(c.d_ack);
    g.fin_acked <= fin_sent_q && positive(c.d_ack) && c.d_nxt == '0;
    g.all_acked <= t.snd_una == t.snd_nxt;
    g.dup <= c.d_ack == '0 && seg.len == '0 && !seg.flags.fin && !g.all_acked &&
        (t.sack_ok ? g.reports : c.wnd == t.snd_wnd);
    g.wnd_new <= positive(c.d_wl1) || (c.d_wl1 == '0 && !c.d_wl2[31]);
    g.wnd_record <= c.wnd > t.snd_wnd_max;
    g.wnd_segment <= c.wnd >= WND_W'(t.mss);
    g.past_recover <= positive(c.d_recover);
    g.past_ecn <= positive(c.d_ecn);
    g.rxt_behind <= is_before(t.high_rxt, seg.ack);
    g.slot_same <= t.challenge_slot == now_us[23:17];
    for (int i = 0; i < MAX_RANGES; i++) begin
      g.covered[i] <= !is_before(seg.ack, t.sacked[i].left);
    end
    g.acked <= acked;
    g.grown <= grown;
    g.bytes_acked <= bytes_acked;
    // A partial ACK deflates the count by the bytes acknowledged, less one segment (RFC 6582).
    g.deflated <= remains[31] ? '0 : WND_W'(remains);
    g.inflated <= WND_W'(count_q);
    g.inflates <= !t.sack_ok && t.dupack_bytes < WND_W'(TX_RING);
    g.ack_at <= now_us + cfg.ack_delay;
    // signals
    g.tlp_end <= tlp_end;
    g.tlp_loss <= tlp_loss;
    g.ece <= ece;
    g.ecn_reduced <= ecn_reduced;
    g.ce <= ce;
    g.echo <= echo;
    g.echo_now <= echo_now;
    // payload
    end_next_q <= c.end_data + 32'd1;
    fin_next_q <= t.fin_seq + 32'd1;
    g.in_order <= j.len != '0 && !positive(c.d_seq);
    g.ahead <= j.len != '0 && positive(c.d_seq);
    g.fin_here <= fin_here;
    g.fin_rcvd <= t.fin_rcvd || fin_here;
    g.fin_seq <= fin_seq;
    g.fin_next <= fin_here ? end_next_q : fin_next_q;
    g.fin_at_nxt <= fin_seq == t.rcv_nxt;
    g.fin_at_stop <= fin_seq == j.stop;
    for (int i = 0; i < MAX_RANGES; i++) begin
      g.joined[i] <= t.ooo_ranges[i].valid && !is_before(j.stop, t.ooo_ranges[i].left);
      g.inner[i] <= is_before(j.stop, t.ooo_ranges[i].right);
      g.fin_at_right[i] <= fin_seq == t.ooo_ranges[i].right;
    end
  end

  logic unused;
  assign unused = ^{cfg, t, seg, c, j, remains};
endmodule
