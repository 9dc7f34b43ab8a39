// SPDX-License-Identifier: Apache-2.0
//
// Stream to memory, first half: splits packets into segments for the buffers of descriptors.
//
// s_axis: packets; tuser[0] with tlast: bad, tid goes into the completion. Nothing is accepted
//   without a descriptor or while run is low. After a reset of the ring within a packet
//   (reset_ring) the rest of that packet is dropped.
// desc_*: descriptors in order, with their numbers.
// seg_*: segments for kumi_byte_realign; a unit is the content of one buffer. It ends with the
//   packet or when the buffer is full; then the packet continues in the next buffer.
// unit_*: address (of a whole beat) of each unit, with its first segment.
// end_*: one record per descriptor, a cycle after its unit ended; end_empty: illegal, moves
//   nothing. end_ready says that there is room for two.
// starved: the stream has a beat and there is no descriptor. ev_truncated: a packet's rest was
//   dropped.
// Throughput: a beat a cycle, plus one cycle where a beat is shared by two buffers.
module kumi_dma_s2mm_split
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the bus
    parameter int ADDR_W = 64   // bits of an address
) (
    input logic clk,
    input logic rst,
    input logic reset_ring,
    input logic run,
    kumi_axis_if.snk s_axis,
    input logic desc_valid,
    output logic desc_ready,
    input dma_desc_t desc,
    input logic [15:0] desc_count,
    output logic seg_valid,
    input logic seg_ready,
    output logic [DATA_W-1:0] seg_data,
    output logic [$clog2(DATA_W/8)-1:0] seg_lo,
    output logic [$clog2(DATA_W/8):0] seg_count,
    output logic seg_start,
    output logic [$clog2(DATA_W/8)-1:0] seg_lane,
    output logic seg_flush,
    output logic unit_valid,
    input logic unit_ready,
    output logic [ADDR_W-1:$clog2(DATA_W/8)] unit_addr,
    output logic end_valid,
    input logic end_ready,
    output logic end_empty,
    output dma_completion_t end_done,
    output logic starved,
    output logic ev_packet,
    output logic ev_bad,
    output logic ev_truncated
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  // ---- a beat with its number of bytes -------------------------------------------------------
  logic [LANE_W:0] s_bytes, beat_bytes;
  logic [DATA_W-1:0] beat;
  logic beat_valid, beat_ready, beat_last, beat_bad;
  logic [7:0] beat_id;

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(s_bytes)
  );

  kumi_slice #(
      .W(DATA_W + LANE_W + 1 + 2 + 8),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({8'(s_axis.tid), s_axis.tuser[0], s_axis.tlast, s_bytes, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({beat_id, beat_bad, beat_last, beat_bytes, beat}),
      .m_valid(beat_valid),
      .m_ready(beat_ready)
  );

  // ---- the packet's rest after a reset -------------------------------------------------------
  logic open_q, drop_q;  // in the middle of a packet; of one that is dropped
  always_ff @(posedge clk) begin
    ev_truncated <= 1'b0;
    if (beat_valid && beat_ready) begin
      open_q <= !beat_last;
      if (drop_q && beat_last) begin
        drop_q <= 1'b0;
        ev_truncated <= 1'b1;
      end
    end
    if (reset_ring && open_q && !(beat_valid && beat_ready && beat_last)) drop_q <= 1'b1;
    if (rst) begin
      open_q <= 1'b0;
      drop_q <= 1'b0;
      ev_truncated <= 1'b0;
    end
  end

  // ---- the buffer in use ---------------------------------------------------------------------
  logic have_q, illegal_q, first_q, sop_q, load, high_bits;
  logic [ADDR_W-1:0] addr_q;
  logic [24:0] reach_q;  // end of the buffer, counted from the start of the beat
  logic [15:0] count_q;
  logic irq_q;
  logic [LANE_W-1:0] used_q;  // bytes of the beat that an earlier buffer took
  logic [LANE_W:0] part;
  logic near;  // the end may be in this beat
  logic beyond, exact;  // and this beat goes beyond it, or ends there
  logic running, next_at_beat;  // the next buffer begins with a beat
  logic [LANE_W:0] base_sum;
  logic [24-LANE_W:0] up;
  logic beat_ends, unit_ends, go, skip, done_now;

  // Whether a is above b, and whether both are equal; as a tree, which here is shallower than a
  // carry chain.
  function automatic logic [1:0] order(input logic [7:0] a, input logic [7:0] b);
    logic [7:0] above, equal;
    above = a & ~b;
    equal = ~(a ^ b);
    for (int n = 4; n >= 1; n /= 2) begin
      for (int i = 0; i < n; ++i) begin
        above[i] = above[2*i+1] || (equal[2*i+1] && above[2*i]);
        equal[i] = equal[2*i+1] && equal[2*i];
      end
    end
    return {above[0], equal[0]};
  endfunction

  if (ADDR_W < 64) begin : gen_high
    assign high_bits = desc.addr[63:ADDR_W] != '0;
  end else begin : gen_no_high
    assign high_bits = 1'b0;
  end

  assign near = reach_q[24:LANE_W+1] == '0;
  assign {beyond, exact} = order(8'(beat_bytes), 8'(reach_q[LANE_W:0]));
  assign beat_ends = !near || !beyond;
  assign unit_ends = (near && (beyond || exact)) || beat_last;
  assign part = (beat_ends ? beat_bytes : reach_q[LANE_W:0]) - {1'b0, used_q};
  assign running = have_q && !illegal_q;
  assign next_at_beat = running && beat_ends;
  // What an earlier buffer has taken of the beat in which the next one begins, now or before: the
  // sum in two parts side by side.
  assign base_sum = {1'b0, desc.length[LANE_W-1:0]} +
      {1'b0, running ? reach_q[LANE_W-1:0] : used_q};
  assign up = {1'b0, desc.length[23:LANE_W]} + 1'b1;

  assign seg_valid = run && have_q && !illegal_q && beat_valid && !drop_q && unit_ready &&
      end_ready;
  assign go = seg_valid && seg_ready;
  assign skip = run && have_q && illegal_q && end_ready;
  assign done_now = (go && unit_ends) || skip;
  assign beat_ready = (go && beat_ends) || drop_q;
  assign desc_ready = run && (!have_q || done_now);
  assign load = desc_valid && desc_ready;
  assign starved = run && beat_valid && !have_q && !drop_q;

  assign seg_data = beat;
  assign seg_lo = used_q;
  assign seg_count = part;
  assign seg_start = first_q;
  assign seg_lane = addr_q[LANE_W-1:0];
  assign seg_flush = unit_ends;

  assign unit_valid = go && first_q;
  assign unit_addr = addr_q[ADDR_W-1:LANE_W];

  logic eop;
  assign eop = !illegal_q && beat_ends && beat_last;

  // A cycle later, because bytes are summed.
  dma_completion_t end_q;
  logic end_valid_q, empty_q, counts_q;
  logic [LANE_W:0] part_q;
  logic [23:0] filled_q, filled;
  assign filled = filled_q + (counts_q ? 24'(part_q) : '0);
  assign end_valid = end_valid_q;
  assign end_empty = empty_q;
  always_comb begin
    end_done = end_q;
    end_done.length = empty_q ? '0 : filled;
  end
  always_ff @(posedge clk) begin
    end_valid_q <= done_now;
    empty_q <= illegal_q;
    counts_q <= go;
    part_q <= part;
    filled_q <= end_valid_q ? '0 : filled;
    end_q <= '{
        count: count_q,
        length: '0,
        code: illegal_q ? CODE_ILLEGAL : CODE_OK,
        dest: illegal_q ? '0 : beat_id,
        bad: eop && beat_bad,
        irq: irq_q,
        sop: !illegal_q && sop_q,
        eop: eop
    };
    if (rst || reset_ring) begin
      end_valid_q <= 1'b0;
      counts_q <= 1'b0;
      filled_q <= '0;
    end
  end

  always_ff @(posedge clk) begin
    ev_packet <= go && eop;
    ev_bad <= go && eop && beat_bad;
    if (go) begin
      first_q <= 1'b0;
      reach_q <= reach_q - 25'(beat_bytes);
      used_q  <= beat_ends ? '0 : reach_q[LANE_W-1:0];
    end
    // A unit starts a packet when the one before it ended one.
    if (go && unit_ends) sop_q <= eop;
    if (done_now) have_q <= 1'b0;
    if (load) begin
      have_q <= 1'b1;
      illegal_q <= desc_illegal(desc.flags, {desc.zero, desc.length}, high_bits);
      first_q <= 1'b1;
      addr_q <= desc.addr[ADDR_W-1:0];
      reach_q <= next_at_beat ? {1'b0, desc.length} :
          {base_sum[LANE_W] ? up : {1'b0, desc.length[23:LANE_W]}, base_sum[LANE_W-1:0]};
      count_q <= desc_count;
      irq_q <= desc.flags.irq;
    end
    if (reset_ring) begin
      have_q <= 1'b0;
      sop_q  <= 1'b1;
      used_q <= '0;
    end
    if (rst) begin
      ev_packet <= 1'b0;
      ev_bad <= 1'b0;
    end
  end
endmodule
