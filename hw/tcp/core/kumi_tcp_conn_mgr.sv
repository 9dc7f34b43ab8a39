// SPDX-License-Identifier: Apache-2.0
//
// Connection manager: everything that needs the connection table or a session number, one job at a
//   time, in parallel to the events of sessions.
//
// Priority: removing the tuples of ended sessions; then, in turn, ports to open or close, active
//   opens, misses. Each miss is looked up again (TABLE_FIND) before it is acted upon: its first
//   lookup may be outdated.
// A SYN for an open port begins a session or, with too many sessions in SYN-RECEIVED (crowded), is
// answered by a SYN cookie: with cfg.half_open of them, or if that is 0 with a quarter of those
// that neither a connection nor TIME-WAIT holds, so half-open sessions never take the last three.
// While crowded is high kumi_tcp_syn_responder answers most SYNs (cookie_sent: a pulse). An ACK
// for an open port may return a cookie. All else is answered by RST (RFC 9293, 3.10.7.1). When all
// numbers are in use, the oldest session in TIME-WAIT is recycled; without one a SYN is answered
// by a cookie, and an ACK that returns one is dropped: the client's data will return it again.
// An active open to an address that cannot be a peer's (this network, loopback, group, broadcast,
//   own) fails with TCP_UNREACHABLE (RFC 9293, 3.10.1).
// Only an ACK with the first number after the SYN returns a cookie. If it is lost, later segments
// of the client are ignored while cookies are outstanding and theirs has the time of one: RST would
// end a connection that the retransmitted first byte establishes.
// Stateless answers are sent if the transmit FIFO has space for them (tx_room), else dropped and
// counted; at most one per REPLY_GAP cycles while sessions want to send.
// Local ports of active opens: 32768..65535, in steps of 1 to 8 chosen by the keyed hash (RFC
//   6056).
module kumi_tcp_conn_mgr
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cookie_pkg::*;
#(
    parameter int SESSIONS  = 64,
    parameter int RX_RING   = 65536,
    parameter int REPLY_GAP = 32
) (
    input logic clk,
    input logic rst,
    input tcp_cfg_t cfg,
    input logic [25:0] past,  // bits 31 to 6 of the timestamp clock, minus one
    input logic [31:0] isn_clock,  // 4 us
    input logic [4:0] slot,  // 67 s
    output logic crowded,
    input logic cookie_sent,
    // jobs
    input logic miss_valid,
    input tcp_seg_lookup_t miss,
    output logic miss_take,
    input logic relookup_pushed,  // a pulse: a segment was queued for relookup
    input logic relookup_valid,
    input tcp_relookup_t relookup,
    output logic relookup_take,
    input logic del_valid,
    input tcp_tuple_t del_tuple,
    output logic del_take,
    input logic listen_valid,
    input tcp_listen_t listen,
    output logic listen_take,
    input logic open_valid,
    input tcp_open_t open,
    output logic open_take,
    // tables
    output logic table_valid,
    output tcp_table_req_t table_req,
    input logic table_ready,
    input logic rsp_valid,
    input tcp_table_rsp_t rsp,
    output logic rsp_ready,
    // numbers
    input logic free_valid,
    input logic [SID_W-1:0] free_sid,
    output logic free_take,
    output logic back_valid,  // returns an unused number
    output logic [SID_W-1:0] back_sid,
    input logic back_ready,
    input logic tw_valid,
    input logic [SID_W-1:0] tw_sid,
    output logic tw_take,
    // results
    output logic inject_valid,
    output tcp_event_t inject,
    input logic inject_ready,
    output logic listened_valid,
    output tcp_listen_rsp_t listened,
    input logic listened_ready,
    output logic failed_valid,  // a failed open; a pulse when failed_ready
    output tcp_open_rsp_t failed,
    input logic failed_ready,
    output logic tx_valid,
    output tcp_tx_t tx,
    input logic tx_room,
    input logic [15:0] half_open,
    input logic [15:0] sessions,  // in use
    input logic [15:0] time_wait,  // of these, in TIME-WAIT
    input logic senders,  // the output queue is not empty
    output logic busy,
    output tcp_core_ev_t ev
);
  localparam logic [15:0] SYN_WND = RX_RING > 65535 ? 16'd65535 : 16'(RX_RING);
  localparam logic [3:0] WS = 4'(ring_ws(RX_RING));

  typedef enum logic [3:0] {
    A_IDLE,
    A_DELETE,
    A_PORT,
    A_FIND,
    A_DECIDE,
    A_COOKIE,
    A_NUMBER,
    A_RECYCLE,
    A_INSERT,
    A_BACK,
    A_INJECT,
    A_REPLY,
    A_REFUSE
  } state_e;

  typedef enum logic [2:0] {
    J_NONE,
    J_MISS,
    J_OPEN,
    J_LISTEN
  } job_e;

  typedef enum logic [1:0] {
    R_RST,
    R_COOKIE
  } reply_e;

  state_e          state_q;
  job_e            job_q;
  logic            held_q;  // a job waits for a session number
  logic            recycled_q;  // and a recycled one was requested
  logic     [ 5:0] wait_q;
  logic            asked_q;  // the table has accepted the request
  tcp_seg_t        m_q;
  logic     [ 2:0] relookup_wait_q;  // until its session's tuple is queued for removal
  logic            floor_q;  // floor_iss_q is valid
  logic     [31:0] floor_iss_q;
  logic found_q, listen_q;
  logic [31:0] hash_q;
  logic [SID_W-1:0] sid_q;
  tcp_event_e kind_q;
  logic [31:0] iss_q;
  reply_e reply_q;
  tcp_reason_e reason_q;
  logic [14:0] port_q;
  logic [15:0] tries_q;
  logic [$clog2(REPLY_GAP+1)-1:0] gap_q;
  logic sent_q;  // cookies were sent in this slot or the previous one
  logic [4:0] sent_slot_q;
  logic [1:0] turn_q;

  // ---- of the segment, which waits here for longer than a cycle
  logic [31:0] reset_ack_q;  // what a RST acknowledges
  logic [31:0] seq_before_q, ack_before_q;
  logic below_q;  // iss_q is below floor_iss_q
  always_ff @(posedge clk) begin
    reset_ack_q  <= m_q.seq + 32'(m_q.len) + 32'(m_q.flags.syn) + 32'(m_q.flags.fin);
    seq_before_q <= m_q.seq - 32'd1;
    ack_before_q <= m_q.ack - 32'd1;
    below_q      <= is_before(iss_q, floor_iss_q);
  end

  // ---- cookies
  logic cookie_start, cookie_done, cookie_good, cookie_fresh;
  logic [31:0] cookie;
  logic [15:0] cookie_mss;
  logic checking;
  logic [4:0] sent_age;
  assign checking = m_q.flags.ack;
  assign sent_age = slot - sent_slot_q;
  assign cookie_start = state_q == A_DECIDE && job_q == J_MISS;

  kumi_tcp_syn_cookie u_cookie (
      .clk,
      .rst,
      .slot,
      .start (cookie_start),
      .check (checking),
      .hash  (hash_q),
      .key   (cfg.cookie_key),
      .isn   (checking ? seq_before_q : m_q.seq),
      .mss_in(m_q.opts.mss_valid ? m_q.opts.mss : 16'd536),
      .given (ack_before_q),
      .done  (cookie_done),
      .cookie,
      .good  (cookie_good),
      .fresh (cookie_fresh),
      .mss   (cookie_mss)
  );

  logic [15:0] idle_q;  // numbers that a connection could have
  logic [17:0] taken_q;  // three times what would be half open with one more
  always_ff @(posedge clk) begin
    idle_q <= 16'(SESSIONS) - sessions + time_wait;
    taken_q <= 18'(half_open) + 18'({half_open, 1'b0}) + 18'd3;
    crowded <= idle_q == '0 ||
        (cfg.half_open != '0 ? half_open >= cfg.half_open : taken_q >= 18'(idle_q));
  end

  // ---- the table
  logic table_state;
  assign table_state = state_q == A_DELETE || state_q == A_PORT || state_q == A_FIND ||
      state_q == A_INSERT;
  assign table_valid = table_state && !asked_q;
  assign rsp_ready = table_state && asked_q;

  always_comb begin
    table_req = '{op: TABLE_FIND, tuple: m_q.tuple, sid: sid_q};
    if (state_q == A_DELETE) table_req = '{op: TABLE_DELETE, tuple: del_tuple, sid: '0};
    if (state_q == A_INSERT) table_req.op = TABLE_INSERT;
    if (state_q == A_PORT) begin
      table_req = '0;
      table_req.op = TABLE_PORT;
      table_req.tuple.local_port = listen.port;
      table_req.sid[0] = !listen.off;
    end
  end

  // ---- selection of a job
  logic want_listen, want_open, want_miss;
  assign want_listen = listen_valid && !listened_valid;
  assign want_open   = open_valid && !held_q;
  assign want_miss   = (relookup_valid ? relookup_wait_q == '0 : miss_valid) && !held_q;

  logic answer;
  assign answer = rsp_valid && rsp_ready;
  assign del_take = answer && state_q == A_DELETE;
  assign listen_take = answer && state_q == A_PORT;

  // The miss: from the receive path, or a relookup of a session that was just replaced.
  logic take_one;
  assign take_one = state_q == A_IDLE && !del_valid && turn_q == 2'd2 && want_miss;
  assign miss_take = take_one && !relookup_valid;
  assign relookup_take = take_one && relookup_valid;
  assign open_take = state_q == A_IDLE && !del_valid && turn_q == 2'd1 && want_open;
  // A number may be freed before its old tuple is removed: remove the tuple first.
  assign free_take = state_q == A_NUMBER && !del_valid && free_valid;
  assign tw_take = state_q == A_RECYCLE && inject_ready;

  logic syn_only, peer_ok;
  assign syn_only = m_q.flags.syn && !m_q.flags.ack;
  assign peer_ok = open.ip[31:24] != 8'd0 && open.ip[31:24] != 8'd127 && open.ip[31:29] != '1 &&
      open.ip != cfg.ip;

  // ---- results
  always_comb begin
    inject = '0;
    inject.kind = kind_q;
    inject.sid = sid_q;
    inject.seg = m_q;
    inject.iss = iss_q;
    inject_valid = state_q == A_INJECT || state_q == A_RECYCLE;
    if (state_q == A_RECYCLE) begin
      inject.kind = EV_RECYCLE;
      inject.sid  = tw_sid;
    end
  end

  assign back_valid = state_q == A_BACK;
  assign back_sid = sid_q;
  assign failed_valid = state_q == A_REFUSE && job_q == J_OPEN && failed_ready;
  assign failed = '{
          sid: '0,
          ip: m_q.tuple.peer_ip,
          port: m_q.tuple.peer_port,
          reason: reason_q
      };

  logic reply_now;
  assign reply_now = state_q == A_REPLY && (!senders || gap_q == '0);
  always_comb begin
    tx = cookie_answer(cookie_syn(m_q, cfg), cookie, past, cfg.mss, SYN_WND, WS);
    if (reply_q == R_RST) begin
      tx = '0;
      tx.tuple = m_q.tuple;
      tx.flags.rst = 1'b1;
      if (m_q.flags.ack) begin
        tx.seq = m_q.ack;
      end else begin
        tx.flags.ack = 1'b1;
        tx.ack = reset_ack_q;
      end
    end
    tx_valid = reply_now && tx_room;
  end

  always_ff @(posedge clk) begin
    ev <= '0;
    if (gap_q != '0) gap_q <= gap_q - 1'b1;
    if (wait_q != '0) wait_q <= wait_q - 1'b1;
    if (table_valid && table_ready) asked_q <= 1'b1;
    if (answer) asked_q <= 1'b0;
    if (sent_age > 5'd1) sent_q <= 1'b0;

    unique case (state_q)
      A_IDLE: begin
        turn_q <= turn_q == 2'd2 ? 2'd0 : turn_q + 1'b1;
        if (del_valid) begin
          state_q <= A_DELETE;
        end else if (held_q && (free_valid || wait_q == '0)) begin
          held_q  <= 1'b0;
          state_q <= A_NUMBER;
        end else if (turn_q == 2'd0 && want_listen) begin
          state_q <= A_PORT;
        end else if (turn_q == 2'd1 && want_open) begin
          m_q <= '0;
          m_q.tuple <= '{peer_ip: open.ip, peer_port: open.port, local_port: {1'b1, port_q}};
          job_q <= J_OPEN;
          floor_q <= 1'b0;
          recycled_q <= 1'b0;
          tries_q <= '0;
          reason_q <= cfg.enable ? TCP_UNREACHABLE : TCP_DISABLED;
          state_q <= cfg.enable && peer_ok ? A_FIND : A_REFUSE;
        end else if (turn_q == 2'd2 && want_miss) begin
          m_q <= relookup_valid ? relookup.seg : miss.seg;
          floor_q <= relookup_valid && relookup.floor;
          floor_iss_q <= relookup.iss;
          job_q <= J_MISS;
          recycled_q <= 1'b0;
          if (!cfg.enable || (!relookup_valid && miss.seg.flags.rst)) ev.miss_ignored <= 1'b1;
          else state_q <= A_FIND;
        end
      end

      A_DELETE: if (answer) state_q <= A_IDLE;

      A_PORT:
      if (answer) begin
        listened_valid <= 1'b1;
        listened <= '{port: listen.port, reason: rsp.ok && !listen.off ? TCP_IN_USE : TCP_OK};
        state_q <= A_IDLE;
      end

      A_FIND:
      if (answer) begin
        found_q <= rsp.ok;
        sid_q <= rsp.sid;
        listen_q <= rsp.listen;
        hash_q <= rsp.hash;
        state_q <= A_DECIDE;
      end

      A_DECIDE: begin
        iss_q   <= hash_q + isn_clock;
        kind_q  <= EV_PASSIVE;
        reply_q <= R_RST;
        if (job_q == J_OPEN) begin
          port_q   <= port_q + 15'd1 + 15'(hash_q[2:0]);
          kind_q   <= EV_ACTIVE;
          reason_q <= TCP_NO_ROOM;
          state_q  <= A_NUMBER;
          if (found_q || listen_q) begin
            // Port in use: try the next one. Session numbers run out before ports do.
            m_q.tuple.local_port <= {1'b1, port_q};
            tries_q <= tries_q + 1'b1;
            state_q <= tries_q == '1 ? A_REFUSE : A_FIND;
          end
        end else if (found_q) begin
          ev.miss_relookup_hit <= 1'b1;
          kind_q <= EV_SEGMENT;
          iss_q <= '1;  // no further relookup
          // The payload of a miss was dropped, so the peer has to retransmit it.
          state_q <= m_q.len == '0 ? A_INJECT : A_IDLE;
        end else if (m_q.flags.rst) begin
          ev.miss_ignored <= 1'b1;  // its session ended while it was queued
          state_q <= A_IDLE;
        end else if (listen_q && syn_only) begin
          state_q <= crowded ? A_COOKIE : A_NUMBER;
        end else if (listen_q && m_q.flags.ack && !m_q.flags.syn && sent_q) begin
          state_q <= A_COOKIE;
        end else if (listen_q && !m_q.flags.ack) begin
          ev.miss_ignored <= 1'b1;  // RFC 9293, 3.10.7.2: no relevant flag
          state_q <= A_IDLE;
        end else begin
          state_q <= A_REPLY;
        end
      end

      A_COOKIE:
      if (cookie_done) begin
        if (!checking) begin
          reply_q <= R_COOKIE;
          state_q <= A_REPLY;
        end else if (cookie_good) begin
          // Continue as if its SYN had just arrived.
          kind_q <= EV_COOKIE;
          iss_q <= ack_before_q;
          m_q.seq <= seq_before_q;
          m_q.opts.mss_valid <= 1'b1;
          m_q.opts.mss <= cookie_mss;
          m_q.opts.ws_valid <= m_q.opts.ts_valid && m_q.opts.ts_ecr[4];
          m_q.opts.ws <= m_q.opts.ts_ecr[3:0];
          m_q.opts.sack_ok <= m_q.opts.ts_valid && m_q.opts.ts_ecr[5];
          state_q <= A_NUMBER;
        end else if (cookie_fresh) begin
          ev.miss_ignored <= 1'b1;
          state_q <= A_IDLE;
        end else begin
          state_q <= A_REPLY;
        end
      end

      A_NUMBER: begin
        if (del_valid) begin
          held_q  <= 1'b1;
          wait_q  <= '0;
          state_q <= A_IDLE;
        end else if (free_valid) begin
          sid_q   <= free_sid;
          state_q <= A_INSERT;
        end else begin
          state_q <= A_REFUSE;
          if (tw_valid && !recycled_q) state_q <= A_RECYCLE;
          else if (job_q == J_MISS && !checking) state_q <= A_COOKIE;
        end
      end

      A_RECYCLE:
      if (inject_ready) begin
        recycled_q <= 1'b1;
        held_q <= 1'b1;
        wait_q <= '1;
        state_q <= A_IDLE;
      end

      A_INSERT: begin
        // RFC 9293, 3.6.1: larger than any number of the incarnation that was just replaced. The
        // table takes longer than this.
        if (floor_q && kind_q != EV_COOKIE && below_q) iss_q <= floor_iss_q;
        if (answer) state_q <= rsp.ok ? A_INJECT : A_BACK;
      end

      A_BACK: if (back_ready) state_q <= A_REFUSE;

      A_INJECT:
      if (inject_ready) begin
        ev.miss_passive <= kind_q == EV_PASSIVE;
        ev.miss_cookie_accepted <= kind_q == EV_COOKIE;
        state_q <= A_IDLE;
      end

      A_REFUSE:
      if (job_q != J_OPEN || failed_ready) begin
        ev.miss_refused <= job_q == J_MISS;
        ev.open_failed <= job_q == J_OPEN;
        state_q <= A_IDLE;
      end

      A_REPLY:
      if (reply_now) begin
        ev.miss_no_reply <= !tx_room;
        ev.miss_reset_sent <= tx_room && reply_q == R_RST;
        ev.miss_cookie_sent <= tx_room && reply_q == R_COOKIE;
        gap_q <= ($bits(gap_q))'(REPLY_GAP);
        state_q <= A_IDLE;
      end

      default: state_q <= A_IDLE;
    endcase

    if (cookie_sent || (reply_now && reply_q == R_COOKIE)) begin
      sent_q <= 1'b1;
      sent_slot_q <= slot;
    end

    if (relookup_wait_q != '0) relookup_wait_q <= relookup_wait_q - 1'b1;
    if (relookup_pushed) relookup_wait_q <= '1;

    if (rst) begin
      state_q <= A_IDLE;
      held_q <= 1'b0;
      asked_q <= 1'b0;
      relookup_wait_q <= '0;
      floor_q <= 1'b0;
      sent_q <= 1'b0;
      listened_valid <= 1'b0;
      turn_q <= '0;
      gap_q <= '0;
      ev <= '0;
    end else if (listened_valid && listened_ready) begin
      listened_valid <= 1'b0;
    end
  end

  assign busy = state_q != A_IDLE || held_q || relookup_valid;

  logic unused;
  assign unused = ^{cfg, miss};
endmodule
