// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes to other lanes in two cycles: joins segments of beats to units of packed beats.
//
// s_*: a segment is bytes s_lo .. s_lo + s_count - 1 of a beat (s_count 1..bytes of a beat, and
//   s_lo + s_count no more than that). Segments follow one another without holes. s_start: first
//   of a unit, whose first byte goes to lane s_lane of its first beat; s_flush: last of a unit.
//   s_tag of the first segment goes with all beats of the unit; s_user of the last one is there
//   with m_last.
// m_*: the unit's beats: m_keep are its bytes (a run from s_lane in the first beat, from 0 in
//   later ones), m_first its first beat, m_last its last one.
// Latency 2 cycles. Throughput: a segment a cycle, but one cycle more where the last segment of a
//   unit makes two beats, unless the first one of the next unit makes none: no cycle is lost for
//   units that take as many beats as segments. No combinational path from s to m; s_ready follows
//   m_ready.
// Reset empties it.
module kumi_byte_realign #(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int USER_W = 1,   // bits of side-band of the unit's end
    parameter int TAG_W  = 1    // bits of side-band of the unit's start
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic [          DATA_W-1:0] s_data,
    input  logic [$clog2(DATA_W/8)-1:0] s_lo,
    input  logic [  $clog2(DATA_W/8):0] s_count,
    input  logic                        s_start,
    input  logic [$clog2(DATA_W/8)-1:0] s_lane,
    input  logic [           TAG_W-1:0] s_tag,
    input  logic                        s_flush,
    input  logic [          USER_W-1:0] s_user,
    input  logic                        s_valid,
    output logic                        s_ready,
    output logic [          DATA_W-1:0] m_data,
    output logic [        DATA_W/8-1:0] m_keep,
    output logic                        m_first,
    output logic                        m_last,
    output logic [           TAG_W-1:0] m_tag,
    output logic [          USER_W-1:0] m_user,
    output logic                        m_valid,
    input  logic                        m_ready
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int FINE_W = LANE_W / 2;  // turned in the second step, the rest in the first

  if (DATA_W < 32 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 32 (%m)");
  end

  typedef struct packed {
    logic [DATA_W-1:0] data;
    logic [FINE_W-1:0] turn;  // lanes still to move up
    logic [LANE_W-1:0] from;  // lane of the first byte, after the turn
    logic [LANE_W:0] upto;  // one past the last byte, beyond BYTES: wraps into the next beat
    logic start;
    logic flush;
    logic [TAG_W-1:0] tag;
    logic [USER_W-1:0] user;
  } realign_segment_t;

  // Bytes of a beat moved up by n lanes, around the end.
  function automatic logic [DATA_W-1:0] turned(input logic [DATA_W-1:0] data,
                                               input logic [LANE_W-1:0] n);
    return DATA_W'({data, data} >> {(LANE_W + 1)'(BYTES) - {1'b0, n}, 3'b000});
  endfunction

  // ---- place, and the coarse turn --------------------------------------------------------------
  realign_segment_t in_q;
  logic in_valid_q, spill_q, out_free, emits;
  logic [LANE_W-1:0] next_q, from, turn;
  logic [LANE_W:0] upto;

  assign from = s_start ? s_lane : next_q;
  assign upto = {1'b0, from} + s_count;
  assign turn = from - s_lo;
  assign out_free = !m_valid || m_ready;
  assign s_ready = out_free && (!spill_q || !in_valid_q || !emits);

  always_ff @(posedge clk) begin
    if (s_ready) begin
      if (s_valid) next_q <= upto[LANE_W-1:0];
      in_q.data  <= turned(s_data, {turn[LANE_W-1:FINE_W], {FINE_W{1'b0}}});
      in_q.turn  <= turn[FINE_W-1:0];
      in_q.from  <= from;
      in_q.upto  <= upto;
      in_q.start <= s_start;
      in_q.flush <= s_flush;
      in_q.tag   <= s_tag;
      in_q.user  <= s_user;
      in_valid_q <= s_valid;
    end
    if (rst) in_valid_q <= 1'b0;
  end

  // ---- the fine turn, and the join ------------------------------------------------------------
  // hold_q: bytes of a beat that is not full yet, in their lanes; low_q: the first lane in use.
  logic [DATA_W-1:0] data, hold_q, joined;
  logic [LANE_W-1:0] low_q, low;
  logic [LANE_W:0] over_q;  // bytes that a spill still has
  logic full, more, begins, begins_q;
  logic [TAG_W-1:0] tag_q;

  assign data = turned(in_q.data, LANE_W'(in_q.turn));
  assign full = in_q.upto[LANE_W];
  assign more = full && in_q.upto[LANE_W-1:0] != '0;
  assign low = in_q.start ? in_q.from : low_q;
  assign begins = in_q.start || begins_q;  // the unit has no beat yet
  assign emits = in_valid_q && (full || in_q.flush);
  for (genvar i = 0; i < BYTES; ++i) begin : gen_join
    assign joined[8*i+:8] = (LANE_W + 1)'(i) >= {1'b0, in_q.from} ? data[8*i+:8] : hold_q[8*i+:8];
  end

  // Runs of ones: from low on, and up to a count.
  logic [BYTES-1:0] not_low;
  logic [2*BYTES-1:0] upto_mask, over_mask;
  assign not_low   = {BYTES{1'b1}} << low;
  assign upto_mask = ~({2 * BYTES{1'b1}} << in_q.upto);
  assign over_mask = ~({2 * BYTES{1'b1}} << over_q);

  always_ff @(posedge clk) begin
    if (out_free) begin
      m_valid <= spill_q || emits;
      m_data  <= spill_q ? hold_q : joined;
      m_keep  <= spill_q ? over_mask[BYTES-1:0] : not_low & upto_mask[BYTES-1:0];
      m_first <= !spill_q && begins;
      m_last  <= spill_q || (in_q.flush && !more);
      if (!spill_q) begin
        m_user <= in_q.user;
        m_tag  <= in_q.start ? in_q.tag : tag_q;
      end
      spill_q <= !spill_q && in_valid_q && in_q.flush && more;
    end
    if (s_ready && in_valid_q) begin
      hold_q   <= full ? data : joined;
      low_q    <= full ? '0 : low;
      over_q   <= {1'b0, in_q.upto[LANE_W-1:0]};
      begins_q <= begins && !emits;
      if (in_q.start) tag_q <= in_q.tag;
    end
    if (rst) begin
      m_valid <= 1'b0;
      spill_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{upto_mask[2*BYTES-1:BYTES], over_mask[2*BYTES-1:BYTES]};
endmodule
