// SPDX-License-Identifier: Apache-2.0
//
// Event engine: processes one event at a time. Takes the session's state from RAM, or keeps that of
//   the previous event, updates it in several stages, and writes it back.
//
// Steps (one cycle each, one carry chain deep):
//   received segment SEG_DIFF SEG_ENDS SEG_CHECK SEG_WEIGH SEG_PROCESS, each SACK block SACK_WEIGH
//   SACK; user call or timer USER_WEIGH USER_TIMER; all SND_SUMS SND_CALC; a session in recovery
//   RANK PROOF LOSS ENTER PIPE HOLE ADD SUM; all PLAN WEIGH DECIDE OUTPUT. A turn in the output
//   queue begins with SND_SUMS. Steps without effect are skipped: PLAN to DECIDE after payload that
//   needs no ACK, all between the new state and OUTPUT where no segment can follow. The modules
//   of the steps keep registers of what their earlier steps have computed, so the state does not
//   change within them. The next event's state is fetched meanwhile.
// s_*: the next event; s_tcb: its session's state (outdated if it is the session being processed).
// s_cubic, wr_cubic: CUBIC's state of the session, with CUBIC = 1. k_req: requests K; a pulse while
//   k_req_ready.
// wr_*: state to write, one cycle after OUTPUT. After reset X_INIT frees all sessions; each number
//   is pushed to free_* then.
// rx, space, opened, del, outq, tw, free, relookup, tx: effects of the event, pulses with data.
//   Whoever starts an event guarantees their space, except tx: without tx_ready the session enters
//   the output queue.
module kumi_tcp_event_engine
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
#(
    parameter int SESSIONS = 64,
    parameter int TX_RING = 65536,
    parameter int RX_RING = 65536,
    parameter int OOO_RANGES = 4,
    parameter bit CUBIC = 1'b0
) (
    input logic clk,
    input logic rst,
    input tcp_cfg_t cfg,
    input tcp_long_times_t long_times,
    input logic [31:0] now_us,
    input logic [31:0] now_long,  // ticks of 256 us
    input logic [31:0] tick,
    input logic s_valid,
    input tcp_event_t s_ev,
    input tcb_t s_tcb,
    input tcp_cubic_t s_cubic,
    output logic s_take,
    input logic others,  // another event is waiting to be selected
    output logic wr_en,
    output logic [SID_W-1:0] wr_sid,
    output tcb_t wr_tcb,
    output tcp_cubic_t wr_cubic,
    output logic k_req_valid,
    output tcp_cubic_k_req_t k_req,
    input logic k_req_ready,
    output logic rx_valid,
    output tcp_rx_cmd_t rx_cmd,
    output logic space_valid,
    output tcp_tx_space_t space_rec,
    output logic opened_valid,
    output tcp_open_rsp_t opened_rec,
    output logic del_valid,
    output tcp_tuple_t del_tuple,
    output logic out_valid,
    output logic tw_valid,
    output logic free_valid,
    output logic [SID_W-1:0] sid,  // of outq, tw, free
    output logic relookup_valid,
    output tcp_seg_t relookup_seg,
    output logic [31:0] relookup_iss,
    output logic relookup_floor,
    output logic tx_valid,
    output tcp_tx_t tx_rec,
    input logic tx_ready,
    output logic [15:0] half_open,  // passive opens in SYN-RECEIVED
    output logic [15:0] time_wait,  // sessions in TIME-WAIT
    output logic busy,
    output tcp_core_ev_t ev
);
  typedef enum logic [4:0] {
    X_INIT,
    X_IDLE,
    X_SEG_DIFF,
    X_SEG_ENDS,
    X_SEG_CHECK,
    X_SEG_WEIGH,
    X_SEG_PROCESS,
    X_USER_WEIGH,
    X_USER_TIMER,
    X_SACK_WEIGH,
    X_SACK,
    X_SND_SUMS,
    X_SND_CALC,
    X_RANK,
    X_PROOF,
    X_LOSS,
    X_ENTER,
    X_PIPE,
    X_HOLE,
    X_ADD,
    X_SUM,
    X_PLAN,
    X_WEIGH,
    X_DECIDE,
    X_OUTPUT
  } event_step_e;

  localparam int W = $clog2(SESSIONS);

  event_step_e step_q;
  tcp_event_t e_q;
  tcb_t t_q;
  logic [31:0] now_q, long_q;
  tcp_long_times_t at_q;  // deadlines of the long timers, from this event on
  logic fresh_q;  // the first step of an event
  logic turn_q;  // the event began with an entry of the output queue
  tcp_seg_diff_t c;
  tcp_seg_check_t j_q, j;
  tcp_action_t w_q, w_take, w_app, w;
  tcp_snd_calc_t s_q, s;
  tcp_scoreboard_t l_q, l_found, l_edges, l_pipe, l_spans;
  tcp_output_t p_q, p;
  logic signed [31:0] pipe;
  logic slow_q, slow;
  logic [WND_W-1:0] cwnd;  // after SND_CALC
  logic [31:0] flight_q;
  logic [WND_W-1:0] threshold, threshold_q;  // slow start threshold after a loss
  tcb_t t_take, t_app, t_work, t_sums, t_loss, t_emit, t_end;
  tcp_core_ev_t ev_take, ev_app, ev_emit, ev_q, ev_end;
  logic [2:0] block_q;
  tcp_seq_ranges_t sack_next;
  logic sack_full, emit_send, emit_more;
  tcp_tx_t emit_tx;
  logic [W:0] init_q;

  // ---- stages ---------------------------------------------------------------------------------

  kumi_tcp_seg_diff u_seg_diff (
      .clk,
      .t(t_q),
      .seg(e_q.seg),
      .now_us(now_q),
      .c
  );

  kumi_tcp_seg_check u_seg_check (
      .clk,
      .t(t_q),
      .seg(e_q.seg),
      .c,
      .now_us(now_q),
      .j
  );

  kumi_tcp_seg_process #(
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC)
  ) u_seg_process (
      .clk,
      .cfg,
      .at(at_q),
      .now_us(now_q),
      .t(t_q),
      .seg(e_q.seg),
      .c,
      .j(j_q),
      .n(t_take),
      .w(w_take),
      .ev(ev_take)
  );

  kumi_tcp_user_timer_event #(
      .TX_RING(TX_RING),
      .RX_RING(RX_RING)
  ) u_user_timer (
      .clk,
      .cfg,
      .at(at_q),
      .now_us(now_q),
      .now_long(long_q),
      .t(t_q),
      .e(e_q),
      .n(t_app),
      .w(w_app),
      .ev(ev_app)
  );

  tcp_range_t sack_block;
  assign sack_block = e_q.seg.opts.sack[0];

  kumi_tcp_range_list #(
      .OOO_RANGES(OOO_RANGES),
      .KEEP_LOW  (1'b1)
  ) u_scoreboard (
      .clk,
      .list (t_q.sacked),
      .left (sack_block.left),
      .right(sack_block.right),
      .next (sack_next),
      .full (sack_full)
  );

  kumi_tcp_snd_calc #(
      .TX_RING(TX_RING),
      .RX_RING(RX_RING)
  ) u_snd_calc (
      .clk,
      .cfg,
      .t(t_q),
      .sample(w_q.rtt_sample),
      .rtt(c.rtt_age),
      .n(t_sums),
      .s,
      .slow
  );

  kumi_tcp_cc_ssthresh #(
      .CUBIC(CUBIC)
  ) u_ssthresh (
      .use_cubic(cfg.use_cubic),
      .flight(WND_W'(flight_q)),
      .mss(t_q.mss),
      .threshold
  );

  // Valid where they are used: no step before that changes snd_una or snd_nxt.
  always_ff @(posedge clk) begin
    flight_q <= t_q.snd_nxt - t_q.snd_una;
    threshold_q <= threshold;
    at_q.time_wait <= long_q + long_times.time_wait;
    at_q.fin_wait <= long_q + long_times.fin_wait;
    at_q.linger <= long_q + long_times.linger;
    at_q.keep_idle <= long_q + long_times.keep_idle;
    at_q.keep_interval <= long_q + long_times.keep_interval;
  end

  kumi_tcp_loss_recovery u_loss (
      .clk,
      .t(t_q),
      .s(s_q),
      .l(l_q),
      .threshold(threshold_q),
      .found(l_found),
      .n(t_loss),
      .edges(l_edges),
      .pipe(l_pipe),
      .spans(l_spans),
      .sum(pipe)
  );

  kumi_tcp_output_decide #(
      .RX_RING(RX_RING)
  ) u_output_decide (
      .clk,
      .cfg,
      .t(t_q),
      .s(s_q),
      .l(l_q),
      .slow(slow_q),
      .now_us(now_q),
      .p
  );

  kumi_tcp_output_seg #(
      .RX_RING(RX_RING)
  ) u_output_seg (
      .clk,
      .cfg,
      .now_us(now_q),
      .tick,
      .sid(e_q.sid),
      .t(t_q),
      .p(p_q),
      .room(tx_ready && !w_q.rst),
      .n(t_emit),
      .send(emit_send),
      .tx(emit_tx),
      .more(emit_more),
      .ev(ev_emit)
  );

  // ---- ends of sessions, notifications --------------------------------------------------------

  logic from_seg;
  assign from_seg = step_q == X_SEG_PROCESS;

  always_comb begin
    w = from_seg ? w_take : w_app;
    t_work = from_seg ? t_take : t_app;
    w.rx.sid = e_q.sid;
    if (w.ends) begin
      // In TIME-WAIT the application was notified before.
      if (t_q.app_notified && t_q.state != ST_TIME_WAIT) begin
        w.cmd = 1'b1;
        w.rx.notify = 1'b1;
        w.rx.ended = 1'b1;
        w.rx.reason = w.reason;
        w.tx_space = 1'b1;
      end
    end
    if (w.enter_tw && from_seg) begin
      w.cmd = 1'b1;
      w.rx.notify = 1'b1;
      w.rx.ended = 1'b1;
      w.rx.reason = TCP_CLOSED;
      w.tx_space = 1'b1;
    end
  end

  // A SACK block is used if it lies within the data in flight.
  logic sack_use_q;
  always_ff @(posedge clk) begin
    sack_use_q <= is_before(t_q.snd_una, sack_block.left) &&
        is_before(sack_block.left, sack_block.right) && !is_before(t_q.snd_nxt, sack_block.right);
  end

  // ---- after the last stage -------------------------------------------------------------------

  logic last, queue, tw, free, go_on;
  assign last  = step_q == X_OUTPUT;
  // No other event: the session continues to send without a turn in the output queue.
  assign go_on = last && emit_more && emit_send && !t_emit.out_queued && !s_valid && !others;

  always_comb begin
    t_end = t_emit;
    queue = emit_more && !t_emit.out_queued && !go_on;
    if (queue) t_end.out_queued = 1'b1;
    tw = w_q.enter_tw && !t_emit.tw_queued;
    if (tw) t_end.tw_queued = 1'b1;
    free = t_end.state == ST_DRAIN && t_end.released && !t_end.out_queued && !t_end.rst_pending;
    if (free) t_end.state = ST_FREE;
  end

  assign s_take = s_valid && (step_q == X_IDLE || last);

  // Nothing to send and nothing to acknowledge: skip the output decision.
  logic idle_send, brief;
  assign idle_send = t_q.snd_una == t_q.snd_nxt && t_q.snd_end == t_q.snd_nxt && !t_q.snd_fin;
  assign brief = e_q.kind == EV_SEGMENT && idle_send && !(
      t_q.ack_now || t_q.dupacks_owed != '0 || t_q.rst_pending || t_q.syn_pending ||
      t_q.probe_pending);

  logic held_q;  // t_q is the state of e_q.sid
  logic same;  // and the next event's
  assign same = held_q && s_ev.sid == e_q.sid;

  always_comb begin
    ev_end = ev_q;
    if (last) ev_end = ev_q | ev_emit;
    ev_end.session_freed = last && free;
  end

  always_ff @(posedge clk) begin
    fresh_q <= 1'b0;
    unique case (step_q)
      X_INIT: begin
        init_q <= init_q + 1'b1;
        if (init_q == (W + 1)'(SESSIONS - 1)) step_q <= X_IDLE;
      end
      X_SEG_DIFF: step_q <= X_SEG_ENDS;
      X_SEG_ENDS: step_q <= X_SEG_CHECK;
      X_SEG_CHECK: begin
        j_q <= j;
        step_q <= X_SEG_WEIGH;
      end
      X_SEG_WEIGH: step_q <= X_SEG_PROCESS;
      X_USER_WEIGH: step_q <= X_USER_TIMER;
      X_SEG_PROCESS, X_USER_TIMER: begin
        t_q <= t_work;
        w_q <= w;
        block_q <= '0;
        p_q <= '0;
        step_q <= w.output_due || w.ends ? X_SND_SUMS : X_OUTPUT;
        if (from_seg && j_q.verdict == SEG_ACCEPT && t_q.sack_ok && e_q.seg.opts.sacks != '0) begin
          step_q <= X_SACK_WEIGH;
        end
      end
      X_SACK_WEIGH: step_q <= X_SACK;
      X_SACK: begin
        if (sack_use_q) t_q.sacked <= sack_next;
        // The next block; nothing else uses them any more.
        e_q.seg.opts.sack <= e_q.seg.opts.sack >> $bits(tcp_range_t);
        block_q <= block_q + 1'b1;
        step_q <= X_SACK_WEIGH;
        if (block_q + 1'b1 >= e_q.seg.opts.sacks || block_q == 3'(MAX_RANGES - 1))
          step_q <= X_SND_SUMS;
      end
      X_SND_SUMS: begin
        if (w_q.reduce_cwnd) t_q.ssthresh <= threshold_q;
        if (w_q.ends) t_q <= finish(t_q, at_q.linger);
        step_q <= X_SND_CALC;
      end
      X_SND_CALC: begin
        t_q <= t_sums;
        if (w_q.cubic_acked != '0) t_q.cwnd <= cwnd;
        s_q <= s;
        slow_q <= slow;
        if (slow) step_q <= X_RANK;
        else if (brief) step_q <= X_OUTPUT;
        else step_q <= X_PLAN;
      end
      X_RANK: step_q <= X_PROOF;
      X_PROOF: step_q <= X_LOSS;
      X_LOSS: begin
        l_q <= l_found;
        step_q <= X_ENTER;
      end
      X_ENTER: begin
        t_q <= t_loss;
        l_q <= l_edges;
        step_q <= X_PIPE;
      end
      X_PIPE: step_q <= X_HOLE;
      X_HOLE: begin
        l_q <= l_pipe;
        step_q <= X_ADD;
      end
      X_ADD: begin
        l_q <= l_spans;
        step_q <= X_SUM;
      end
      X_SUM: begin
        l_q.pipe <= pipe;
        step_q   <= X_PLAN;
      end
      X_PLAN: step_q <= X_WEIGH;
      X_WEIGH: step_q <= X_DECIDE;
      X_DECIDE: begin
        p_q <= p;
        step_q <= X_OUTPUT;
      end
      X_OUTPUT: begin
        t_q <= t_end;
        w_q <= '0;
        p_q <= '0;
        step_q <= go_on ? X_SND_SUMS : X_IDLE;
        if (go_on) begin
          e_q.kind <= EV_SEND;
          now_q <= now_us;
          long_q <= now_long;
          fresh_q <= 1'b1;
          turn_q <= 1'b0;
        end
      end
      default: ;
    endcase

    if (s_take) begin
      e_q <= s_ev;
      if (!same) t_q <= s_tcb;
      if (s_ev.kind == EV_SEND) t_q.out_queued <= 1'b0;
      held_q <= 1'b1;
      now_q <= now_us;
      long_q <= now_long;
      fresh_q <= 1'b1;
      turn_q <= s_ev.kind == EV_SEND;
      w_q <= '0;
      p_q <= '0;
      if (s_ev.kind == EV_SEGMENT) step_q <= X_SEG_DIFF;
      else if (s_ev.kind == EV_SEND) step_q <= X_SND_SUMS;
      else step_q <= X_USER_WEIGH;
    end

    if (rst) begin
      step_q <= X_INIT;
      init_q <= '0;
      held_q <= 1'b0;
    end
  end

  // ---- CUBIC state beside the TCB -------------------------------------------------------------

  if (CUBIC) begin : gen_cubic
    tcp_cubic_t cu_q, n_app, n_sums, n_loss, n_emit;
    kumi_tcp_cc_cubic #(
        .TX_RING(TX_RING)
    ) u_cubic (
        .clk,
        .rst,
        .tick,
        .use_cubic(cfg.use_cubic),
        .e(e_q),
        .t(t_q),
        .cu(cu_q),
        .c,
        .acked(w_q.cubic_acked),
        .reduce_cwnd(w_app.reduce_cwnd),
        .step_seg(step_q == X_SEG_PROCESS),
        .step_sums(step_q == X_SND_CALC),
        .step_begin(s_take || go_on),
        .n_app,
        .n_sums,
        .cwnd,
        .n_loss,
        .n_emit,
        .k_req_valid,
        .k_req,
        .k_req_ready
    );

    always_ff @(posedge clk) begin
      if (step_q == X_USER_TIMER) cu_q <= n_app;
      if (step_q == X_SND_CALC) cu_q <= n_sums;
      if (step_q == X_ENTER && (l_q.enter_recovery || l_q.reduce)) cu_q <= n_loss;
      if (last) cu_q <= n_emit;
      if (s_take) cu_q <= held_q && s_ev.sid == e_q.sid ? (last ? n_emit : cu_q) : s_cubic;
      wr_cubic <= step_q == X_INIT ? '0 : n_emit;
    end
  end else begin : gen_newreno
    assign cwnd = t_sums.cwnd;
    assign wr_cubic = '0;
    assign k_req_valid = 1'b0;
    assign k_req = '0;
    logic unused;
    assign unused = ^{s_cubic, k_req_ready};
  end

  // ---- state, counts --------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    wr_en  <= last || step_q == X_INIT;
    wr_sid <= step_q == X_INIT ? SID_W'(init_q) : e_q.sid;
    wr_tcb <= step_q == X_INIT ? '0 : t_end;
    if (rst) wr_en <= 1'b0;
  end

  logic counted_busy;
  kumi_tcp_state_counts u_counts (
      .clk,
      .rst,
      .fresh(fresh_q),
      .turn(turn_q),
      .t(t_q),
      .last,
      .written(wr_tcb),
      .half_open,
      .time_wait,
      .busy(counted_busy)
  );
  assign busy = counted_busy || step_q != X_IDLE;

  // ---- effects --------------------------------------------------------------------------------

  // One cycle after the actions.
  kumi_tcp_event_effects u_effects (
      .acts  (step_q == X_SEG_PROCESS || step_q == X_USER_TIMER),
      .action(w),
      .w     (w_q),
      .t     (t_q),
      .e     (e_q),
      .*  // clk, rst and the outputs of the same names
  );

  assign out_valid = last && queue;
  assign tw_valid = last && tw;
  assign free_valid = (last && free) || step_q == X_INIT;
  assign sid = step_q == X_INIT ? SID_W'(init_q) : e_q.sid;

  always_comb begin
    tx_valid = last && (emit_send || (w_q.rst && tx_ready));
    tx_rec   = emit_tx;
    if (w_q.rst) begin
      tx_rec = '0;
      tx_rec.sid = e_q.sid;
      tx_rec.tuple = e_q.seg.tuple;
      tx_rec.seq = w_q.rst_seq;
      tx_rec.flags.rst = 1'b1;
    end
  end

  // ---- events ---------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    ev_q <= '0;
    if (step_q == X_SEG_PROCESS) ev_q <= ev_take;
    if (step_q == X_USER_TIMER) ev_q <= ev_app;
    if (step_q == X_ENTER) ev_q.fast_recovery <= l_q.enter_recovery;
    if (step_q == X_SEG_PROCESS || step_q == X_USER_TIMER) begin
      ev_q.open_passive <= w.opened && t_work.passive;
      ev_q.open_active <= w.opened && !t_work.passive;
      ev_q.time_wait <= w.enter_tw && from_seg;
      if (w.ends && t_q.state != ST_TIME_WAIT) begin
        ev_q.open_failed <= !t_q.app_notified && !t_q.passive;
        ev_q.close_handshake <= !t_q.app_notified && t_q.passive;
        ev_q.close_ok <= t_q.app_notified && w.reason == TCP_CLOSED;
        ev_q.close_reset <= t_q.app_notified && (w.reason == TCP_RESET || w.reason == TCP_REFUSED);
        ev_q.close_timeout <= t_q.app_notified && w.reason == TCP_TIMEOUT;
        ev_q.close_abort <= t_q.app_notified && w.reason == TCP_ABORTED;
      end
    end
    if (step_q == X_SEG_PROCESS && w.enter_tw) ev_q.close_ok <= 1'b1;
    ev <= ev_end;
    if (rst) begin
      ev_q <= '0;
      ev   <= '0;
    end
  end

  logic unused;
  assign unused = ^{sack_full, w_q, l_q, flight_q};
endmodule
