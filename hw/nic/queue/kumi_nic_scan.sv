// SPDX-License-Identifier: Apache-2.0
//
// Finds the available chains in beats of packed rings (virtio 1.2, 2.8.1): what follows one another
// from the place that was read, with AVAIL as the wrap counter and USED unlike it, and whole.
//
// s_*: a beat of an access, its lanes s_lane to s_last of 16 bytes; begin, end: the first and the
//   last beat of its access. s_wrap: the wrap counter of this beat. The others are those of the
//   access: its queue and first place; to_end: descriptors from there to the ring's end, 127 if
//   more; most: it has as many as a chain may have. Always accepted.
// m_*: for each access, in order: whole: descriptors of whole chains at its begin, next: the place
//   behind them; full: all of it is available; long: its first chain does not end in it, and it has
//   `most`: the chain breaks a rule; cut: it does not end, and a larger access may tell; bad:
//   memory did not answer. A chain of which a descriptor is not available is not there yet.
// Throughput: a beat a cycle. Latency: 4 cycles.
module kumi_nic_scan
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of a beat
    parameter int LOOK_W = 2,  // bits of a queue's number
    localparam int LANES = DATA_W / 128,
    localparam int LANE_W = $clog2(LANES),
    localparam int COUNT_W = $clog2(NIC_CHAIN) + 1
) (
    input logic clk,
    input logic rst,

    // beats
    input logic s_valid,
    input logic [DATA_W-1:0] s_data,
    input logic s_bad,
    input logic [LANE_W-1:0] s_lane,
    input logic [LANE_W-1:0] s_last,
    input logic s_begin,
    input logic s_end,
    input logic s_wrap,
    input logic [LOOK_W-1:0] s_queue,
    input nic_place_t s_place,
    input logic [COUNT_W-1:0] s_to_end,
    input logic s_most,

    // accesses
    output logic m_valid,
    output logic [LOOK_W-1:0] m_queue,
    output logic [COUNT_W-1:0] m_whole,
    output nic_place_t m_next,
    output logic m_full,
    output logic m_long,
    output logic m_cut,
    output logic m_bad
);
  typedef struct packed {
    logic [LOOK_W-1:0] vq;
    nic_place_t place;
    logic [COUNT_W-1:0] to_end;
    logic most;
  } scan_access_t;

  // ---- what each descriptor says -------------------------------------------------------------
  logic valid_q, begin_q, end_q, bad_q;
  logic [LANES-1:0] meant_q, there_q, linked_q;
  scan_access_t access_q;

  always_ff @(posedge clk) begin
    valid_q <= s_valid && !rst;
    begin_q <= s_begin;
    end_q <= s_end;
    bad_q <= s_bad;
    access_q <= '{vq: s_queue, place: s_place, to_end: s_to_end, most: s_most};
    for (int i = 0; i < LANES; ++i) begin
      meant_q[i]  <= LANE_W'(i) >= s_lane && LANE_W'(i) <= s_last;
      there_q[i]  <= s_data[128*i+112+D_AVAIL] == s_wrap && s_data[128*i+112+D_USED] != s_wrap;
      linked_q[i] <= s_data[128*i+112+D_NEXT];
    end
  end

  // ---- along the beats of an access ----------------------------------------------------------
  // on: everything so far is available. seen: descriptors so far. Of a beat: ends: descriptors up
  // to its last end of a chain, none: there is no end.
  logic on_q, run, ends_none, tail_linked;
  logic [COUNT_W-1:0] seen_q, seen, whole_q, whole_before;
  logic [LANE_W:0] ends, many;
  logic bad_sum_q, bad_sum;

  always_comb begin
    run = begin_q || on_q;
    ends_none = 1'b1;
    ends = '0;
    many = '0;
    tail_linked = 1'b0;
    for (int i = 0; i < LANES; ++i) begin
      if (meant_q[i]) begin
        many = many + 1'b1;
        run = run && there_q[i];
        tail_linked = linked_q[i];
        if (run && !linked_q[i]) begin
          ends = many;
          ends_none = 1'b0;
        end
      end
    end
  end
  assign seen = begin_q ? '0 : seen_q;
  assign whole_before = begin_q ? '0 : whole_q;
  assign bad_sum = bad_q || (!begin_q && bad_sum_q);

  // ---- what an access has found --------------------------------------------------------------
  logic over_q, over_full_q, over_cut_q, over_bad_q;
  scan_access_t over_access_q;

  always_ff @(posedge clk) begin
    if (valid_q) begin
      on_q <= run;
      seen_q <= seen + COUNT_W'(many);
      whole_q <= ends_none ? whole_before : seen + COUNT_W'(ends);
      bad_sum_q <= bad_sum;
      over_full_q <= run;
      over_cut_q <= run && tail_linked;
      over_bad_q <= bad_sum;
      over_access_q <= access_q;
    end
    over_q <= valid_q && end_q && !rst;
  end

  // The place behind it, around the ring's end.
  logic last_q, wraps_q, full_q, cut_q, failed_q, most_q;
  logic [COUNT_W-1:0] count_q, around_q;
  logic [14:0] along_q;
  logic wrap_q;
  logic [LOOK_W-1:0] queue_q;

  always_ff @(posedge clk) begin
    last_q <= over_q && !rst;
    queue_q <= over_access_q.vq;
    count_q <= whole_q;
    wraps_q <= whole_q >= over_access_q.to_end;
    around_q <= whole_q - over_access_q.to_end;
    along_q <= over_access_q.place.pos + 15'(whole_q);
    wrap_q <= over_access_q.place.wrap;
    full_q <= over_full_q;
    cut_q <= over_cut_q && whole_q == '0;
    most_q <= over_access_q.most;
    failed_q <= over_bad_q;
    m_valid <= last_q && !rst;
    m_queue <= queue_q;
    m_whole <= failed_q ? '0 : count_q;
    m_next <= '{wrap: wrap_q ^ wraps_q, pos: wraps_q ? 15'(around_q) : along_q};
    m_full <= full_q;
    m_long <= cut_q && most_q;
    m_cut <= cut_q && !most_q;
    m_bad <= failed_q;
  end

  logic unused;
  assign unused = ^s_data;
endmodule
