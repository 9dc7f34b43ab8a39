// SPDX-License-Identifier: Apache-2.0
//
// Losses: what a session that sends has lost and what is in the network (RFC 6675, 4; RFC 6582).
// Three registered steps of the caller, each combinational here: LOSS gives t_loss and lost, PIPE
// the terms, ADD their sum. Only for sessions that have losses or duplicate ACKs to look at.
//
// Lost, with SACK: what is not acknowledged below a range above whose start more than two segments
//   of bytes are acknowledged (6675, IsLost); in recovery, if there is no such, below any range
//   (NextSeg, rule 3). Without: one segment at una after three duplicate ACKs and at each partial
//   ACK. After a time-out: all below `recover`.
// Recovery begins from LOSS_NONE when una is lost, and ends in kumi_tcp_core_take. It cuts the
//   congestion window once. `recover` keeps duplicate ACKs of before from beginning one.
// What was sent again is taken to be in the network, until more than two segments of bytes are
//   acknowledged that were first sent after recovery began: then it is lost again, and goes once
//   more. Without SACK a time-out mends that.
module kumi_tcp_core_loss
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter bit CUBIC = 1'b0
) (
    input  tcp_cfg_t           cfg,
    input  tcb_t               t,
    input  tcp_sums_t          s,
    input  tcp_lost_t          l,
    output tcb_t               t_loss,   // LOSS
    output logic               entered,
    output logic        [31:0] lost,
    output tcp_lost_t          pipe,     // PIPE
    output logic signed [31:0] sum       // ADD
);
  logic [WND_W-1:0] threshold;
  kumi_tcp_cc_cut #(
      .CUBIC(CUBIC)
  ) u_cut (
      .use_cubic(cfg.use_cubic),
      .flight(WND_W'(s.flight)),
      .mss(t.mss),
      .threshold
  );

  // ---- LOSS
  logic known, any;  // SACK shows a loss; some range
  logic [31:0] mark, top;  // the highest start of a range with enough above it; of all
  logic [31:0] edge_top;  // the highest end
  logic twice;  // what was sent again is lost, too
  always_comb begin
    known = 1'b0;
    any = 1'b0;
    mark = t.una;
    top = t.una;
    edge_top = t.una;
    for (int i = 0; i < LIST; i++) begin
      if (t.sacked[i].valid && s.above[i] > 32'({t.mss, 1'b0})) begin
        known = 1'b1;
        mark  = later(mark, t.sacked[i].left);
      end
      if (t.sacked[i].valid) begin
        any = 1'b1;
        top = later(top, t.sacked[i].left);
        edge_top = later(edge_top, t.sacked[i].right);
      end
    end
  end

  assign twice = t.loss == LOSS_FAST && any && t.hi_rtx != t.una && is_before(
      t.recover + 32'({t.mss, 1'b0}), edge_top
  );

  assign entered = t.loss == LOSS_NONE && sends(
      t.state
  ) && s.flight != '0 && (t.sack_ok ? known || t.dup_cnt == '1 : t.dup_cnt == '1 && is_before(
      t.recover, t.una
  ));

  always_comb begin
    t_loss = t;
    if (entered) begin
      t_loss.loss = LOSS_FAST;
      t_loss.recover = t.nxt;
      t_loss.hi_rtx = t.una;
      t_loss.ssthresh = threshold;
      t_loss.cwnd = threshold;
      t_loss.rtt_on = 1'b0;
    end else if (twice) begin
      t_loss.recover = t.nxt;
      t_loss.hi_rtx  = t.una;
    end
    if (t.loss == LOSS_RTO) lost = t.recover;
    else if (t.loss == LOSS_NONE && !entered) lost = t.una;
    else if (known) lost = mark;
    else if (any) lost = top;
    else if (!t.sack_ok || t.dup_cnt == '1) lost = t.una + 32'(t.mss);
    else lost = t.una;
    if (is_before(t.nxt, lost)) lost = t.nxt;
  end

  // ---- PIPE
  logic [31:0] from, to, again_end;
  always_comb begin
    from = later(t.hi_rtx, t.una);
    for (int i = 0; i < LIST; i++) begin
      if (t.sacked[i].valid && !is_before(
              later(t.hi_rtx, t.una), t.sacked[i].left
          ) && is_before(
              later(t.hi_rtx, t.una), t.sacked[i].right
          )) begin
        from = t.sacked[i].right;
      end
    end
    to = l.lost;
    for (int i = 0; i < LIST; i++) begin
      if (t.sacked[i].valid && is_before(
              from, t.sacked[i].left
          ) && is_before(
              t.sacked[i].left, to
          )) begin
        to = t.sacked[i].left;
      end
    end
    again_end = is_before(l.lost, t.hi_rtx) ? l.lost : t.hi_rtx;

    pipe = l;
    pipe.hole = t.loss != LOSS_NONE && is_before(from, to);
    pipe.from = from;
    pipe.to = to;
    pipe.first = t.hi_rtx == t.una;
    pipe.high = t.nxt - l.lost;
    pipe.again = t.loss != LOSS_NONE && is_before(t.una, again_end) ? again_end - t.una : '0;
    for (int i = 0; i < LIST; i++) begin
      pipe.sub_high[i]  = '0;
      pipe.sub_again[i] = '0;
      if (t.sacked[i].valid && !is_before(t.sacked[i].left, l.lost)) begin
        pipe.sub_high[i] = t.sacked[i].right - t.sacked[i].left;
      end
      if (t.sacked[i].valid && is_before(t.sacked[i].left, again_end)) begin
        pipe.sub_again[i] = t.sacked[i].right - t.sacked[i].left;
      end
    end
  end

  // ---- ADD
  always_comb begin
    sum = $signed(l.high + l.again);
    for (int i = 0; i < LIST; i++) sum = sum - $signed(l.sub_high[i]) - $signed(l.sub_again[i]);
    if (!t.sack_ok && t.loss != LOSS_RTO) sum = sum - $signed(32'(t.dup_bytes));
  end

  logic unused;
  assign unused = ^{cfg, s, l};
endmodule
