// SPDX-License-Identifier: Apache-2.0
//
// Splits a run of bytes in a ring buffer into AXI4 bursts.
//
// s_*: s_len bytes (1 or more) from offset s_off of the ring, wrapping at its end; s_hi: the ring's
//   number in memory, address = {s_hi, offset}.
// m_*: bursts in order, INCR, of whole beats: m_addr is the start of a beat, m_beats less one. A
//   burst ends at a multiple of BURST_BYTES, so it crosses neither 4 KiB nor the ring's end.
// Latency 1 cycle to the first burst, one burst a cycle, no combinational path between the sides.
//   With DIRECT latency 0: m_* follow s_*, and s_ready follows m_ready.
module kumi_ring_burst #(
    parameter int DATA_W      = 64,    // bits of a beat
    parameter int ADDR_W      = 32,    // bits of an address
    parameter int RING_W      = 14,    // ring's size, logarithm
    parameter int LEN_W       = 16,    // bits of a length
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096, 2 to 256 beats
    parameter int DIRECT      = 0,     // 1: no register before m_*
    parameter int SUM_W       = 36     // bits of an address that are summed in a cycle
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [ADDR_W-1:RING_W] s_hi,
    input  logic [     RING_W-1:0] s_off,
    input  logic [      LEN_W-1:0] s_len,
    input  logic                   s_valid,
    output logic                   s_ready,
    output logic [     ADDR_W-1:0] m_addr,
    output logic [            7:0] m_beats,
    output logic                   m_valid,
    input  logic                   m_ready
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int PAGE_W = $clog2(BURST_BYTES);
  localparam int BEAT_W = PAGE_W - LANE_W;  // bits of a beat's place in a page

  if (BURST_BYTES < 2 * BYTES || BURST_BYTES > 4096 || BURST_BYTES > 256 * BYTES
      || (BURST_BYTES & (BURST_BYTES - 1)) != 0) begin : gen_check_burst
    $fatal(0, "BURST_BYTES must be a power of two, 2 to 256 beats, at most 4096 (%m)");
  end
  if (RING_W <= PAGE_W || RING_W >= ADDR_W) begin : gen_check_ring
    $fatal(0, "a ring must be longer than a burst and shorter than memory (%m)");
  end
  if (SUM_W <= PAGE_W) begin : gen_check_sum
    $fatal(0, "SUM_W must be more than the bits of a place in a burst (%m)");
  end

  logic busy_q, room, whole;
  logic [ADDR_W-1:RING_W] hi_q, hi;
  logic [RING_W-1:0] off_q, off, next_off;
  logic [LEN_W-1:0] left_q, left;
  logic [LEN_W:0] reach;  // from the page's start to the end of the run
  logic [PAGE_W:0] span;  // from the first beat's start to the end of the run, if it is whole
  logic [BEAT_W-1:0] beats;

  assign hi = busy_q ? hi_q : s_hi;
  assign left = busy_q ? left_q : s_len;
  assign s_ready = !busy_q && room;

  // Whether the run ends in this page, and its last beat, come of one sum each.
  assign reach = (LEN_W + 1)'(left) + (LEN_W + 1)'(off[PAGE_W-1:0]);
  assign span = (PAGE_W + 1)'(left) + (PAGE_W + 1)'(off[LANE_W-1:0]);
  assign whole = reach <= (LEN_W + 1)'(BURST_BYTES);
  assign beats = whole ? BEAT_W'(span >> LANE_W) - BEAT_W'(span[LANE_W-1:0] == '0) :
      ~off[PAGE_W-1:LANE_W];

  always_ff @(posedge clk) begin
    if (room && (busy_q || s_valid)) begin
      busy_q <= !whole;
      hi_q   <= hi;
      off_q  <= next_off;
      left_q <= LEN_W'(reach - (LEN_W + 1)'(BURST_BYTES));
    end
    if (rst) busy_q <= 1'b0;
  end

  // ---- the next page: of a long address the upper part counts a burst later --------------------
  if (RING_W > SUM_W) begin : gen_long
    logic carry, carry_q;
    logic [SUM_W-1:PAGE_W] page;
    assign off = busy_q ? {off_q[RING_W-1:SUM_W] + (RING_W - SUM_W)'(carry_q), off_q[SUM_W-1:0]} :
        s_off;
    assign {carry, page} = {1'b0, off[SUM_W-1:PAGE_W]} + 1'b1;
    assign next_off = {off[RING_W-1:SUM_W], page, {PAGE_W{1'b0}}};
    always_ff @(posedge clk) if (room && (busy_q || s_valid)) carry_q <= carry;
  end else begin : gen_short
    assign off = busy_q ? off_q : s_off;
    assign next_off = {off[RING_W-1:PAGE_W] + 1'b1, {PAGE_W{1'b0}}};
  end

  logic [BEAT_W-1:0] out_beats;
  kumi_slice #(
      .W(ADDR_W - LANE_W + BEAT_W),
      .MODE(DIRECT != 0 ? 0 : 2)
  ) u_out (
      .clk,
      .rst,
      .s_data ({beats, hi, off[RING_W-1:LANE_W]}),
      .s_valid(busy_q || s_valid),
      .s_ready(room),
      .m_data ({out_beats, m_addr[ADDR_W-1:LANE_W]}),
      .m_valid,
      .m_ready
  );
  assign m_addr[LANE_W-1:0] = '0;
  assign m_beats = 8'(out_beats);
endmodule
