// SPDX-License-Identifier: Apache-2.0
//
// Transmission: chooses a queue pair and sends one packet of it (IBTA volume 1, clauses 9.4, 9.7.2,
// 9.7.3): an answer, or the next packet of a send request.
//
// Answers and requests take turns where both wait; within each, the queue pairs do. A READ's
//   responses go before an ACK of the same queue pair.
// kick: queue pair ctl_qp has perhaps something to send; back: it begins again at una. ready: it
//   may send requests; waiting: not now. hold: no further packet begins; held: none is in work.
// clear: queue pair ctl_qp begins with sq_psn. ctl_max: one past the highest PSN it has sent.
// tx_*: kumi_rc_context; rd_qp .. ring_rd: kumi_rc_answer.
// max_*: to kumi_rc_timers. hdr_*: record of a packet; job_*: its payload, if it has any, in the
//   same cycle. Both are ready before a packet is begun, and stay so.
// A send request waits while WINDOW packets or more are not acknowledged, while max_rd_atomic READs
//   and atomics are under way, or, with fence, any.
// Throughput: a packet in 15 cycles.
module kumi_rc_transmit
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int QPS = 64,
    parameter int WINDOW = 128,  // packets under way per queue pair, 32 to 2^20
    localparam int QP_W = $clog2(QPS)
) (
    input logic clk,
    input logic rst,

    // control
    input logic [QP_W-1:0] ctl_qp,
    input logic kick,
    input logic back,
    input logic clear,
    input logic [23:0] sq_psn,
    output logic [23:0] ctl_max,
    input logic hold,
    output logic held,
    input logic [QPS-1:0] ready,
    input logic [QPS-1:0] waiting,

    // memories of the queue pairs
    output logic [QP_W-1:0] tx_qp,
    input rc_qp_attr_t tx_attr,
    input rc_state_t tx_state,
    output logic [7:0] tx_sq_at,
    input rc_sq_entry_t tx_sq_entry,

    // answers
    input logic [QPS-1:0] ack_pending,
    input logic [QPS-1:0] ring_some,
    output logic ack_take,
    input rc_ack_t ack,
    input rc_read_t read,
    output logic read_pop,

    // timers
    output logic max_we,
    output logic [QP_W-1:0] max_qp,
    output logic [23:0] max,

    // packet
    input logic room,
    output logic hdr_valid,
    output rc_pkt_t hdr,
    output logic job_valid,
    output logic [63:0] job_addr,
    output logic [12:0] job_length,
    output logic job_ud,
    output logic [QP_W-1:0] job_qp,
    output logic [23:0] job_psn,
    output rc_events_t ev
);
  if (QPS < 2 || (QPS & (QPS - 1)) != 0) begin : gen_check_qps
    $fatal(0, "QPS must be a power of two from 2 on (%m)");
  end
  // Within 16 packets one asks for an acknowledgement.
  if (WINDOW < 32 || WINDOW > 1 << 20) begin : gen_check_window
    $fatal(0, "WINDOW must be 32 to 2^20 (%m)");
  end

  typedef enum logic [3:0] {
    S_IDLE,
    S_PICK,
    S_GRANT,
    S_INDEX,
    S_READ,  // memories of the queue pair
    S_SYNC,  // with the acknowledged part
    S_AHEAD,
    S_FETCH,  // send request
    S_FETCHED,
    S_DECIDE,
    S_OFFSET,
    S_REST,
    S_SIZE,
    S_LAST,
    S_EMIT
  } state_e;

  state_e s_q;
  logic [QPS-1:0] kick_q, back_q, vec_q, grant;
  logic [QPS-1:0] answer_vec, request_vec;
  logic answer_q, turn_q, ring_q, backs_q, go, ring_here, ack_here;
  logic [QP_W-1:0] qp_q;
  rc_tx_state_t ts, cur_q, new_q;
  logic [$bits(rc_tx_state_t)-1:0] ts_bits;
  rc_state_t st_q;
  rc_qp_attr_t attr_q;
  rc_sq_entry_t w_q;
  rc_read_t r_q;
  rc_ack_t a_q;
  logic [23:0] ahead_q, packet_q, advance_q, psn_q, grow_q;
  logic [31:0] length_q, offset_q, rest_q;
  logic [63:0] base_q, place_q;
  logic carry_q;
  logic [12:0] size_q;
  logic reads, single_q, last_q, first_q, blocked, full_q, reads_full_q, reads_open_q, begins_q;

  // ---- whose turn it is ------------------------------------------------------------------------
  assign answer_vec  = ack_pending | ring_some;
  assign request_vec = kick_q & ready & ~waiting;

  logic some;
  logic [QP_W-1:0] index;
  kumi_turn #(
      .N(QPS)
  ) u_turn (
      .clk,
      .rst,
      .req (vec_q),
      .some,
      .pick(s_q == S_PICK),
      .index
  );
  assign ring_here = |(ring_some & grant);
  assign ack_here  = |(ack_pending & grant);

  // ---- memory of transmission ------------------------------------------------------------------
  logic we;
  logic [QP_W-1:0] we_qp;
  rc_tx_state_t written;
  assign we = clear || (s_q == S_EMIT);
  assign we_qp = clear ? ctl_qp : qp_q;
  assign written = clear ? '{psn: sq_psn, top: sq_psn, default: '0} : new_q;
  assign max_we = we;
  assign max_qp = we_qp;
  assign max = written.top;

  kumi_ram_sdp #(
      .W($bits(rc_tx_state_t)),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_state (
      .clk,
      .wr_en  (we),
      .wr_addr(we_qp),
      .wr_data(written),
      .rd_en  (1'b1),
      .rd_addr(qp_q),
      .rd_data(ts_bits)
  );
  assign ts = ts_bits;
  kumi_ram_sdp #(
      .W(24),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_max (
      .clk,
      .wr_en  (we),
      .wr_addr(we_qp),
      .wr_data(written.top),
      .rd_en  (1'b1),
      .rd_addr(ctl_qp),
      .rd_data(ctl_max)
  );

  // ---- a packet --------------------------------------------------------------------------------
  assign reads = rc_is_read(w_q.op);
  always_comb begin
    blocked = full_q;
    if (reads && reads_full_q) blocked = 1'b1;
    if (w_q.fence && reads_open_q && begins_q) blocked = 1'b1;
  end
  assign go = !hold && room && (answer_vec != '0 || request_vec != '0);

  always_ff @(posedge clk) begin
    unique case (s_q)
      S_IDLE: begin
        answer_q <= answer_vec != '0 && (request_vec == '0 || !turn_q);
        vec_q <= answer_vec != '0 && (request_vec == '0 || !turn_q) ? answer_vec : request_vec;
        if (go) s_q <= S_PICK;
      end
      S_PICK: s_q <= S_GRANT;
      S_GRANT: begin
        qp_q <= index;
        s_q  <= S_INDEX;
      end
      S_INDEX: begin
        grant <= QPS'(1) << qp_q;
        turn_q <= answer_q;
        s_q <= S_READ;
      end
      S_READ: begin
        ring_q  <= ring_here;
        backs_q <= |(back_q & grant);
        if (!answer_q) begin
          kick_q[qp_q] <= 1'b0;
          back_q[qp_q] <= 1'b0;
        end
        // ring_some is a cycle late: the answer just sent may have been the last.
        s_q <= answer_q && !ring_here && !ack_here ? S_IDLE : S_SYNC;
      end
      S_SYNC: begin
        cur_q <= ts;
        st_q <= tx_state;
        attr_q <= tx_attr;
        a_q <= ack;
        s_q <= S_AHEAD;
      end
      S_AHEAD: begin
        ahead_q <= cur_q.psn - st_q.una;
        packet_q <= st_q.una - st_q.first;
        s_q <= S_FETCH;
      end
      S_FETCH: begin
        // Go back, or forward past what was acknowledged meanwhile.
        if (!answer_q && (backs_q || ahead_q[23])) begin
          cur_q.psn <= st_q.una;
          cur_q.sq <= st_q.sq_rd;
          cur_q.packet <= packet_q;
          cur_q.reads_sent <= st_q.reads_done;
          ahead_q <= '0;
          s_q <= S_FETCH;
          backs_q <= 1'b0;
        end else s_q <= S_FETCHED;
      end
      S_FETCHED: begin
        w_q <= tx_sq_entry;
        r_q <= read;
        full_q <= cur_q.sq == st_q.sq_wr || ahead_q >= 24'(WINDOW);
        reads_full_q <= 8'(cur_q.reads_sent - st_q.reads_done) >= 8'(attr_q.max_rd_atomic);
        reads_open_q <= cur_q.reads_sent != st_q.reads_done;
        begins_q <= cur_q.packet == '0;
        s_q <= S_DECIDE;
      end
      S_DECIDE: begin
        if (answer_q) begin
          single_q <= !ring_q || r_q.atomic;
          length_q <= !ring_q || r_q.atomic ? '0 : r_q.length;
          packet_q <= cur_q.answered;
          base_q <= r_q.va;
          first_q <= cur_q.answered == '0;
          s_q <= S_OFFSET;
        end else begin
          single_q <= reads;
          length_q <= w_q.length;
          packet_q <= cur_q.packet;
          base_q <= reads ? w_q.remote_addr : w_q.local_addr;
          first_q <= cur_q.packet == '0;
          s_q <= blocked ? S_IDLE : S_OFFSET;
        end
      end
      S_OFFSET: begin
        offset_q <= rc_offset(packet_q, attr_q.mtu);
        advance_q <= !answer_q && w_q.op == RC_WR_READ ? w_q.packets - packet_q : 24'd1;
        s_q <= S_REST;
      end
      S_REST: begin
        rest_q <= length_q - offset_q;
        {carry_q, place_q[31:0]} <= base_q[31:0] + offset_q;
        psn_q <= answer_q ? r_q.psn + packet_q : cur_q.psn + advance_q;
        s_q <= S_SIZE;
      end
      S_SIZE: begin
        last_q <= single_q || rest_q <= 32'(rc_mtu_bytes(attr_q.mtu));
        place_q[63:32] <= base_q[63:32] + 32'(carry_q);
        grow_q <= psn_q - cur_q.top;
        s_q <= S_LAST;
      end
      S_LAST: begin
        size_q <= single_q ? '0 : last_q ? rest_q[12:0] : rc_mtu_bytes(attr_q.mtu);
        new_q  <= cur_q;
        if (!answer_q) begin
          new_q.psn <= psn_q;
          new_q.sq <= cur_q.sq + 8'(last_q);
          new_q.packet <= last_q ? '0 : cur_q.packet + 1'b1;
          new_q.reads_sent <= cur_q.reads_sent + 8'(reads);
          if (!grow_q[23]) new_q.top <= psn_q;
        end else if (ring_q) new_q.answered <= last_q ? '0 : cur_q.answered + 1'b1;
        s_q <= S_EMIT;
      end
      default: begin
        if (!answer_q) kick_q[qp_q] <= 1'b1;
        s_q <= S_IDLE;
      end
    endcase

    if (kick) kick_q[ctl_qp] <= 1'b1;
    if (back) back_q[ctl_qp] <= 1'b1;
    if (clear) begin
      kick_q[ctl_qp] <= 1'b0;
      back_q[ctl_qp] <= 1'b0;
    end
    if (rst) begin
      s_q <= S_IDLE;
      kick_q <= '0;
      back_q <= '0;
      turn_q <= 1'b0;
    end
  end

  assign tx_qp = qp_q;
  assign tx_sq_at = cur_q.sq;
  assign held = hold && s_q == S_IDLE;
  assign ack_take = s_q == S_READ && answer_q && !ring_here;
  assign read_pop = s_q == S_EMIT && answer_q && ring_q && last_q;

  // ---- header ----------------------------------------------------------------------------------
  logic [7:0] base;
  logic imm_op;
  rc_hdr_t h;

  assign imm_op = w_q.op inside {RC_WR_SEND_IMM, RC_WR_WRITE_IMM};
  always_comb begin
    h = '0;
    base = w_q.op inside {RC_WR_WRITE, RC_WR_WRITE_IMM} ? RC_WRITE_FIRST : RC_SEND_FIRST;
    h.p_key = attr_q.p_key;
    h.dest_qp = attr_q.dest_qp;
    h.length = size_q;
    if (answer_q) begin
      if (!ring_q) begin
        h.opcode = RC_ACKNOWLEDGE;
        h.psn = a_q.psn;
        h.syndrome = a_q.syndrome;
        h.msn = a_q.msn;
      end else begin
        h.opcode = r_q.atomic ? RC_ATOMIC_ACK : first_q && last_q ? RC_READ_RESP_ONLY :
            first_q ? RC_READ_RESP_FIRST : last_q ? RC_READ_RESP_LAST : RC_READ_RESP_MIDDLE;
        h.psn = psn_q;
        h.syndrome = RC_SYNDROME_ACK;
        h.msn = r_q.msn;
        h.swap_add = r_q.va;
      end
    end else begin
      // First, middle, last, last with immediate, only, only with immediate: in this order.
      h.opcode = base + (first_q ? last_q ? 8'd4 + 8'(imm_op) : 8'd0
          : last_q ? 8'd2 + 8'(imm_op) : 8'd1);
      h.psn = cur_q.psn;
      h.ack_req = last_q || cur_q.psn[3:0] == '1;
      h.se = w_q.solicited && last_q && (base == RC_SEND_FIRST || imm_op);
      h.va = w_q.op == RC_WR_READ ? place_q : w_q.remote_addr;
      h.r_key = w_q.r_key;
      h.dma_len = w_q.op == RC_WR_READ ? rest_q : w_q.length;
      h.swap_add = w_q.swap_add;
      h.compare = w_q.compare;
      h.imm = w_q.imm;
      unique case (w_q.op)
        RC_WR_READ: h.opcode = RC_READ_REQUEST;
        RC_WR_CMP_SWAP: h.opcode = RC_COMPARE_SWAP;
        RC_WR_FETCH_ADD: h.opcode = RC_FETCH_ADD;
        default: ;
      endcase
      if (attr_q.ud) begin
        h.opcode  = imm_op ? UD_SEND_IMM : UD_SEND;
        h.ack_req = 1'b0;
        h.dest_qp = w_q.remote_addr[23:0];
        h.q_key   = w_q.r_key;
        h.src_qp  = 24'(qp_q);
      end
    end
  end

  assign hdr_valid = s_q == S_EMIT && !(answer_q && ring_q && r_q.none);
  assign hdr = '{
          path: attr_q.ud && !answer_q ? w_q.compare[$bits(rc_path_t)-1:0] : attr_q.path,
          hdr: h
      };
  assign job_valid = s_q == S_EMIT && size_q != '0;
  assign job_addr = place_q;
  assign job_length = size_q;
  assign job_ud = attr_q.ud && !answer_q;
  assign job_qp = qp_q;
  assign job_psn = cur_q.psn;

  always_comb begin
    ev = '0;
    ev.tx_packet = hdr_valid;
    ev.tx_nak = hdr_valid && answer_q && !ring_q && a_q.syndrome[6:5] == 2'b11;
    ev.tx_rnr_nak = hdr_valid && answer_q && !ring_q && a_q.syndrome[6:5] == 2'b01;
  end

  logic unused;
  assign unused = ^{st_q, attr_q, w_q, grow_q, some};
endmodule
