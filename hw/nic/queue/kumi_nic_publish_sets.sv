// SPDX-License-Identifier: Apache-2.0
//
// Sets of used chains on their way to the driver: which of them is at which point, how many are
// under way of each queue, and the interrupts of those that the driver can see.
//
// packed_ring, event_idx, coal, irq_*, notify_look, notify_size: see kumi_nic_notify.
// start_*: a queue begins; not while `writes`. next_index: of queue next_queue, what the driver
//   sees: an index, or a place.
// begins, ends: a set of queue `look` begins; it has nothing more to wait for. full: BATCHES are
//   under way; some: one is, or an interrupt is held back.
// ack_*: a write was acknowledged: the last one of the entries of a set (last), what shows the set
//   to the driver (index), or another one.
// step_*: a set all of whose entries are in memory, or (shown) that the driver can see; each in
//   order, the shown ones first. direct: a set has no entries to wait for.
// early: packed queues with a set whose entries are not all in memory.
// asked_*: what the driver wants to know of a set of queue `look` is read.
// bad: queues of which memory did not answer, until they start again; fault_*: that happened.
module kumi_nic_publish_sets
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port
    parameter int QUEUES = 3,  // up to 256
    parameter int BATCHES = 32,  // sets, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int OPEN_W = $clog2(BATCHES) + 1,
    localparam int HALF_W = $clog2(DATA_W / 16)
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
    input logic [LOOK_W-1:0] next_queue,
    output logic [15:0] next_index,
    input logic [LOOK_W-1:0] look,
    input logic begins,
    input logic ends,
    input logic direct,
    output logic [QUEUES-1:0] early,
    output logic full,
    output logic some,
    output logic [QUEUES-1:0] working,
    output logic [QUEUES-1:0] bad,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue,

    // writes
    input logic ack_valid,
    input logic ack_bad,
    input logic ack_last,
    input logic ack_index,
    input logic [LOOK_W-1:0] ack_queue,
    input nic_mark_t ack_mark,

    // sets that wait for their next step
    output logic step_valid,
    output logic step_shown,
    input logic step_take,
    output logic [LOOK_W-1:0] step_queue,
    output nic_mark_t step_mark,

    // what the driver wants to know
    input logic asked,
    input logic [HALF_W-1:0] asked_lane,
    input nic_mark_t asked_mark,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic r_bad,

    // interrupts
    output logic [LOOK_W-1:0] notify_look,
    input logic [15:0] notify_size,
    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue
);
  function automatic logic [QUEUES-1:0] bit_of(input logic valid, input logic [LOOK_W-1:0] queue);
    return valid ? QUEUES'(1) << queue : '0;
  endfunction

  // ---- what waits ----------------------------------------------------------------------------
  logic written_valid, written_room, written_take, shown_valid, shown_room, shown_take;
  logic asked_room, back_valid;
  logic [LOOK_W-1:0] written_queue, shown_queue;
  nic_mark_t written_mark, shown_mark;
  logic [OPEN_W-1:0] written_depth, shown_depth, asked_depth;
  logic [LOOK_W-1:0] back_queue;
  nic_mark_t back_mark;
  logic [HALF_W-1:0] back_lane;

  kumi_fifo #(
      .W(LOOK_W + $bits(nic_mark_t)),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_written (
      .clk,
      .rst,
      .s_data ({ack_queue, ack_mark}),
      .s_valid(ack_valid && ack_last),
      .s_ready(written_room),
      .m_data ({written_queue, written_mark}),
      .m_valid(written_valid),
      .m_ready(written_take),
      .depth  (written_depth)
  );
  kumi_fifo #(
      .W(LOOK_W + $bits(nic_mark_t)),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_shown (
      .clk,
      .rst,
      .s_data ({ack_queue, ack_mark}),
      .s_valid(ack_valid && ack_index),
      .s_ready(shown_room),
      .m_data ({shown_queue, shown_mark}),
      .m_valid(shown_valid),
      .m_ready(shown_take),
      .depth  (shown_depth)
  );
  kumi_fifo #(
      .W(LOOK_W + $bits(nic_mark_t) + HALF_W),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_asked (
      .clk,
      .rst,
      .s_data ({look, asked_mark, asked_lane}),
      .s_valid(asked),
      .s_ready(asked_room),
      .m_data ({back_queue, back_mark, back_lane}),
      .m_valid(back_valid),
      .m_ready(r_valid),
      .depth  (asked_depth)
  );

  assign step_valid = shown_valid || written_valid;
  assign step_shown = shown_valid;
  assign step_queue = shown_valid ? shown_queue : written_queue;
  assign step_mark = shown_valid ? shown_mark : written_mark;
  assign shown_take = step_take && shown_valid;
  assign written_take = step_take && !shown_valid;

  // ---- what the driver wants to know ---------------------------------------------------------
  logic wish_valid, wish_bad, decided_valid, irq_held, notify_writes;
  logic [LOOK_W-1:0] wish_queue, decided_queue;
  logic [31:0] wish_data;
  nic_mark_t wish_mark;

  always_ff @(posedge clk) begin
    wish_valid <= r_valid && !rst;
    wish_bad   <= r_bad;
    wish_queue <= back_queue;
    wish_mark  <= back_mark;
    wish_data  <= 32'(r_data >> {back_lane, 4'b0});
  end

  kumi_nic_notify #(
      .QUEUES(QUEUES),
      .DEPTH (BATCHES)
  ) u_notify (
      .clk,
      .rst,
      .packed_ring,
      .event_idx,
      .coal,
      .start_take,
      .start_queue,
      .start_index,
      .writes(notify_writes),
      .look(notify_look),
      .size(notify_size),
      .s_valid(wish_valid),
      .s_skip(wish_bad),
      .s_queue(wish_queue),
      .s_next(wish_mark.index),
      .s_place(wish_mark.place),
      .s_event(wish_data),
      .done_valid(decided_valid),
      .done_queue(decided_queue),
      .irq_valid,
      .irq_ready,
      .irq_queue,
      .waiting(irq_held)
  );

  // ---- what the driver sees ------------------------------------------------------------------
  logic [15:0] shown_mem[QUEUES];
  logic shows;

  assign shows = ack_valid && ack_index && !ack_bad;
  assign writes = shows || notify_writes;
  assign next_index = shown_mem[next_queue];
  always_ff @(posedge clk) begin
    if (start_take || shows) begin
      shown_mem[start_take?start_queue : ack_queue] <= start_take ? start_index :
          packed_ring ? ack_mark.place : ack_mark.index;
    end
  end

  // ---- of each queue -------------------------------------------------------------------------
  logic [QUEUES-1:0] bad_q, lost, refused;
  logic [QUEUES-1:0][OPEN_W-1:0] open_q;
  logic [OPEN_W-1:0] total_q;

  assign refused = bit_of(
      ack_valid && ack_bad, ack_queue
  ) | bit_of(
      wish_valid && wish_bad, wish_queue
  );

  kumi_nic_lost #(
      .QUEUES(QUEUES)
  ) u_lost (
      .clk,
      .rst,
      .set(refused & ~bad_q),
      .lost,
      .tell_valid(fault_valid),
      .tell_queue(fault_queue)
  );

  always_comb for (int i = 0; i < QUEUES; ++i) working[i] = open_q[i] != '0;

  always_ff @(posedge clk) begin
    for (int i = 0; i < QUEUES; ++i) begin
      open_q[i] <= open_q[i] + OPEN_W'(begins && look == LOOK_W'(i)) -
          OPEN_W'(ends && look == LOOK_W'(i)) -
          OPEN_W'(decided_valid && decided_queue == LOOK_W'(i));
    end
    total_q <= total_q + OPEN_W'(begins) - OPEN_W'(ends) - OPEN_W'(decided_valid);
    early <= (early | bit_of(
        begins && packed_ring, look
    )) & ~bit_of(
        written_take && written_valid, written_queue
    ) & ~bit_of(
        ends || direct, look
    );
    bad_q <= (bad_q & ~bit_of(start_take, start_queue)) | refused;
    if (rst) begin
      open_q  <= '0;
      total_q <= '0;
      bad_q   <= '0;
      early   <= '0;
    end
  end
  assign bad  = bad_q;
  assign full = total_q[OPEN_W-1];
  assign some = total_q != '0 || irq_held;

  logic unused;
  assign unused = ^{lost, written_room, shown_room, asked_room, back_valid, written_depth,
                    shown_depth, asked_depth};
endmodule
