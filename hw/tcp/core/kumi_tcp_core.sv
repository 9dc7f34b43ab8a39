// SPDX-License-Identifier: Apache-2.0
//
// TCP state machine of all sessions (RFC 9293): consumes records of received segments, of
//   application writes and reads, and timer events; produces records of segments to send. Payload
//   bypasses it. docs/blocks/tcp-core.md lists the rules clause by clause.
//
//   s_hit ------------------+
//   s_miss -> conn_mgr -----+-> event_arb -> event_engine -> m_rx_cmd m_tx_space m_open_rsp m_tx
//   s_open ->  | ^ table    |                 |
//   s_listen   | +----------|-----------------+ ended sessions, relookups
//   s_tx_data, s_rx_done ---+    TCB RAM, output queue, timers
//
// kumi_tcp_syn_responder answers floods of SYNs, kumi_tcp_conn_mgr opens sessions and answers other
// segments of no session; kumi_tcp_event_engine processes one event of a session at a time.
//
// s_hit, s_miss, m_table, s_table, m_rx_cmd, s_rx_done, m_tx_space, s_tx_data, m_tx: records of
// kumi_tcp_pkg, valid/ready. s_hit, s_rx_done and s_tx_data do not depend on m_tx; they wait for
// m_rx_cmd and m_tx_space. m_table: one outstanding request.
// s_listen/m_listen_rsp, s_open/m_open_rsp: one response per request; responses to s_open in any
//   order, at most 64 outstanding.
// sessions: number in use; time_wait: of these, in TIME-WAIT. busy: events are in progress, or a
// timer other than keep-alive or TIME-WAIT runs. After reset SESSIONS cycles pass before the first
// event. now_us may advance by at most 2^31 per cycle.
// Cycles per event: see kumi_tcp_event_engine.
`include "kumi_assert.svh"

module kumi_tcp_core
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
#(
    parameter int SESSIONS   = 64,     // a power of two, 4..16384
    parameter int TX_RING    = 65536,  // bytes, a power of two, 4096..2^29
    parameter int RX_RING    = 65536,  // bytes, a power of two, 4096..2^29
    parameter int OOO_RANGES = 4,      // out-of-order ranges per session and direction, 1..4
    parameter bit CUBIC      = 1'b0    // 1: CUBIC with cfg.use_cubic, 0: NewReno only
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hit,
    kumi_rec_if.snk s_miss,
    kumi_rec_if.src m_table,
    kumi_rec_if.snk s_table,
    kumi_rec_if.src m_rx_cmd,
    kumi_rec_if.snk s_rx_done,
    kumi_rec_if.src m_tx_space,
    kumi_rec_if.snk s_tx_data,
    kumi_rec_if.src m_tx,
    kumi_rec_if.snk s_listen,
    kumi_rec_if.src m_listen_rsp,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_rsp,
    input tcp_cfg_t cfg,
    input logic [31:0] now_us,
    output logic [15:0] sessions,
    output logic [15:0] time_wait,
    output logic busy,
    output tcp_core_ev_t ev
);
  localparam int W = $clog2(SESSIONS);
  localparam int OPENS = 64;  // outstanding opens
  localparam int EFFECTS = 16;  // depth of the effect FIFOs
  localparam int ENDED = 16;
  localparam int RELOOKUPS = 8;  // segments to look up again

  if (SESSIONS < 4 || SESSIONS > 16384 || (SESSIONS & (SESSIONS - 1)) != 0) begin : gen_check_n
    $fatal(0, "SESSIONS must be a power of two, 4..16384 (%m)");
  end
  if (TX_RING < 4096 || TX_RING > 2 ** 29 || (TX_RING & (TX_RING - 1)) != 0) begin : gen_check_tx
    $fatal(0, "TX_RING must be a power of two, 4096..2^29 (%m)");
  end
  if (RX_RING < 4096 || RX_RING > 2 ** 29 || (RX_RING & (RX_RING - 1)) != 0) begin : gen_check_rx
    $fatal(0, "RX_RING must be a power of two, 4096..2^29 (%m)");
  end
  if (s_hit.W != $bits(
          tcp_seg_lookup_t
      ) || s_miss.W != $bits(
          tcp_seg_lookup_t
      )) begin : gen_check_found
    $fatal(0, "s_hit and s_miss carry tcp_seg_lookup_t (%m)");
  end
  if (m_tx.W != $bits(tcp_tx_t) || m_rx_cmd.W != $bits(tcp_rx_cmd_t)) begin : gen_check_out
    $fatal(0, "m_tx carries tcp_tx_t, m_rx_cmd tcp_rx_cmd_t (%m)");
  end

  // ---- time: now_us, extended -----------------------------------------------------------------

  logic [41:0] time_q;
  always_ff @(posedge clk) begin
    time_q[31:0] <= now_us;
    if (time_q[31] && !now_us[31]) time_q[41:32] <= time_q[41:32] + 1'b1;
    if (rst) time_q <= '0;
  end

  // Timestamp clock. Never 0: peers take 0 for no timestamp (Linux answers one in
  // TIME-WAIT without the option, and ignores its echo).
  logic [31:0] tick;
  assign tick = time_q[TS_SHIFT+:32] == '0 ? 32'd1 : time_q[TS_SHIFT+:32];

  // Clock and settings of the long timers, in ticks of 256 us; settings are rounded up. A
  // millisecond is 125/32 ticks.
  localparam logic [31:0] LONGEST = 32'h7FFF_FFFF;
  logic [31:0] now_long;
  tcp_long_times_t long_q;
  logic [38:0] idle_part_q, interval_part_q, idle_32, interval_32;
  assign now_long = time_q[LONG_SHIFT+:32];
  assign idle_32 = idle_part_q - 39'(cfg.keep_idle);
  assign interval_32 = interval_part_q - 39'(cfg.keep_interval);

  function automatic logic [31:0] ticks_of(input logic [38:0] x32);
    logic unused;
    unused = ^x32[4:0];
    return x32[38:36] != '0 ? LONGEST : 32'(x32[35:5]) + 32'd1;
  endfunction

  always_ff @(posedge clk) begin
    idle_part_q <= {cfg.keep_idle, 7'd0} - {6'd0, cfg.keep_idle, 1'b0};
    interval_part_q <= {cfg.keep_interval, 7'd0} - {6'd0, cfg.keep_interval, 1'b0};
    long_q.keep_idle <= ticks_of(idle_32);
    long_q.keep_interval <= ticks_of(interval_32);
    long_q.time_wait <= 32'(cfg.time_wait[31:LONG_SHIFT]) + 32'd1;
    long_q.fin_wait <= 32'(cfg.fin_wait[31:LONG_SHIFT]) + 32'd1;
    long_q.linger <= 32'(cfg.linger[31:LONG_SHIFT]) + 32'd1;
  end

  // ---- session numbers ------------------------------------------------------------------------

  logic engine_free, free_valid, free_take, back_valid, back_ready;
  logic out_push, out_valid, out_take, tw_push, tw_valid, tw_take;
  logic [SID_W-1:0] engine_sid, back_sid;
  logic [W-1:0] free_sid, out_sid, tw_sid;

  kumi_tcp_session_queues #(
      .SESSIONS(SESSIONS)
  ) u_queues (
      .clk,
      .rst,
      .sid(engine_sid),
      .free_push(engine_free),
      .out_push,
      .tw_push,
      .back_valid,
      .back_sid,
      .back_ready,
      .free_valid,
      .free_sid,
      .free_take,
      .out_valid,
      .out_sid,
      .out_take,
      .tw_valid,
      .tw_sid,
      .tw_take,
      .sessions
  );

  // ---- state and timers -----------------------------------------------------------------------

  logic wr_en, rd_en, timer_valid, timer_take;
  logic [SID_W-1:0] wr_sid, rd_sid;
  logic [W-1:0] timer_sid;
  tcb_t wr_tcb, rd_tcb;
  tcp_cubic_t rd_cubic, wr_cubic;

  kumi_tcp_session_mem #(
      .SESSIONS(SESSIONS),
      .CUBIC(CUBIC)
  ) u_mem (
      .clk,
      .rst,
      .now_us(time_q[31:0]),
      .now_long,
      .wr_en,
      .wr_sid,
      .wr_tcb,
      .wr_cubic,
      .rd_en,
      .rd_sid,
      .rd_tcb,
      .rd_cubic,
      .timer_valid,
      .timer_sid,
      .timer_take
  );

  // ---- CUBIC: computation of K ----------------------------------------------------------------

  tcp_cubic_k_req_t k_req;
  tcp_cubic_k_rsp_t k_rsp;
  logic k_req_valid, k_req_ready, k_rsp_valid, k_rsp_take, k_busy;
  if (CUBIC) begin : gen_cubic
    kumi_tcp_cubic_k u_k (
        .clk,
        .rst,
        .s_valid(k_req_valid),
        .s_ready(k_req_ready),
        .s_req  (k_req),
        .m_valid(k_rsp_valid),
        .m_ready(k_rsp_take),
        .m_rsp  (k_rsp)
    );
    assign k_busy = !k_req_ready;
  end else begin : gen_newreno
    assign k_req_ready = 1'b0;
    assign k_rsp_valid = 1'b0;
    assign k_rsp = '0;
    assign k_busy = 1'b0;
    logic unused;
    assign unused = ^{k_req, k_req_valid, k_rsp_take};
  end

  // ---- effects --------------------------------------------------------------------------------

  logic rx_push, space_push, opened_push, del_push, del_valid, del_take;
  logic failed_valid, open_take, open_may;
  tcp_rx_cmd_t   rx_rec;
  tcp_tx_space_t space_rec;
  tcp_open_rsp_t opened_rec, failed_rec;
  tcp_tuple_t del_in, del_tuple;
  logic [$clog2(EFFECTS):0] rx_depth, space_depth;
  logic [$clog2(ENDED):0] del_depth;

  kumi_tcp_effect_fifos #(
      .DEPTH(EFFECTS),
      .ENDED(ENDED),
      .OPENS(OPENS)
  ) u_effects (
      .clk,
      .rst,
      .rx_push,
      .rx_rec,
      .space_push,
      .space_rec,
      .del_push,
      .del_in,
      .opened_push,
      .opened_rec,
      .failed_valid,
      .failed_rec,
      .rx_depth,
      .space_depth,
      .del_depth,
      .open_take,
      .open_may,
      .m_rx_cmd,
      .m_tx_space,
      .m_open_rsp,
      .del_valid,
      .del_tuple,
      .del_take
  );
  assign s_open.ready = open_take;

  // ---- segments to send -----------------------------------------------------------------------

  logic engine_tx, engine_tx_ready, mgr_tx, mgr_tx_ready, cookie_tx, cookie_tx_ready;
  tcp_tx_t engine_rec, mgr_rec, cookie_rec;

  kumi_tcp_tx_share u_tx_share (
      .clk,
      .rst,
      .session_valid(engine_tx),
      .session_tx   (engine_rec),
      .session_ready(engine_tx_ready),
      .reply_valid  (mgr_tx),
      .reply_tx     (mgr_rec),
      .reply_ready  (mgr_tx_ready),
      .cookie_valid (cookie_tx),
      .cookie_tx    (cookie_rec),
      .cookie_ready (cookie_tx_ready),
      .m_tx
  );

  // ---- SYN cookies ----------------------------------------------------------------------------

  logic crowded, cookie_busy, cookie_sent, cookie_sent_q;
  logic [25:0] past_q;
  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) asked ();
  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) miss ();
  tcp_seg_lookup_t miss_rec;
  assign miss_rec = miss.data;
  assign cookie_sent = cookie_tx && cookie_tx_ready;

  always_ff @(posedge clk) begin
    past_q <= tick[31:6] - 26'd1;
    cookie_sent_q <= cookie_sent;
    if (rst) cookie_sent_q <= 1'b0;
  end

  // Ends the path from the lookup hazards to the queue of misses; a record in two cycles. The
  // connection manager looks each up again, and a cookie for a SYN whose session has just begun
  // is ignored by its peer.
  kumi_rec_reg #(
      .MODE(1)
  ) u_asked (
      .clk,
      .rst,
      .s_hdr(s_miss),
      .m_hdr(asked)
  );

  kumi_tcp_syn_responder #(
      .RX_RING(RX_RING)
  ) u_responder (
      .clk,
      .rst,
      .cfg,
      .past   (past_q),
      .slot   (time_q[30:26]),
      .crowded,
      .s_miss (asked),
      .m_miss (miss),
      .m_valid(cookie_tx),
      .m_tx   (cookie_rec),
      .m_ready(cookie_tx_ready),
      .busy   (cookie_busy)
  );

  // ---- connection manager ---------------------------------------------------------------------

  logic [31:0] relookup_iss;
  logic relookup_floor, relookup_valid, inject_valid, inject_take, mgr_busy;
  tcp_seg_t relookup_seg;
  tcp_relookup_t relookup;
  logic relookup_fits, relookup_waits, relookup_take;
  logic [$clog2(RELOOKUPS):0] relookup_depth;
  tcp_event_t inject;
  logic [15:0] half_open;
  tcp_core_ev_t ev_mgr, ev_engine;

  kumi_fifo #(
      .W($bits(tcp_relookup_t)),
      .DEPTH(RELOOKUPS)
  ) u_relookup (
      .clk,
      .rst,
      .s_data ({relookup_seg, relookup_iss, relookup_floor}),
      .s_valid(relookup_valid),
      .s_ready(relookup_fits),
      .m_data (relookup),
      .m_valid(relookup_waits),
      .m_ready(relookup_take),
      .depth  (relookup_depth)
  );

  kumi_tcp_conn_mgr #(
      .SESSIONS(SESSIONS),
      .RX_RING (RX_RING)
  ) u_mgr (
      .clk,
      .rst,
      .cfg,
      .past(past_q),
      .isn_clock(time_q[33:2]),
      .slot(time_q[30:26]),
      .crowded,
      .cookie_sent,
      .miss_valid(miss.valid),
      .miss(miss_rec),
      .miss_take(miss.ready),
      .relookup_pushed(relookup_valid),
      .relookup_valid(relookup_waits),
      .relookup,
      .relookup_take,
      .del_valid,
      .del_tuple,
      .del_take,
      .listen_valid(s_listen.valid),
      .listen(s_listen.data),
      .listen_take(s_listen.ready),
      .open_valid(s_open.valid && open_may),
      .open(s_open.data),
      .open_take,
      .table_valid(m_table.valid),
      .table_req(m_table.data),
      .table_ready(m_table.ready),
      .rsp_valid(s_table.valid),
      .rsp(s_table.data),
      .rsp_ready(s_table.ready),
      .free_valid,
      .free_sid(SID_W'(free_sid)),
      .free_take,
      .back_valid,
      .back_sid,
      .back_ready,
      .tw_valid,
      .tw_sid(SID_W'(tw_sid)),
      .tw_take,
      .inject_valid,
      .inject,
      .inject_ready(inject_take),
      .listened_valid(m_listen_rsp.valid),
      .listened(m_listen_rsp.data),
      .listened_ready(m_listen_rsp.ready),
      .failed_valid,
      .failed(failed_rec),
      .failed_ready(!opened_push),
      .tx_valid(mgr_tx),
      .tx(mgr_rec),
      .tx_room(mgr_tx_ready),
      .half_open,
      .sessions,
      .time_wait,
      .senders(out_valid),
      .busy(mgr_busy),
      .ev(ev_mgr)
  );

  // ---- events ---------------------------------------------------------------------------------

  localparam int SRC_SEGMENT = 0, SRC_INJECT = 1, SRC_DATA = 2, SRC_READ = 3, SRC_SEND = 4,
      SRC_TIMER = 5, SRC_CUBIC_K = 6, SOURCES = 7;

  logic [SOURCES-1:0] src_valid, src_take, may;
  tcp_event_t [SOURCES-1:0] src_ev;
  tcp_seg_lookup_t hit;
  tcp_tx_data_t wrote;
  tcp_rx_done_t done;
  logic effects;

  assign hit   = s_hit.data;
  assign wrote = s_tx_data.data;
  assign done  = s_rx_done.data;

  always_comb begin
    src_valid = '0;
    src_valid[SRC_SEGMENT] = s_hit.valid;
    src_valid[SRC_INJECT] = inject_valid;
    src_valid[SRC_DATA] = s_tx_data.valid;
    src_valid[SRC_READ] = s_rx_done.valid;
    src_valid[SRC_SEND] = out_valid;
    src_valid[SRC_TIMER] = timer_valid;
    src_valid[SRC_CUBIC_K] = k_rsp_valid;

    src_ev = '0;
    src_ev[SRC_SEGMENT].kind = EV_SEGMENT;
    src_ev[SRC_SEGMENT].sid = hit.sid;
    src_ev[SRC_SEGMENT].seg = hit.seg;
    src_ev[SRC_INJECT] = inject;
    src_ev[SRC_DATA].kind = EV_DATA;
    src_ev[SRC_DATA].sid = wrote.sid;
    src_ev[SRC_DATA].seg.seq = wrote.seq;
    src_ev[SRC_DATA].seg.flags.fin = wrote.fin;
    src_ev[SRC_DATA].seg.flags.rst = wrote.abort;
    src_ev[SRC_READ].kind = EV_READ;
    src_ev[SRC_READ].sid = done.sid;
    src_ev[SRC_READ].seg.seq = done.seq;
    src_ev[SRC_READ].seg.flags.fin = done.released;
    src_ev[SRC_SEND].kind = EV_SEND;
    src_ev[SRC_SEND].sid = SID_W'(out_sid);
    src_ev[SRC_TIMER].kind = EV_TIMER;
    src_ev[SRC_TIMER].sid = SID_W'(timer_sid);
    src_ev[SRC_CUBIC_K].kind = EV_CUBIC_K;
    src_ev[SRC_CUBIC_K].sid = k_rsp.sid;
    src_ev[SRC_CUBIC_K].seg.seq = 32'(k_rsp.k);
    src_ev[SRC_CUBIC_K].iss = k_rsp.epoch_start;
  end

  assign s_hit.ready = src_take[SRC_SEGMENT];
  assign inject_take = src_take[SRC_INJECT];
  assign s_tx_data.ready = src_take[SRC_DATA];
  assign s_rx_done.ready = src_take[SRC_READ];
  assign out_take = src_take[SRC_SEND];
  assign timer_take = src_take[SRC_TIMER];
  assign k_rsp_take = src_take[SRC_CUBIC_K];

  // Space for the effects of three events: the one in progress, the selected one, and one that was
  // still at its end when its space was looked at. Events of the connection manager may always use
  // the queue of ended sessions, or it would wait for itself. Hits wait for relookups; the
  // connection manager does not wait for hits.
  assign effects = rx_depth <= 5'(EFFECTS - 6) && space_depth <= 5'(EFFECTS - 3);
  always_comb begin
    may = {SOURCES{effects && del_depth <= 5'(ENDED - 5)}};
    if (relookup_depth > 4'(RELOOKUPS - 4)) may[SRC_SEGMENT] = 1'b0;
    may[SRC_INJECT] = effects;
    may[SRC_SEND]   = engine_tx_ready;
  end

  logic pick_valid, pick_take, waiting;
  tcp_event_t pick_ev;
  kumi_tcp_event_arb #(
      .N(SOURCES)
  ) u_arb_ev (
      .clk,
      .rst,
      .src_valid,
      .src_ev,
      .src_take,
      .may,
      .waiting,
      .writing(wr_en),
      .rd_en,
      .rd_sid,
      .m_valid(pick_valid),
      .m_ev(pick_ev),
      .m_take(pick_take)
  );

  logic engine_busy;
  kumi_tcp_event_engine #(
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC)
  ) u_engine (
      .clk,
      .rst,
      .cfg,
      .long_times(long_q),
      .now_us(time_q[31:0]),
      .now_long,
      .tick,
      .s_valid(pick_valid),
      .s_ev(pick_ev),
      .s_tcb(rd_tcb),
      .s_cubic(rd_cubic),
      .s_take(pick_take),
      .others(waiting),
      .wr_en,
      .wr_sid,
      .wr_tcb,
      .wr_cubic,
      .k_req_valid,
      .k_req,
      .k_req_ready,
      .rx_valid(rx_push),
      .rx_cmd(rx_rec),
      .space_valid(space_push),
      .space_rec,
      .opened_valid(opened_push),
      .opened_rec,
      .del_valid(del_push),
      .del_tuple(del_in),
      .out_valid(out_push),
      .tw_valid(tw_push),
      .free_valid(engine_free),
      .sid(engine_sid),
      .relookup_valid,
      .relookup_seg,
      .relookup_iss,
      .relookup_floor,
      .tx_valid(engine_tx),
      .tx_rec(engine_rec),
      .tx_ready(engine_tx_ready),
      .half_open,
      .time_wait,
      .busy(engine_busy),
      .ev(ev_engine)
  );

  always_ff @(posedge clk) begin
    ev <= ev_engine | ev_mgr;
    // Of the two that send cookies one sends at a time.
    if (cookie_sent_q) ev.miss_cookie_sent <= 1'b1;
    busy <= engine_busy || mgr_busy || k_busy || cookie_busy || pick_valid || |src_valid ||
        del_valid || m_tx.valid || m_rx_cmd.valid || m_tx_space.valid || s_miss.valid ||
        asked.valid || s_open.valid || s_listen.valid;
    if (rst) begin
      ev   <= '0;
      busy <= 1'b0;
    end
  end

  // Events start only with space for their effects.
  `KUMI_ASSERT(a_relookup_fits, !relookup_valid || relookup_fits)

  logic unused;
  assign unused = ^{hit.hit, hit.listen, hit.stale, hit.hash, wrote.push, relookup_fits, time_q};
endmodule
