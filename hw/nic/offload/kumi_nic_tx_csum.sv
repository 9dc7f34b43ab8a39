// SPDX-License-Identifier: Apache-2.0
//
// Transmit checksum (VIRTIO_NET_F_CSUM, virtio 1.2, 5.1.6.2): the sum of a frame from csum_start
// on, stored at csum_start + csum_offset.
//
// s_axis, m_axis: frames of up to LONGEST bytes; tdest of s_axis is nic_tx_sum_t, the same on all
//   beats. A frame that needs no sum passes unchanged.
// A sum of zero is stored as 0xffff (RFC 768). The driver has put the sum of the pseudo-header into
//   the field.
// Latency: a frame leaves when all of it has come. Throughput: a beat a cycle.
module kumi_nic_tx_csum
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W  = 512,   // bits of the streams
    parameter int LONGEST = 16384  // bytes of a frame, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int DEPTH = 2 * LONGEST / BYTES;  // beats
  localparam int BEAT_W = 16 - LANE_W;

  if (DATA_W < 64 || (DATA_W & (DATA_W - 1)) != 0 || s_axis.DATA_W != DATA_W
      || m_axis.DATA_W != DATA_W) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, 64 at least, and that of the streams (%m)");
  end
  if (LONGEST < 2048 || LONGEST > 32768 || (LONGEST & (LONGEST - 1)) != 0) begin : gen_check_longest
    $fatal(0, "LONGEST must be a power of two, 2048..32768 (%m)");
  end

  // ---- the sum -------------------------------------------------------------------------------
  typedef struct packed {
    logic needed;
    logic odd;
    logic [16:0] high;
    logic [16:0] low;
  } nic_sum_place_t;

  kumi_axis_if #(.DATA_W(DATA_W)) bare (), whole ();
  nic_tx_sum_t info;
  logic moves, sum_room, valid_q, last_q, ended, behind, begins;
  logic [DATA_W-1:0] data_q;
  logic [ BYTES-1:0] keep_q;
  logic [BEAT_W-1:0] beat_q;
  nic_sum_place_t place_q, place, now;
  logic place_valid, sum_done, sum_valid, places_room, sums_room;
  logic [15:0] sum, value, sum_now;

  assign info = s_axis.tdest;
  assign s_axis.tready = bare.tready && sum_room;
  assign moves = s_axis.tvalid && s_axis.tready;
  assign behind = beat_q > info.start[15:LANE_W];
  assign begins = beat_q == info.start[15:LANE_W];

  always_ff @(posedge clk) begin
    valid_q <= moves && !rst;
    last_q  <= s_axis.tlast;
    data_q  <= s_axis.tdata;
    for (int i = 0; i < BYTES; ++i) begin
      keep_q[i] <= s_axis.tkeep[i] && (behind || (begins && LANE_W'(i) >= info.start[LANE_W-1:0]));
    end
    place_q <= '{
        needed: info.needed,
        odd: info.start[0],
        high: 17'(info.start) + 17'(info.offset),
        low: 17'(info.start) + 17'(info.offset) + 17'd1
    };
    if (moves) beat_q <= s_axis.tlast ? '0 : beat_q + 1'b1;
    if (rst) beat_q <= '0;
  end

  kumi_checksum #(
      .DATA_W(DATA_W)
  ) u_sum (
      .clk,
      .rst,
      .in_valid (valid_q),
      .in_last  (last_q),
      .in_data  (data_q),
      .in_keep  (keep_q),
      .in_seed  ('0),
      .out_valid(sum_done),
      .out_sum  (sum)
  );

  // Frames whose sum is not written yet; each has a place in both of the following.
  localparam int FRAMES = 64;
  localparam int COUNT_W = $clog2(FRAMES) + 1;
  logic [COUNT_W-1:0] frames_q, depth_places, depth_sums;
  always_ff @(posedge clk) begin
    frames_q <= frames_q + COUNT_W'(moves && s_axis.tlast) - COUNT_W'(ended);
    sum_room <= frames_q < COUNT_W'(FRAMES - 2);
    if (rst) begin
      frames_q <= '0;
      sum_room <= 1'b0;
    end
  end

  kumi_fifo #(
      .W($bits(nic_sum_place_t)),
      .DEPTH(FRAMES),
      .STYLE(0)
  ) u_places (
      .clk,
      .rst,
      .s_data (place_q),
      .s_valid(valid_q && last_q),
      .s_ready(places_room),
      .m_data (place),
      .m_valid(place_valid),
      .m_ready(ended),
      .depth  (depth_places)
  );

  assign value = sum == '1 ? '1 : ~sum;
  kumi_fifo #(
      .W(16),
      .DEPTH(FRAMES),
      .STYLE(0)
  ) u_sums (
      .clk,
      .rst,
      .s_data (value),
      .s_valid(sum_done),
      .s_ready(sums_room),
      .m_data (sum_now),
      .m_valid(sum_valid),
      .m_ready(ended),
      .depth  (depth_sums)
  );

  // ---- the frame waits for it ----------------------------------------------------------------
  kumi_rec_if #(.W(16)) no_len ();
  logic [$clog2(DEPTH):0] depth;
  logic ev_good, ev_bad, ev_full, ev_oversize;

  assign bare.tdata = s_axis.tdata;
  assign bare.tkeep = s_axis.tkeep;
  assign bare.tvalid = s_axis.tvalid && sum_room;
  assign bare.tlast = s_axis.tlast;
  assign bare.tuser = s_axis.tuser[0];
  assign bare.tid = '0;
  assign bare.tdest = '0;
  assign no_len.ready = 1'b1;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(1'b0),
      .DROP_BAD(1'b0)
  ) u_frames (
      .clk,
      .rst,
      .s_axis(bare),
      .m_axis(whole),
      .m_len (no_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // ---- the sum's two bytes -------------------------------------------------------------------
  logic [BEAT_W:0] out_beat_q;
  logic [BYTES-1:0] high_lane, low_lane;
  logic high_here, low_here;
  logic [15:0] bytes;
  logic [DATA_W-1:0] data;
  logic out_valid, out_ready, out_last;

  assign now = place;
  assign high_here = now.needed && now.high[16:LANE_W] == out_beat_q;
  assign low_here = now.needed && now.low[16:LANE_W] == out_beat_q;
  // A sum that began at an odd byte has its bytes the other way round (RFC 1071, section 2B).
  assign bytes = now.odd ? {sum_now[7:0], sum_now[15:8]} : sum_now;
  always_comb begin
    for (int i = 0; i < BYTES; ++i) begin
      high_lane[i] = high_here && now.high[LANE_W-1:0] == LANE_W'(i);
      low_lane[i]  = low_here && now.low[LANE_W-1:0] == LANE_W'(i);
      data[8*i+:8] = high_lane[i] ? bytes[15:8] : low_lane[i] ? bytes[7:0] : whole.tdata[8*i+:8];
    end
  end
  assign out_valid = whole.tvalid && sum_valid && place_valid;
  assign whole.tready = out_ready && sum_valid && place_valid;
  assign out_last = whole.tlast;
  assign ended = out_valid && out_ready && out_last;

  always_ff @(posedge clk) begin
    if (out_valid && out_ready) out_beat_q <= out_last ? '0 : out_beat_q + 1'b1;
    if (rst) out_beat_q <= '0;
  end

  kumi_slice #(
      .W(DATA_W + BYTES + 2)
  ) u_out (
      .clk,
      .rst,
      .s_data ({whole.tuser, out_last, whole.tkeep, data}),
      .s_valid(out_valid),
      .s_ready(out_ready),
      .m_data ({m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^{ev_good, ev_bad, ev_full, ev_oversize, depth, no_len.data, no_len.valid,
                    whole.tid, whole.tdest, depth_places, depth_sums, places_room, sums_room,
                    s_axis.tid};
endmodule
