// SPDX-License-Identifier: Apache-2.0
//
// Control of the queue pairs: takes set-ups, time-outs, datagrams sent, packets and work requests
// one at a time, and runs kumi_rc_respond or kumi_rc_complete on the queue pair's state.
//
// s_setup, s_wr, s_hdr: see kumi_rc; exp_*: kumi_rc_timers; sent_*: kumi_rc_read.
// hold, held, idle: before a set-up applies, transmission stops and nothing is on its way to
//   memory, so that no WRITE lands in a region that is gone; clear: then all else that belongs to
//   the queue pair begins again, with sq_psn.
// store_*: the state after an event, at the end of which kick lets transmission look at it, back
//   lets it begin again at una, progress restarts the timer, and rnr stops it for rnr_timer.
// sq_*, rq_*: kumi_rc_queues. job_*, act_*: kumi_rc_place.
// Bad input: packets for no queue pair, from another peer or with another P_Key are dropped.
module kumi_rc_ctrl
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int QPS = 64,
    parameter int SQ = 16,
    parameter int RQ = 16,
    parameter int REGIONS = 64,
    parameter int BURST_BYTES = 1024,
    localparam int QP_W = $clog2(QPS),
    localparam int BURSTS_W = $clog2(RC_MAX_MTU / BURST_BYTES + 2)
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_setup,
    kumi_rec_if.snk s_wr,
    kumi_rec_if.snk s_hdr,
    input logic exp_valid,
    output logic exp_ready,
    input logic [QP_W-1:0] exp_qp,
    input logic exp_rnr,
    input logic sent_valid,
    output logic sent_ready,
    input logic [QP_W-1:0] sent_qp,
    input logic [23:0] sent_psn,
    // transmission
    output logic hold,
    input logic held,
    input logic idle,
    output logic clear,
    output logic [23:0] sq_psn,
    input logic [23:0] max,
    input logic [QPS-1:0][4:0] ring_rd,
    // the queue pair in work
    output logic [QP_W-1:0] qp,
    output logic attr_we,
    output rc_qp_attr_t attr_new,
    input rc_qp_attr_t attr,
    output logic store,
    output rc_state_t store_state,
    input rc_state_t state,
    output logic kick,
    output logic back,
    output logic progress,
    output logic rnr,
    output logic [4:0] rnr_timer,
    output logic [QPS-1:0] ready,
    output logic [QPS-1:0] qp_error,
    // queues of work requests
    output logic sq_we,
    output logic rq_we,
    output logic [7:0] sq_at,
    output logic [7:0] rq_at,
    output rc_sq_entry_t sq_new,
    output rc_rq_entry_t rq_new,
    input rc_sq_entry_t sq_entry,
    input rc_rq_entry_t rq_entry,

    output logic job_valid,
    input logic job_ready,
    output rc_job_t job,
    output logic act_valid,
    input logic act_ready,
    output rc_action_t act,
    output logic [BURSTS_W-1:0] act_bursts,
    output rc_events_t ev
);
  typedef enum logic [3:0] {
    S_IDLE,
    S_LOAD,
    S_LOADED,
    S_MATCH,     // is it the peer's
    S_CHECK,
    S_RESPOND,
    S_COMPLETE,
    S_POST,
    S_REFUSE,    // completes a work request with an error
    S_DROP,
    S_HOLD,
    S_SETUP,
    S_STORE
  } state_e;

  state_e s_q;
  rc_event_e event_q;
  rc_setup_t setup, setup_q;
  rc_wr_t wr, wr_q;
  rc_pkt_t in_pkt, pkt_q;
  rc_qp_attr_t attr_q;
  rc_op_info_t op_q;
  logic [12:0] mtu;
  logic [15:0] qp_q;
  logic known_q, run_q, peer_q, p_key_q, turn_q, exp_rnr_q, rq_side, start_q;
  logic [4:0] ring_rd_q;
  logic full_q, legal_q, posts;
  rc_cause_e cause_q;
  rc_wc_status_e rq_status_q, refuse_q;
  logic kick_q, back_q, progress_q, rnr_q;

  assign setup = s_setup.data;
  assign wr = s_wr.data;
  assign in_pkt = s_hdr.data;

  // ---- units -----------------------------------------------------------------------------------
  logic r_done, r_failed, r_too_long, c_done, c_back, c_rnr, c_progress, c_failed;
  logic [4:0] c_timer;
  rc_state_t r_next, c_next;
  rc_events_t r_ev, c_ev;
  logic r_job_valid, c_job_valid, r_act_valid, c_act_valid;
  rc_job_t r_job, c_job;
  rc_action_t r_act, c_act;
  logic [BURSTS_W-1:0] r_bursts, c_bursts;
  logic [7:0] c_rq_at;
  logic [31:0] key, length;
  logic [63:0] va;
  logic write, read, atomic, ok;

  kumi_rc_respond #(
      .BURST_BYTES(BURST_BYTES)
  ) u_respond (
      .start(start_q && s_q == S_RESPOND),
      .pkt(pkt_q),
      .op(op_q),
      .qp(qp_q),
      .attr(attr_q),
      .state(store_state),
      .head(rq_entry),
      .ring_rd(ring_rd_q),
      .done(r_done),
      .next(r_next),
      .failed(r_failed),
      .too_long(r_too_long),
      .ev(r_ev),
      .job_valid(r_job_valid),
      .job(r_job),
      .act_valid(r_act_valid),
      .act(r_act),
      .act_bursts(r_bursts),
      .*
  );

  kumi_rc_regions #(
      .REGIONS(REGIONS)
  ) u_regions (
      .set_valid (s_q == S_SETUP && setup_q.op == RC_SETUP_REGION),
      .set_region(setup_q.region),
      .*
  );

  kumi_rc_complete #(
      .BURST_BYTES(BURST_BYTES)
  ) u_complete (
      .start(start_q && s_q == S_COMPLETE),
      .cause(cause_q),
      .pkt(pkt_q),
      .op(op_q),
      .qp(qp_q),
      .attr(attr_q),
      .state(store_state),
      .rq_status(rq_status_q),
      .done(c_done),
      .next(c_next),
      .went_back(c_back),
      .wait_rnr(c_rnr),
      .rnr_timer(c_timer),
      .progress(c_progress),
      .failed(c_failed),
      .ev(c_ev),
      .rq_at(c_rq_at),
      .job_valid(c_job_valid),
      .job(c_job),
      .act_valid(c_act_valid),
      .act(c_act),
      .act_bursts(c_bursts),
      .*
  );

  // ---- what goes to memory ---------------------------------------------------------------------
  rc_completion_t refused;
  assign refused = '{qp: wr_q.qp, id: wr_q.id, op: wr_q.op, status: refuse_q, default: '0};

  always_comb begin
    job = s_q == S_RESPOND ? r_job : c_job;
    job_valid = s_q == S_RESPOND ? r_job_valid : c_job_valid;
    act = s_q == S_RESPOND ? r_act : c_act;
    act_valid = s_q == S_RESPOND ? r_act_valid : c_act_valid;
    act_bursts = s_q == S_RESPOND ? r_bursts : c_bursts;
    if (s_q == S_DROP) begin
      job = '{discard: 1'b1, length: pkt_q.hdr.length, default: '0};
      job_valid = pkt_q.hdr.length != '0;
    end
    if (s_q == S_REFUSE) begin
      act = '{kind: RC_ACT_COMPLETION, body: RC_BODY_W'(refused)};
      act_valid = 1'b1;
      act_bursts = '0;
    end
  end

  // ---- work requests ---------------------------------------------------------------------------
  kumi_rc_post #(
      .SQ(SQ),
      .RQ(RQ)
  ) u_post (
      .wr(wr_q),
      .attr(attr_q),
      .state(store_state),
      .receive(rq_side),
      .full(full_q),
      .legal(legal_q),
      .*
  );
  assign sq_we = posts && !rq_side;
  assign rq_we = posts && rq_side;
  assign posts = s_q == S_POST && !start_q && legal_q && !full_q && run_q;
  assign rq_at = s_q == S_COMPLETE ? c_rq_at : store_state.rq_rd;

  // ---- one event after the other ---------------------------------------------------------------
  logic take_packet, take_wr;
  assign take_packet = s_hdr.valid && !(s_wr.valid && turn_q);
  assign take_wr = s_wr.valid && !take_packet;
  assign exp_ready = s_q == S_IDLE && !s_setup.valid;
  assign sent_ready = exp_ready && !exp_valid;
  assign s_hdr.ready = sent_ready && !sent_valid && take_packet;
  assign s_wr.ready = sent_ready && !sent_valid && take_wr;
  assign s_setup.ready = s_q == S_SETUP;
  assign hold = s_q == S_HOLD || s_q == S_SETUP;

  always_ff @(posedge clk) begin
    start_q <= 1'b0;
    unique case (s_q)
      S_IDLE: begin
        s_q <= S_LOAD;
        {kick_q, back_q, progress_q, rnr_q} <= '0;
        rq_status_q <= RC_WC_WR_FLUSH_ERR;
        setup_q <= setup;
        if (s_setup.valid) begin
          event_q <= RC_EV_SETUP;
          qp_q <= setup.qp;
        end else if (exp_valid) begin
          event_q <= RC_EV_TIMER;
          qp_q <= 16'(exp_qp);
          exp_rnr_q <= exp_rnr;
        end else if (sent_valid) begin
          event_q <= RC_EV_SENT;
          qp_q <= 16'(sent_qp);
          pkt_q.hdr.opcode <= RC_ACKNOWLEDGE;
          pkt_q.hdr.syndrome <= RC_SYNDROME_ACK;
          pkt_q.hdr.length <= '0;
          pkt_q.hdr.psn <= sent_psn;
        end else if (take_packet) begin
          event_q <= RC_EV_PACKET;
          pkt_q <= in_pkt;
          qp_q <= in_pkt.hdr.dest_qp[15:0];
          turn_q <= 1'b1;
        end else if (take_wr) begin
          event_q <= RC_EV_WR;
          wr_q <= wr;
          qp_q <= wr.qp;
          turn_q <= 1'b0;
        end else s_q <= S_IDLE;
      end
      S_LOAD: begin
        known_q <= event_q == RC_EV_PACKET ? pkt_q.hdr.dest_qp < 24'(QPS) : qp_q < 16'(QPS);
        op_q <= rc_op_info(pkt_q.hdr.opcode);
        s_q <= S_LOADED;
      end
      S_LOADED: begin
        store_state <= state;
        attr_q <= attr;
        ring_rd_q <= ring_rd[qp];
        run_q <= ready[qp] && known_q;
        s_q <= S_MATCH;
      end
      S_MATCH: s_q <= S_CHECK;
      S_CHECK: begin
        start_q <= 1'b1;
        cause_q <= event_q == RC_EV_TIMER ? exp_rnr_q ? RC_CAUSE_RNR_END : RC_CAUSE_TIMEOUT
            : event_q == RC_EV_SENT ? RC_CAUSE_SENT : RC_CAUSE_RESPONSE;
        unique case (event_q)
          RC_EV_SETUP: s_q <= setup_q.op != RC_SETUP_REGION && !known_q ? S_SETUP : S_HOLD;
          RC_EV_WR: s_q <= S_POST;
          RC_EV_PACKET:
          if (!run_q || !peer_q || !p_key_q || (attr_q.ud && op_q.response)) s_q <= S_DROP;
          else s_q <= op_q.response ? S_COMPLETE : S_RESPOND;
          default: s_q <= run_q ? S_COMPLETE : S_IDLE;
        endcase
      end

      S_RESPOND:
      if (r_done) begin
        store_state <= r_next;
        rq_status_q <= r_too_long ? RC_WC_LOC_LEN_ERR : RC_WC_WR_FLUSH_ERR;
        cause_q <= RC_CAUSE_FLUSH;
        start_q <= r_failed;
        s_q <= r_failed ? S_COMPLETE : S_STORE;
      end

      S_COMPLETE:
      if (c_done) begin
        store_state <= c_next;
        kick_q <= c_progress;
        back_q <= c_back;
        progress_q <= c_progress;
        rnr_q <= c_rnr;
        rnr_timer <= c_timer;
        if (c_failed) begin
          ready[qp] <= 1'b0;
          qp_error[qp] <= 1'b1;
        end
        s_q <= S_STORE;
      end
      S_POST:
      if (!start_q) begin  // kumi_rc_post has had its two cycles
        refuse_q <= qp_error[qp] && known_q ? RC_WC_WR_FLUSH_ERR : RC_WC_LOC_QP_OP_ERR;
        if (!posts) s_q <= S_REFUSE;
        else begin
          store_state.sq_wr <= store_state.sq_wr + 8'(!rq_side);
          store_state.rq_wr <= store_state.rq_wr + 8'(rq_side);
          kick_q <= !rq_side;
          s_q <= S_STORE;
        end
      end
      S_REFUSE: if (act_ready) s_q <= S_IDLE;
      S_DROP:   if (job_ready || !job_valid) s_q <= S_IDLE;
      S_HOLD:   if (held && idle) s_q <= S_SETUP;
      S_SETUP: begin
        s_q <= S_IDLE;
        if (known_q && setup_q.op == RC_SETUP_ERROR && run_q) begin
          cause_q <= RC_CAUSE_FLUSH;
          start_q <= 1'b1;
          s_q <= S_COMPLETE;
        end
        if (clear) begin
          ready[qp] <= setup_q.op == RC_SETUP_QP;
          qp_error[qp] <= 1'b0;
          store_state <= '{
              epsn: setup_q.attr.rq_psn,
              msg: RC_MSG_NONE,
              una: setup_q.attr.sq_psn,
              first: setup_q.attr.sq_psn,
              retries: setup_q.attr.retry_cnt,
              rnr_retries: setup_q.attr.rnr_retry,
              default: '0
          };
          progress_q <= 1'b1;
          s_q <= S_STORE;
        end
      end
      default:  s_q <= S_IDLE;
    endcase

    // The peer of the packet, while its queue pair is loaded.
    mtu <= rc_mtu_bytes(attr_q.mtu);
    peer_q <= attr_q.ud || pkt_q.path.addr == attr_q.path.addr;
    p_key_q <= pkt_q.hdr.p_key[14:0] == attr_q.p_key[14:0] &&
        (pkt_q.hdr.p_key[15] || attr_q.p_key[15]);
    if (rst) begin
      s_q <= S_IDLE;
      ready <= '0;
      qp_error <= '0;
      turn_q <= 1'b0;
    end
  end

  assign qp = qp_q[QP_W-1:0];
  assign clear = s_q == S_SETUP && known_q && setup_q.op inside {RC_SETUP_QP, RC_SETUP_RESET};
  assign sq_psn = setup_q.attr.sq_psn;
  assign attr_we = clear;
  assign attr_new = setup_q.attr;
  assign store = s_q == S_STORE;
  assign kick = store && kick_q;
  assign back = store && back_q;
  assign progress = store && progress_q;
  assign rnr = store && rnr_q;

  always_comb begin
    ev = r_ev | c_ev;
    if (s_q == S_DROP && (job_ready || !job_valid)) begin
      if (run_q && peer_q && !p_key_q) ev.bad_key = 1'b1;
      else ev.bad_qp = 1'b1;
    end
  end

  logic unused;
  assign unused = ^{setup_q, op_q};
endmodule
