// SPDX-License-Identifier: Apache-2.0
//
// Receive buffers that are at hand: chains of each receive queue, fetched before a frame needs
// them.
//
// s_seg, s_fault: see kumi_nic_queues. taken_*: a chain was asked for and will come, or be
//   forgotten (then its queue ends). want, look, budget: what kumi_nic_queues may fetch; each chain
//   has room for CHAIN segments.
// coming: chains were asked for that are not here yet.
// full: there is no room for another chain of queue `pick`.
// bytes: in the chains of queue `pick`. read_*: the segment `ahead` places behind the oldest one of
//   queue `pick`. pop: the oldest one leaves.
// clear: a bit per queue whose buffers are thrown away, one after another; drop_* tells each chain.
// break_*: a chain of a segment that cannot be written, of more than CHAIN, or of 16 MiB or more.
module kumi_nic_buffers
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 2,  // 2..256
    parameter int DEPTH = 64,  // segments of a queue, a power of two
    parameter int CHAIN = 4,  // segments of a chain, at most, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int PLACE_W = $clog2(DEPTH)
) (
    input logic clk,
    input logic rst,

    input logic s_valid,
    output logic s_ready,
    input nic_seg_t s_seg,
    input logic s_fault,
    input logic taken_valid,
    input logic [LOOK_W-1:0] taken_queue,
    output logic [QUEUES-1:0] want,
    input logic [LOOK_W-1:0] look,
    output logic [5:0] budget,

    input logic [LOOK_W-1:0] pick,
    output logic coming,
    output logic full,
    output logic [31:0] bytes,
    input logic [PLACE_W-1:0] ahead,
    output nic_seg_t read_seg,
    input logic pop,

    input logic [QUEUES-1:0] clear,
    input logic [QUEUES-1:0] ended,
    output logic drop_valid,
    output logic [LOOK_W-1:0] drop_queue,
    output logic break_valid,
    output logic [LOOK_W-1:0] break_queue,
    output logic break_drop
);
  // ---- segments come -------------------------------------------------------------------------
  nic_seg_t seg_mem[QUEUES*DEPTH];
  logic [PLACE_W-1:0] first_q[QUEUES];  // oldest segment
  logic [PLACE_W:0] count_q[QUEUES];  // segments of whole chains
  logic [31:0] bytes_q[QUEUES];
  logic [QUEUES-1:0][PLACE_W:0] due_q;  // places kept for chains that were asked for
  logic [LOOK_W-1:0] in_queue;
  logic [$clog2(CHAIN)-1:0] within_q;  // segments of the chain so far
  logic [23:0] length_q;
  logic take, wrong, whole, useless_q;
  logic [PLACE_W-1:0] place;

  assign in_queue = s_seg.vq[LOOK_W-1:0];
  assign s_ready = 1'b1;
  assign take = s_valid;
  assign wrong = !s_seg.write || s_seg.length[31:22] != '0 || (within_q == '1 && !s_seg.last);
  assign whole = take && s_seg.last && !s_fault && !wrong && !useless_q;
  assign place = first_q[in_queue] + count_q[in_queue][PLACE_W-1:0] + PLACE_W'(within_q);

  always_ff @(posedge clk) if (take) seg_mem[{in_queue, place}] <= s_seg;

  always_ff @(posedge clk) begin
    break_valid <= 1'b0;
    break_drop  <= 1'b0;
    if (take) begin
      within_q <= s_seg.last || s_fault ? '0 : within_q + 1'b1;
      length_q <= s_seg.last || s_fault ? '0 : length_q + s_seg.length[23:0];
      break_queue <= in_queue;
      if (s_fault || s_seg.last) begin
        useless_q <= 1'b0;
      end else if (wrong) begin
        useless_q <= 1'b1;
        within_q  <= within_q;
      end
      // It counts as gone at its end; where that is a fault, the fault counts.
      if ((wrong || useless_q) && !s_fault) begin
        break_valid <= s_seg.last || !useless_q;
        break_drop  <= s_seg.last;
      end
    end
    if (rst) begin
      within_q <= '0;
      length_q <= '0;
      useless_q <= 1'b0;
      break_valid <= 1'b0;
      break_drop <= 1'b0;
    end
  end

  // ---- and go --------------------------------------------------------------------------------
  // A queue that is cleared loses a segment a cycle while no frame takes one.
  logic [QUEUES-1:0] filled, to_clear;
  logic [LOOK_W-1:0] clear_queue, out_queue;
  logic clears, leaves;
  nic_seg_t out_seg;

  always_comb begin
    for (int i = 0; i < QUEUES; ++i) filled[i] = count_q[i] != '0;
    to_clear = clear & filled;
    clear_queue = '0;
    for (int i = QUEUES - 1; i >= 0; --i) if (to_clear[i]) clear_queue = LOOK_W'(i);
  end
  assign clears = |to_clear && !pop;
  assign out_queue = pop ? pick : clear_queue;
  assign leaves = pop || clears;
  assign out_seg = seg_mem[{out_queue, first_q[out_queue]}];
  assign drop_valid = clears && out_seg.last;
  assign drop_queue = out_queue;
  assign bytes = bytes_q[pick];
  assign coming = due_q[pick] != '0;
  assign full = count_q[pick] > (PLACE_W + 1)'(DEPTH - CHAIN);
  assign read_seg = seg_mem[{pick, PLACE_W'(first_q[pick]+ahead)}];

  always_ff @(posedge clk) begin
    for (int i = 0; i < QUEUES; ++i) begin
      count_q[i] <= count_q[i] +
          (whole && in_queue == LOOK_W'(i) ? (PLACE_W + 1)'(within_q) + 1'b1 : '0) -
          (PLACE_W + 1)'(leaves && out_queue == LOOK_W'(i));
      bytes_q[i] <= bytes_q[i] +
          (whole && in_queue == LOOK_W'(i) ? 32'(length_q) + s_seg.length : '0) -
          (leaves && out_queue == LOOK_W'(i) ? out_seg.length : '0);
      if (leaves && out_queue == LOOK_W'(i)) first_q[i] <= first_q[i] + 1'b1;
      due_q[i] <= due_q[i] +
          (taken_valid && taken_queue == LOOK_W'(i) ? (PLACE_W + 1)'(CHAIN) : '0) -
          (take && (s_seg.last || s_fault) && in_queue == LOOK_W'(i) ? (PLACE_W + 1)'(CHAIN) : '0);
      if (ended[i]) due_q[i] <= '0;
      want[i] <= count_q[i] + due_q[i] <= (PLACE_W + 1)'(DEPTH - CHAIN);
    end
    if (rst) begin
      for (int i = 0; i < QUEUES; ++i) begin
        first_q[i] <= '0;
        count_q[i] <= '0;
        bytes_q[i] <= '0;
      end
      due_q <= '0;
      want  <= '0;
    end
  end

  logic [PLACE_W:0] room;
  assign room   = (PLACE_W + 1)'(DEPTH) - count_q[look] - due_q[look];
  assign budget = 6'(room / (PLACE_W + 1)'(CHAIN));

  logic unused;
  assign unused = ^{s_seg.vq, out_seg};
endmodule
