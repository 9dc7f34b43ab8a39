// SPDX-License-Identifier: Apache-2.0
//
// Appends the application's data to the sessions' rings and reports them to the core.
//
// job_*: accepted writes and closes in order, from kumi_tcp_tx_space_ctrl. fresh_*: a new session
//   starts at fresh_una; jobs of the previous session with its number are dead: their data are
//   discarded.
// s_axis: one frame per write. The excess of a longer frame is discarded; of a shorter one, or one
//   marked bad (tuser[0] with tlast: nothing counts), the unused space is returned by credit_*.
// m_*: reports in order, once their data are in memory (EARLY: their last W was accepted; else B):
//   m_seq is one past their last byte; m_bad: memory error.
// m_axi: one burst per 1 KiB page of the ring at most; data follow at the rate they arrive.
// Latency: 3 cycles from a frame of one beat to its last W, 3 more (EARLY), or 3 from B, to
//   m_valid. Throughput: one beat of memory or s_axis per cycle, no gap between frames of two beats
//   or more; five cycles after a short or bad frame.
module kumi_tcp_tx_ring_write
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int SESSIONS = 16,  // a power of two, 2 or more
    parameter int ADDR_W = 32,  // bits of an address
    parameter int TX_RING = 16384,  // bytes of a ring, a power of two
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096, 2 to 256 beats
    parameter int OPEN = 256,  // outstanding frames, a power of two
    parameter int EARLY = 0,  // 1: memory is ordered without B (kumi_axi_ram)
    parameter int GEN_W = 8  // generation bits, distinguish sessions with the same number
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    input logic [SID_W-1:0] job_sid,
    input logic [GEN_W-1:0] job_gen,
    input logic [15:0] job_length,
    input logic job_fin,
    input logic job_abort,
    input logic job_valid,
    output logic job_room,
    input logic [SID_W-1:0] fresh_sid,
    input logic [GEN_W-1:0] fresh_gen,
    input logic [31:0] fresh_una,
    input logic fresh_valid,
    kumi_axis_if.snk s_axis,
    output logic [SID_W-1:0] credit_sid,
    output logic [GEN_W-1:0] credit_gen,
    output logic [15:0] credit_bytes,
    output logic credit_valid,
    input logic credit_ready,
    kumi_axi_if.mst_wr m_axi,
    output logic [SID_W-1:0] m_sid,
    output logic [31:0] m_seq,
    output logic m_fin,
    output logic m_abort,
    output logic m_push,
    output logic m_bad,
    output logic m_valid,
    input logic m_ready,
    output logic idle,
    output logic ev_written,
    output logic ev_short,
    output logic ev_long,
    output logic ev_bad,
    output logic ev_stale,
    output logic ev_error
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int IDX_W = $clog2(SESSIONS);
  localparam int RING_W = $clog2(TX_RING);
  localparam int BURSTS_W = 17 - $clog2(BURST_BYTES);

  typedef struct packed {
    logic [IDX_W-1:0] sid;
    logic             dead;
    logic [GEN_W-1:0] gen;
    logic [15:0]      length;  // 0 without data
    logic             fin;
    logic             kills;
    logic             moves;   // has data: neither fin nor kills
  } job_t;

  // ---- jobs: queue, next one, current one -----------------------------------------------------
  logic [GEN_W+17:0] q_data;
  logic [IDX_W-1:0] q_sid, fresh_idx;
  logic q_dead, q_valid, q_take, n_valid_q, n_take, c_valid_q, c_done;
  job_t q, n_q, c_q;

  assign fresh_idx = fresh_sid[IDX_W-1:0];

  kumi_tcp_tx_job_queue #(
      .W(GEN_W + 18),
      .IDX_W(IDX_W)
  ) u_jobs (
      .clk,
      .rst,
      .s_data({job_gen, job_length, job_fin, job_abort}),
      .s_sid(job_sid[IDX_W-1:0]),
      .s_valid(job_valid),
      .room(job_room),
      .kill_sid(fresh_idx),
      .kill_valid(fresh_valid),
      .m_data(q_data),
      .m_sid(q_sid),
      .m_dead(q_dead),
      .m_valid(q_valid),
      .m_ready(q_take)
  );
  always_comb begin
    q.sid = q_sid;
    q.dead = q_dead;
    {q.gen, q.length, q.fin, q.kills} = q_data;
    q.moves = !q.fin && !q.kills;
    if (!q.moves) q.length = '0;
  end

  // ---- end of each session's data -------------------------------------------------------------
  // The end is read for the next job while it leaves the queue; n_new_q: the read data are valid. A
  // job of the same session as the current one starts where that one is to end: c_end_q, which
  // holds unless its frame is short or bad. Then all wait for the real end (below).
  logic [31:0] ends_q, pass_q, n_at_q, n_at, c_at_q, c_end_q, begin_at, new_end;
  logic n_new_q, n_pass_q, n_same_q, follows, c_guess_q;  // c_guess_q: c_at_q is such a place
  logic end_write, w_valid_q, d_valid_q, d_ready, move_begin, move_end;
  logic [IDX_W-1:0] w_at_q, end_at;
  logic [31:0] w_value_q, end_value, d_end_q;
  job_t d_q;

  assign n_at = !n_new_q ? n_at_q : n_pass_q ? pass_q : ends_q;
  assign follows = n_same_q && c_valid_q && !c_q.dead;
  assign begin_at = move_end ? c_at_q : follows ? c_end_q : n_at_q;
  // begin_at and the bytes from there. The sums are made before one is chosen, with gates: tools
  // put a multiplexer before adders that have an operand in common.
  assign new_end = ({32{move_end}} & (c_at_q + 32'(c_q.length)))
      | ({32{!move_end && follows}} & (c_end_q + 32'(n_q.length)))
      | ({32{!move_end && !follows}} & (n_at_q + 32'(n_q.length)));

  // The queue holds in the cycle in which a new session begins, and until the end that the next job
  // needs is read and written, unless it is that of the current one.
  assign n_take = n_valid_q && (!c_valid_q || c_done) && !fresh_valid &&
      (follows || (!n_new_q && (!d_valid_q || d_q.sid != n_q.sid)));
  assign q_take = q_valid && (!n_valid_q || n_take) && !fresh_valid;

  assign end_write = fresh_valid || (d_valid_q && d_ready && !d_q.dead);
  assign end_at = fresh_valid ? fresh_idx : d_q.sid;
  assign end_value = fresh_valid ? fresh_una : d_end_q;

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(SESSIONS)
  ) u_ends (
      .clk,
      .wr_en  (w_valid_q),
      .wr_addr(w_at_q),
      .wr_data(w_value_q),
      .rd_en  (q_take),
      .rd_addr(q_sid),
      .rd_data(ends_q)
  );

  always_ff @(posedge clk) begin
    if (c_done) c_valid_q <= 1'b0;
    if (d_ready) c_guess_q <= 1'b0;
    if (n_take) begin
      n_valid_q <= 1'b0;
      c_valid_q <= 1'b1;
      c_q <= n_q;
      c_at_q <= begin_at;
      c_guess_q <= follows;
    end else if (move_begin) begin
      c_at_q <= d_end_q;
    end
    if (n_take || move_end) c_end_q <= new_end;
    w_valid_q <= end_write;
    w_at_q <= end_at;
    w_value_q <= end_value;
    n_new_q <= 1'b0;
    n_at_q <= end_write && end_at == n_q.sid ? end_value : n_at;
    if (q_take) begin
      n_valid_q <= 1'b1;
      n_q <= q;
      n_new_q <= 1'b1;
      n_same_q <= q_sid == n_q.sid;
      // Two writes may be in flight.
      n_pass_q <= (end_write && end_at == q_sid) || (w_valid_q && w_at_q == q_sid);
      pass_q <= end_write && end_at == q_sid ? end_value : w_value_q;
    end
    if (fresh_valid && n_q.sid == fresh_idx) n_q.dead <= 1'b1;
    if (fresh_valid && c_q.sid == fresh_idx) c_q.dead <= 1'b1;
    if (rst) begin
      n_valid_q <= 1'b0;
      c_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
    end
  end

  // ---- data -----------------------------------------------------------------------------------
  logic [LANE_W:0] s_bytes, beat_bytes;
  logic [DATA_W-1:0] beat;
  logic beat_bad, beat_last, beat_valid, beat_ready;

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(s_bytes)
  );

  kumi_slice #(
      .W(DATA_W + LANE_W + 3),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({s_axis.tuser[0] && s_axis.tlast, s_axis.tlast, s_bytes, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({beat_bad, beat_last, beat_bytes, beat}),
      .m_valid(beat_valid),
      .m_ready(beat_ready)
  );

  logic may_end, write_done, started, end_long, bad_q, bad, unclean;
  logic took, end_full;
  logic [LANE_W:0] gain;
  logic [BURSTS_W-1:0] bursts;

  assign may_end = !fresh_valid && !credit_valid && !unclean && (!d_valid_q || d_ready);
  assign c_done  = c_valid_q && (c_q.moves ? write_done : may_end);

  kumi_ring_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(BURST_BYTES)
  ) u_write (
      .clk,
      .rst,
      .job_hi(base[ADDR_W-1:RING_W] + (ADDR_W - RING_W)'(c_q.sid)),
      .job_off(c_at_q[RING_W-1:0]),
      .job_skip('0),
      .job_len(c_q.length),
      .job_valid(c_valid_q && c_q.moves),
      .job_ready(write_done),
      .start(started),
      .may_start(!unclean),
      .job_bursts(bursts),
      .may_end,
      .took,
      .gain,
      .end_full,
      .end_long,
      .s_data(beat),
      .s_bytes(beat_bytes),
      .s_last(beat_last),
      .s_valid(beat_valid),
      .s_ready(beat_ready),
      .aw_addr(m_axi.awaddr),
      .aw_len(m_axi.awlen),
      .aw_valid(m_axi.awvalid),
      .aw_ready(m_axi.awready),
      .w_data(m_axi.wdata),
      .w_strb(m_axi.wstrb),
      .w_last(m_axi.wlast),
      .w_valid(m_axi.wvalid),
      .w_ready(m_axi.wready)
  );
  assign m_axi.awid = '0;
  assign m_axi.awsize = 3'(LANE_W);
  assign m_axi.awburst = 2'b01;
  assign m_axi.bready = 1'b1;

  // A bad frame that is too short is known to be bad before its job completes.
  assign bad = bad_q || (beat_valid && beat_ready && beat_bad);
  always_ff @(posedge clk) bad_q <= bad && !c_done && !rst;

  // ---- the job that is done: its end, and what it did not write ---------------------------------
  // That of a short or bad frame takes four cycles more, in which nothing begins.
  logic d_bad_q, d_full_q, d_long_q, d_new_q, d_counted, started_q, took_q;
  logic [BURSTS_W-1:0] d_bursts_q;
  logic [2:0] step_q;
  logic [LANE_W:0] gain_q;
  logic [15:0] length_q, less_q, less, back_q;  // bytes of the frame that are not written
  logic keep_room;

  assign unclean = d_valid_q && d_q.moves && (d_bad_q || !d_full_q);
  assign d_counted = d_valid_q && !fresh_valid && (!unclean || step_q == 3'd4);
  assign d_ready = d_counted && keep_room;
  assign move_begin = unclean && step_q == 3'd3 && c_guess_q;
  assign less = (started_q ? length_q : less_q) - (took_q ? 16'(gain_q) : '0);

  always_ff @(posedge clk) begin
    started_q <= started;
    length_q <= c_q.length;
    took_q <= took;
    gain_q <= gain;
    less_q <= less;
    back_q <= d_bad_q ? d_q.length : less_q;  // from step 2 on
    if (d_ready) d_valid_q <= 1'b0;
    if (fresh_valid && d_q.sid == fresh_idx) d_q.dead <= 1'b1;
    d_new_q  <= c_done;
    move_end <= move_begin;
    if (c_done) begin
      d_valid_q <= 1'b1;
      d_q <= c_q;
      d_bad_q <= bad;
      d_full_q <= end_full;
      d_long_q <= end_long;
      d_bursts_q <= c_q.moves ? bursts : '0;
    end
    if (c_done) d_end_q <= c_end_q;
    else if (unclean && step_q == 3'd2) d_end_q <= d_end_q - 32'(back_q);
    step_q <= c_done ? 3'd0 : unclean && step_q != 3'd4 ? step_q + 1'b1 : step_q;

    if (credit_ready) credit_valid <= 1'b0;
    if (unclean && step_q == 3'd2) begin
      credit_valid <= !d_q.dead;
      credit_sid   <= SID_W'(d_q.sid);
      credit_gen   <= d_q.gen;
      credit_bytes <= back_q;
    end
    if (rst) begin
      d_valid_q <= 1'b0;
      d_new_q <= 1'b0;
      move_end <= 1'b0;
      credit_valid <= 1'b0;
    end
  end

  logic told;
  assign told = d_new_q && d_q.moves && !d_q.dead;
  always_ff @(posedge clk) begin
    ev_written <= told && !d_bad_q;
    ev_short <= told && !d_bad_q && !d_full_q;
    ev_long <= told && !d_bad_q && d_long_q;
    ev_bad <= told && d_bad_q;
    ev_stale <= d_new_q && d_q.moves && d_q.dead;
    ev_error <= m_axi.bvalid && m_axi.bresp[1];
    if (rst) begin
      ev_written <= 1'b0;
      ev_short <= 1'b0;
      ev_long <= 1'b0;
      ev_bad <= 1'b0;
      ev_stale <= 1'b0;
      ev_error <= 1'b0;
    end
  end

  // ---- reports, once the data are in memory -----------------------------------------------------
  logic b_valid, report_idle;
  assign b_valid = EARLY != 0 ? m_axi.wvalid && m_axi.wready && m_axi.wlast : m_axi.bvalid;

  kumi_tcp_tx_report #(
      .SESSIONS(SESSIONS),
      .BURST_W(BURSTS_W),
      .OPEN(OPEN),
      .EARLY(EARLY),
      .GEN_W(GEN_W)
  ) u_report (
      .clk,
      .rst,
      .fresh_sid(fresh_idx),
      .fresh_gen,
      .fresh_valid,
      .s_sid(d_q.sid),
      .s_gen(d_q.gen),
      .s_seq(d_end_q),
      .s_tells(!d_q.moves || !d_bad_q),
      .s_fin(d_q.fin),
      .s_abort(d_q.kills),
      .s_bursts(d_bursts_q),
      .s_valid(d_counted),
      .s_ready(keep_room),
      .b_valid,
      .b_bad(EARLY == 0 && m_axi.bresp[1]),
      .m_sid,
      .m_seq,
      .m_fin,
      .m_abort,
      .m_push,
      .m_bad,
      .m_valid,
      .m_ready,
      .idle(report_idle)
  );

  assign idle = !q_valid && !n_valid_q && !c_valid_q && !d_valid_q && report_idle && !credit_valid;

  logic unused;
  assign unused = ^{base, job_sid, fresh_sid, m_axi.bid, m_axi.bresp[0]};
endmodule
