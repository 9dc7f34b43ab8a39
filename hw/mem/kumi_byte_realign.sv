// SPDX-License-Identifier: Apache-2.0
//
// Byte realigner: rotates segments of beats to other byte lanes and joins them to packed units.
//
// s_*: a segment is bytes s_lo .. s_lo + s_count - 1 of a beat (s_count 1..bytes of a beat, and
//   s_lo + s_count no more than that). Segments follow one another without holes. s_start: first
//   of a unit, whose first byte goes to lane s_lane of its first beat; s_flush: last of a unit.
//   s_tag of the first segment goes with all beats of the unit; s_user goes with the beat that the
//   segment ends in or completes.
// m_*: the unit's beats: m_keep marks its bytes (a run from s_lane in the first beat, from 0 in
//   later ones), m_first its first beat, m_last its last one.
// Latency 2 cycles; 4 with PIPE, which puts a register before and after each half of the rotation.
// Throughput: a segment a cycle. Where the last segment of a unit makes two beats it takes one
//   cycle more; without PIPE that cycle is hidden if the next unit's first segment fills no beat.
// No combinational path from s to m; s_ready follows m_ready. Reset empties it.
module kumi_byte_realign #(
    parameter int DATA_W = 64,   // bits of a beat
    parameter int USER_W = 1,    // bits of side-band of a segment
    parameter int TAG_W  = 1,    // bits of side-band of a unit
    parameter bit PIPE   = 1'b0  // 1: rotation in stages of its own, 2 cycles more
) (
    input logic clk,
    input logic rst,

    // segments
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

    // beats of units
    output logic [  DATA_W-1:0] m_data,
    output logic [DATA_W/8-1:0] m_keep,
    output logic                m_first,
    output logic                m_last,
    output logic [   TAG_W-1:0] m_tag,
    output logic [  USER_W-1:0] m_user,
    output logic                m_valid,
    input  logic                m_ready
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int FINE_W = LANE_W / 2;  // bits of the fine half of the rotation

  if (DATA_W < 32 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 32 (%m)");
  end

  typedef struct packed {
    logic [DATA_W-1:0] data;
    logic [LANE_W-1:0] turn;  // lanes still to rotate by
    logic [LANE_W-1:0] from;  // lane of the first byte, after the rotation
    logic [LANE_W:0] upto;  // one past the last byte, beyond BYTES: wraps into the next beat
    logic start;
    logic flush;
    logic [TAG_W-1:0] tag;
    logic [USER_W-1:0] user;
  } realign_segment_t;

  // A segment rotated upward by its `turn`: only the coarse or the fine half of it.
  function automatic realign_segment_t coarse(input realign_segment_t s);
    coarse = s;
    coarse.data = rotated(s.data, {s.turn[LANE_W-1:FINE_W], {FINE_W{1'b0}}});
    coarse.turn = LANE_W'(s.turn[FINE_W-1:0]);
  endfunction

  function automatic realign_segment_t fine(input realign_segment_t s);
    fine = s;
    fine.data = rotated(s.data, LANE_W'(s.turn[FINE_W-1:0]));
    fine.turn = {s.turn[LANE_W-1:FINE_W], {FINE_W{1'b0}}};
  endfunction

  function automatic logic [DATA_W-1:0] rotated(input logic [DATA_W-1:0] data,
                                                input logic [LANE_W-1:0] n);
    return DATA_W'({data, data} >> {(LANE_W + 1)'(BYTES) - {1'b0, n}, 3'b000});
  endfunction

  // ---- lanes, and the rotation -----------------------------------------------------------------
  realign_segment_t in, seg;
  logic [LANE_W-1:0] next_q, from;
  logic [LANE_W:0] upto;
  logic seg_valid, spill_q, out_free, emits;

  assign from = s_start ? s_lane : next_q;
  assign upto = {1'b0, from} + s_count;
  assign in = '{
          data: s_data,
          turn: from - s_lo,
          from : from,
          upto: upto,
          start: s_start,
          flush: s_flush,
          tag: s_tag,
          user: s_user
      };
  assign out_free = !m_valid || m_ready;

  always_ff @(posedge clk) begin
    if (s_ready && s_valid) next_q <= upto[LANE_W-1:0];
  end

  if (PIPE) begin : gen_pipe
    realign_segment_t in_q, fine_q, seg_q;
    logic in_valid_q, fine_valid_q, seg_valid_q;

    assign s_ready = out_free && !spill_q;
    assign seg = seg_q;
    assign seg_valid = seg_valid_q;

    always_ff @(posedge clk) begin
      if (s_ready) begin
        in_q <= in;
        in_valid_q <= s_valid;
        fine_q <= fine(in_q);
        fine_valid_q <= in_valid_q;
        seg_q <= coarse(fine_q);
        seg_valid_q <= fine_valid_q;
      end
      if (rst) begin
        in_valid_q   <= 1'b0;
        fine_valid_q <= 1'b0;
        seg_valid_q  <= 1'b0;
      end
    end
  end else begin : gen_direct
    realign_segment_t seg_q;
    logic seg_valid_q;

    assign s_ready = out_free && (!spill_q || !seg_valid_q || !emits);
    assign seg = fine(seg_q);
    assign seg_valid = seg_valid_q;

    always_ff @(posedge clk) begin
      if (s_ready) begin
        seg_q <= coarse(in);
        seg_valid_q <= s_valid;
      end
      if (rst) seg_valid_q <= 1'b0;
    end
  end

  // ---- join ------------------------------------------------------------------------------------
  // hold_q: bytes of a beat that is not full yet, in their lanes; low_q: the first lane in use.
  // A spill is the second beat that the last segment of a unit makes.
  logic [DATA_W-1:0] hold_q, joined;
  logic [LANE_W-1:0] low_q, low;
  logic [LANE_W:0] over_q;  // bytes that a spill still has
  logic full, more, begins, begins_q;
  logic [TAG_W-1:0] tag_q;

  assign full = seg.upto[LANE_W];
  assign more = full && seg.upto[LANE_W-1:0] != '0;
  assign low = seg.start ? seg.from : low_q;
  assign begins = seg.start || begins_q;  // the unit has no beat yet
  assign emits = seg_valid && (full || seg.flush);
  for (genvar i = 0; i < BYTES; ++i) begin : gen_join
    assign joined[8*i+:8] = (LANE_W + 1)'(i) >= {1'b0, seg.from} ?
        seg.data[8*i+:8] : hold_q[8*i+:8];
  end

  // Runs of ones: from low on, and up to a count.
  logic [BYTES-1:0] not_low;
  logic [2*BYTES-1:0] upto_mask, over_mask;
  assign not_low   = {BYTES{1'b1}} << low;
  assign upto_mask = ~({2 * BYTES{1'b1}} << seg.upto);
  assign over_mask = ~({2 * BYTES{1'b1}} << over_q);

  always_ff @(posedge clk) begin
    if (out_free) begin
      m_valid <= spill_q || emits;
      m_data  <= spill_q ? hold_q : joined;
      m_keep  <= spill_q ? over_mask[BYTES-1:0] : not_low & upto_mask[BYTES-1:0];
      m_first <= !spill_q && begins;
      m_last  <= spill_q || (seg.flush && !more);
      if (!spill_q) begin
        m_user <= seg.user;
        m_tag  <= seg.start ? seg.tag : tag_q;
      end
      spill_q <= !spill_q && seg_valid && seg.flush && more;
    end
    if (s_ready && seg_valid) begin
      hold_q   <= full ? seg.data : joined;
      low_q    <= full ? '0 : low;
      over_q   <= {1'b0, seg.upto[LANE_W-1:0]};
      begins_q <= begins && !emits;
      if (seg.start) tag_q <= seg.tag;
    end
    if (rst) begin
      m_valid <= 1'b0;
      spill_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{seg.turn, upto_mask[2*BYTES-1:BYTES], over_mask[2*BYTES-1:BYTES]};
endmodule
