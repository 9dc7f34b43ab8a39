// SPDX-License-Identifier: Apache-2.0
//
// Writes the used rings of virtqueues, split (virtio 1.2, 2.7.8) or packed (2.8), and interrupts.
//
// packed_ring, event_idx: VIRTIO_F_RING_PACKED, VIRTIO_F_EVENT_IDX was negotiated. coal: see
//   kumi_nic_moderate.
// s_used: chains that the device has done with, whose data is in memory. `more`: the next one of
//   the same queue belongs to the same packet; the driver sees all of a packet or nothing.
// start_*: a queue of which no chain is here begins at that index, or place, when start_take is
//   high.
// look, ring, notify_look, notify_size: as in kumi_nic_fetch.
// working: queues with accesses under way. next_index: of queue next_queue, as the driver sees it:
//   an index, or a place.
// post_*, ack_*: writes, see kumi_nic_post. ar_*, r_*: reads of one beat, in order.
// done_*: a chain is done with here. irq_*: an interrupt. fault_*: memory does not answer; nothing
//   more of that queue is published until it starts again.
// Order, split: entries, then the index, each acknowledged before the next (2.7.13.2). Packed: of
//   the used descriptors of a set all but the first, then the first, at which the driver waits; one
//   set of a queue at a time has not got there. Then the driver's wish is read and the interrupt
//   decided (2.7.7.2). Up to BATCHES sets of chains, of any queues, are at different points of
//   that, and none passes another.
// Throughput: for each set 18 cycles, a cycle for each chain and 5 for each beat of the ring that
//   they touch. A set has up to CHAINS chains of one queue. Chains of one packet come without
//   others between them.
module kumi_nic_publish
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
    parameter int BATCHES = 32,  // under way, a power of two
    parameter int CHAINS = 64,  // of a set, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int TAG_W = LOOK_W + 2 + $bits(nic_mark_t)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic event_idx,
    input nic_coal_t coal,

    // queues
    input logic start_valid,
    output logic start_ready,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    output logic [LOOK_W-1:0] look,
    input nic_queue_t ring,
    output logic [LOOK_W-1:0] notify_look,
    input logic [15:0] notify_size,
    input logic [LOOK_W-1:0] next_queue,
    output logic [15:0] next_index,
    output logic [QUEUES-1:0] working,
    output logic busy,
    output logic done_valid,
    output logic [LOOK_W-1:0] done_queue,

    // chains
    input logic s_valid,
    output logic s_ready,
    input nic_used_t s_used,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic post_valid,
    input logic post_ready,
    output logic [63:0] post_addr,
    output logic [DATA_W-1:0] post_data,
    output logic [DATA_W/8-1:0] post_strb,
    output logic [TAG_W-1:0] post_tag,
    input logic ack_valid,
    input logic ack_bad,
    input logic [TAG_W-1:0] ack_tag,

    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int PLACE_W = $clog2(CHAINS);

  typedef enum logic [3:0] {
    S_PICK,
    S_GRANT,
    S_LOAD,
    S_PLACE,
    S_LOW,
    S_HIGH,
    S_PUT,
    S_POST,
    S_SAVE,
    S_INDEX,
    S_ASK,
    S_DROP
  } state_e;
  state_e state_q;

  typedef enum logic [1:0] {
    OP_ENTRIES,  // write entries
    OP_SHOW,     // write the index, or the first used descriptor
    OP_WISH      // read what the driver wants to know
  } publish_op_e;
  publish_op_e op_q;

  typedef struct packed {
    logic index;  // the write shows its set
    logic last;  // the last one of its set
    logic [LOOK_W-1:0] vq;
    nic_mark_t mark;
  } publish_tag_t;
  publish_tag_t tag, ack;
  assign ack = ack_tag;

  // ---- chains that wait ----------------------------------------------------------------------
  logic [QUEUES-1:0] early;
  logic [LOOK_W-1:0] granted, look_q;
  logic [PLACE_W-1:0] first, oldest_q, entry_place;
  logic [PLACE_W:0] count, left_q;
  logic [15:0] entry_head;
  logic [ 5:0] entry_descs;
  logic [31:0] entry_length;
  logic entry_more, pop, pick, cut, some;

  assign entry_place = oldest_q + PLACE_W'(pop);
  kumi_nic_used #(
      .QUEUES(QUEUES),
      .DEPTH (CHAINS)
  ) u_used (
      .clk,
      .rst,
      .s_valid,
      .s_ready,
      .s_used,
      .skip(early),
      .some,
      .pick,
      .granted,
      .look(look_q),
      .count,
      .first,
      .place(entry_place),
      .m_head(entry_head),
      .m_descs(entry_descs),
      .m_length(entry_length),
      .m_more(entry_more),
      .pop
  );

  // ---- sets that wait for their next step ----------------------------------------------------
  logic step_valid, step_shown, step_take, begins;
  logic [LOOK_W-1:0] step_queue;
  nic_mark_t step_mark, mark_q, came_mark_q;
  logic sets_write, sets_full, sets_some, more_q, single_q;
  logic [QUEUES-1:0] bad;
  logic [63:0] at_q;

  assign step_take = state_q == S_PICK && step_valid;
  assign pick = state_q == S_PICK && !step_valid && !start_valid && some && !sets_full;
  assign begins = state_q == S_LOAD && op_q == OP_ENTRIES;

  kumi_nic_publish_sets #(
      .DATA_W (DATA_W),
      .QUEUES (QUEUES),
      .BATCHES(BATCHES)
  ) u_sets (
      .clk,
      .rst,
      .packed_ring,
      .event_idx,
      .coal,
      .start_take,
      .start_queue,
      .start_index,
      .writes(sets_write),
      .next_queue,
      .next_index,
      .look(look_q),
      .begins,
      // A set that ends in the middle of a packet goes on with the next one of its queue.
      .ends(state_q == S_DROP),
      // A set of one chain has nothing to wait for before it is shown.
      .direct(state_q == S_SAVE && !more_q && single_q),
      .early,
      .full(sets_full),
      .some(sets_some),
      .working,
      .bad,
      .fault_valid,
      .fault_queue,
      .ack_valid,
      .ack_bad,
      .ack_last(ack.last),
      .ack_index(ack.index),
      .ack_queue(ack.vq),
      .ack_mark(ack.mark),
      .step_valid,
      .step_shown,
      .step_take,
      .step_queue,
      .step_mark,
      .asked(ar_valid && ar_ready),
      .asked_lane(at_q[LANE_W-1:1]),
      .asked_mark(mark_q),
      .r_valid,
      .r_data,
      .r_bad(r_resp[1]),
      .notify_look,
      .notify_size,
      .irq_valid,
      .irq_ready,
      .irq_queue
  );

  // ---- the indices ---------------------------------------------------------------------------
  nic_mark_t next_mem[QUEUES];  // of the next entry

  assign start_ready = state_q == S_PICK && !sets_write;
  assign look = look_q;

  always_ff @(posedge clk) begin
    if (start_take || state_q == S_SAVE)
      next_mem[start_take?start_queue : look_q] <= start_take ? {2{start_index}} : mark_q;
  end

  // ---- entries -------------------------------------------------------------------------------
  // A beat of them is collected. In a split ring one may begin in one beat and end in the next.
  logic [63:0] base_q, entry, first_entry, first_entry_q;
  logic [15:0] mask_q, to_end_q, to_end_next;  // to_end: see kumi_nic_used_step
  logic [19:0] offset_q;  // with the carry that comes in
  logic carry_q, full, last_q, second, beat_full, beat_some, wraps, hold, held, carry_in_unused;
  logic [DATA_W-1:0] beat_data;
  logic [BYTES-1:0] beat_strb, show_strb_q;  // show: of the index, or the first used descriptor
  nic_mark_t mark_next;
  nic_place_t first_place, first_place_q, at_place;

  assign pop = state_q == S_PUT && !cut;
  assign full = beat_full || wraps;
  assign at_place = op_q == OP_SHOW ? first_place_q : mark_q.place;

  kumi_nic_used_step u_step (
      .packed_ring,
      .mark(mark_q),
      .mask(mask_q),
      .to_end(to_end_q),
      .head(entry_head),
      .descs(entry_descs),
      .length(entry_length),
      .entry,
      .next(mark_next),
      .next_to_end(to_end_next),
      .wraps
  );

  kumi_nic_used_first #(
      .QUEUES(QUEUES)
  ) u_first (
      .clk,
      .rst,
      .packed_ring,
      .start_take,
      .start_queue,
      .look(look_q),
      .put(state_q == S_PUT),
      .hold,
      .place(mark_q.place),
      .entry,
      .saved(state_q == S_SAVE),
      .more(more_q),
      .held,
      .m_place(first_place),
      .m_entry(first_entry)
  );

  kumi_nic_used_beat #(
      .DATA_W(DATA_W)
  ) u_beat (
      .clk,
      .packed_ring,
      .restart(state_q == S_LOAD),
      .begin_beat(state_q == S_HIGH),
      .lane(at_q[LANE_W-1:2]),
      .put(state_q == S_PUT),
      .hold,
      .entry,
      .descs(entry_descs),
      .clear(state_q == S_POST && post_ready),
      .second,
      .cut,
      .full(beat_full),
      .some(beat_some),
      .data(beat_data),
      .strb(beat_strb)
  );

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_PICK: begin
        op_q <= !step_valid ? OP_ENTRIES : step_shown ? OP_WISH : OP_SHOW;
        look_q <= step_queue;
        came_mark_q <= step_mark;
        if (step_take) state_q <= S_LOAD;
        else if (pick) state_q <= S_GRANT;
      end
      S_GRANT: begin
        look_q  <= granted;
        state_q <= S_LOAD;
      end
      S_LOAD: begin
        mark_q <= op_q == OP_ENTRIES ? next_mem[look_q] : came_mark_q;
        first_place_q <= first_place;
        first_entry_q <= first_entry;
        oldest_q <= first;
        left_q <= count;
        single_q <= packed_ring && !held && count == 1;
        base_q <= op_q == OP_WISH ? ring.driver : packed_ring ? ring.desc : ring.device;
        mask_q <= ring.size - 1'b1;
        state_q <= op_q != OP_ENTRIES && bad[look_q] ? S_DROP : S_PLACE;
      end
      // Entries: 4 bytes in front of them; the second word lies 4 further on.
      S_PLACE: begin
        to_end_q <= mask_q - 16'(mark_q.place.pos);
        unique case (op_q)
          OP_SHOW: offset_q <= packed_ring ? {at_place.pos, 5'd16} : 20'd4;
          OP_WISH: offset_q <= event_idx && !packed_ring ? {2'd0, mask_q, 2'b11} + 20'd9 : '0;
          default:
          offset_q <= packed_ring ? {at_place.pos, 5'd16} :
              {mark_q.index & mask_q, second ? 4'b1111 : 4'b1000};
        endcase
        state_q <= S_LOW;
      end
      // An address is added up in two cycles.
      S_LOW: begin
        {carry_q, at_q[31:0], carry_in_unused} <= {1'b0, base_q[31:0], 1'b1} + 34'(offset_q);
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        at_q[63:32] <= base_q[63:32] + 32'(carry_q);
        show_strb_q <= packed_ring ? BYTES'(255) << {at_q[LANE_W-1:3], 3'b0} :
            BYTES'(3) << {at_q[LANE_W-1:1], 1'b0};
        state_q <= op_q == OP_ENTRIES ? S_PUT : op_q == OP_SHOW ? S_INDEX : S_ASK;
      end
      S_PUT: begin
        last_q <= !cut && left_q == 1;
        if (!cut) begin
          mark_q   <= mark_next;
          to_end_q <= to_end_next;
          oldest_q <= oldest_q + 1'b1;
          left_q   <= left_q - 1'b1;
          more_q   <= entry_more;
        end
        // What is held back may be all of a beat.
        if (cut || full || left_q == 1) state_q <= S_POST;
      end
      S_POST:  if (post_ready || !beat_some) state_q <= last_q ? S_SAVE : S_PLACE;
      S_SAVE: begin
        came_mark_q <= mark_q;
        op_q <= OP_SHOW;
        state_q <= more_q ? S_DROP : single_q ? S_LOAD : S_PICK;
      end
      S_INDEX: if (post_ready) state_q <= S_PICK;
      S_ASK:   if (ar_ready) state_q <= S_PICK;
      default: state_q <= S_PICK;
    endcase
    if (rst) state_q <= S_PICK;
  end

  assign tag = '{
          index: state_q == S_INDEX,
          last: state_q == S_POST && last_q && !more_q,
          vq: look_q,
          mark: mark_q
      };
  assign post_tag = tag;
  assign post_valid = (state_q == S_POST && beat_some) || state_q == S_INDEX;
  assign post_addr = at_q;
  always_comb begin
    post_data = beat_data;
    post_strb = beat_strb;
    if (state_q == S_INDEX) begin
      post_data = packed_ring ? {(DATA_W / 64) {first_entry_q}} : {(DATA_W / 16) {mark_q.index}};
      post_strb = show_strb_q;
    end
  end
  assign ar_valid = state_q == S_ASK;
  assign ar_addr = {at_q[63:LANE_W], {LANE_W{1'b0}}};
  assign done_valid = pop;
  assign done_queue = look_q;
  assign busy = some || sets_some || state_q != S_PICK;

  logic unused;
  assign unused = ^{r_resp[0], at_q[0], ring.desc, carry_in_unused, at_place.wrap};
endmodule
