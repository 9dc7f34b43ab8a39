// SPDX-License-Identifier: Apache-2.0
//
// Completer: what a response, a time-out or an error does to the work requests of a queue pair
// (IBTA volume 1, clauses 9.7.5.1, 9.7.7, 10.10.2.3).
//
// start: with cause, pkt (a response), its op, qp, attr, its mtu in bytes, state, max (one past the
//   highest PSN sent), and status (of the oldest send request, flushed) or rq_status; all held
//   until done.
// done: next is the state after it. went_back: transmission begins again at next.una; wait_rnr:
//   only after the time rnr_timer codes; progress: the time-out begins again; failed: all
//   requests were flushed.
// sq_at, rq_at: places read; sq_entry, rq_entry: their entries, 2 cycles later.
// job_*, act_*: kumi_rc_place.
// Latency: 7 cycles, and 5 for each work request that becomes complete.
module kumi_rc_complete
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int BURST_BYTES = 1024,
    localparam int BURSTS_W = $clog2(RC_MAX_MTU / BURST_BYTES + 2)
) (
    input logic clk,
    input logic rst,

    input  logic                 start,
    input  rc_cause_e            cause,
    input  rc_pkt_t              pkt,
    input  rc_op_info_t          op,
    input  logic          [15:0] qp,
    input  rc_qp_attr_t          attr,
    input  logic          [12:0] mtu,
    input  rc_state_t            state,
    input  logic          [23:0] max,
    input  rc_wc_status_e        rq_status,
    output logic                 done,
    output rc_state_t            next,
    output logic                 went_back,
    output logic                 wait_rnr,
    output logic          [ 4:0] rnr_timer,
    output logic                 progress,
    output logic                 failed,
    output rc_events_t           ev,

    output logic [7:0] sq_at,
    output logic [7:0] rq_at,
    input rc_sq_entry_t sq_entry,
    input rc_rq_entry_t rq_entry,

    output logic job_valid,
    input logic job_ready,
    output rc_job_t job,
    output logic act_valid,
    input logic act_ready,
    output rc_action_t act,
    output logic [BURSTS_W-1:0] act_bursts
);
  typedef enum logic [4:0] {
    S_IDLE,
    S_RANGE,      // is the PSN one that is open
    S_JUDGE,
    S_FETCH,      // oldest send request
    S_FETCHED,
    S_END,        // its last PSN
    S_COVER,      // is it acknowledged
    S_STEP,
    S_NEXT,       // the next request's entry
    S_TAIL,       // all of what is acknowledged is complete
    S_OFFSET,     // place of a response's payload
    S_PLACE,
    S_MATCH,
    S_ACCEPT,
    S_ACT,
    S_BACK,       // transmission again from una on
    S_SPEND,      // that costs a retry
    S_RNR,
    S_DISCARD,    // payload of a response that is of no use
    S_FLUSH,
    S_FLUSH_GET,
    S_FLUSH_ACT,
    S_DONE
  } state_e;

  rc_hdr_t hdr;
  assign hdr = pkt.hdr;

  state_e s_q, after_q;
  rc_state_t n_q;
  logic is_ack, is_data, is_atomic, nak, nak_rnr;
  logic [23:0] target_q, below_q, above_q, end_q, gap_q, index_q, less_packets_q;
  logic covered_q, here_q, lost_q, some, is_read, last_q;
  logic went_q, rnr_q, progress_q, failed_q, head_q;
  rc_wc_status_e status_q;
  logic [31:0] offset_q, rest_q;
  logic [63:0] place_q;  // its upper half a cycle later
  logic carry_q;
  logic [12:0] size_q, less_q;
  logic [15:0] reach;
  logic [BURSTS_W-1:0] bursts_q;
  logic match_q, rq_side;
  rc_events_t ev_q;

  always_ff @(posedge clk) begin
    is_ack <= hdr.opcode == RC_ACKNOWLEDGE;
    is_atomic <= hdr.opcode == RC_ATOMIC_ACK;
    nak <= hdr.opcode == RC_ACKNOWLEDGE && hdr.syndrome[6:5] == 2'b11;
    nak_rnr <= hdr.opcode == RC_ACKNOWLEDGE && hdr.syndrome[6:5] == 2'b01;
  end
  assign is_data = !is_ack;

  assign some = n_q.sq_rd != n_q.sq_wr;
  assign is_read = rc_is_read(sq_entry.op);
  assign sq_at = n_q.sq_rd;
  assign rq_at = n_q.rq_rd;
  assign rq_side = n_q.sq_rd == n_q.sq_wr;

  // Place of the last byte, from the start of the first burst's page on.
  assign reach = 16'(place_q[$clog2(BURST_BYTES)-1:0]) + 16'(less_q);

  rc_completion_t wc, flush_wc;
  assign wc = '{
          qp: qp,
          id: sq_entry.id,
          op: sq_entry.op,
          status: RC_WC_SUCCESS,
          length: sq_entry.length,
          default: '0
      };
  assign flush_wc = '{
          qp: qp,
          id: rq_side ? rq_entry.id : sq_entry.id,
          op: rq_side ? RC_WR_RECV : sq_entry.op,
          status: status_q,
          default: '0
      };

  always_comb begin
    act = '{kind: RC_ACT_COMPLETION, body: RC_BODY_W'(wc)};
    act_valid = 1'b0;
    act_bursts = '0;
    unique case (s_q)
      S_STEP:  act_valid = some && !here_q && !is_read && covered_q && sq_entry.signaled;
      S_ACT: begin
        act_valid = 1'b1;
        if (!last_q || !sq_entry.signaled) act.kind = RC_ACT_NONE;
        act_bursts = bursts_q;
      end
      S_FLUSH_ACT: begin
        act_valid = 1'b1;
        act.body  = RC_BODY_W'(flush_wc);
      end
      default: ;
    endcase
  end

  assign job_valid = (s_q == S_ACCEPT && match_q && size_q != '0) ||
      (s_q == S_DISCARD && hdr.length != '0 && cause == RC_CAUSE_RESPONSE);
  assign job = '{
          discard: s_q == S_DISCARD,
          immediate: is_atomic && s_q != S_DISCARD,
          value: hdr.swap_add,
          addr: place_q,
          length: s_q == S_DISCARD ? hdr.length : size_q
      };

  always_ff @(posedge clk) begin
    // Arithmetic of its stages; used a state later.
    below_q <= hdr.psn - state.una;
    above_q <= hdr.psn - max;
    end_q <= n_q.first + sq_entry.packets;
    gap_q <= target_q - end_q;
    here_q <= target_q == n_q.una;
    covered_q <= !gap_q[23];
    index_q <= n_q.una - n_q.first;
    less_packets_q <= sq_entry.packets - 24'd1;
    last_q <= index_q == less_packets_q;
    offset_q <= rc_offset(index_q, attr.mtu);
    rest_q <= sq_entry.length - offset_q;
    {carry_q, place_q[31:0]} <= sq_entry.local_addr[31:0] + offset_q;
    place_q[63:32] <= sq_entry.local_addr[63:32] + 32'(carry_q);
    size_q <= is_atomic ? 13'd8 : hdr.length;
    less_q <= is_atomic ? 13'd7 : hdr.length - 1'b1;
    bursts_q <= size_q == '0 ? '0 : BURSTS_W'(reach >> $clog2(BURST_BYTES)) + 1'b1;

    unique case (s_q)
      S_IDLE:
      if (start) begin
        n_q <= state;
        lost_q <= 1'b0;
        went_q <= 1'b0;
        rnr_q <= 1'b0;
        progress_q <= 1'b0;
        failed_q <= 1'b0;
        ev_q <= '0;
        status_q <= RC_WC_WR_FLUSH_ERR;
        target_q <= (is_ack && !nak && !nak_rnr) || cause == RC_CAUSE_SENT ? hdr.psn + 24'd1
            : hdr.psn;
        unique case (cause)
          RC_CAUSE_TIMEOUT: s_q <= state.una == max ? S_DONE : S_SPEND;
          RC_CAUSE_RNR_END: begin
            went_q <= 1'b1;
            progress_q <= 1'b1;
            s_q <= S_DONE;
          end
          RC_CAUSE_FLUSH: s_q <= S_FLUSH;
          default: s_q <= S_RANGE;
        endcase
        if (cause == RC_CAUSE_TIMEOUT) ev_q.timed_out <= 1'b1;
      end

      S_RANGE: s_q <= S_JUDGE;
      S_JUDGE:
      if (below_q[23] || !above_q[23] ||
          (is_ack && (hdr.syndrome[6:5] == 2'b10 || hdr.length != '0))) begin
        ev_q.stale <= 1'b1;
        s_q <= S_DISCARD;
      end else begin
        ev_q.rx_nak <= nak;
        ev_q.rx_rnr_nak <= nak_rnr;
        s_q <= S_FETCH;
      end

      // ---- complete what is acknowledged -----------------------------------------------------
      S_FETCH: s_q <= S_FETCHED;
      S_FETCHED: s_q <= S_END;
      S_END: s_q <= S_COVER;
      S_COVER: s_q <= S_STEP;
      S_STEP:
      if (here_q || !some) begin
        s_q <= S_TAIL;
      end else if (is_read) begin
        lost_q <= 1'b1;
        s_q <= S_TAIL;
      end else if (!covered_q) begin
        n_q.una <= target_q;
        progress_q <= 1'b1;
        s_q <= S_TAIL;
      end else if (act_ready || !sq_entry.signaled) begin
        n_q.una <= end_q;
        n_q.first <= end_q;
        n_q.sq_rd <= n_q.sq_rd + 1'b1;
        progress_q <= 1'b1;
        s_q <= S_NEXT;
      end
      S_NEXT: s_q <= S_FETCH;

      S_TAIL: begin
        if (progress_q) begin
          n_q.retries <= attr.retry_cnt;
          n_q.rnr_retries <= attr.rnr_retry;
          n_q.went_back <= 1'b0;
        end
        after_q <= S_DONE;
        if (cause == RC_CAUSE_SENT) s_q <= S_DONE;
        else if (lost_q) s_q <= S_BACK;
        else if (is_data) begin
          if (some && is_read && is_atomic == (sq_entry.op != RC_WR_READ)) s_q <= S_OFFSET;
          else begin
            ev_q.stale <= 1'b1;
            s_q <= S_DISCARD;
          end
        end else if (nak) begin
          status_q <= hdr.syndrome[4:0] == RC_NAK_INVALID_REQUEST[4:0] ? RC_WC_REM_INV_REQ_ERR :
              hdr.syndrome[4:0] == RC_NAK_REMOTE_ACCESS[4:0] ? RC_WC_REM_ACCESS_ERR :
              RC_WC_REM_OP_ERR;
          s_q <= hdr.syndrome[4:0] == RC_NAK_PSN[4:0] ? S_SPEND : S_FLUSH;
        end else if (nak_rnr) s_q <= S_RNR;
        else begin
          ev_q.rx_response <= 1'b1;
          s_q <= S_DONE;
        end
      end

      // ---- payload of a response -------------------------------------------------------------
      // Stages index, offset and last, rest and place.
      S_OFFSET: s_q <= S_PLACE;
      S_PLACE:  s_q <= S_MATCH;
      S_MATCH: begin
        // The first response after transmission began again has the opcode of a first one.
        if (is_atomic) match_q <= hdr.length == '0;
        else match_q <= op.last == last_q && 32'(hdr.length) == (last_q ? rest_q : 32'(mtu));
        s_q <= S_ACCEPT;
      end
      S_ACCEPT:
      if (!match_q) begin
        status_q <= RC_WC_BAD_RESP_ERR;
        after_q <= S_FLUSH;
        s_q <= S_DISCARD;
      end else if (job_ready || size_q == '0) s_q <= S_ACT;
      S_ACT:
      if (act_ready) begin
        ev_q.rx_response <= 1'b1;
        progress_q <= 1'b1;
        n_q.una <= n_q.una + 24'd1;
        n_q.retries <= attr.retry_cnt;
        n_q.rnr_retries <= attr.rnr_retry;
        n_q.went_back <= 1'b0;
        if (last_q) begin
          n_q.first <= n_q.una + 24'd1;
          n_q.sq_rd <= n_q.sq_rd + 1'b1;
          n_q.reads_done <= n_q.reads_done + 1'b1;
        end
        s_q <= S_DONE;
      end

      // ---- back to the oldest unacknowledged packet ------------------------------------------
      S_BACK: begin
        // A lost response: once, until something new arrives; else the time-out decides.
        if (!n_q.went_back) begin
          n_q.went_back <= 1'b1;
          went_q <= 1'b1;
        end
        after_q <= S_DONE;
        s_q <= S_DISCARD;
      end
      S_SPEND:
      if (n_q.retries == '0) begin
        status_q <= RC_WC_RETRY_EXC_ERR;
        s_q <= S_FLUSH;
      end else begin
        n_q.retries <= n_q.retries - 1'b1;
        went_q <= 1'b1;
        s_q <= S_DONE;
      end
      S_RNR:
      if (attr.rnr_retry != 3'd7 && n_q.rnr_retries == '0) begin
        status_q <= RC_WC_RNR_RETRY_EXC;
        s_q <= S_FLUSH;
      end else begin
        n_q.rnr_retries <= n_q.rnr_retries - 1'b1;
        rnr_q <= 1'b1;
        s_q <= S_DONE;
      end
      S_DISCARD: begin
        if (job_ready || !job_valid) s_q <= after_q;
      end

      // ---- flush -----------------------------------------------------------------------------
      S_FLUSH: begin
        failed_q <= 1'b1;
        head_q <= 1'b1;
        s_q <= S_FLUSH_GET;
      end
      S_FLUSH_GET: begin
        // The entry's memory takes two cycles.
        head_q <= 1'b0;
        if (rq_side && n_q.rq_rd == n_q.rq_wr) s_q <= S_DONE;
        else if (!head_q) s_q <= S_FLUSH_ACT;
        if (rq_side && n_q.rq_rd == state.rq_rd && cause == RC_CAUSE_FLUSH) status_q <= rq_status;
      end
      S_FLUSH_ACT:
      if (act_ready) begin
        if (rq_side) n_q.rq_rd <= n_q.rq_rd + 1'b1;
        else n_q.sq_rd <= n_q.sq_rd + 1'b1;
        status_q <= RC_WC_WR_FLUSH_ERR;
        head_q <= 1'b1;
        s_q <= S_FLUSH_GET;
      end

      default: s_q <= S_IDLE;
    endcase
    if (s_q == S_JUDGE) after_q <= S_DONE;
    if (rst) s_q <= S_IDLE;
  end

  assign done = s_q == S_DONE;
  assign next = n_q;
  assign went_back = went_q;
  assign wait_rnr = rnr_q;
  assign rnr_timer = hdr.syndrome[4:0];
  assign progress = progress_q || went_q || rnr_q;
  assign failed = failed_q;
  always_comb begin
    ev = '0;
    if (done) begin
      ev = ev_q;
      ev.go_back = went_q;
      ev.qp_error = failed_q;
    end
  end

  logic unused;
  assign unused = ^{pkt, attr, sq_entry, rq_entry, op, below_q, above_q, gap_q, hdr};
endmodule
