// SPDX-License-Identifier: Apache-2.0
//
// Queues of a switch input: one for each output and virtual lane, as linked lists of entries in one
// memory. An entry is the number of a packet or of a copy of one; it is in one queue at a time.
//
// deq_*: removes the head of a queue that is not empty; enq_*, more_*: append. One operation a
//   cycle, in this order; those that append are done when their ready is high. `waiting` and peek_*
//   show it in the next cycle.
// peek_*: head of a queue and since when it has been that, combinational.
// waiting[o][r]: the queue to output o on ring r is not empty.
module kumi_ib_switch_voq
  import kumi_ib_switch_pkg::TIME_W;
#(
    parameter  int OUTS    = 9,
    parameter  int RINGS   = 5,
    parameter  int ENTRIES = 352,
    localparam int OUT_W   = $clog2(OUTS),
    localparam int RING_W  = $clog2(RINGS),
    localparam int ENTRY_W = $clog2(ENTRIES)
) (
    input  logic                          clk,
    input  logic                          rst,
    input  logic [ TIME_W-1:0]            now,
    input  logic                          deq_valid,
    input  logic [  OUT_W-1:0]            deq_out,
    input  logic [ RING_W-1:0]            deq_ring,
    input  logic                          enq_valid,
    input  logic [  OUT_W-1:0]            enq_out,
    input  logic [ RING_W-1:0]            enq_ring,
    input  logic [ENTRY_W-1:0]            enq_entry,
    output logic                          enq_ready,
    input  logic                          more_valid,
    input  logic [  OUT_W-1:0]            more_out,
    input  logic [ RING_W-1:0]            more_ring,
    input  logic [ENTRY_W-1:0]            more_entry,
    output logic                          more_ready,
    input  logic [  OUT_W-1:0]            peek_out,
    input  logic [ RING_W-1:0]            peek_ring,
    output logic [ENTRY_W-1:0]            peek_entry,
    output logic [ TIME_W-1:0]            peek_since,
    output logic [   OUTS-1:0][RINGS-1:0] waiting
);
  localparam int QUEUE_W = OUT_W + RING_W;
  localparam int QUEUES = 1 << QUEUE_W;

  (* ram_style = "distributed", no_rw_check *) logic [ENTRY_W-1:0] head_mem[QUEUES];
  (* ram_style = "distributed", no_rw_check *) logic [ENTRY_W-1:0] tail_mem[QUEUES];
  (* ram_style = "distributed", no_rw_check *) logic [TIME_W-1:0] since_mem[QUEUES];
  (* ram_style = "distributed", no_rw_check *) logic [ENTRY_W-1:0] next_mem[ENTRIES];

  logic [OUTS-1:0][RINGS-1:0] waiting_q;
  logic append, some;
  logic [QUEUE_W-1:0] queue;
  logic [  OUT_W-1:0] out;
  logic [ RING_W-1:0] ring;
  logic [ENTRY_W-1:0] entry, head, tail;

  assign waiting = waiting_q;
  assign peek_entry = head_mem[{peek_out, peek_ring}];
  assign peek_since = since_mem[{peek_out, peek_ring}];

  assign enq_ready = !deq_valid;
  assign more_ready = !deq_valid && !enq_valid;
  assign append = !deq_valid && (enq_valid || more_valid);
  assign out = deq_valid ? deq_out : enq_valid ? enq_out : more_out;
  assign ring = deq_valid ? deq_ring : enq_valid ? enq_ring : more_ring;
  assign entry = enq_valid ? enq_entry : more_entry;
  assign queue = {out, ring};
  assign head = head_mem[{deq_out, deq_ring}];
  assign tail = tail_mem[queue];
  assign some = waiting_q[out][ring];

  always_ff @(posedge clk) begin
    if (deq_valid || (append && !some)) begin
      head_mem[queue]  <= deq_valid ? next_mem[head] : entry;
      since_mem[queue] <= now;
    end
    if (append) tail_mem[queue] <= entry;
    if (append && some) next_mem[tail] <= entry;
  end

  always_ff @(posedge clk) begin
    if (deq_valid || append) waiting_q[out][ring] <= append || head != tail;
    if (rst) waiting_q <= '0;
  end
endmodule
