// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_event_counters: no event is lost.
//
// ghost_q counts the events of one slot, chosen freely. At all times it equals the slot's total in
// memory plus what the pipeline is adding plus what is pending, and a read returns the total.
`include "kumi_assert.svh"
module event_counters_formal #(
    parameter int N = 3,
    parameter int W = 6
) (
    input logic         clk,
    input logic         rst,
    input logic [N-1:0] ev,
    input logic         req,
    input logic         req_is_wr,
    input logic [  5:0] req_index,
    input logic [  5:0] pick
);
  localparam int R = (N > 1) ? N : 2;

  logic rd_ack, wr_ack;
  logic [31:0] rd_data;

  kumi_event_counters #(
      .N(N),
      .W(W)
  ) u_dut (
      .clk,
      .rst,
      .ev,
      .req,
      .req_is_wr,
      .req_index,
      .rd_ack,
      .rd_data,
      .wr_ack
  );

  logic started_q = 1'b0;
  logic [5:0] k;
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    k <= started_q ? k : pick;
  end
  always_comb assume (started_q || rst);
  always_comb assume (pick < N);
  always_comb if (started_q) assume (k < N);

  logic [W-1:0] ghost_q;
  always_ff @(posedge clk) ghost_q <= rst ? '0 : ghost_q + W'(ev[k]);

  logic [W-1:0] total_k;
  if (N > 1) begin : gen_total
    assign total_k = u_dut.total[k[$clog2(N)-1:0]];
  end else begin : gen_total
    assign total_k = u_dut.total[0];
  end

  // The slot's parts.
  logic [W-1:0] base, adding, pending;
  logic in_pipe, unwritten;
  assign in_pipe = u_dut.busy1_q && u_dut.slot1_q == k;
  assign unwritten = (u_dut.first_q && u_dut.slot_q <= k) || (in_pipe && u_dut.first1_q);
  assign base = unwritten ? '0 : total_k;
  assign adding = in_pipe ? W'(u_dut.add_q) : '0;
  always_comb begin
    pending = '0;
    for (int b = 0; b < $clog2(R + 1); ++b) pending[b] = u_dut.pend_q[b][k];
  end

  `KUMI_ASSERT(a_exact, !started_q || ghost_q == base + adding + pending)
  // The register side asks again only after the answer.
  logic waiting_q;
  logic [5:0] asked_q;
  always_ff @(posedge clk) begin
    waiting_q <= !rst && ((req && !req_is_wr) || (waiting_q && !rd_ack));
    if (req && !req_is_wr) asked_q <= req_index;
  end
  `KUMI_ASSUME(m_req, !req || !waiting_q)
  `KUMI_ASSERT(a_read, !rd_ack || asked_q != k || (!unwritten && rd_data == 32'(total_k)))
  `KUMI_ASSERT(a_once, !rd_ack || waiting_q)

  // What makes the induction close: no pending count can overflow, for its slot comes in time.
  logic [5:0] since;
  assign since = (u_dut.slot_q > k) ? u_dut.slot_q - k : u_dut.slot_q + 6'(R) - k;
  `KUMI_ASSERT(i_pending, !started_q || pending <= W'(since))
  `KUMI_ASSERT(i_slot, !started_q || u_dut.slot_q < R)
  `KUMI_ASSERT(i_slot1,
               !u_dut.busy1_q || u_dut.slot_q == (u_dut.slot1_q == R - 1 ? 0 : u_dut.slot1_q + 1))
  `KUMI_ASSERT(i_first,
               !u_dut.busy1_q || u_dut.first_q == (u_dut.first1_q && u_dut.slot1_q != R - 1))
  `KUMI_ASSERT(i_start, !started_q || u_dut.busy1_q || (u_dut.first_q && u_dut.slot_q == 0))
  `KUMI_ASSERT(i_old, !started_q || !in_pipe || u_dut.first1_q || u_dut.old_q == total_k)
  `KUMI_ASSERT(i_rd_pending,
               !u_dut.rd_pending_q || (waiting_q && u_dut.rd_index_q == asked_q && !rd_ack))
  // The slot of an answer is the one that has just been written.
  `KUMI_ASSERT(i_ack, !rd_ack || asked_q != k || u_dut.slot_q == (k + 2 < R ? k + 2 : k + 2 - R))

  `KUMI_COVER(c_read, rd_ack && rd_data > 5)
  `KUMI_COVER(c_write, wr_ack)
endmodule
