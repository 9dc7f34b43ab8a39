// SPDX-License-Identifier: Apache-2.0
//
// What comes back of packed rings: reads to accesses, to descriptors of whole chains.
//
// s_*: beats of the reads that s_asked describes; s_ends: the last one of a read. Always accepted:
//   the user has not more than DEPTH under way; freed: one is done with.
// judged_*: what each access has found; level: how much was read of that queue, in the same cycle;
//   level_next: how much to read next, see kumi_nic_fetch_access.
// m_*, done_*: see kumi_nic_descs.
// Throughput: a beat a cycle. Latency: 5 cycles to judged_*, 7 to the first descriptor.
module kumi_nic_fetch_ring
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of a beat
    parameter int LOOK_W = 2,    // bits of a queue's number
    parameter int DEPTH  = 64    // beats, a power of two
) (
    input logic clk,
    input logic rst,

    // beats
    input logic s_valid,
    input logic [DATA_W-1:0] s_data,
    input logic s_bad,
    input nic_asked_t s_asked,
    output logic s_ends,
    output logic freed,

    // accesses
    output logic judged_valid,
    output logic [LOOK_W-1:0] judged_queue,
    output nic_judged_e judged,
    input logic [2:0] level,
    output logic [2:0] level_next,

    // descriptors
    output logic m_valid,
    input logic m_ready,
    output logic [LOOK_W-1:0] m_queue,
    output nic_desc_t m_desc,
    output logic m_first,
    output logic done_valid,
    output nic_place_t done_next
);
  localparam int DESCS = DATA_W / 128;
  localparam int LANE_W = $clog2(DESCS);
  localparam int COUNT_W = $clog2(NIC_CHAIN) + 1;
  localparam logic [2:0] LONGEST = 3'd3;  // level of a ring that has no chain across its accesses

  // ---- beats of a read -----------------------------------------------------------------------
  logic further_q, beat_q, begin_q, end_q, bad_q;
  logic [LANE_W-1:0] lane, lane_q, last_q;
  logic [COUNT_W-1:0] left, left_q;
  logic [COUNT_W:0] behind;
  logic [DATA_W-1:0] data_q;
  nic_asked_t asked_q;

  assign lane   = further_q ? '0 : s_asked.lane[LANE_W-1:0];
  assign left   = further_q ? left_q : s_asked.count;
  assign behind = (COUNT_W + 1)'(left) + (COUNT_W + 1)'(lane);
  assign s_ends = behind <= (COUNT_W + 1)'(DESCS);

  always_ff @(posedge clk) begin
    if (s_valid) begin
      further_q <= !s_ends;
      left_q <= COUNT_W'(behind - (COUNT_W + 1)'(DESCS));
      begin_q <= s_asked.first && !further_q;
      end_q <= s_asked.last && s_ends;
      lane_q <= lane;
      last_q <= s_ends ? LANE_W'(behind - 1'b1) : '1;
      bad_q <= s_bad;
      asked_q <= s_asked;
      data_q <= s_data;
    end
    beat_q <= s_valid && !rst;
    if (rst) further_q <= 1'b0;
  end

  // ---- what is available of them -------------------------------------------------------------
  logic found_valid, found_full, found_long, found_cut, found_bad;
  logic [COUNT_W-1:0] found_whole;
  nic_place_t found_next;

  kumi_nic_scan #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W)
  ) u_scan (
      .clk,
      .rst,
      .s_valid(beat_q),
      .s_data(data_q),
      .s_bad(bad_q),
      .s_lane(lane_q),
      .s_last(last_q),
      .s_begin(begin_q),
      .s_end(end_q),
      .s_wrap(asked_q.wrap),
      .s_queue(asked_q.vq[LOOK_W-1:0]),
      .s_place(asked_q.next),
      .s_to_end(asked_q.to_end),
      .s_most(asked_q.most),
      .m_valid(found_valid),
      .m_queue(judged_queue),
      .m_whole(found_whole),
      .m_next(found_next),
      .m_full(found_full),
      .m_long(found_long),
      .m_cut(found_cut),
      .m_bad(found_bad)
  );

  assign judged_valid = found_valid;
  always_comb begin
    judged = JUDGED_FOUND;
    // A ring that is read to its end deserves longer accesses, one that is not shorter ones.
    level_next = !found_full ? level - 3'(level != '0) : level >= LONGEST ? LONGEST : level + 1'b1;
    if (found_bad || found_long) begin
      judged = JUDGED_BAD;
    end else if (found_cut) begin
      judged = JUDGED_RETRY;
      level_next = level + 1'b1;
    end else if (found_whole == '0) begin
      judged = JUDGED_EMPTY;
      level_next = '0;
    end
  end

  kumi_nic_descs #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W),
      .DEPTH (DEPTH)
  ) u_descs (
      .clk,
      .rst,
      .s_valid(beat_q),
      .s_data(data_q),
      .s_lane(lane_q),
      .s_last(last_q),
      .s_end(end_q),
      .freed,
      .found_valid,
      .found_queue(judged_queue),
      .found_whole,
      .found_next,
      .m_valid,
      .m_ready,
      .m_queue,
      .m_desc,
      .m_first,
      .done_valid,
      .done_next
  );

  logic unused;
  assign unused = ^asked_q;
endmodule
