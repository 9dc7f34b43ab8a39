// SPDX-License-Identifier: Apache-2.0
//
// Reads runs of bytes from ring buffers in memory: one job per frame.
//
// job_*: job_len bytes (1 or more) from offset job_off of ring job_hi; job_tag accompanies them.
// ar_*, r_*: bursts, see kumi_ring_burst, answered in order. With BEATS > 0 space for a burst's
//   data is reserved before it starts, so r_ready is always high. With BEATS = 0 there is no
//   buffer and r_ready follows m_ready: for memory without other users.
// m_*: the frames, byte 0 first; m_tag of the job. m_bad with m_last: a beat returned an error.
// done: with the last beat from memory: the ring's bytes are no longer needed; done_tag, and
//   done_bad. It waits for done_ready.
// Latency: 1 cycle to ar_valid (0 without buffer: then job_ready follows ar_ready), 2 from r_* to
//   m_* (4 with a buffer up to 64 beats, 5 above). Throughput: a burst a cycle, a beat of memory or
//   of the frame a cycle, no idle cycle between jobs.
module kumi_ring_read #(
    parameter int DATA_W      = 64,    // bits of a beat
    parameter int ADDR_W      = 32,    // bits of an address
    parameter int RING_W      = 14,    // ring's size, logarithm
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096, 2 to 256 beats
    parameter int BEATS       = 512,   // beats that may be on their way, a power of two; 0: none
    parameter int JOBS        = 64,    // jobs that may be on their way, a power of two
    parameter int TAG_W       = 1      // bits of job_tag
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [ADDR_W-1:RING_W] job_hi,
    input  logic [     RING_W-1:0] job_off,
    input  logic [           15:0] job_len,
    input  logic [      TAG_W-1:0] job_tag,
    input  logic                   job_valid,
    output logic                   job_ready,
    output logic [     ADDR_W-1:0] ar_addr,
    output logic [            7:0] ar_len,
    output logic                   ar_valid,
    input  logic                   ar_ready,
    input  logic [     DATA_W-1:0] r_data,
    input  logic                   r_bad,
    input  logic                   r_valid,
    output logic                   r_ready,
    output logic [     DATA_W-1:0] m_data,
    output logic [   DATA_W/8-1:0] m_keep,
    output logic                   m_last,
    output logic                   m_bad,
    output logic [      TAG_W-1:0] m_tag,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic                   done,
    output logic [      TAG_W-1:0] done_tag,
    output logic                   done_bad,
    input  logic                   done_ready,
    output logic                   idle
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  if (BEATS != 0 && BEATS < 2 * BURST_BYTES / BYTES) begin : gen_check_beats
    $fatal(0, "room for two of the longest bursts is needed (%m)");
  end

  // ---- jobs to bursts --------------------------------------------------------------------------
  logic burst_room, info_room, burst_valid, burst_ready, info_valid, info_pop;
  logic [LANE_W-1:0] info_lo;
  logic [15:0] info_len;
  logic job_one, info_one;  // all of the job is in one beat
  logic [TAG_W-1:0] info_tag;
  logic [$clog2(JOBS):0] depth_jobs;

  assign job_ready = burst_room && info_room;
  assign job_one   = 17'(job_len) + 17'(job_off[LANE_W-1:0]) <= 17'(BYTES);

  kumi_ring_burst #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(BURST_BYTES),
      .DIRECT(BEATS == 0 ? 1 : 0)
  ) u_burst (
      .clk,
      .rst,
      .s_hi(job_hi),
      .s_off(job_off),
      .s_len(job_len),
      .s_valid(job_valid && info_room),
      .s_ready(burst_room),
      .m_addr(ar_addr),
      .m_beats(ar_len),
      .m_valid(burst_valid),
      .m_ready(burst_ready)
  );

  kumi_fifo #(
      .W(1 + LANE_W + 16 + TAG_W),
      .DEPTH(JOBS),
      .STYLE(0)
  ) u_info (
      .clk,
      .rst,
      .s_data ({job_one, job_off[LANE_W-1:0], job_len, job_tag}),
      .s_valid(job_valid && burst_room),
      .s_ready(info_room),
      .m_data ({info_one, info_lo, info_len, info_tag}),
      .m_valid(info_valid),
      .m_ready(info_pop),
      .depth  (depth_jobs)
  );

  // ---- what comes back -------------------------------------------------------------------------
  logic [DATA_W-1:0] beat;
  logic beat_bad, beat_valid, beat_ready;

  if (BEATS == 0) begin : gen_direct
    assign ar_valid = burst_valid;
    assign burst_ready = ar_ready;
    assign {beat_bad, beat} = {r_bad, r_data};
    assign beat_valid = r_valid;
    assign r_ready = beat_ready;
  end else begin : gen_buffer
    localparam int COUNT_W = $clog2(BEATS) + 1;
    logic [COUNT_W-1:0] free_q, depth_beats;
    logic fire, left_buffer_q;

    assign ar_valid = burst_valid && free_q > COUNT_W'(ar_len);
    assign fire = ar_valid && ar_ready;
    assign burst_ready = fire;

    always_ff @(posedge clk) begin
      left_buffer_q <= beat_valid && beat_ready && !rst;
      free_q <= free_q - (fire ? COUNT_W'(ar_len) + 1'b1 : '0) + COUNT_W'(left_buffer_q);
      if (rst) free_q <= COUNT_W'(BEATS);
    end

    kumi_fifo #(
        .W(DATA_W + 1),
        .DEPTH(BEATS)
    ) u_beats (
        .clk,
        .rst,
        .s_data ({r_bad, r_data}),
        .s_valid(r_valid),
        .s_ready(r_ready),
        .m_data ({beat_bad, beat}),
        .m_valid(beat_valid),
        .m_ready(beat_ready),
        .depth  (depth_beats)
    );

    logic unused;
    assign unused = ^depth_beats;
  end

  // ---- segments --------------------------------------------------------------------------------
  logic first_q, ends_q, bad_q, bad, ends, go, shift_room, out_first;
  logic [15:0] left_q, left, rest;
  logic [LANE_W-1:0] lo;
  logic [  LANE_W:0] avail;

  assign left = first_q ? info_len : left_q;
  assign lo = first_q ? info_lo : '0;
  assign avail = (LANE_W + 1)'(BYTES) - {1'b0, lo};
  assign rest = left - 16'(avail);
  assign ends = first_q ? info_one : ends_q;
  assign bad = beat_bad || (!first_q && bad_q);
  assign beat_ready = info_valid && shift_room && (done_ready || !ends);
  assign go = beat_valid && beat_ready;
  assign info_pop = go && ends;
  assign done = info_pop;
  assign done_tag = info_tag;
  assign done_bad = bad;

  always_ff @(posedge clk) begin
    if (go) begin
      first_q <= ends;
      left_q  <= rest;
      ends_q  <= rest <= 16'(BYTES);
      bad_q   <= bad;
    end
    if (rst) first_q <= 1'b1;
  end

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .TAG_W (TAG_W)
  ) u_shift (
      .clk,
      .rst,
      .s_data (beat),
      .s_lo   (lo),
      .s_count(ends ? left[LANE_W:0] : avail),
      .s_start(first_q),
      .s_lane('0),
      .s_tag  (info_tag),
      .s_flush(ends),
      .s_user (bad),
      .s_valid(go),
      .s_ready(shift_room),
      .m_data,
      .m_keep,
      .m_first(out_first),
      .m_last,
      .m_tag,
      .m_user (m_bad),
      .m_valid,
      .m_ready
  );

  // Jobs that the fifo holds, its output register included.
  logic [$clog2(JOBS)+1:0] held_q;
  always_ff @(posedge clk) begin
    held_q <= held_q + ($clog2(JOBS) + 2)'(job_valid && job_ready) - ($clog2(JOBS) + 2)'(info_pop);
    if (rst) held_q <= '0;
  end
  assign idle = held_q == '0 && !m_valid;

  logic unused;
  assign unused = ^{depth_jobs, out_first};
endmodule
