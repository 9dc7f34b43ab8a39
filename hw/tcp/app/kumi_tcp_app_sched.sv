// SPDX-License-Identifier: Apache-2.0
//
// Application scheduler: tracks the sessions of a TCP application and offers each session that
//   needs service to the kernel, in turn.
//
// s_notify: tcp_notify_t of the engine. s_open_rsp: tcp_open_rsp_t of active opens (only those with
//   reason TCP_OK), no later than the first notification of the session.
// s_short_read: tcp_short_read_t, a session whose read returned less than was available
//   (kumi_tcp_app_mover): if it has ended, nothing more of it is offered to read.
// m_work: {kernel's own bits, tcp_app_work_t}: a session to serve. It is not offered again until
//   the kernel answers; what happens meanwhile accumulates and is offered afterwards. Nothing is
//   offered before m_work.ready is high, so an offer never becomes outdated; the kernel keeps ready
//   high until then, and asserts it only when it can serve immediately (see
//   docs/blocks/tcp-app.md).
// s_done: {own bits, tcp_app_done_t}: the answer. The kernel's own bits return with the next offer,
//   so a kernel needs no memory per session; they are zero with `fresh`.
// now_ticks, idle_ticks: a clock, and the time after which a session in which nothing moved is
//   offered with `idle`; 0: never. Bytes, the peer's FIN and answers that took bytes or ask for
//   another turn at once count as movement. A session is looked at every 256 cycles.
// Fairness: one queue that holds each session at most once. A session answered WORK_LATER waits in
//   a second queue, from which one session returns to the first every RETRY cycles.
// Handshakes: valid/ready, held. Notifications are accepted every 8 cycles at worst.
// Latency: notification to offer 5 cycles when nothing else is pending. 4 cycles per event
//   (notification, answer, offer).
// After reset the memory is cleared for SESSIONS cycles.
// Bad input: notifications of sessions that were not opened are ignored and pulse ev_stray. If a
//   session number is reopened while the kernel serves its predecessor, the old answer is void.
module kumi_tcp_app_sched
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int SESSIONS = 64,  // session numbers, a power of two
    parameter int APP_W    = 1,   // bits owned by the kernel
    parameter int RETRY    = 32   // cycles between two sessions that return from waiting
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_notify,
    kumi_rec_if.snk s_open_rsp,
    kumi_rec_if.snk s_short_read,
    kumi_rec_if.src m_work,
    kumi_rec_if.snk s_done,
    input logic [23:0] now_ticks = '0,
    input logic [23:0] idle_ticks = '0,  // below 2^23
    output logic [15:0] open_count,  // sessions not yet removed
    output logic ev_opened,
    output logic ev_ended,
    output logic ev_stray,
    output logic busy
);
  localparam int ADDR_W = $clog2(SESSIONS);

  if (SESSIONS < 2 || SESSIONS > 2 ** SID_W || (SESSIONS & (SESSIONS - 1)) != 0) begin : gen_check
    $fatal(0, "SESSIONS must be a power of two, 2..65536 (%m)");
  end
  if (m_work.W != WORK_W + APP_W || s_done.W != WORK_DONE_W + APP_W) begin : gen_check_w
    $fatal(0, "m_work or s_done has a wrong width (%m)");
  end

  // ---- records --------------------------------------------------------------------------------
  typedef struct packed {
    logic [1:0]  gen;     // generation, see tcp_app_work_t
    logic        open;
    logic        queued;  // in one of the queues
    logic        out;     // offered to the kernel
    logic        dirty;   // changed since the offer
    logic        stale;   // reopened since the offer
    logic        fresh;
    logic        active;
    logic        fin;
    logic        ended;
    logic        idle;    // to be offered as such
    tcp_reason_e reason;
    logic [31:0] bytes;
  } sched_state_t;

  (* ram_style = "block", no_rw_check *) logic [$bits(sched_state_t)-1:0] state_mem[SESSIONS];
  (* ram_style = "block", no_rw_check *) logic [$bits(tcp_tuple_t)-1:0] tuple_mem[SESSIONS];
  (* ram_style = "block", no_rw_check *) logic [APP_W-1:0] app_mem[SESSIONS];
  (* ram_style = "block", no_rw_check *) logic [23:0] moved_mem[SESSIONS];  // time of last movement

  typedef enum logic [2:0] {
    CLEAR,
    PICK,
    READ,
    SUM,
    CALC
  } sched_step_e;
  typedef enum logic [2:0] {
    OPENED,
    LOST,
    NOTE,
    DONE,
    POP,
    SCAN
  } event_e;

  sched_step_e step_q;
  event_e event_q, event_d;
  logic noted_q;  // a notification was served last: others first
  logic [ADDR_W-1:0] addr_q;
  tcp_notify_t note, note_q;
  tcp_open_rsp_t opened;
  tcp_app_done_t done, done_q;
  logic [APP_W-1:0] done_app_q;
  sched_state_t read, st_q, st;
  logic [$bits(sched_state_t)-1:0] state_bits_q;
  logic [$bits(tcp_tuple_t)-1:0] tuple_bits_q;
  logic [APP_W-1:0] app_bits_q;
  logic [31:0] more_q, left_q;
  logic under_q;
  tcp_short_read_t lost;
  logic [1:0] lost_turn_q;
  tcp_tuple_t tuple_q;
  logic [APP_W-1:0] app_q;

  assign note   = tcp_notify_t'(s_notify.data);
  assign opened = tcp_open_rsp_t'(s_open_rsp.data);
  assign lost   = tcp_short_read_t'(s_short_read.data);
  assign read   = sched_state_t'(state_bits_q);
  assign done   = tcp_app_done_t'(s_done.data[WORK_DONE_W-1:0]);

  // ---- queues ---------------------------------------------------------------------------------
  logic [ADDR_W-1:0] ready_in, ready_sid, later_sid;
  logic ready_push, ready_valid, ready_pop, ready_ok, later_push, later_valid, later_pop, later_ok;
  logic [ADDR_W:0] ready_depth, later_depth;
  logic want_queue, back;
  logic [$clog2(RETRY+1)-1:0] retry_q;

  assign back = later_valid && retry_q == '0;
  assign later_pop = back && !want_queue;
  assign ready_push = want_queue || later_pop;
  assign ready_in = want_queue ? addr_q : later_sid;

  kumi_fifo #(
      .W(ADDR_W),
      .DEPTH(SESSIONS)
  ) u_ready (
      .clk,
      .rst,
      .s_data (ready_in),
      .s_valid(ready_push),
      .s_ready(ready_ok),
      .m_data (ready_sid),
      .m_valid(ready_valid),
      .m_ready(ready_pop),
      .depth  (ready_depth)
  );
  kumi_fifo #(
      .W(ADDR_W),
      .DEPTH(SESSIONS)
  ) u_later (
      .clk,
      .rst,
      .s_data (addr_q),
      .s_valid(later_push),
      .s_ready(later_ok),
      .m_data (later_sid),
      .m_valid(later_valid),
      .m_ready(later_pop),
      .depth  (later_depth)
  );

  always_ff @(posedge clk) begin
    if (later_pop) retry_q <= ($clog2(RETRY + 1))'(RETRY - 1);
    else if (retry_q != '0) retry_q <= retry_q - 1'b1;
    if (rst) retry_q <= '0;
  end

  // ---- search for idle sessions ---------------------------------------------------------------
  logic [7:0] pause_q;
  logic [ADDR_W-1:0] scan_q;
  logic scan, over_q;
  logic [23:0] moved_bits_q, age;
  assign scan = step_q == PICK && pause_q == '0 && idle_ticks != '0;
  assign age  = now_ticks - moved_bits_q;

  always_ff @(posedge clk) begin
    if (pause_q != '0) pause_q <= pause_q - 1'b1;
    if (scan) begin
      pause_q <= '1;
      scan_q  <= scan_q + 1'b1;
    end
    over_q <= age >= idle_ticks;
    if (rst) begin
      pause_q <= '1;
      scan_q  <= '0;
    end
  end

  // ---- event selection ------------------------------------------------------------------------
  logic any, can_pop, quiet;
  assign can_pop = ready_valid && !m_work.valid && m_work.ready;
  assign any = s_open_rsp.valid || s_short_read.valid || s_notify.valid || s_done.valid || can_pop;

  always_comb begin
    if (noted_q && s_done.valid) event_d = DONE;
    else if (noted_q && can_pop) event_d = POP;
    else if (s_open_rsp.valid) event_d = OPENED;
    else if (s_short_read.valid) event_d = LOST;
    else if (s_notify.valid) event_d = NOTE;
    else if (s_done.valid) event_d = DONE;
    else event_d = POP;
  end

  assign s_open_rsp.ready   = step_q == PICK && !scan && event_d == OPENED && any;
  assign s_short_read.ready = step_q == PICK && !scan && event_d == LOST && any;
  assign s_notify.ready     = step_q == PICK && !scan && event_d == NOTE && any;
  assign s_done.ready       = step_q == PICK && !scan && event_d == DONE && any;
  assign ready_pop          = step_q == PICK && !scan && event_d == POP && any;

  always_ff @(posedge clk) begin
    case (step_q)
      CLEAR: begin
        addr_q <= addr_q + 1'b1;
        if (&addr_q) step_q <= PICK;
      end
      PICK:
      if (any || scan) begin
        step_q  <= READ;
        event_q <= scan ? SCAN : event_d;
        if (!scan) noted_q <= event_d == NOTE;
        note_q <= note;
        done_q <= done;
        lost_turn_q <= lost.gen;
        done_app_q <= s_done.data[WORK_DONE_W+:APP_W];
        case (event_d)
          OPENED: addr_q <= opened.sid[ADDR_W-1:0];
          LOST: addr_q <= lost.sid[ADDR_W-1:0];
          NOTE: addr_q <= note.sid[ADDR_W-1:0];
          DONE: addr_q <= done.sid[ADDR_W-1:0];
          default: addr_q <= ready_sid;
        endcase
        if (scan) addr_q <= scan_q;
        if (event_d == OPENED && !scan) begin
          note_q <= '0;
          note_q.opened <= 1'b1;
          note_q.tuple <= '{peer_ip: opened.ip, peer_port: opened.port, local_port: '0};
        end
      end
      READ: step_q <= SUM;
      SUM: step_q <= CALC;
      default: step_q <= PICK;
    endcase
    state_bits_q <= state_mem[addr_q];
    tuple_bits_q <= tuple_mem[addr_q];
    app_bits_q <= app_mem[addr_q];
    moved_bits_q <= moved_mem[addr_q];
    // Second register after the memory, with the two sums that may be needed.
    st_q <= read;
    tuple_q <= tcp_tuple_t'(tuple_bits_q);
    app_q <= app_bits_q;
    more_q <= read.bytes + 32'(note_q.length);
    {under_q, left_q} <= {1'b0, read.bytes} - {1'b0, done_q.taken};
    if (rst) begin
      step_q  <= CLEAR;
      addr_q  <= '0;
      noted_q <= 1'b0;
    end
  end

  // ---- the new state --------------------------------------------------------------------------
  logic calc, is_note, starts, want, later, offer, direct, idle, moves;
  logic [31:0] left;

  assign calc = step_q == CALC;
  assign is_note = event_q == NOTE || event_q == OPENED;
  assign starts = is_note && note_q.opened;
  assign left = under_q ? '0 : left_q;
  // Nothing is queued and the kernel is ready: bypass the queue.
  assign direct = !ready_valid && ready_depth == '0 && !m_work.valid && m_work.ready;

  always_comb begin
    st = st_q;
    want = 1'b0;
    later = 1'b0;
    offer = 1'b0;
    if (starts) begin
      st.gen = st_q.gen + 1'b1;
      st.open = 1'b1;
      st.fresh = 1'b1;
      st.active = event_q == OPENED;
      st.bytes = 32'(note_q.length);
      st.fin = note_q.fin;
      st.ended = note_q.ended;
      st.idle = 1'b0;
      st.reason = note_q.reason;
      st.stale = st_q.out;
      want = 1'b1;
    end else if (is_note) begin
      st.bytes = more_q;
      st.fin   = st_q.fin || note_q.fin;
      st.ended = st_q.ended || note_q.ended;
      if (note_q.ended) st.reason = note_q.reason;
      want = st_q.open;
      if (!st_q.open) st = st_q;
    end else if (event_q == LOST) begin
      if (st_q.ended && st_q.gen == lost_turn_q) st.bytes = '0;
    end else if (event_q == DONE) begin
      st.out = 1'b0;
      st.stale = 1'b0;
      st.dirty = 1'b0;
      want = st_q.dirty || st_q.stale || done_q.op == WORK_NOW;
      later = !want && done_q.op == WORK_LATER;
      if (!st_q.stale) begin
        st.bytes = left;
        st.fresh = 1'b0;
        st.open  = !st_q.ended || want || later || left != '0;
      end
    end else if (event_q == SCAN) begin
      if (over_q && st_q.open && !st_q.ended && !st_q.out && !st_q.idle) begin
        st.idle = 1'b1;
        want = 1'b1;
      end
    end else begin
      st.queued = 1'b0;
      offer = 1'b1;
    end
    if (want) begin
      if (st.out) begin
        st.dirty = 1'b1;
        want = 1'b0;
      end else if (st.queued) begin
        want = 1'b0;
      end else if (direct) begin
        want  = 1'b0;
        offer = 1'b1;
      end
    end
    idle = st.idle;
    if (offer) begin
      st.out  = 1'b1;
      st.idle = 1'b0;
    end
    if (want || later) st.queued = 1'b1;
  end

  assign moves = starts || (is_note && (note_q.length != '0 || note_q.fin)) ||
      (event_q == DONE && (done_q.op == WORK_NOW || done_q.taken != '0)) || (offer && idle);
  assign want_queue = calc && want;
  assign later_push = calc && later;

  always_ff @(posedge clk) begin
    if (step_q == CLEAR) state_mem[addr_q] <= '0;
    else if (calc) state_mem[addr_q] <= st;
    if (calc && starts) tuple_mem[addr_q] <= note_q.tuple;
    if (calc && moves) moved_mem[addr_q] <= now_ticks;
    if (calc && event_q == DONE && !st_q.stale) app_mem[addr_q] <= done_app_q;
  end

  // ---- the offer ------------------------------------------------------------------------------
  tcp_app_work_t work;
  logic [APP_W-1:0] app;

  always_comb begin
    work = '{
        sid: SID_W'(addr_q),
        fresh: st.fresh,
        active: st.active,
        gen: st.gen,
        fin: st.fin,
        ended: st.ended,
        idle: idle,
        reason: st.reason,
        bytes: st.bytes,
        tuple: starts ? note_q.tuple : tuple_q
    };
    app = st.fresh ? '0 : event_q == DONE && !st_q.stale ? done_app_q : app_q;
  end

  always_ff @(posedge clk) begin
    if (m_work.ready) m_work.valid <= 1'b0;
    if (calc && offer) begin
      m_work.valid <= 1'b1;
      m_work.data  <= {app, work};
    end
    ev_opened <= calc && starts;
    ev_ended  <= calc && is_note && note_q.ended && (starts || st_q.open);
    ev_stray  <= calc && is_note && !starts && !st_q.open;
    if (calc && st.open != st_q.open) open_count <= st.open ? open_count + 1'b1 : open_count - 1'b1;
    if (rst) begin
      m_work.valid <= 1'b0;
      ev_opened <= 1'b0;
      ev_ended <= 1'b0;
      ev_stray <= 1'b0;
      open_count <= '0;
    end
  end

  assign quiet = step_q == PICK ? !any : event_q == SCAN && !(calc && offer);
  assign busy  = !quiet || ready_valid || ready_depth != '0 || later_valid || later_depth != '0
      || m_work.valid;

  logic unused;
  assign unused = ^{lost, ready_ok, later_ok, note, opened, note_q, done, done_q, st_q};
endmodule
