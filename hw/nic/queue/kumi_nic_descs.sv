// SPDX-License-Identifier: Apache-2.0
//
// Beats of packed rings to the descriptors of whole chains.
//
// s_*: beats, see kumi_nic_scan. Always accepted: the user has not more than DEPTH under way;
//   freed: one is done with.
// found_*: what kumi_nic_scan has found, in order; as many descriptors of the access come out.
// m_*: descriptors, chain after chain; first: of its chain. m_desc has its fields in the order of a
//   split ring, the buffer's id in `next`.
// done_*: the last descriptor of an access moves; next: the place behind it. Not of an access in
//   which nothing was found.
// Throughput: a descriptor a cycle, and a cycle for each beat without any. Latency: 3 cycles.
module kumi_nic_descs
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of a beat
    parameter int LOOK_W = 2,  // bits of a queue's number
    parameter int DEPTH = 64,  // beats, a power of two
    localparam int LANE_W = $clog2(DATA_W / 128),
    localparam int COUNT_W = $clog2(NIC_CHAIN) + 1
) (
    input logic clk,
    input logic rst,

    // beats
    input logic s_valid,
    input logic [DATA_W-1:0] s_data,
    input logic [LANE_W-1:0] s_lane,
    input logic [LANE_W-1:0] s_last,
    input logic s_end,
    output logic freed,

    // accesses
    input logic found_valid,
    input logic [LOOK_W-1:0] found_queue,
    input logic [COUNT_W-1:0] found_whole,
    input nic_place_t found_next,

    // descriptors
    output logic m_valid,
    input logic m_ready,
    output logic [LOOK_W-1:0] m_queue,
    output nic_desc_t m_desc,
    output logic m_first,
    output logic done_valid,
    output nic_place_t done_next
);
  typedef struct packed {
    logic last_beat;
    logic [LANE_W-1:0] first;
    logic [LANE_W-1:0] last;
    logic [DATA_W-1:0] data;
  } descs_beat_t;
  typedef struct packed {
    logic [LOOK_W-1:0] vq;
    logic [COUNT_W-1:0] whole;
    nic_place_t next;
  } descs_access_t;

  descs_beat_t beat_in, beat;
  descs_access_t access_in, access;
  logic [  $bits(descs_beat_t)-1:0] beat_bits;
  logic [$bits(descs_access_t)-1:0] access_bits;
  logic beat_room, beat_valid, access_room, access_valid, access_pop;
  logic [$clog2(DEPTH):0] beat_depth, access_depth;

  assign beat_in = '{last_beat: s_end, first: s_lane, last: s_last, data: s_data};
  kumi_fifo #(
      .W($bits(descs_beat_t)),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_beats (
      .clk,
      .rst,
      .s_data (beat_in),
      .s_valid,
      .s_ready(beat_room),
      .m_data (beat_bits),
      .m_valid(beat_valid),
      .m_ready(freed),
      .depth  (beat_depth)
  );
  assign beat = beat_bits;

  assign access_in = '{vq: found_queue, whole: found_whole, next: found_next};
  kumi_fifo #(
      .W($bits(descs_access_t)),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_accesses (
      .clk,
      .rst,
      .s_data (access_in),
      .s_valid(found_valid),
      .s_ready(access_room),
      .m_data (access_bits),
      .m_valid(access_valid),
      .m_ready(access_pop),
      .depth  (access_depth)
  );
  assign access = access_bits;

  // ---- one descriptor after another ----------------------------------------------------------
  logic there, gives, moves, last_here, inside_q, open_q, last_q;
  logic [LANE_W-1:0] lane_q, lane;
  logic [COUNT_W-1:0] given_q;
  logic [127:0] picked;

  assign there = beat_valid && access_valid;
  assign gives = there && given_q != access.whole;
  assign moves = gives && (!m_valid || m_ready);
  assign lane = inside_q ? lane_q : beat.first;
  assign last_here = lane == beat.last;
  assign freed = (moves && last_here) || (there && !gives);
  assign access_pop = freed && beat.last_beat;
  assign picked = 128'(beat.data >> {lane, 7'd0});

  always_ff @(posedge clk) begin
    if (m_ready) m_valid <= 1'b0;
    if (moves) begin
      m_valid <= 1'b1;
      m_queue <= access.vq;
      m_desc <= {picked[111:96], picked[127:112], picked[95:0]};
      m_first <= !open_q;
      open_q <= picked[112+D_NEXT];
      last_q <= given_q + 1'b1 == access.whole;
      done_next <= access.next;
      given_q <= given_q + 1'b1;
      lane_q <= lane + 1'b1;
      inside_q <= !last_here;
    end
    if (freed) inside_q <= 1'b0;
    if (access_pop) given_q <= '0;
    if (rst) begin
      m_valid  <= 1'b0;
      given_q  <= '0;
      inside_q <= 1'b0;
      open_q   <= 1'b0;
    end
  end
  assign done_valid = m_valid && m_ready && last_q;

  logic unused;
  assign unused = ^{beat_room, access_room, beat_depth, access_depth};
endmodule
