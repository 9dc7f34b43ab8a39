// SPDX-License-Identifier: Apache-2.0
//
// Loss detection and recovery: which data are lost and how much is in flight (RFC 6675, 4; RFC
//   6582). Four registered stages of the caller, each combinational here, about one comparison of
//   sequence numbers deep: LOSS detects losses, ENTER enters recovery, PIPE computes the terms of
//   the data in flight, ADD sums them. Used only for sessions with losses or duplicate ACKs.
//
// Lost, with SACK: unacknowledged data below a range above whose start more than two segments of
//   bytes are SACKed (RFC 6675, IsLost); in recovery, if there is none, below any range (NextSeg,
//   rule 3). Without SACK: one segment at snd_una after three duplicate ACKs and at each partial
//   ACK. After a timeout: all data below `recover`.
// A tail loss probe (RFC 8985, 7) is sent two round trips after anything before it, so when it is
// SACKed all unacknowledged data below it are lost; so are those below any range when it is due.
// Recovery is entered from RECOVERY_NONE when snd_una is lost, and left in kumi_tcp_seg_process. It
// reduces the congestion window once. `recover` prevents earlier duplicate ACKs from entering it.
// Retransmissions count as in flight until more than two segments of bytes first sent after
// recovery began are acknowledged: then they are lost again and retransmitted. Without SACK a
// timeout repairs that.
// The ranges of t.sacked neither overlap nor touch, so the order of their starts (s.order) is that
// of their ends.
module kumi_tcp_loss_recovery
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter bit CUBIC = 1'b0
) (
    input  tcp_cfg_t               cfg,
    input  tcb_t                   t,
    input  tcp_snd_calc_t          s,
    input  tcp_scoreboard_t        l,
    output tcp_scoreboard_t        found,  // LOSS
    output tcb_t                   n,      // ENTER
    output tcp_scoreboard_t        edges,  // ENTER
    output tcp_scoreboard_t        pipe,   // PIPE
    output logic signed     [31:0] sum     // ADD
);
  // One-hot: the entry of `set` with the highest, or the lowest start; 0 for an empty set.
  function automatic logic [MAX_RANGES-1:0] outermost(
      input logic [MAX_RANGES-1:0] set, input logic [MAX_RANGES-1:0][MAX_RANGES-1:0] up,
      input logic highest);
    outermost = set;
    for (int i = 0; i < MAX_RANGES; i++) begin
      for (int k = 0; k < MAX_RANGES; k++) begin
        if (i != k && set[k] && (highest ? up[i][k] : up[k][i])) outermost[i] = 1'b0;
      end
    end
  endfunction

  logic [MAX_RANGES-1:0] valid;
  always_comb for (int i = 0; i < MAX_RANGES; i++) valid[i] = t.sacked[i].valid;

  // ---- LOSS
  logic [MAX_RANGES-1:0]
      proof, top, mark;  // with enough above; the highest range; of those with proof
  logic [31:0] edge_top;
  logic tlp_proof;
  assign tlp_proof = valid != '0 && (t.tlp_pending || (t.tlp_out && !is_before(
      edge_top, t.recover
  )));
  always_comb begin
    for (int i = 0; i < MAX_RANGES; i++)
    proof[i] = valid[i] && s.sacked_above[i] > 32'({t.mss, 1'b0});
    top = outermost(valid, s.order, 1'b1);
    mark = outermost(proof, s.order, 1'b1);
    edge_top = t.snd_una;
    for (int i = 0; i < MAX_RANGES; i++) if (top[i]) edge_top = t.sacked[i].right;
  end

  always_comb begin
    found = '0;
    found.enter_recovery = t.recovery == RECOVERY_NONE && sends(t.state) && s.flight != '0 &&
        (t.sack_ok ? proof != '0 || t.dupacks == '1 || tlp_proof :
         t.dupacks == '1 && is_before(t.recover, t.snd_una));
    found.reduce = t.cut_pending && t.recovery == RECOVERY_NONE && !found.enter_recovery;
    found.rtx_lost = t.recovery == RECOVERY_FAST && valid != '0 && t.high_rxt != t.snd_una &&
        is_before(t.recover + 32'({t.mss, 1'b0}), edge_top);

    found.lost_end = t.snd_una;
    if (t.recovery == RECOVERY_RTO) begin
      found.lost_end = t.recover;
    end else if (t.recovery != RECOVERY_NONE || found.enter_recovery) begin
      if (valid == '0 && (!t.sack_ok || t.dupacks == '1)) found.lost_end = t.snd_una + 32'(t.mss);
      for (int i = 0; i < MAX_RANGES; i++) begin
        if (proof != '0 ? mark[i] : top[i]) found.lost_end = t.sacked[i].left;
      end
    end

    // The first byte that may have to be retransmitted.
    found.rtx_from = s.rtx_next;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (valid[i] && !is_before(
              s.rtx_next, t.sacked[i].left
          ) && is_before(
              s.rtx_next, t.sacked[i].right
          )) begin
        found.rtx_from = t.sacked[i].right;
      end
    end
  end

  // ---- ENTER
  logic [WND_W-1:0] threshold;
  kumi_tcp_cc_ssthresh #(
      .CUBIC(CUBIC)
  ) u_ssthresh (
      .use_cubic(cfg.use_cubic),
      .flight(WND_W'(s.flight)),
      .mss(t.mss),
      .threshold
  );

  always_comb begin
    n = t;
    edges = l;
    n.cut_pending = 1'b0;
    if (l.enter_recovery || l.reduce) begin
      n.ssthresh = threshold;
      n.cwnd = threshold;
      n.ecn_cwr = t.ecn_ok;
      n.ecn_recover = t.snd_nxt;
    end
    if (l.enter_recovery) begin
      n.recovery = RECOVERY_FAST;
      n.rtt_timing = 1'b0;
      n.tlp_pending = 1'b0;
      n.tlp_out = 1'b0;
      // The probe timer becomes that of retransmissions.
      if (t.tlp_on) n.rtx_on = 1'b0;
    end
    if (l.enter_recovery || l.rtx_lost) begin
      n.recover = t.snd_nxt;
      n.high_rxt = t.snd_una;
      edges.rtx_from = t.snd_una;  // no range starts there
    end
    if (is_before(t.snd_nxt, l.lost_end)) edges.lost_end = t.snd_nxt;
  end

  // ---- PIPE
  logic [MAX_RANGES-1:0]
      above, behind, between, first;  // of lost, of high_rxt; of holes: behind `from`
  logic beyond;  // retransmissions reach beyond lost_end
  logic [31:0] to_lost, to_again, again;
  always_comb begin
    beyond = is_before(l.lost_end, t.high_rxt);
    for (int i = 0; i < MAX_RANGES; i++) begin
      above[i]   = !is_before(t.sacked[i].left, l.lost_end);
      behind[i]  = is_before(t.sacked[i].left, t.high_rxt);
      between[i] = valid[i] && !above[i] && is_before(l.rtx_from, t.sacked[i].left);
    end
    first = outermost(between, s.order, 1'b0);
    to_lost = l.lost_end - t.snd_una;
    to_again = t.high_rxt - t.snd_una;
    again = beyond ? to_lost : to_again;

    pipe = l;
    pipe.rtx_to = l.lost_end;
    for (int i = 0; i < MAX_RANGES; i++) if (first[i]) pipe.rtx_to = t.sacked[i].left;
    pipe.rtx_valid = t.recovery != RECOVERY_NONE &&
        (between != '0 || is_before(l.rtx_from, l.lost_end));
    pipe.rtx_first = t.high_rxt == t.snd_una;
    pipe.sent_above = t.snd_nxt - l.lost_end;
    pipe.rtx_below = t.recovery != RECOVERY_NONE && !again[31] ? again : '0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      pipe.sacked_part[i] = above[i] || beyond || behind[i] ? s.sacked_size[i] : '0;
    end
  end

  // ---- ADD
  always_comb begin
    sum = $signed(l.sent_above + l.rtx_below);
    for (int i = 0; i < MAX_RANGES; i++) sum = sum - $signed(l.sacked_part[i]);
    if (!t.sack_ok && t.recovery != RECOVERY_RTO) sum = sum - $signed(32'(t.dupack_bytes));
  end

  logic unused;
  assign unused = ^{cfg, s, l};
endmodule
