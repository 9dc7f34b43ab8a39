// SPDX-License-Identifier: Apache-2.0
//
// Stage 2 of a received segment: segment acceptability check (RFC 9293, 3.10.7).
//
// j is valid in the cycle in which all of c is, if the differences that kumi_tcp_seg_diff computes
//   first were valid one cycle earlier; t, seg and now_us remain stable.
//
// Order of RFC 9293, 3.10.7: SYN-SENT, PAWS (RFC 7323, 5.3), acceptability, RST and SYN (RFC 5961,
//   3 and 4), ACK (RFC 5961, 5). Acceptability as in Linux: the segment reaches rcv_nxt and starts
//   no later than the right edge. It differs from the table of RFC 9293 when a peer has filled the
//   window: its ACKs carry the right edge itself and must count.
//
// Challenge ACKs, and answers to unacceptable segments without payload, are limited to 7 per slot
// of 131 ms and session: a limit shared between sessions would be a side channel (CVE-2016-5696).
module kumi_tcp_seg_check
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input logic clk,
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input logic [31:0] now_us,
    output tcp_seg_check_t j
);
  tcp_flags_t f;
  logic
      ack_new_q, ack_old_q, old_ts_q, reuse_q, challenge_ok_q, first_q, again_q, no_ts, acceptable;
  logic [31:0] start_q, size_whole, size_cut;
  logic [15:0] skip_q;

  assign f = seg.flags;
  assign no_ts = t.ts_ok && !seg.opts.ts_valid;

  always_ff @(posedge clk) begin
    ack_new_q <= positive(c.d_ack) && !c.d_nxt[31];
    ack_old_q <= c.d_ack + $signed({2'b0, t.snd_wnd_max}) < 0;
    old_ts_q <= t.ts_ok && seg.opts.ts_valid && c.d_ts[31];
    reuse_q <= t.ts_ok && seg.opts.ts_valid ? positive(c.d_ts) : positive(c.d_seq);
    challenge_ok_q <= t.challenge_slot != now_us[23:17] || t.challenge_count != '1;
    first_q <= c.d_seq == '0;
    again_q <= c.d_seq == '1;
    start_q <= c.d_seq[31] ? t.rcv_nxt : seg.seq;
    skip_q <= c.d_seq[31] ? 16'(-c.d_seq) : '0;
  end

  assign acceptable = !c.d_end[31] && !c.d_adv[31] && !(c.d_end == '0 && c.seq_space);
  // To the end of the payload, or of the window.
  assign size_whole = c.end_data - start_q;
  assign size_cut   = t.rcv_adv - start_q;

  always_comb begin
    j = '0;
    j.challenge_ok = challenge_ok_q;
    j.beyond_window = positive(c.d_beyond);
    j.start = start_q;
    j.skip = skip_q;
    j.stop = c.d_beyond[31] ? c.end_data : t.rcv_adv;
    if (c.d_beyond[31]) j.len = size_whole[31] ? '0 : size_whole[15:0];
    else j.len = size_cut[31] ? '0 : size_cut[15:0];
    j.paws = old_ts_q && !f.rst && t.state != ST_SYN_SENT;

    if (!c.session_match) begin
      j.verdict = SEG_STALE;
    end else if (t.state == ST_SYN_SENT) begin
      if (f.ack && !ack_new_q) j.verdict = f.rst ? SEG_DROP : SEG_BAD_ACK;
      else if (f.rst) j.verdict = f.ack ? SEG_RESET : SEG_DROP;
      else if (f.syn) j.verdict = f.ack ? SEG_SYNACK : SEG_SIMULT_OPEN;
      else j.verdict = SEG_DROP;
    end else if (t.state == ST_TIME_WAIT && f.syn && !f.ack && !f.rst && reuse_q) begin
      j.verdict = SEG_REUSE;  // RFC 6191, RFC 1122 4.2.2.13
    end else if (t.state == ST_SYN_RCVD && f.syn && !f.rst && again_q) begin
      // A simultaneous open ends with the peer's SYN, ACK; else its SYN came again.
      if (!f.ack) j.verdict = SEG_SYN_RTX;
      else j.verdict = ack_new_q ? SEG_ACCEPT : SEG_BAD_ACK;
    end else if (j.paws) begin
      j.verdict = SEG_UNACCEPTABLE;
    end else if (!acceptable) begin
      j.verdict = f.rst ? SEG_DROP : SEG_UNACCEPTABLE;
    end else if (f.rst) begin
      if (t.state == ST_TIME_WAIT) j.verdict = SEG_DROP;  // RFC 1337
      else j.verdict = first_q ? SEG_RESET : SEG_CHALLENGE;
    end else if (f.syn) begin
      j.verdict = SEG_CHALLENGE;
    end else if (!f.ack || no_ts) begin
      j.verdict = SEG_DROP;
    end else if (t.state == ST_SYN_RCVD) begin
      j.verdict = ack_new_q ? SEG_ACCEPT : SEG_BAD_ACK;
    end else if (c.d_nxt[31] || ack_old_q) begin
      j.verdict = SEG_CHALLENGE;
    end else begin
      j.verdict = SEG_ACCEPT;
    end
  end

  logic unused;
  assign unused = ^{t, seg, c, now_us, f, size_whole, size_cut};
endmodule
