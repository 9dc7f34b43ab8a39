// SPDX-License-Identifier: Apache-2.0
//
// Stage 2 of a received segment: segment acceptability check (RFC 9293, 3.10.7). Combinational.
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
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input logic [31:0] now_us,
    output tcp_seg_check_t j
);
  tcp_flags_t f;
  logic ack_new, old_ts, no_ts, acceptable, reuse;

  assign f = seg.flags;
  assign ack_new = c.d_ack > 0 && c.d_nxt >= 0;
  assign old_ts = t.ts_ok && seg.opts.ts_valid && c.d_ts < 0;
  assign no_ts = t.ts_ok && !seg.opts.ts_valid;
  assign acceptable = c.d_end >= 0 && c.d_adv >= 0 && !(c.d_end == 0 && c.seq_space);
  assign reuse = t.ts_ok && seg.opts.ts_valid ? c.d_ts > 0 : c.d_seq > 0;

  always_comb begin
    j = '0;
    j.challenge_ok = t.challenge_slot != now_us[23:17] || t.challenge_count != '1;
    j.beyond_window = c.d_beyond > 0;
    j.start = c.d_seq < 0 ? t.rcv_nxt : seg.seq;
    j.skip = c.d_seq < 0 ? 16'(-c.d_seq) : '0;
    j.stop = j.beyond_window ? t.rcv_adv : c.end_data;
    j.len = is_before(j.start, j.stop) ? 16'(j.stop - j.start) : '0;
    j.paws = old_ts && !f.rst && t.state != ST_SYN_SENT;

    if (!c.session_match) begin
      j.verdict = SEG_STALE;
    end else if (t.state == ST_SYN_SENT) begin
      if (f.ack && !ack_new) j.verdict = f.rst ? SEG_DROP : SEG_BAD_ACK;
      else if (f.rst) j.verdict = f.ack ? SEG_RESET : SEG_DROP;
      else if (f.syn) j.verdict = f.ack ? SEG_SYNACK : SEG_SIMULT_OPEN;
      else j.verdict = SEG_DROP;
    end else if (t.state == ST_TIME_WAIT && f.syn && !f.ack && !f.rst && reuse) begin
      j.verdict = SEG_REUSE;  // RFC 6191, RFC 1122 4.2.2.13
    end else if (t.state == ST_SYN_RCVD && f.syn && !f.rst && c.d_seq == -1) begin
      // A simultaneous open ends with the peer's SYN, ACK; else its SYN came again.
      if (!f.ack) j.verdict = SEG_SYN_RTX;
      else j.verdict = ack_new ? SEG_ACCEPT : SEG_BAD_ACK;
    end else if (j.paws) begin
      j.verdict = SEG_UNACCEPTABLE;
    end else if (!acceptable) begin
      j.verdict = f.rst ? SEG_DROP : SEG_UNACCEPTABLE;
    end else if (f.rst) begin
      if (t.state == ST_TIME_WAIT) j.verdict = SEG_DROP;  // RFC 1337
      else j.verdict = c.d_seq == 0 ? SEG_RESET : SEG_CHALLENGE;
    end else if (f.syn) begin
      j.verdict = SEG_CHALLENGE;
    end else if (!f.ack || no_ts) begin
      j.verdict = SEG_DROP;
    end else if (t.state == ST_SYN_RCVD) begin
      j.verdict = ack_new ? SEG_ACCEPT : SEG_BAD_ACK;
    end else if (c.d_nxt < 0 || c.d_ack + $signed({2'b0, t.snd_wnd_max}) < 0) begin
      j.verdict = SEG_CHALLENGE;
    end else begin
      j.verdict = SEG_ACCEPT;
    end
  end

  logic unused;
  assign unused = ^{t, seg, c, now_us, f};
endmodule
