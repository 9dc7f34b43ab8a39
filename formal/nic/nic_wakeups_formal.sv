// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_nic_fetch_turn: no wake-up is lost. A queue of which the driver has made chains
// available that were not taken, and whose driver has done all that it will do, is never at rest:
// there is a notification, or something is known, or the queue is being looked at. And a queue that
// runs is never forgotten: it is at rest, or something of that is the case; and one that is being
// looked at has an access under way, or its next one waits for its turn.
//
// Two queues, one of which is watched, in a split or a packed ring, with event indices or without;
// the other one does what it likes. Beside the unit are memory and driver: the driver makes one or
// two chains available, some time later reads the event and decides whether to notify, and the
// notification takes any time; reads are answered with what was there at any moment between request
// and answer, and events are seen from any such moment on (virtio 1.2, 2.7.10 and 2.8.10). Indices
// have 4 bits, and at most 3 chains are available and not taken. Bounded: 36 cycles from reset, which
// hold five accesses.
//
// Assumed of kumi_nic_fetch: an answer for each access, memory that answers, no restart of a queue
// while it runs, nothing handed out while a queue may start. That a queue which is not at rest gets
// its turn is the arbiter's affair (proved there).
`include "kumi_assert.svh"
module nic_wakeups_formal
  import kumi_nic_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic watched_in,
    input logic packed_in,
    input logic event_idx_in,
    input logic notify_other,
    input logic start_valid,
    input logic start_queue,
    input logic [1:0] want,
    input logic ends,
    input logic ring_room,
    input logic event_room,
    input logic none_valid,
    input logic judged_valid,
    input logic judged_queue,
    input logic judged_retry,
    input logic judged_other,
    input logic done_valid,
    input logic done_queue,
    input logic done_rest_other,
    input logic [1:0] done_count,
    input logic asked_valid,
    input logic asked_queue,
    input logic driver_adds,
    input logic driver_two,
    input logic driver_decides,
    input logic notify_comes,
    input logic memory_moves
);
  logic watched, packed_ring, event_idx, started_q = 1'b0;
  logic was_watched_q, was_packed_q, was_event_q;
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    was_watched_q <= watched;
    was_packed_q <= packed_ring;
    was_event_q <= event_idx;
  end
  always_comb assume (started_q || rst);
  always_comb assume (!started_q || !rst);
  assign watched = started_q ? was_watched_q : watched_in;
  assign packed_ring = started_q ? was_packed_q : packed_in;
  assign event_idx = started_q ? was_event_q : event_idx_in;

  // ---- the unit ------------------------------------------------------------------------------
  logic start_ready, start_hold, start_take, go, look, busy_q, fault_valid, fault_queue;
  logic [1:0] working, dry;
  nic_fetch_op_e op;
  nic_judged_e   judged;
  logic done_rest, mine_notified;

  kumi_nic_fetch_turn #(
      .QUEUES(2)
  ) u_dut (
      .clk,
      .rst,
      .event_idx,
      .packed_ring,
      .notify_valid(mine_notified || notify_other),
      .notify_queue(mine_notified ? watched : !watched),
      .start_valid,
      .start_ready,
      .start_hold,
      .start_take,
      .start_queue,
      .stop('0),
      .want,
      .working,
      .dry,
      .idle(!busy_q),
      .ring_room,
      .event_room,
      .go,
      .look,
      .op,
      .none_valid,
      .lost_valid(1'b0),
      .judged_valid,
      .judged_queue,
      .judged,
      .done_valid,
      .done_queue,
      .done_rest,
      .asked_valid,
      .asked_bad(1'b0),
      .asked_queue,
      .back_bad(1'b0),
      .back_queue('0),
      .fault_valid,
      .fault_queue
  );
  assign start_take = start_valid && start_ready;

  // The request of an access goes out some time after go.
  always_ff @(posedge clk) begin
    busy_q <= go || (busy_q && !ends && !none_valid);
    if (rst) busy_q <= 1'b0;
  end

  // ---- memory and driver of the watched queue ------------------------------------------------
  typedef enum logic [2:0] {
    A_NONE,
    A_INDEX,  // what there is is being read
    A_RING,   // split: chains are being handed out
    A_FOUND,  // packed: the same, after an answer
    A_EVENT
  } access_e;
  access_e access_q;
  logic runs_q, sampled_q, deciding_q, notified_q;
  logic [3:0] next_q, avail_q, seen_q, sample_q, event_q, old_q, ahead;
  logic mine_go, mine_none, mine_judged, mine_done, mine_asked, asks;

  assign mine_go = go && look == watched;
  assign mine_none = none_valid && look == watched;
  assign mine_judged = judged_valid && judged_queue == watched;
  assign mine_done = done_valid && done_queue == watched;
  assign mine_asked = asked_valid && asked_queue == watched;
  assign mine_notified = notify_comes && notified_q;
  assign ahead = (access_q == A_FOUND ? sample_q : seen_q) - next_q;

  always_comb begin
    judged = judged_other ? JUDGED_FOUND : JUDGED_EMPTY;
    if (mine_judged) begin
      judged = sample_q == next_q ? JUDGED_EMPTY : JUDGED_FOUND;
      if (packed_ring && judged_retry && judged == JUDGED_FOUND) judged = JUDGED_RETRY;
    end
    done_rest = !packed_ring && (mine_done ? 4'(done_count) != ahead : done_rest_other);
  end

  // An event at the index or place `event_q`: of old_q to avail_q it was passed.
  assign asks = !event_idx || 4'(avail_q - event_q - 4'd1) < 4'(avail_q - old_q);

  always_ff @(posedge clk) begin
    if (start_take && start_queue == watched) runs_q <= 1'b1;
    // The driver.
    if (driver_adds) begin
      old_q <= avail_q;
      avail_q <= avail_q + (driver_two ? 4'd2 : 4'd1);
      deciding_q <= 1'b1;
    end
    if (deciding_q && driver_decides) deciding_q <= 1'b0;
    notified_q <= (notified_q && !notify_comes) || (deciding_q && driver_decides && asks);
    // Memory.
    if (mine_go) begin
      access_q  <= op == OP_EVENT ? A_EVENT : op == OP_INDEX || packed_ring ? A_INDEX : A_RING;
      sampled_q <= 1'b0;
    end else if (memory_moves && !sampled_q) begin
      sampled_q <= 1'b1;
      sample_q  <= avail_q;
      if (access_q == A_EVENT) event_q <= next_q;
    end
    if (mine_none || mine_asked) access_q <= A_NONE;
    if (mine_judged) begin
      access_q <= packed_ring && judged == JUDGED_FOUND ? A_FOUND : A_NONE;
      if (judged == JUDGED_FOUND) seen_q <= sample_q;
    end
    if (mine_done) begin
      next_q   <= next_q + 4'(done_count);
      access_q <= A_NONE;
    end
    if (rst) begin
      access_q <= A_NONE;
      runs_q <= 1'b0;
      sampled_q <= 1'b0;
      deciding_q <= 1'b0;
      notified_q <= 1'b0;
      next_q <= '0;
      avail_q <= '0;
      seen_q <= '0;
      event_q <= '0;
    end
  end

  `KUMI_ASSUME(
      a_driver,
      !driver_adds || (runs_q && !deciding_q && 4'(avail_q - next_q) <= (driver_two ? 4'd1 : 4'd2)))
  `KUMI_ASSUME(a_start, !start_valid || start_queue != watched || !runs_q)
  `KUMI_ASSUME(a_none, !none_valid || (busy_q && !go))
  `KUMI_ASSUME(
      a_none_mine,
      !mine_none || access_q == A_RING || (packed_ring && access_q == A_INDEX && !sampled_q))
  `KUMI_ASSUME(a_judged, !mine_judged || (access_q == A_INDEX && sampled_q))
  `KUMI_ASSUME(
      a_done,
      !mine_done || ((access_q == A_RING || access_q == A_FOUND) && done_count != '0 && 4'(done_count) <= ahead))
  `KUMI_ASSUME(a_hold, !(done_valid && start_hold))
  `KUMI_ASSUME(a_asked, !mine_asked || (access_q == A_EVENT && sampled_q))
  // One event at a time, of either queue, and one note to the unit for each access.
  `KUMI_ASSUME(a_room, !event_room || access_q != A_EVENT)
  `KUMI_ASSUME(a_other, !(notify_other && mine_notified))

  // ---- what holds ----------------------------------------------------------------------------
  logic owed, settled, at_rest;
  assign owed = avail_q != next_q;
  assign settled = !deciding_q && !notified_q;
  assign at_rest = dry[watched];

  `KUMI_ASSERT(p_wakeup, !(at_rest && owed && settled))
  `KUMI_ASSERT(
      p_alive,
      !runs_q || at_rest || working[watched] || u_dut.pending_q[watched] || u_dut.known_q[watched])
  `KUMI_ASSERT(
      p_goes_on,
      !working[watched] || access_q != A_NONE || u_dut.event_q[watched] || u_dut.look2_q[watched])
  `KUMI_ASSERT(p_no_fault, !fault_valid)

  // The race: the driver decides before the event is in memory, and the second look finds its chain.
  logic raced_q;
  always_ff @(posedge clk)
    raced_q <= !rst && (raced_q || (event_idx && access_q == A_EVENT && !sampled_q && owed &&
                                    settled));
  `KUMI_COVER(c_rest, at_rest && !owed && event_idx && next_q == 4'd2)
  `KUMI_COVER(c_raced, !packed_ring && raced_q && !owed && next_q != 4'd0)
  `KUMI_COVER(c_packed, packed_ring && raced_q && !owed && next_q == 4'd3)
endmodule
