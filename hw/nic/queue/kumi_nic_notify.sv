// SPDX-License-Identifier: Apache-2.0
//
// Decides on interrupts, and raises them (virtio 1.2, 2.7.7.2 and 2.8.10): for each used index that
// the driver can see, in order, with what the driver wanted to know, read after it.
//
// s_*: index `next` of a queue, of a packed one also its place; event: what was read for it, in a
//   split ring 16 bits: the index that the driver waits for with event_idx, else its flags; in a
//   packed one a place and how it is meant. s_skip: memory did not answer.
//   Always accepted: the user has not more than DEPTH of them under way.
// start_take: a queue begins at that index, or place; not while `writes`.
// look, size: the ring of a queue, in the same cycle.
// done_*: decided. irq_*: an interrupt, held back as `coal` has it (kumi_nic_moderate).
// waiting: an interrupt is held back.
// Throughput: one every 4 cycles, of a packed ring every 5, with an interrupt 4 more.
module kumi_nic_notify
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 3,  // 2..256
    parameter int DEPTH = 16,  // a power of two
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic event_idx,
    input nic_coal_t coal,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    output logic writes,
    output logic [LOOK_W-1:0] look,
    input logic [15:0] size,
    input logic s_valid,
    input logic s_skip,
    input logic [LOOK_W-1:0] s_queue,
    input logic [15:0] s_next,
    input nic_place_t s_place,
    input logic [31:0] s_event,
    output logic done_valid,
    output logic [LOOK_W-1:0] done_queue,
    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue,
    output logic waiting
);
  typedef enum logic [2:0] {
    S_LOAD,
    S_UNROLL,
    S_COMPARE,
    S_DECIDE,
    S_IRQ,
    S_DONE
  } state_e;
  state_e state_q;

  logic valid, room, skip, held_ready, held_writes;
  logic [LOOK_W-1:0] queue;
  logic [15:0] next, mark, told_q, event_q, now_q, ahead_q, since_q, size_q;
  logic [31:0] wish;
  logic [ 1:0] wish_flags;
  nic_place_t place, told_place, event_place;
  logic [$clog2(DEPTH):0] depth;
  logic [15:0] told_mem[QUEUES];  // index up to which interrupts were decided

  kumi_fifo #(
      .W(1 + LOOK_W + 64),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_indices (
      .clk,
      .rst,
      .s_data ({s_skip, s_queue, s_next, s_place, s_event}),
      .s_valid,
      .s_ready(room),
      .m_data ({skip, queue, next, place, wish}),
      .m_valid(valid),
      .m_ready(state_q == S_DONE),
      .depth
  );

  // Indices are compared as differences. A place before the ring's end, seen from behind it, counts
  // below the ring (2.8.10.1).
  assign look = queue;
  assign mark = packed_ring ? place : next;
  assign told_place = told_q;
  assign event_place = event_q;
  assign wish_flags = wish[17:16];

  logic passed, wanted;
  assign passed = ahead_q < since_q;
  assign wanted = !packed_ring ? (event_idx ? passed : !wish[0]) :
      wish_flags == EVENTS_DESC && event_idx ? passed : wish_flags != EVENTS_OFF;

  assign writes = state_q == S_DECIDE || held_writes;
  always_ff @(posedge clk) begin
    if (start_take || state_q == S_DECIDE) begin
      told_mem[start_take?start_queue : queue] <= start_take ? start_index : mark;
    end
    unique case (state_q)
      S_LOAD: begin
        told_q  <= told_mem[queue];
        event_q <= wish[15:0];
        now_q   <= packed_ring ? 16'(place.pos) : next;
        size_q  <= size;
        if (valid) state_q <= skip ? S_DONE : packed_ring ? S_UNROLL : S_COMPARE;
      end
      S_UNROLL: begin
        told_q  <= 16'(told_place.pos) - (told_place.wrap != place.wrap ? size_q : 16'd0);
        event_q <= 16'(event_place.pos) - (event_place.wrap != place.wrap ? size_q : 16'd0);
        state_q <= S_COMPARE;
      end
      // next - (event + 1), as a borrow less costs nothing.
      S_COMPARE: begin
        ahead_q <= now_q + ~event_q;
        since_q <= now_q - told_q;
        state_q <= S_DECIDE;
      end
      S_DECIDE: state_q <= wanted ? S_IRQ : S_DONE;
      S_IRQ: if (held_ready) state_q <= S_DONE;
      default: state_q <= S_LOAD;
    endcase
    if (rst) state_q <= S_LOAD;
  end
  assign done_valid = state_q == S_DONE;
  assign done_queue = queue;

  kumi_nic_moderate #(
      .QUEUES(QUEUES)
  ) u_moderate (
      .clk,
      .rst,
      .coal,
      .start_take,
      .start_queue,
      .start_index,
      .writes(held_writes),
      .seen_valid(done_valid && !skip),
      .seen_queue(queue),
      .seen_index(next),
      .s_valid(state_q == S_IRQ),
      .s_ready(held_ready),
      .s_queue(queue),
      .s_index(next),
      .m_valid(irq_valid),
      .m_ready(irq_ready),
      .m_queue(irq_queue),
      .waiting
  );

  logic unused;
  assign unused = ^{room, depth, wish[31:18]};
endmodule
