// SPDX-License-Identifier: Apache-2.0
//
// Walks the rings of a set of virtqueues: available rings of split ones (virtio 1.2, 2.7.6) to
// heads of chains, packed ones (2.8) to descriptors, in the order of each ring, the queues in turn.
//
// packed_ring, event_idx: VIRTIO_F_RING_PACKED, VIRTIO_F_EVENT_IDX was negotiated.
// notify_*: the driver says that a queue has new chains. start_*: a queue begins, at that index (a
//   packed one at that nic_place_t), when start_take is high.
// stop: a bit per queue that shall not be looked at any more. working: its rings are being read, or
//   its chains handed out.
// want: queues whose chains are wanted now; budget: how many of queue `look`, up to NIC_CHAIN. Of a
//   packed queue not more descriptors are read, so it should have room for a whole chain.
// look, ring, head_look, head_ring: what the driver set up of a queue, in the same cycle.
// ar_*, r_*: reads, in order; data is always accepted. poke_*: writes of notification events, see
//   kumi_nic_poke.
// head_*: a chain of a split queue, see kumi_nic_heads. desc_*: a descriptor of a packed one, see
//   kumi_nic_descs. taken_*: a chain's head, or first descriptor, has moved.
// fault_*: an index more than the ring's size ahead, a place outside the ring, a chain in a packed
//   ring of more than NIC_CHAIN descriptors or than `budget`, or memory that does not answer. The
//   queue is not looked at again until it is started.
// dry: nothing is known, nothing is being looked for, and the driver will notify.
// Of each queue one access is under way. Split: two round trips to memory for up to DATA_W/16
//   chains, one where more chains are known. Packed: one round trip for the beats that are asked
//   for: one of a ring that was found empty, up to 8 while all of them are available, 17 if a chain
//   needs it.
// Throughput: an access every 11 cycles (packed 13), a head or a descriptor a cycle.
module kumi_nic_fetch
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
    parameter int RINGS = 16,  // beats of split rings under way, a power of two
    parameter int BEATS = 64,  // beats of packed rings under way, a power of two
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic event_idx,

    // queues
    input logic notify_valid,
    input logic [LOOK_W-1:0] notify_queue,
    input logic start_valid,
    output logic start_ready,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    input logic [QUEUES-1:0] stop,
    input logic [QUEUES-1:0] want,
    output logic [LOOK_W-1:0] look,
    input nic_queue_t ring,
    output logic [LOOK_W-1:0] head_look,
    input nic_queue_t head_ring,
    input logic [6:0] budget,
    output logic [QUEUES-1:0] working,
    output logic [QUEUES-1:0] dry,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic poke_valid,
    input logic poke_ready,
    output logic [63:0] poke_addr,
    output logic [DATA_W-1:0] poke_data,
    output logic [DATA_W/8-1:0] poke_strb,
    input logic [1:0] poke_resp,

    // chains
    output logic head_valid,
    input logic head_ready,
    output logic [LOOK_W-1:0] head_queue,
    output logic [15:0] head,
    output logic head_fault,
    output logic [63:0] head_table,
    output logic [15:0] head_size,
    output logic desc_valid,
    input logic desc_ready,
    output logic desc_first,
    output logic [LOOK_W-1:0] desc_queue,
    output nic_desc_t desc,
    output logic taken_valid,
    output logic [LOOK_W-1:0] taken_queue,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int BYTE_W = $clog2(BYTES);
  localparam int LANE_W = BYTE_W - 1;  // which entry of 16 bits of a beat
  localparam int COUNT_W = LANE_W + 1;
  localparam int MOST_BEATS = NIC_CHAIN * 128 / DATA_W + 3;  // of an access around the ring's end
  localparam int ROOM_W = $clog2(BEATS) + 1;

  if (DATA_W < 256 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 256 (%m)");
  end
  if (QUEUES < 2 || QUEUES > 256) begin : gen_check_queues
    $fatal(0, "QUEUES must be 2..256 (%m)");
  end
  if (BEATS < MOST_BEATS || RINGS > BEATS) begin : gen_check_beats
    $fatal(0, "BEATS has no room for a chain (%m)");
  end

  // ---- whose turn it is, and its access ------------------------------------------------------
  logic go, idle, ring_room, none, lost, event_valid, slot_q, asked_room;
  logic done_valid, done_rest, back_bad, judged_valid;
  logic start_hold, heads_valid, descs_valid;
  logic [LOOK_W-1:0] done_queue, judged_queue, slot_queue_q;
  logic [15:0] event_next, done_next;
  logic [63:0] event_addr;
  nic_fetch_op_e op;
  nic_judged_e judged;
  nic_asked_t asked, back;

  kumi_nic_fetch_turn #(
      .QUEUES(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .event_idx,
      .packed_ring,
      .notify_valid,
      .notify_queue,
      .start_valid,
      .start_ready,
      .start_hold,
      .start_take,
      .start_queue,
      .stop,
      .want,
      .working,
      .dry,
      .idle,
      .ring_room,
      .event_room (!slot_q),
      .go,
      .look,
      .op,
      .none_valid (none),
      .lost_valid (lost),
      .judged_valid,
      .judged_queue,
      .judged,
      .done_valid,
      .done_queue,
      .done_rest,
      .asked_valid(slot_q && poke_ready),
      .asked_bad  (poke_resp[1]),
      .asked_queue(slot_queue_q),
      .back_bad,
      .back_queue (back.vq[LOOK_W-1:0]),
      .fault_valid,
      .fault_queue
  );

  // The places of the queues, and how much of a packed ring is read at once.
  logic [15:0] next_mem[QUEUES];  // of the next chain
  logic [15:0] seen_mem[QUEUES];  // the driver's index, as last read
  logic [2:0] level_mem[QUEUES];
  logic [15:0] seen_value;
  logic [2:0] level_next;
  logic seen_found, level_we;

  always_ff @(posedge clk) begin
    if (start_take || done_valid)
      next_mem[start_take?start_queue : done_queue] <= start_take ? start_index : done_next;
    if (start_take || seen_found)
      seen_mem[start_take?start_queue : judged_queue] <= start_take ? start_index : seen_value;
    if (start_take || level_we)
      level_mem[start_take?start_queue : judged_queue] <= start_take ? '0 : level_next;
  end

  kumi_nic_fetch_access #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W)
  ) u_access (
      .clk,
      .rst,
      .packed_ring,
      .go,
      .op,
      .ring,
      .next (next_mem[look]),
      .seen (seen_mem[look]),
      .budget,
      .level(level_mem[look]),
      .look,
      .idle,
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .asked_room,
      .asked,
      .event_valid,
      .event_addr,
      .event_next,
      .none,
      .fault(lost)
  );

  // ---- the driver is asked to notify ---------------------------------------------------------
  // It may have looked at the old value before this is written: hence a second look. A split ring
  // has an index there, a packed one a place and how it is meant.
  logic [63:0] slot_addr_q;
  logic [15:0] slot_next_q;
  always_ff @(posedge clk) begin
    if (poke_ready) slot_q <= 1'b0;
    if (event_valid) begin
      slot_q <= 1'b1;
      slot_queue_q <= look;
      slot_addr_q <= event_addr;
      slot_next_q <= event_next;
    end
    if (rst) slot_q <= 1'b0;
  end
  assign poke_valid = slot_q;
  assign poke_addr = slot_addr_q;
  assign poke_data = packed_ring ? {(DATA_W / 32) {14'd0, EVENTS_DESC, slot_next_q}} :
      {(DATA_W / 16) {slot_next_q}};
  assign poke_strb = packed_ring ? BYTES'(15) << {slot_addr_q[BYTE_W-1:2], 2'b0} :
      BYTES'(3) << {slot_addr_q[BYTE_W-1:1], 1'b0};

  // ---- what comes back -----------------------------------------------------------------------
  logic [$bits(nic_asked_t)-1:0] back_bits;
  logic back_valid, part_ends;
  logic [6:0] asked_depth;

  kumi_fifo #(
      .W($bits(nic_asked_t)),
      .DEPTH(64),
      .STYLE(0)
  ) u_asked (
      .clk,
      .rst,
      .s_data (asked),
      .s_valid(ar_valid && ar_ready),
      .s_ready(asked_room),
      .m_data (back_bits),
      .m_valid(back_valid),
      .m_ready(r_valid && (part_ends || !packed_ring)),
      .depth  (asked_depth)
  );
  assign back = back_bits;

  // ---- split: the index, and heads -----------------------------------------------------------
  logic index_q, index_bad_q, judge_q, judge_bad_q, ring_back;
  logic head_done, head_rest;
  logic [LOOK_W-1:0] index_queue_q, judge_queue_q;
  logic [15:0] index_value_q, judge_value_q, judge_next_q, head_next;

  assign ring_back = r_valid && back.ring && !packed_ring;
  assign back_bad  = ring_back && r_resp[1];
  always_ff @(posedge clk) begin
    index_q <= r_valid && !back.ring && !rst;
    index_queue_q <= back.vq[LOOK_W-1:0];
    index_value_q <= 16'(r_data >> {back.lane[LANE_W-1:0], 4'b0});
    index_bad_q <= r_resp[1];
    judge_q <= index_q && !rst;
    judge_queue_q <= index_queue_q;
    judge_value_q <= index_value_q;
    judge_bad_q <= index_bad_q;
    judge_next_q <= next_mem[index_queue_q];
  end

  kumi_nic_heads #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W),
      .DEPTH (RINGS)
  ) u_heads (
      .clk,
      .rst,
      .s_valid(ring_back && !r_resp[1]),
      .s_data (r_data),
      .s_queue(back.vq[LOOK_W-1:0]),
      .s_lane (back.lane[LANE_W-1:0]),
      .s_count(back.count[COUNT_W-1:0]),
      .s_next (back.next),
      .s_rest (back.rest),
      .look   (head_look),
      .ring   (head_ring),
      .m_valid(heads_valid),
      .m_ready(head_ready && !start_hold),
      .m_queue(head_queue),
      .m_head (head),
      .m_fault(head_fault),
      .m_table(head_table),
      .m_size (head_size),
      .done_valid(head_done),
      .done_next(head_next),
      .done_rest(head_rest)
  );

  // ---- packed: the ring ----------------------------------------------------------------------
  logic found_valid, freed, desc_done;
  logic [LOOK_W-1:0] found_queue;
  logic [2:0] level_next_packed;
  nic_judged_e found_judged;
  nic_place_t desc_next;

  kumi_nic_fetch_ring #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W),
      .DEPTH (BEATS)
  ) u_ring (
      .clk,
      .rst,
      .s_valid(r_valid && packed_ring),
      .s_data(r_data),
      .s_bad(r_resp[1]),
      .s_asked(back),
      .s_ends(part_ends),
      .freed,
      .judged_valid(found_valid),
      .judged_queue(found_queue),
      .judged(found_judged),
      .level(level_mem[found_queue]),
      .level_next(level_next_packed),
      .m_valid(descs_valid),
      .m_ready(desc_ready && !start_hold),
      .m_queue(desc_queue),
      .m_desc(desc),
      .m_first(desc_first),
      .done_valid(desc_done),
      .done_next(desc_next)
  );

  // ---- of either -----------------------------------------------------------------------------
  // Nothing is handed out while a queue may start, so that a start need not look at it.
  assign head_valid = heads_valid && !start_hold;
  assign desc_valid = descs_valid && !start_hold;

  logic judge_same;
  assign judge_same = judge_value_q == judge_next_q;
  assign judged_valid = packed_ring ? found_valid : judge_q;
  assign judged_queue = packed_ring ? found_queue : judge_queue_q;
  assign judged = packed_ring ? found_judged :
      judge_bad_q ? JUDGED_BAD : judge_same ? JUDGED_EMPTY : JUDGED_FOUND;
  assign seen_found = judge_q && !judge_bad_q && !judge_same;
  assign seen_value = judge_value_q;
  assign level_we = found_valid;
  assign level_next = level_next_packed;
  assign done_valid = packed_ring ? desc_done : head_done;
  assign done_queue = packed_ring ? desc_queue : head_queue;
  assign done_next = packed_ring ? desc_next : head_next;
  assign done_rest = !packed_ring && head_rest;
  assign taken_valid = (head_valid && head_ready) || (desc_valid && desc_ready && desc_first);
  assign taken_queue = packed_ring ? desc_queue : head_queue;

  // Beats under way, until they are done with. One of a split ring may be bad, and is over then.
  logic [ROOM_W-1:0] beats_q;
  always_ff @(posedge clk) begin
    beats_q <= beats_q +
        (ar_valid && ar_ready && asked.ring ? ROOM_W'(ar_len) + 1'b1 : '0) -
        ROOM_W'(packed_ring ? freed : head_done || back_bad);
    ring_room <= packed_ring ? beats_q <= ROOM_W'(BEATS - MOST_BEATS) : beats_q < ROOM_W'(RINGS);
    if (rst) beats_q <= '0;
  end

  logic unused;
  assign unused = ^{r_resp[0], poke_resp[0], asked_depth, back_valid, slot_addr_q[1:0]};
endmodule
