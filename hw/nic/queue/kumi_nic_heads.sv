// SPDX-License-Identifier: Apache-2.0
//
// Beats of available rings to heads of chains.
//
// s_*: a beat, and which of its entries of 16 bits are meant: `count` of them from `lane` on; next:
//   the ring's index behind them; rest: the driver has made more available. Always accepted: the
//   user has not more than DEPTH beats under way.
// look, ring: what the driver set up of that queue, in the same cycle.
// m_*: heads, in order, with the table of their queue; m_fault: its number is beyond the table.
// done_*: the last head of a beat moves.
// Throughput: a head a cycle. Latency: 3 cycles.
module kumi_nic_heads
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int LOOK_W = 2,  // bits of a queue's number
    parameter int DEPTH = 16,  // beats, a power of two
    localparam int LANE_W = $clog2(DATA_W / 16),
    localparam int COUNT_W = LANE_W + 1
) (
    input logic clk,
    input logic rst,

    // beats
    input logic s_valid,
    input logic [DATA_W-1:0] s_data,
    input logic [LOOK_W-1:0] s_queue,
    input logic [LANE_W-1:0] s_lane,
    input logic [COUNT_W-1:0] s_count,
    input logic [15:0] s_next,
    input logic s_rest,
    output logic [LOOK_W-1:0] look,
    input nic_queue_t ring,

    // heads
    output logic m_valid,
    input logic m_ready,
    output logic [LOOK_W-1:0] m_queue,
    output logic [15:0] m_head,
    output logic m_fault,
    output logic [63:0] m_table,
    output logic [15:0] m_size,
    output logic done_valid,
    output logic [15:0] done_next,
    output logic done_rest
);
  typedef struct packed {
    logic [LOOK_W-1:0] vq;
    logic [LANE_W-1:0] lane;
    logic [COUNT_W-1:0] count;
    logic [15:0] next;
    logic rest;
    logic [DATA_W-1:0] data;
  } heads_beat_t;

  heads_beat_t beat_in, beat;
  logic [$bits(heads_beat_t)-1:0] beat_bits;
  logic room, valid, moves, last, last_q;
  logic [LANE_W-1:0] index_q;  // of the beat's entries
  logic [COUNT_W-1:0] after_q;  // one more
  logic [LANE_W-1:0] place;
  logic [$clog2(DEPTH):0] depth;

  assign beat_in = '{
          vq: s_queue,
          lane: s_lane,
          count: s_count,
          next: s_next,
          rest: s_rest,
          data: s_data
      };
  kumi_fifo #(
      .W($bits(heads_beat_t)),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_beats (
      .clk,
      .rst,
      .s_data (beat_in),
      .s_valid,
      .s_ready(room),
      .m_data (beat_bits),
      .m_valid(valid),
      .m_ready(moves && last),
      .depth
  );
  assign beat  = beat_bits;
  assign look  = beat.vq;
  assign place = beat.lane + index_q;
  assign last  = after_q == beat.count;
  assign moves = valid && (!m_valid || m_ready);

  always_ff @(posedge clk) begin
    if (m_ready) m_valid <= 1'b0;
    if (moves) begin
      m_valid <= 1'b1;
      m_queue <= beat.vq;
      m_head <= 16'(beat.data >> {place, 4'b0});
      m_table <= ring.desc;
      m_size <= ring.size;
      last_q <= last;
      done_next <= beat.next;
      done_rest <= beat.rest;
      index_q <= last ? '0 : after_q[LANE_W-1:0];
      after_q <= last ? COUNT_W'(1) : after_q + 1'b1;
    end
    if (rst) begin
      m_valid <= 1'b0;
      index_q <= '0;
      after_q <= COUNT_W'(1);
    end
  end
  assign m_fault = m_head >= m_size;
  assign done_valid = m_valid && m_ready && last_q;

  logic unused;
  assign unused = ^{room, depth, ring};
endmodule
