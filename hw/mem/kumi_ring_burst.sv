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
    parameter int DIRECT      = 0      // 1: no register before m_*
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

  logic busy_q, room, whole;
  logic [ADDR_W-1:RING_W] hi_q, hi;
  logic [RING_W-1:0] off_q, off;
  logic [LEN_W-1:0] left_q, left;
  logic [  PAGE_W:0] to_page;  // bytes to the next page
  logic [PAGE_W-1:0] last_at;  // place in the page of the burst's last byte
  logic [BEAT_W-1:0] beats;

  assign hi = busy_q ? hi_q : s_hi;
  assign off = busy_q ? off_q : s_off;
  assign left = busy_q ? left_q : s_len;
  assign s_ready = !busy_q && room;

  assign to_page = (PAGE_W + 1)'(BURST_BYTES) - {1'b0, off[PAGE_W-1:0]};
  assign whole = (LEN_W + PAGE_W + 1)'(left) <= (LEN_W + PAGE_W + 1)'(to_page);
  assign last_at = whole ? off[PAGE_W-1:0] + PAGE_W'(left) - 1'b1 : '1;
  assign beats = last_at[PAGE_W-1:LANE_W] - off[PAGE_W-1:LANE_W];

  always_ff @(posedge clk) begin
    if (room && (busy_q || s_valid)) begin
      busy_q <= !whole;
      hi_q   <= hi;
      off_q  <= {off[RING_W-1:PAGE_W] + 1'b1, {PAGE_W{1'b0}}};
      left_q <= left - LEN_W'(to_page);
    end
    if (rst) busy_q <= 1'b0;
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

  logic unused;
  assign unused = ^last_at[LANE_W-1:0];
endmodule
