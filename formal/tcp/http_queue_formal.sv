// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_http_queue, for four sessions: whoever asks gets its turn, in the order of
// asking.
//
// One session is watched, chosen freely. Its number is in the queue at most once, and is there
//   while it waits; the queue never overflows; the first that is shown is one that waits, and
//   stands first; no place ahead of the watched session is ever given to another, so after at most
//   three turns of others it is the first.
// Assumed: one operation at a time, while idle is high; only the first takes its turn.
`include "kumi_assert.svh"
module http_queue_formal (
    input logic       clk,
    input logic       rst,
    input logic       ask,
    input logic       leave,
    input logic       take,
    input logic [1:0] id,
    input logic [1:0] chosen
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  logic idle, head_valid;
  logic [1:0] head;
  logic [2:0] waiting;

  kumi_http_queue #(.SESSIONS(4)) u_dut (.*);

  logic [1:0] who;  // watched
  always_ff @(posedge clk) if (rst) who <= chosen;

  // Places in the queue, from the first on, that hold a number; how many of each.
  logic [3:0] used, queued, asks;
  logic [3:0][2:0] held;
  logic [3:0][1:0] numbers, places;  // the two memories
  logic [2:0] asking, ahead, place;
  logic clear;
  always_comb begin
    for (int i = 0; i < 4; i++) begin
      numbers[i] = u_dut.queue_mem[i];
      places[i]  = u_dut.place_mem[i];
    end
    used   = '0;
    held   = '0;
    asking = '0;
    place  = 3'd4;
    for (int i = 0; i < 4; i++) begin
      used[i] = 3'(i) < u_dut.count_q;
      for (int s = 0; s < 4; s++) begin
        if (used[i] && numbers[u_dut.rd_q+2'(i)] == 2'(s)) held[s] = held[s] + 1'b1;
      end
      if (used[i] && numbers[u_dut.rd_q+2'(i)] == who && place == 3'd4) place = 3'(i);
      {queued[i], asks[i]} = places[i];
      asking = asking + 3'(asks[i]);
    end
  end
  assign clear = u_dut.state_q == 3'd0;

  `KUMI_ASSERT(a_clear, !clear || (u_dut.count_q == '0 && waiting == '0 && !head_valid))
  `KUMI_ASSERT(a_state, u_dut.state_q <= 3'd5)
  `KUMI_ASSERT(a_count, u_dut.count_q <= 3'd4 && u_dut.wr_q == u_dut.rd_q + u_dut.count_q[1:0])
  for (genvar s = 0; s < 4; s++) begin : gen_session
    `KUMI_ASSERT(a_once, clear || held[s] == 3'(queued[s]))
    `KUMI_ASSERT(a_there, clear || !asks[s] || queued[s])
    `KUMI_ASSERT(a_cleared, !clear || u_dut.addr_q <= 2'(s) || (!queued[s] && !asks[s]))
  end
  `KUMI_ASSERT(a_waiting, clear || waiting == asking)
  `KUMI_ASSERT(
      a_head,
      clear || !head_valid || (asks[head] && u_dut.count_q != '0 && numbers[u_dut.rd_q] == head))
  `KUMI_ASSERT(a_place, u_dut.state_q != 3'd5 || u_dut.place_q == places[u_dut.addr_q])
  `KUMI_ASSERT(a_front, u_dut.state_q != 3'd3 || u_dut.front_q == numbers[u_dut.rd_q])
  `KUMI_ASSERT(
      a_looking,
      (u_dut.state_q != 3'd2 && u_dut.state_q != 3'd3) || (u_dut.count_q != '0 && !head_valid))
  logic at_work, first;  // an operation is under way; it is about the first in the queue
  assign at_work = u_dut.state_q == 3'd4 || u_dut.state_q == 3'd5;
  assign first   = u_dut.count_q != '0 && u_dut.addr_q == numbers[u_dut.rd_q];
  `KUMI_ASSERT(a_check, !at_work || u_dut.op_q != 2'd3 || (!head_valid && first))
  `KUMI_ASSERT(a_take, !at_work || u_dut.op_q != 2'd2 || (head_valid && u_dut.addr_q == head))

  // The watched session moves only towards the front.
  logic [2:0] place_q;
  logic waits_q;
  always_ff @(posedge clk) begin
    place_q <= place;
    waits_q <= !rst && !clear && asks[who];
  end
  assign ahead = place;
  `KUMI_ASSERT(a_order, !waits_q || !asks[who] || ahead <= place_q)

  `KUMI_COVER(c_full, waiting == 3'd4 && head_valid)
  `KUMI_COVER(c_stale, !clear && u_dut.count_q == 3'd3 && waiting == 3'd1 && idle)
  `KUMI_COVER(c_taken, $past(take) && waits_q && place_q == 3'd2)
endmodule
