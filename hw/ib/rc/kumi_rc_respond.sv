// SPDX-License-Identifier: Apache-2.0
//
// Responder: what a request packet of a queue pair does (IBTA volume 1, clauses 9.7.4, 9.7.5, 9.8).
//
// start: with pkt, its op, qp, attr, its mtu in bytes, state and head, the receive queue's oldest
//   entry, all held until done; head need not be valid before the third cycle. ring_rd: answers
//   that have been sent.
// done: next is the state after the packet, and ev what happened. failed: the queue pair is to go
//   to the error state; too_long: because its receive buffer is too short.
// key .. ok: kumi_rc_regions. job_*, act_*: kumi_rc_place; idle: no action is on its way.
// A request is checked in this order: PSN, opcode sequence, length, rights and region, receive
// buffer. Nothing is written before all of it is right.
// Latency: 8 cycles to `done` at least; an atomic waits until it is executed.
module kumi_rc_respond
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int BURST_BYTES = 1024,
    localparam int BURSTS_W = $clog2(RC_MAX_MTU / BURST_BYTES + 2)
) (
    input logic clk,
    input logic rst,

    input  logic                start,
    input  rc_pkt_t             pkt,
    input  rc_op_info_t         op,
    input  logic         [15:0] qp,
    input  rc_qp_attr_t         attr,
    input  logic         [12:0] mtu,
    input  rc_state_t           state,
    input  rc_rq_entry_t        head,
    input  logic         [ 4:0] ring_rd,
    output logic                done,
    output rc_state_t           next,
    output logic                failed,
    output logic                too_long,
    output rc_events_t          ev,

    output logic [31:0] key,
    output logic [63:0] va,
    output logic [31:0] length,
    output logic        write,
    output logic        read,
    output logic        atomic,
    input  logic        ok,

    output logic job_valid,
    input logic job_ready,
    output rc_job_t job,
    output logic act_valid,
    input logic act_ready,
    output rc_action_t act,
    output logic [BURSTS_W-1:0] act_bursts,
    input logic idle
);
  typedef enum logic [3:0] {
    V_EXECUTE,
    V_DUPLICATE,  // acknowledged again
    V_AGAIN,      // READ or atomic, answered again
    V_GAP,
    V_RNR,
    V_INVALID,
    V_ACCESS,
    V_TOO_LONG,
    V_BUSY,
    V_DROP,
    V_BAD_KEY
  } rc_verdict_e;

  typedef enum logic [2:0] {
    S_IDLE,
    S_CHECK,
    S_JOB,
    S_COMPLETE,
    S_ANSWER,
    S_ATOMIC,
    S_DONE
  } state_e;

  rc_hdr_t hdr;
  assign hdr = pkt.hdr;

  // ---- checks ----------------------------------------------------------------------------------
  state_e s_q;
  rc_verdict_e verdict_q;
  logic [2:0] step_q;
  logic [23:0] behind_q;  // PSN less the expected one
  logic expected_q, past_q, sequence_q, length_q, total_q, need_q, space_q, some_q, right_q;
  logic ring_room_q, key_q;
  logic [12:0] want_q, less_q;
  logic [15:0] reach;
  logic [23:0] answer_psns_q;
  logic [32:0] answer_up_q;
  logic [31:0] space, room_q, left_q, count_q;

  assign space = op.first ? head.length : state.left;

  always_ff @(posedge clk) begin
    // 1: PSN
    behind_q <= hdr.psn - state.epsn;
    answer_up_q <= rc_packets_up(hdr.dma_len, attr.mtu);
    some_q <= state.rq_rd != state.rq_wr;
    ring_room_q <= 5'(state.answers - ring_rd) < 5'(RC_READS);
    key_q <= hdr.q_key == attr.q_key;
    less_q <= hdr.length - 1'b1;
    // 2
    answer_psns_q <= rc_packets_of(answer_up_q, attr.mtu);
    expected_q <= behind_q == '0;
    past_q <= behind_q[23];
    if (op.ud != attr.ud || !op.valid) sequence_q <= 1'b0;
    else if (op.first) sequence_q <= state.msg == RC_MSG_NONE;
    else
      sequence_q <= (state.msg == RC_MSG_SEND && op.send) ||
          (state.msg == RC_MSG_WRITE && op.write);
    if (op.read || op.atomic) length_q <= hdr.length == '0;
    else if (!op.last) length_q <= hdr.length == mtu;
    else length_q <= hdr.length <= mtu && (op.first || hdr.length != '0);
    right_q <= (attr.remote_write || !op.write) && (attr.remote_read || !op.read) &&
        (attr.remote_atomic || !op.atomic);
    want_q <= hdr.length + (attr.ud ? 13'(RC_UD_OFFSET) : '0);
    // Access to check: of a message's first packet all of the message.
    write <= op.write;
    read <= op.read;
    atomic <= op.atomic;
    key <= op.first ? hdr.r_key : state.r_key;
    va <= op.first ? hdr.va : state.va;
    length <= op.atomic ? 32'd8 : op.first ? hdr.dma_len : 32'(hdr.length);
    room_q <= op.first ? hdr.dma_len : state.left;
    need_q <= !op.send && (op.atomic || (op.first ? hdr.dma_len : 32'(hdr.length)) != '0);
    // 3: bytes of a WRITE add up, a SEND fits
    if (op.write) total_q <= op.last ? room_q == 32'(hdr.length) : room_q > 32'(hdr.length);
    else if (op.atomic) total_q <= hdr.va[2:0] == '0;
    else total_q <= !op.read || hdr.dma_len <= 32'h8000_0000;
    space_q <= 32'(want_q) <= space;
    left_q  <= op.send ? space : room_q;
    count_q <= attr.ud ? 32'(RC_UD_OFFSET) : op.first ? '0 : state.count;
  end

  // 8: region known
  rc_verdict_e verdict;
  always_comb begin
    verdict = V_EXECUTE;
    if (attr.ud) begin
      if (!sequence_q || !op.send || !length_q) verdict = V_DROP;
      else if (!key_q) verdict = V_BAD_KEY;
      else if (!some_q) verdict = V_RNR;
      else if (!space_q) verdict = V_DROP;
    end else if (op.ud) verdict = V_DROP;
    else if (past_q) begin
      if (!op.valid || !length_q) verdict = V_DROP;
      else if (!op.read && !op.atomic) verdict = V_DUPLICATE;
      else if (!right_q || (need_q && !ok)) verdict = V_DROP;
      else verdict = ring_room_q ? V_AGAIN : V_BUSY;
    end else if (!expected_q) verdict = V_GAP;
    else if (!sequence_q || !length_q || !total_q || !right_q) verdict = V_INVALID;
    else if (need_q && !ok) verdict = V_ACCESS;
    else if (((op.send && op.first) || (op.imm && !op.send)) && !some_q) verdict = V_RNR;
    else if (op.send && !space_q) verdict = V_TOO_LONG;
    else if ((op.read || op.atomic) && !ring_room_q) verdict = V_BUSY;
  end

  // ---- what is done ----------------------------------------------------------------------------
  logic executes, completes, acks, answers;
  logic [BURSTS_W-1:0] bursts_q;
  logic [63:0] from_q, place_q;  // where the payload goes: less, and with, a datagram's offset
  logic carry_q, behind_carry_q;
  logic [31:0] behind_low_q;  // of the place behind the payload
  rc_state_t next_q;
  rc_completion_t done_wc;
  rc_answer_t answer;  // Place of the last byte, from the start of the first burst's page on.
  assign reach = 16'(place_q[$clog2(BURST_BYTES)-1:0]) + 16'(less_q);
  assign executes = verdict_q == V_EXECUTE;
  assign completes = executes && op.last && (op.send || op.imm);
  assign answers = (executes || verdict_q == V_AGAIN) && (op.read || op.atomic);
  always_comb begin
    acks = 1'b0;
    unique case (verdict_q)
      V_EXECUTE: acks = hdr.ack_req && !op.ud && !answers;
      V_DUPLICATE, V_INVALID, V_ACCESS, V_TOO_LONG: acks = 1'b1;
      V_GAP: acks = !state.nak_sent;
      V_RNR: acks = !attr.ud;
      default: acks = 1'b0;
    endcase
  end

  assign job_valid = s_q == S_JOB && hdr.length != '0;
  assign job = '{
          discard: !executes,
          immediate: 1'b0,
          value: '0,
          addr: place_q,
          length: hdr.length
      };

  assign done_wc = '{
          qp: qp,
          id: head.id,
          op: RC_WR_RECV,
          status: RC_WC_SUCCESS,
          imm_valid: op.imm,
          write: op.write,
          solicited: hdr.se,
          length: next_q.count,
          imm: op.imm ? hdr.imm : '0,
          src_qp: attr.ud ? hdr.src_qp : attr.dest_qp,
          src_path: pkt.path
      };
  always_comb begin
    answer = '{
        qp: qp,
        psn: hdr.psn,
        msn: next_q.msn,
        syndrome: RC_SYNDROME_ACK,
        va: hdr.va,
        length: hdr.dma_len,
        swap: hdr.opcode == RC_COMPARE_SWAP,
        compare: hdr.compare,
        swap_add: hdr.swap_add
    };
    unique case (verdict_q)
      V_DUPLICATE: answer.psn = state.epsn - 24'd1;
      V_GAP: {answer.psn, answer.syndrome} = {state.epsn, RC_NAK_PSN};
      V_RNR: answer.syndrome = {RC_SYNDROME_RNR, attr.min_rnr_timer};
      V_INVALID, V_TOO_LONG: answer.syndrome = RC_NAK_INVALID_REQUEST;
      V_ACCESS: answer.syndrome = RC_NAK_REMOTE_ACCESS;
      default: ;
    endcase
  end

  always_comb begin
    act_valid = 1'b0;
    act = '{kind: RC_ACT_NONE, body: answer};
    if (s_q == S_COMPLETE) begin
      // Also what only waits for its bursts, where no answer does.
      act_valid = 1'b1;
      if (completes) act = '{kind: RC_ACT_COMPLETION, body: RC_BODY_W'(done_wc)};
    end else if (s_q == S_ANSWER) begin
      act_valid = 1'b1;
      if (acks) act.kind = RC_ACT_ACK;
      else if (op.read) act.kind = RC_ACT_READ;
      else if (verdict_q == V_AGAIN) act.kind = RC_ACT_REPLAY;
      else act.kind = RC_ACT_ATOMIC;
    end
  end
  assign act_bursts = bursts_q;

  logic has_first_act;  // an action before the answer
  assign has_first_act = completes || (executes && hdr.length != '0 && !acks);

  always_ff @(posedge clk) begin
    step_q <= step_q + 1'b1;
    unique case (s_q)
      S_IDLE:
      if (start) begin
        s_q <= S_CHECK;
        step_q <= '0;
      end
      S_CHECK: begin
        verdict_q <= verdict;
        from_q <= op.send && op.first ? head.addr : va;
        {carry_q, place_q[31:0]} <= 33'(from_q[31:0]) + (attr.ud ? 33'(RC_UD_OFFSET) : '0);
        place_q[63:32] <= from_q[63:32] + 32'(carry_q);
        {behind_carry_q, behind_low_q} <= place_q[31:0] + 32'(hdr.length);
        if (step_q == 3'd7) s_q <= S_JOB;
      end
      S_JOB:
      if (job_ready || hdr.length == '0) begin
        s_q <= has_first_act ? S_COMPLETE : acks || answers ? S_ANSWER : S_DONE;
        bursts_q <= '0;
        if (executes && hdr.length != '0)
          bursts_q <= BURSTS_W'(reach >> $clog2(BURST_BYTES)) + 1'b1;
      end
      S_COMPLETE:
      if (act_ready) begin
        bursts_q <= '0;
        s_q <= acks || answers ? S_ANSWER : S_DONE;
      end
      S_ANSWER: if (act_ready) s_q <= op.atomic && executes ? S_ATOMIC : S_DONE;
      // What comes later must not overtake an atomic on its way to memory.
      S_ATOMIC: if (idle && step_q[2]) s_q <= S_DONE;
      default:  s_q <= S_IDLE;
    endcase
    if (s_q == S_ANSWER) step_q <= '0;
    else if (s_q == S_ATOMIC && step_q[2]) step_q <= step_q;
    if (rst) s_q <= S_IDLE;
  end
  assign done = s_q == S_DONE;

  // ---- state after the packet ------------------------------------------------------------------
  always_ff @(posedge clk) begin
    if (s_q == S_JOB) begin
      next_q <= state;
      if (executes) begin
        next_q.nak_sent <= 1'b0;
        next_q.epsn <= state.epsn + (op.read ? answer_psns_q : 24'd1);
        next_q.msn <= state.msn + 24'(op.last);
        next_q.msg <= op.last ? RC_MSG_NONE : op.send ? RC_MSG_SEND : RC_MSG_WRITE;
        next_q.va <= {place_q[63:32] + 32'(behind_carry_q), behind_low_q};
        next_q.left <= left_q - 32'(hdr.length);
        next_q.count <= count_q + 32'(hdr.length);
        next_q.r_key <= key;
        next_q.rq_rd <= state.rq_rd + 8'(completes);
        if (attr.ud) {next_q.epsn, next_q.msn} <= {state.epsn, state.msn};
      end
      if (verdict_q == V_GAP || (verdict_q == V_RNR && !attr.ud)) next_q.nak_sent <= 1'b1;
      if (answers) next_q.answers <= state.answers + 1'b1;
    end
  end
  assign next = next_q;
  assign failed = verdict_q inside {V_INVALID, V_ACCESS, V_TOO_LONG};
  assign too_long = verdict_q == V_TOO_LONG;

  always_comb begin
    ev = '0;
    if (done) begin
      ev.rx_request = executes;
      ev.duplicate = verdict_q inside {V_DUPLICATE, V_AGAIN};
      ev.gap = verdict_q == V_GAP;
      ev.no_receive = verdict_q == V_RNR;
      ev.invalid = verdict_q inside {V_INVALID, V_TOO_LONG, V_DROP};
      ev.access = verdict_q == V_ACCESS;
      ev.busy = verdict_q == V_BUSY;
      ev.bad_key = verdict_q == V_BAD_KEY;
    end
  end

  logic unused;
  assign unused = ^{attr, hdr, op};
endmodule
