// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes to other lanes: joins segments of beats to units of packed beats.
//
// s_*: a segment is bytes s_lo .. s_lo + s_count - 1 of a beat (s_count 1..bytes of a beat, and
//   s_lo + s_count no more than that). Segments follow one another without holes. s_start: first
//   of a unit, whose first byte goes to lane s_lane of its first beat; s_flush: last of a unit.
//   s_user goes with the beat that the segment ends in or completes.
// m_*: the unit's beats: m_keep are its bytes (a run from s_lane in the first beat, from 0 in
//   later ones), m_last its last beat.
// Latency 4 cycles. Throughput: a segment a cycle, but one cycle more where the last segment of a
//   unit makes two beats. No combinational path from s to m; s_ready follows m_ready.
// Reset empties it.
module kumi_dma_realign #(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int USER_W = 1    // bits of side-band
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic [          DATA_W-1:0] s_data,
    input  logic [$clog2(DATA_W/8)-1:0] s_lo,
    input  logic [  $clog2(DATA_W/8):0] s_count,
    input  logic                        s_start,
    input  logic [$clog2(DATA_W/8)-1:0] s_lane,
    input  logic                        s_flush,
    input  logic [          USER_W-1:0] s_user,
    input  logic                        s_valid,
    output logic                        s_ready,
    output logic [          DATA_W-1:0] m_data,
    output logic [        DATA_W/8-1:0] m_keep,
    output logic                        m_last,
    output logic [          USER_W-1:0] m_user,
    output logic                        m_valid,
    input  logic                        m_ready
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int FINE_W = LANE_W / 2;  // turned in the first step, the rest in the second

  if (DATA_W < 32 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 32 (%m)");
  end

  typedef struct packed {
    logic [DATA_W-1:0] data;
    logic [LANE_W-1:0] turn;  // lanes to move up, modulo BYTES
    logic [LANE_W-1:0] from;  // lane of the first byte, after the turn
    logic [LANE_W:0] upto;  // one past the last byte, beyond BYTES: wraps into the next beat
    logic start;
    logic flush;
    logic [USER_W-1:0] user;
  } realign_segment_t;

  // Bytes of a beat moved up by n lanes, around the end.
  function automatic logic [DATA_W-1:0] turned(input logic [DATA_W-1:0] data,
                                               input logic [LANE_W-1:0] n);
    return DATA_W'({data, data} >> {(LANE_W + 1)'(BYTES) - {1'b0, n}, 3'b000});
  endfunction

  realign_segment_t place_q, fine_q, turn_q;
  logic place_valid_q, fine_valid_q, turn_valid_q;
  logic move, spill_q, out_free;

  // ---- places, then the turn in two steps ----------------------------------------------------
  logic [LANE_W-1:0] next_q, from;
  logic [LANE_W:0] upto;
  assign from = s_start ? s_lane : next_q;
  assign upto = {1'b0, from} + s_count;

  assign out_free = !m_valid || m_ready;
  assign move = out_free && !spill_q;
  assign s_ready = move;

  always_ff @(posedge clk) begin
    if (move) begin
      if (s_valid) next_q <= upto[LANE_W-1:0];
      place_q.data <= s_data;
      place_q.turn <= from - s_lo;
      place_q.from <= from;
      place_q.upto <= upto;
      place_q.start <= s_start;
      place_q.flush <= s_flush;
      place_q.user <= s_user;
      place_valid_q <= s_valid;

      fine_q <= place_q;
      fine_q.data <= turned(place_q.data, LANE_W'(place_q.turn[FINE_W-1:0]));
      fine_valid_q <= place_valid_q;

      turn_q <= fine_q;
      turn_q.data <= turned(fine_q.data, {fine_q.turn[LANE_W-1:FINE_W], {FINE_W{1'b0}}});
      turn_valid_q <= fine_valid_q;
    end
    if (rst) begin
      place_valid_q <= 1'b0;
      fine_valid_q  <= 1'b0;
      turn_valid_q  <= 1'b0;
    end
  end

  // ---- join ----------------------------------------------------------------------------------
  // hold_q: bytes of a beat that is not full yet, in their lanes; low_q: the first lane in use.
  logic [DATA_W-1:0] hold_q, joined;
  logic [LANE_W-1:0] low_q, low;
  logic [LANE_W:0] over_q;  // bytes that a spill still has
  logic full, more;

  assign full = turn_q.upto[LANE_W];
  assign more = full && turn_q.upto[LANE_W-1:0] != '0;
  assign low  = turn_q.start ? turn_q.from : low_q;
  for (genvar i = 0; i < BYTES; ++i) begin : gen_join
    assign joined[8*i+:8] = (LANE_W + 1)'(i) >= {1'b0, turn_q.from} ?
         turn_q.data[8*i+:8] : hold_q[8*i+:8];
  end

  // Runs of ones: from low on, and up to a count.
  logic [BYTES-1:0] keep, keep_spill, not_low;
  logic [2*BYTES-1:0] upto_mask, over_mask;
  assign not_low = {BYTES{1'b1}} << low;
  assign upto_mask = ~({2 * BYTES{1'b1}} << turn_q.upto);
  assign over_mask = ~({2 * BYTES{1'b1}} << over_q);
  assign keep = not_low & upto_mask[BYTES-1:0];
  assign keep_spill = over_mask[BYTES-1:0];

  always_ff @(posedge clk) begin
    if (out_free) begin
      m_valid <= spill_q || (turn_valid_q && (full || turn_q.flush));
      m_data  <= spill_q ? hold_q : joined;
      m_keep  <= spill_q ? keep_spill : keep;
      m_last  <= spill_q || (turn_q.flush && !more);
      if (!spill_q) m_user <= turn_q.user;
      spill_q <= !spill_q && turn_valid_q && turn_q.flush && more;
    end
    if (move && turn_valid_q) begin
      hold_q <= full ? turn_q.data : joined;
      low_q  <= full ? '0 : low;
      over_q <= {1'b0, turn_q.upto[LANE_W-1:0]};
    end
    if (rst) begin
      m_valid <= 1'b0;
      spill_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{turn_q.turn, upto_mask[2*BYTES-1:BYTES], over_mask[2*BYTES-1:BYTES]};
endmodule
