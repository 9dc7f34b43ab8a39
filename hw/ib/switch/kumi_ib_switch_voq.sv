// SPDX-License-Identifier: Apache-2.0
//
// Queues of a switch input: one for each output and virtual lane, as linked lists of entries in one
// memory. An entry is the number of a packet or of a copy of one; it is in one queue at a time.
//
// enq_*: append; deq_*: remove the head of a queue that is not empty. Each is done when its ready
//   is high; `waiting` shows it 2 cycles later. One operation every 2 cycles; enq_* comes first,
//   then deq_*, then more_* (append, too).
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
    input  logic                          deq_valid,
    input  logic [  OUT_W-1:0]            deq_out,
    input  logic [ RING_W-1:0]            deq_ring,
    output logic                          deq_ready,
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
  logic busy_q, remove_q, some_q, only, head_write;
  logic [QUEUE_W-1:0] queue, queue_q;
  logic [ENTRY_W-1:0] entry_q, head_q, tail_q, head_new;
  logic [OUT_W-1:0] out, out_q;
  logic [RING_W-1:0] ring, ring_q;

  assign waiting = waiting_q;
  assign peek_entry = head_mem[{peek_out, peek_ring}];
  assign peek_since = since_mem[{peek_out, peek_ring}];

  // First cycle: choose, and read head and tail.
  assign enq_ready = !busy_q;
  assign deq_ready = !busy_q && !enq_valid;
  assign more_ready = !busy_q && !enq_valid && !deq_valid;
  assign out = enq_valid ? enq_out : deq_valid ? deq_out : more_out;
  assign ring = enq_valid ? enq_ring : deq_valid ? deq_ring : more_ring;
  assign queue = {out, ring};

  // Second cycle: write.
  assign only = head_q == tail_q;
  assign head_write = busy_q && (remove_q || !some_q);
  assign head_new = remove_q ? next_mem[head_q] : entry_q;

  always_ff @(posedge clk) begin
    if (head_write) begin
      head_mem[queue_q]  <= head_new;
      since_mem[queue_q] <= now;
    end
    if (busy_q && !remove_q) tail_mem[queue_q] <= entry_q;
    if (busy_q && !remove_q && some_q) next_mem[tail_q] <= entry_q;
  end

  always_ff @(posedge clk) begin
    busy_q   <= !busy_q && (enq_valid || deq_valid || more_valid);
    remove_q <= !enq_valid && deq_valid;
    out_q    <= out;
    ring_q   <= ring;
    queue_q  <= queue;
    entry_q  <= enq_valid ? enq_entry : more_entry;
    head_q   <= head_mem[queue];
    tail_q   <= tail_mem[queue];
    some_q   <= waiting_q[out][ring];
    if (busy_q) waiting_q[out_q][ring_q] <= !(remove_q && only);
    if (rst) begin
      busy_q    <= 1'b0;
      waiting_q <= '0;
    end
  end
endmodule
