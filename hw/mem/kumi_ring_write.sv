// SPDX-License-Identifier: Apache-2.0
//
// Writes parts of frames into ring buffers in memory: one job per frame.
//
// job_*: skip job_skip bytes of the next frame, write job_len bytes (0: none) from offset job_off
//   of ring job_hi, discard the rest. A job is held until its frame is complete (job_ready).
//   start: its first beat is accepted now, only while may_start; job_bursts: bursts it makes if
//   job_len is not 0. may_end: the job may end.
// s_*: beats; s_bytes of each are valid, all except in the last one. s_ready depends on s_last, and
//   job_ready on s_valid, combinationally.
// took: a beat of the frame, or of its missing part, is written now; gain: its valid bytes.
// end_*: with job_ready. end_full: all job_len bytes arrived; end_long: the frame had more. If a
//   frame is shorter than job_skip + job_len, the sum of all gain is less than job_len, and the
//   missing part of the ring is overwritten with arbitrary bytes.
// aw_*, w_*: bursts, see kumi_ring_burst; a burst's data follows as fast as the frame arrives. w_*
//   can run ahead of aw_* only while memory does not accept addresses.
// Latency: 1 cycle from the first beat to aw_valid, 2 from a beat that completes one in memory to
//   w_valid. Throughput: a beat of memory or of the frame a cycle, no idle cycle between jobs.
module kumi_ring_write #(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int ADDR_W = 32,  // bits of an address
    parameter int RING_W = 14,  // ring's size, logarithm
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096 and 256 beats
    localparam int BURSTS_W = 17 - $clog2(BURST_BYTES)
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic [   ADDR_W-1:RING_W] job_hi,
    input  logic [        RING_W-1:0] job_off,
    input  logic [              15:0] job_skip,
    input  logic [              15:0] job_len,
    input  logic                      job_valid,
    output logic                      job_ready,
    output logic                      start,
    input  logic                      may_start,
    output logic [      BURSTS_W-1:0] job_bursts,
    input  logic                      may_end,
    output logic                      took,
    output logic [$clog2(DATA_W/8):0] gain,
    output logic                      end_full,
    output logic                      end_long,
    input  logic [        DATA_W-1:0] s_data,
    input  logic [$clog2(DATA_W/8):0] s_bytes,
    input  logic                      s_last,
    input  logic                      s_valid,
    output logic                      s_ready,
    output logic [        ADDR_W-1:0] aw_addr,
    output logic [               7:0] aw_len,
    output logic                      aw_valid,
    input  logic                      aw_ready,
    output logic [        DATA_W-1:0] w_data,
    output logic [      DATA_W/8-1:0] w_strb,
    output logic                      w_last,
    output logic                      w_valid,
    input  logic                      w_ready
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int PAGE_W = $clog2(BURST_BYTES);
  localparam int BEAT_W = PAGE_W - LANE_W;  // bits of a beat's place in a page

  // ---- the frame's beats -----------------------------------------------------------------------
  // pad_q: the frame has ended too early, the bursts continue.
  // skips_q, none_q, unit_ends_q: of the next beat, known when it comes.
  logic first_q, unit_q, pad_q, long_q, room, burst_room, shift_room;
  logic [15:0] skip_q, left_q, skip, left, limit;
  logic skips_q, none_q, unit_ends_q;
  logic skipping, none, has, unit_ends, ends, go, unit_first;
  logic [LANE_W-1:0] lo;
  logic [LANE_W:0] avail, count, have;

  assign skip = first_q ? job_skip : skip_q;
  assign left = first_q ? job_len : left_q;
  assign unit_first = first_q || unit_q;  // no byte has been written yet

  assign skipping = first_q ? job_skip[15:LANE_W] != '0 : skips_q;
  assign none = first_q ? job_len == '0 : none_q;
  assign lo = skip[LANE_W-1:0];
  assign avail = (LANE_W + 1)'(BYTES) - {1'b0, lo};
  assign has = !skipping && !none;
  assign unit_ends = first_q ? job_len <= 16'(BYTES) - 16'(job_skip[LANE_W-1:0]) : unit_ends_q;
  assign count = unit_ends ? left[LANE_W:0] : avail;
  assign ends = (pad_q || s_last) && (none || (has && unit_ends));

  // Bytes of this beat that the frame really has.
  assign have = s_bytes > {1'b0, lo} ? s_bytes - {1'b0, lo} : '0;
  assign gain = !has || pad_q ? '0 : 16'(have) > left ? left[LANE_W:0] : have;

  assign room = job_valid && (shift_room || !has) && (!first_q || (may_start && burst_room)) &&
      (may_end || !ends);
  assign s_ready = room && !pad_q;
  assign go = room && (s_valid || pad_q);
  assign start = go && first_q;
  assign job_ready = go && ends;
  assign job_bursts = BURSTS_W'((17'(job_off[PAGE_W-1:0]) + 17'(job_len) + 17'(BURST_BYTES - 1))
      >> PAGE_W);
  assign took = go;
  assign end_full = !pad_q && (none || 16'(have) >= left);
  assign end_long = (!first_q && long_q) || (!pad_q && !skipping && 16'(have) > left);

  // What the next beat may hold, with what this one takes.
  always_comb begin
    limit = 16'(BYTES);
    if (!skipping) limit = 16'(BYTES) + 16'(avail);
    else if (!s_last) limit = 16'(avail);
  end

  always_ff @(posedge clk) begin
    if (go) begin
      first_q <= ends;
      skips_q <= skipping && !s_last && skip[15:LANE_W] != (16 - LANE_W)'(1);
      none_q <= none || (has && unit_ends);
      unit_ends_q <= left <= limit;
      pad_q <= !ends && (pad_q || s_last);
      unit_q <= unit_first && !has;
      long_q <= end_long;
      skip_q <= skipping && !s_last ? skip - 16'(BYTES) : '0;
      if (has) left_q <= unit_ends ? '0 : left - 16'(avail);
      else left_q <= left;
    end
    if (rst) begin
      first_q <= 1'b1;
      pad_q   <= 1'b0;
    end
  end

  // ---- addresses -------------------------------------------------------------------------------
  kumi_ring_burst #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(BURST_BYTES)
  ) u_burst (
      .clk,
      .rst,
      .s_hi(job_hi),
      .s_off(job_off),
      .s_len(job_len),
      .s_valid(start && job_len != '0),
      .s_ready(burst_room),
      .m_addr(aw_addr),
      .m_beats(aw_len),
      .m_valid(aw_valid),
      .m_ready(aw_ready)
  );

  // ---- data ------------------------------------------------------------------------------------
  logic out_first, out_last, no_user;
  logic [BEAT_W-1:0] from, at_q, at;

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .TAG_W (BEAT_W)
  ) u_shift (
      .clk,
      .rst,
      .s_data (s_data),
      .s_lo   (lo),
      .s_count(count),
      .s_start(unit_first),
      .s_lane(job_off[LANE_W-1:0]),
      .s_tag  (job_off[PAGE_W-1:LANE_W]),
      .s_flush(unit_ends),
      .s_user (1'b0),
      .s_valid(go && has),
      .s_ready(shift_room),
      .m_data (w_data),
      .m_keep (w_strb),
      .m_first(out_first),
      .m_last (out_last),
      .m_tag  (from),
      .m_user (no_user),
      .m_valid(w_valid),
      .m_ready(w_ready)
  );

  assign at = out_first ? from : at_q;
  assign w_last = out_last || at == '1;

  always_ff @(posedge clk) begin
    if (w_valid && w_ready) at_q <= at + 1'b1;
  end

  logic unused;
  assign unused = ^{no_user};
endmodule
