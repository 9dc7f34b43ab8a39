// SPDX-License-Identifier: Apache-2.0
//
// Loss detection and recovery: which data are lost and how much is in flight (RFC 6675, 4; RFC
//   6582). Eight stages of the caller, used only for sessions with losses or duplicate ACKs:
//   RANK PROOF LOSS  sum what is SACKed above each range; which ranges prove a loss; detect losses
//   ENTER            enter recovery
//   PIPE HOLE        compare with what is lost; the terms of the data in flight, the next hole
//   ADD SUM          sum the terms
// In a stage that is named at an output this is valid, from the registers of the stages before;
// t, s and l remain stable until the caller takes them over. t.sacked and t.mss are those of three
// cycles before LOSS. threshold: the slow start threshold after a loss.
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
// The ranges of t.sacked neither overlap nor touch, so the order of their starts (order_q) is that
// of their ends.
module kumi_tcp_loss_recovery
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input logic clk,
    input tcb_t t,
    input tcp_snd_calc_t s,
    input tcp_scoreboard_t l,
    input logic [WND_W-1:0] threshold,
    output tcp_scoreboard_t found,  // LOSS
    output tcb_t n,  // ENTER
    output tcp_scoreboard_t edges,  // ENTER
    output tcp_scoreboard_t pipe,  // HOLE
    output tcp_scoreboard_t spans,  // ADD
    output logic signed [31:0] sum  // SUM
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

  // ---- before RANK: bytes in each range, order of the ranges, sums of two
  logic [MAX_RANGES-1:0][31:0] size_q;
  logic [MAX_RANGES-1:0][1:0][31:0] pair_q;
  logic [MAX_RANGES-1:0][MAX_RANGES-1:0] order_q;  // [i][k]: range k starts at or above i
  always_ff @(posedge clk) begin
    for (int i = 0; i < MAX_RANGES; i++) begin
      size_q[i] <= valid[i] ? t.sacked[i].right - t.sacked[i].left : '0;
      for (int k = 0; k < MAX_RANGES; k++) begin
        order_q[i][k] <= !is_before(t.sacked[k].left, t.sacked[i].left);
      end
      for (int k = 0; k < 2; k++) begin
        pair_q[i][k] <= (order_q[i][2*k] ? size_q[2*k] : '0) +
            (order_q[i][2*k+1] ? size_q[2*k+1] : '0);
      end
    end
  end

  // ---- RANK
  logic [MAX_RANGES-1:0] top;  // the highest range
  logic [MAX_RANGES-1:0] starts_q, ends_q;  // ranges that do not start, that end above rtx_next
  logic [MAX_RANGES-1:0][31:0] above_q;  // bytes SACKed in this range and those above it
  logic [31:0] edge_top, edge_top_q, recover_two_q, first_end_q;
  assign top = outermost(valid, order_q, 1'b1);
  always_comb begin
    edge_top = t.snd_una;
    for (int i = 0; i < MAX_RANGES; i++) if (top[i]) edge_top = t.sacked[i].right;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < MAX_RANGES; i++) begin
      above_q[i]  <= pair_q[i][0] + pair_q[i][1];
      starts_q[i] <= !is_before(s.rtx_next, t.sacked[i].left);
      ends_q[i]   <= is_before(s.rtx_next, t.sacked[i].right);
    end
    edge_top_q <= edge_top;
    recover_two_q <= t.recover + 32'({t.mss, 1'b0});
    first_end_q <= t.snd_una + 32'(t.mss);
  end

  // ---- PROOF
  logic [MAX_RANGES-1:0] proof_q;  // with enough above
  logic tlp_past_q, rtx_past_q, recover_past_q, some_rtx_q;
  always_ff @(posedge clk) begin
    for (int i = 0; i < MAX_RANGES; i++) begin
      proof_q[i] <= valid[i] && above_q[i] > 32'({t.mss, 1'b0});
    end
    tlp_past_q <= !is_before(edge_top_q, t.recover);
    rtx_past_q <= is_before(recover_two_q, edge_top_q);
    recover_past_q <= is_before(t.recover, t.snd_una);
    some_rtx_q <= t.high_rxt != t.snd_una;
  end

  // ---- LOSS
  logic [MAX_RANGES-1:0] mark;  // the highest with proof
  logic tlp_proof;
  assign mark = outermost(proof_q, order_q, 1'b1);
  assign tlp_proof = valid != '0 && (t.tlp_pending || (t.tlp_out && tlp_past_q));

  always_comb begin
    found = '0;
    found.enter_recovery = t.recovery == RECOVERY_NONE && sends(t.state) && s.flight != '0 &&
        (t.sack_ok ? proof_q != '0 || t.dupacks == '1 || tlp_proof :
         t.dupacks == '1 && recover_past_q);
    found.reduce = t.cut_pending && t.recovery == RECOVERY_NONE && !found.enter_recovery;
    found.rtx_lost = t.recovery == RECOVERY_FAST && valid != '0 && some_rtx_q && rtx_past_q;

    found.lost_end = t.snd_una;
    if (t.recovery == RECOVERY_RTO) begin
      found.lost_end = t.recover;
    end else if (t.recovery != RECOVERY_NONE || found.enter_recovery) begin
      if (valid == '0 && (!t.sack_ok || t.dupacks == '1)) found.lost_end = first_end_q;
      for (int i = 0; i < MAX_RANGES; i++) begin
        if (proof_q != '0 ? mark[i] : top[i]) found.lost_end = t.sacked[i].left;
      end
    end

    // The first byte that may have to be retransmitted.
    found.rtx_from = s.rtx_next;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (valid[i] && starts_q[i] && ends_q[i]) found.rtx_from = t.sacked[i].right;
    end
  end

  // ---- ENTER
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
  logic [MAX_RANGES-1:0] over_q, behind_q, between_q;  // of lost; of high_rxt; holes behind `from`
  logic beyond_q;  // retransmissions reach beyond lost_end
  logic open_q;  // lost data behind `from`
  logic [31:0] to_lost_q, to_again_q, sent_above_q;
  always_ff @(posedge clk) begin
    beyond_q <= is_before(l.lost_end, t.high_rxt);
    open_q   <= is_before(l.rtx_from, l.lost_end);
    for (int i = 0; i < MAX_RANGES; i++) begin
      over_q[i] <= !is_before(t.sacked[i].left, l.lost_end);
      behind_q[i] <= is_before(t.sacked[i].left, t.high_rxt);
      between_q[i] <= valid[i] && is_before(l.rtx_from, t.sacked[i].left);
    end
    to_lost_q <= l.lost_end - t.snd_una;
    to_again_q <= t.high_rxt - t.snd_una;
    sent_above_q <= t.snd_nxt - l.lost_end;
  end

  // ---- HOLE
  logic [MAX_RANGES-1:0] holes, first;
  logic [31:0] again;
  assign holes = between_q & ~over_q;
  assign first = outermost(holes, order_q, 1'b0);
  assign again = beyond_q ? to_lost_q : to_again_q;
  always_comb begin
    pipe = l;
    pipe.rtx_to = l.lost_end;
    for (int i = 0; i < MAX_RANGES; i++) if (first[i]) pipe.rtx_to = t.sacked[i].left;
    pipe.rtx_valid  = t.recovery != RECOVERY_NONE && (holes != '0 || open_q);
    pipe.rtx_first  = t.high_rxt == t.snd_una;
    pipe.sent_above = sent_above_q;
    pipe.rtx_below  = t.recovery != RECOVERY_NONE && !again[31] ? again : '0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      pipe.sacked_part[i] = over_q[i] || beyond_q || behind_q[i] ? size_q[i] : '0;
    end
    // Without SACK, what duplicate ACKs report takes the place of ranges.
    if (!t.sack_ok && t.recovery != RECOVERY_RTO) pipe.sacked_part[0] = 32'(t.dupack_bytes);
  end

  // ---- ADD
  logic [31:0] sent_q, low_q, high_q;
  always_comb begin
    spans = l;
    spans.hole = l.rtx_to - l.rtx_from;
    spans.rest = t.snd_end - l.rtx_from;
  end
  always_ff @(posedge clk) begin
    sent_q <= l.sent_above + l.rtx_below;
    low_q  <= ~(l.sacked_part[0] + l.sacked_part[1]);
    high_q <= ~(l.sacked_part[2] + l.sacked_part[3]);
  end

  // ---- SUM: of three numbers by saved carries. The two complements lack one each: a low bit, and
  // a carry into it.
  logic [31:0] ones, twos;
  logic [32:0] total;
  always_comb begin
    ones  = sent_q ^ low_q ^ high_q;
    twos  = (sent_q & low_q) | (sent_q & high_q) | (low_q & high_q);
    total = {ones, 1'b1} + {twos[30:0], 2'b11};
    sum   = $signed(total[32:1]);
  end

  logic unused;
  assign unused = ^{s, l, twos, total};
endmodule
