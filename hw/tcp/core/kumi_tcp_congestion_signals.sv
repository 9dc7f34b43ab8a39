// SPDX-License-Identifier: Apache-2.0
//
// Congestion signals of an acceptable segment, part of kumi_tcp_seg_process. Combinational.
//
// Tail loss probe (RFC 8985, 7.4); `recover` is the end of the one in flight. tlp_end: the segment
//   ends it. tlp_loss: new data behind a probe that was a retransmission are acknowledged, and
//   nothing said that the segment had come twice, so it was lost.
// ECN (RFC 3168). ece: the peer reports congestion; ecn_reduced: for the first time in a window of
//   data, as a loss without retransmission (6.1.2). echo: ECE is sent, from the first mark on
//   payload to the sender's CWR (6.1.3); echo_now: by an immediate ACK; ce: payload with a mark.
// reports: SACK reports data beyond the ACK. payload: the session accepts payload.
module kumi_tcp_congestion_signals
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input tcb_t t,
    input tcp_seg_t seg,
    input tcp_seg_diff_t c,
    input logic reports,
    input logic payload,
    output logic tlp_end,
    output logic tlp_loss,
    output logic ece,
    output logic ecn_reduced,
    output logic ce,
    output logic echo,
    output logic echo_now
);
  // The probed segment came twice: D-SACK (RFC 2883), or an ACK with nothing new.
  logic twice, reached, beyond, none_lost;
  assign twice = seg.opts.sacks != '0 ? !reports : !positive(
      c.d_ack
  ) && seg.len == '0 && c.wnd == t.snd_wnd;
  assign reached = t.tlp_out && !c.d_recover[31];
  assign beyond = positive(c.d_recover);
  assign none_lost = t.recovery == RECOVERY_NONE;
  assign tlp_end = reached && (!t.tlp_rtx || beyond || twice);
  assign tlp_loss = reached && t.tlp_rtx && beyond && !twice && none_lost;

  logic counts;
  assign ece = t.ecn_ok && seg.flags.ece;
  assign ecn_reduced = ece && none_lost && positive(c.d_ecn);
  assign counts = t.ecn_ok && payload && seg.len != '0;
  assign ce = counts && seg.ce;
  assign echo = ce || (t.ecn_echo && !(counts && seg.flags.cwr));
  assign echo_now = ce && (!t.ecn_echo || seg.flags.cwr);

  logic unused;
  assign unused = ^{t, seg, c};
endmodule
