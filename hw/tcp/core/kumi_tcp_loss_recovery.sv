// SPDX-License-Identifier: Apache-2.0
//
// Losses: what a session that sends has lost and what is in the network (RFC 6675, 4; RFC 6582).
// Four registered steps of the caller, each combinational here and about one comparison of sequence
// numbers deep: LOSS finds what is lost, ENTER begins a recovery, PIPE gives the terms of what is
// in the network, ADD their sum. Only for sessions that have losses or duplicate ACKs to look at.
//
// Lost, with SACK: what is not acknowledged below a range above whose start more than two segments
//   of bytes are acknowledged (6675, IsLost); in recovery, if there is no such, below any range
//   (NextSeg, rule 3). Without: one segment at una after three duplicate ACKs and at each partial
//   ACK. After a time-out: all below `recover`.
// Recovery begins from LOSS_NONE when una is lost, and ends in kumi_tcp_seg_process. It cuts the
//   congestion window once. `recover` keeps duplicate ACKs of before from beginning one.
// What was sent again is taken to be in the network, until more than two segments of bytes are
//   acknowledged that were first sent after recovery began: then it is lost again, and goes once
//   more. Without SACK a time-out mends that.
// Ranges of t.sacked neither overlap nor touch, so the order of their starts (s.up) is that of
//   their ends.
module kumi_tcp_loss_recovery
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter bit CUBIC = 1'b0
) (
    input  tcp_cfg_t           cfg,
    input  tcb_t               t,
    input  tcp_snd_calc_t          s,
    input  tcp_scoreboard_t          l,
    output tcp_scoreboard_t          found,  // LOSS
    output tcb_t               n,      // ENTER
    output tcp_scoreboard_t          edges,  // ENTER
    output tcp_scoreboard_t          pipe,   // PIPE
    output logic signed [31:0] sum     // ADD
);
  // Of the entries in `set`: that of the highest, or of the lowest start; none of an empty set.
  function automatic logic [LIST-1:0] outermost(
      input logic [LIST-1:0] set, input logic [LIST-1:0][LIST-1:0] up, input logic highest);
    outermost = set;
    for (int i = 0; i < LIST; i++) begin
      for (int k = 0; k < LIST; k++) begin
        if (i != k && set[k] && (highest ? up[i][k] : up[k][i])) outermost[i] = 1'b0;
      end
    end
  endfunction

  logic [LIST-1:0] valid;
  always_comb for (int i = 0; i < LIST; i++) valid[i] = t.sacked[i].valid;

  // ---- LOSS
  logic [LIST-1:0] proof, top, mark;  // with enough above; the highest range; of those with proof
  logic [31:0] edge_top;
  always_comb begin
    for (int i = 0; i < LIST; i++) proof[i] = valid[i] && s.above[i] > 32'({t.mss, 1'b0});
    top = outermost(valid, s.up, 1'b1);
    mark = outermost(proof, s.up, 1'b1);
    edge_top = t.una;
    for (int i = 0; i < LIST; i++) if (top[i]) edge_top = t.sacked[i].right;
  end

  always_comb begin
    found = '0;
    found.entered = t.loss == LOSS_NONE && sends(t.state) && s.flight != '0 &&
        (t.sack_ok ? proof != '0 || t.dup_cnt == '1 :
         t.dup_cnt == '1 && is_before(t.recover, t.una));
    found.twice = t.loss == LOSS_FAST && valid != '0 && t.hi_rtx != t.una &&
        is_before(t.recover + 32'({t.mss, 1'b0}), edge_top);

    found.lost = t.una;
    if (t.loss == LOSS_RTO) begin
      found.lost = t.recover;
    end else if (t.loss != LOSS_NONE || found.entered) begin
      if (valid == '0 && (!t.sack_ok || t.dup_cnt == '1)) found.lost = t.una + 32'(t.mss);
      for (int i = 0; i < LIST; i++) begin
        if (proof != '0 ? mark[i] : top[i]) found.lost = t.sacked[i].left;
      end
    end

    // The first byte that may have to go again.
    found.from = s.again;
    for (int i = 0; i < LIST; i++) begin
      if (valid[i] && !is_before(
              s.again, t.sacked[i].left
          ) && is_before(
              s.again, t.sacked[i].right
          )) begin
        found.from = t.sacked[i].right;
      end
    end
  end

  // ---- ENTER
  logic [WND_W-1:0] threshold;
  kumi_tcp_cc_ssthresh #(
      .CUBIC(CUBIC)
  ) u_cut (
      .use_cubic(cfg.use_cubic),
      .flight(WND_W'(s.flight)),
      .mss(t.mss),
      .threshold
  );

  always_comb begin
    n = t;
    edges = l;
    if (l.entered) begin
      n.loss = LOSS_FAST;
      n.ssthresh = threshold;
      n.cwnd = threshold;
      n.rtt_on = 1'b0;
    end
    if (l.entered || l.twice) begin
      n.recover  = t.nxt;
      n.hi_rtx   = t.una;
      edges.from = t.una;  // no range begins there
    end
    if (is_before(t.nxt, l.lost)) edges.lost = t.nxt;
  end

  // ---- PIPE
  logic [LIST-1:0] above, behind, between, first;  // of lost, of hi_rtx; of holes: behind `from`
  logic beyond;  // what was sent again reaches beyond what is lost
  logic [31:0] to_lost, to_again, again;
  always_comb begin
    beyond = is_before(l.lost, t.hi_rtx);
    for (int i = 0; i < LIST; i++) begin
      above[i]   = !is_before(t.sacked[i].left, l.lost);
      behind[i]  = is_before(t.sacked[i].left, t.hi_rtx);
      between[i] = valid[i] && !above[i] && is_before(l.from, t.sacked[i].left);
    end
    first = outermost(between, s.up, 1'b0);
    to_lost = l.lost - t.una;
    to_again = t.hi_rtx - t.una;
    again = beyond ? to_lost : to_again;

    pipe = l;
    pipe.to = l.lost;
    for (int i = 0; i < LIST; i++) if (first[i]) pipe.to = t.sacked[i].left;
    pipe.hole  = t.loss != LOSS_NONE && (between != '0 || is_before(l.from, l.lost));
    pipe.first = t.hi_rtx == t.una;
    pipe.high  = t.nxt - l.lost;
    pipe.again = t.loss != LOSS_NONE && !again[31] ? again : '0;
    for (int i = 0; i < LIST; i++) begin
      pipe.sub[i] = above[i] || beyond || behind[i] ? s.size[i] : '0;
    end
  end

  // ---- ADD
  always_comb begin
    sum = $signed(l.high + l.again);
    for (int i = 0; i < LIST; i++) sum = sum - $signed(l.sub[i]);
    if (!t.sack_ok && t.loss != LOSS_RTO) sum = sum - $signed(32'(t.dup_bytes));
  end

  logic unused;
  assign unused = ^{cfg, s, l};
endmodule
