// SPDX-License-Identifier: Apache-2.0
//
// Walks the available rings of a set of split virtqueues (virtio 1.2, 2.7.6): heads of chains, in
// the order of each ring, the queues in turn. kumi_nic_chain reads their descriptors.
//
// notify_*: the driver says that a queue has new chains. start_*: a queue begins, at that index,
//   when start_take is high.
// stop: a bit per queue that shall not be looked at any more. working: its rings are being read, or
//   its heads handed out.
// want: queues whose chains are wanted now; budget: how many of queue `look`.
// look, ring, head_look, head_ring: what the driver set up of a queue, in the same cycle.
//   event_idx: VIRTIO_F_EVENT_IDX was negotiated.
// ar_*, r_*: reads of one beat, in order; data is always accepted. poke_*: writes of avail_event,
//   see kumi_nic_poke.
// head_*: a chain, see kumi_nic_heads.
// fault_*: an index more than the ring's size ahead, or memory that does not answer. The queue is
//   not looked at again until it is started.
// dry: nothing is known, nothing is being looked for, and the driver will notify.
// Of each queue one access is under way: two round trips to memory for up to DATA_W/16 chains, one
//   where more chains are known. Throughput: an access every 10 cycles, a head a cycle.
module kumi_nic_fetch
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
    parameter int RINGS = 16,  // beats of rings under way, a power of two
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
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
    input logic [5:0] budget,
    output logic [QUEUES-1:0] working,
    output logic [QUEUES-1:0] dry,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
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
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int BYTE_W = $clog2(BYTES);
  localparam int LANE_W = BYTE_W - 1;  // which entry of 16 bits of a beat
  localparam int ENTRIES = BYTES / 2;
  localparam int COUNT_W = LANE_W + 1;
  localparam int ASKED = 64;  // reads under way

  if (DATA_W < 256 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 256 (%m)");
  end
  if (QUEUES < 2 || QUEUES > 256) begin : gen_check_queues
    $fatal(0, "QUEUES must be 2..256 (%m)");
  end

  typedef enum logic [3:0] {
    S_PICK,
    S_GRANT,
    S_LOOK,
    S_PLACE,
    S_LOW,
    S_HIGH,
    S_LIMIT,
    S_BOUND,
    S_ASK,
    S_EVENT,
    S_NONE,
    S_FAULT
  } state_e;
  state_e state_q;

  typedef enum logic [1:0] {
    OP_INDEX,  // read the driver's index
    OP_RING,   // read heads
    OP_EVENT   // ask to be notified
  } fetch_op_e;
  fetch_op_e op, op_q;

  function automatic logic [COUNT_W-1:0] least(input logic [COUNT_W-1:0] a, input logic [16:0] b);
    return 17'(a) < b ? a : b[COUNT_W-1:0];
  endfunction
  function automatic logic [QUEUES-1:0] bit_of(input logic valid, input logic [LOOK_W-1:0] queue);
    return valid ? QUEUES'(1) << queue : '0;
  endfunction

  // ---- queues --------------------------------------------------------------------------------
  // pending: notified since its index was read. known: the index is ahead. armed: the driver has
  // been asked to notify. event, look2: that is to be asked, and then the index to be read once
  // more; again: what is read is that second one.
  logic [QUEUES-1:0] enabled_q, pending_q, known_q, armed_q, working_q, event_q, look2_q, again_q;
  logic [QUEUES-1:0] ready_q, grant, grant_q, lost_q;
  logic pick, rested_q;
  logic [LOOK_W-1:0] granted, look_q, lost;
  logic [$clog2(RINGS):0] rings_q;  // beats under way
  logic slot_q;  // an event is being written
  logic [LOOK_W-1:0] slot_queue_q;

  kumi_arbiter #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req (ready_q),
      .done(pick),
      .grant
  );

  always_comb begin
    granted = '0;
    lost = '0;
    for (int i = 0; i < QUEUES; ++i) if (grant_q[i]) granted |= LOOK_W'(i);
    for (int i = QUEUES - 1; i >= 0; --i) if (lost_q[i]) lost = LOOK_W'(i);
  end

  logic back_ring, back_bad, judge_q, judge_bad_q, found, settled, asks;
  logic [LOOK_W-1:0] back_queue, judge_queue_q;
  logic done_valid, done_rest, went, begins, poke_bad, poke_good, any_lost;
  logic [15:0] done_next;

  // What the last access changed is in ready_q a cycle later.
  assign pick = state_q == S_PICK && rested_q && !start_valid;
  assign start_ready = state_q == S_PICK && !done_valid && !judge_q;
  // A queue that was picked may have been stopped in the same cycle.
  assign begins = state_q == S_LOOK && (working_q[look_q] || !stop[look_q]);
  assign went = begins && op == OP_INDEX && !again_q[look_q];
  assign poke_bad = slot_q && poke_ready && poke_resp[1];
  assign poke_good = slot_q && poke_ready && !poke_resp[1];
  assign any_lost = |lost_q;

  always_ff @(posedge clk) begin
    ready_q <= (enabled_q & ~stop & want & (pending_q | known_q) & ~working_q &
        {QUEUES{!rings_q[$clog2(
        RINGS
    )]}}) | (event_q & {QUEUES{!slot_q}}) | look2_q;
    // What comes while the heads of one beat are handed out is looked for without a notification.
    pending_q <= (pending_q & ~bit_of(
        went, look_q
    )) | bit_of(
        done_valid, head_queue
    ) | bit_of(
        start_take, start_queue
    ) | bit_of(
        notify_valid, notify_queue
    );
    known_q <= (known_q & ~bit_of(
        done_valid && !done_rest, head_queue
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        found, judge_queue_q
    );
    armed_q <= (armed_q & ~bit_of(
        went, look_q
    ) & ~bit_of(
        found, judge_queue_q
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        settled, judge_queue_q
    );
    working_q <= (working_q | bit_of(
        begins, look_q
    )) & ~bit_of(
        done_valid, head_queue
    ) & ~bit_of(
        found || settled, judge_queue_q
    ) & ~bit_of(
        state_q == S_NONE, look_q
    ) & ~bit_of(
        any_lost, lost
    );
    event_q <= (event_q & ~bit_of(begins, look_q)) | bit_of(asks, judge_queue_q);
    look2_q <= (look2_q & ~bit_of(begins, look_q)) | bit_of(poke_good, slot_queue_q);
    again_q <= (again_q & ~bit_of(judge_q, judge_queue_q)) | bit_of(poke_good, slot_queue_q);
    lost_q <= (lost_q & ~bit_of(
        any_lost, lost
    )) | bit_of(
        state_q == S_FAULT, look_q
    ) | bit_of(
        back_bad, back_queue
    ) | bit_of(
        judge_q && judge_bad_q, judge_queue_q
    ) | bit_of(
        poke_bad, slot_queue_q
    );
    enabled_q <= (enabled_q & ~stop & ~lost_q) | bit_of(start_take, start_queue);
    rings_q <= rings_q + ($clog2(
        RINGS
    ) + 1)'(state_q == S_ASK && ar_valid && ar_ready && op_q == OP_RING) - ($clog2(
        RINGS
    ) + 1)'(done_valid) - ($clog2(
        RINGS
    ) + 1)'(back_bad);
    rested_q <= state_q == S_PICK;
    fault_valid <= any_lost;
    fault_queue <= lost;
    if (rst) begin
      ready_q <= '0;
      pending_q <= '0;
      known_q <= '0;
      armed_q <= '0;
      working_q <= '0;
      event_q <= '0;
      look2_q <= '0;
      again_q <= '0;
      lost_q <= '0;
      enabled_q <= '0;
      rings_q <= '0;
      fault_valid <= 1'b0;
    end
  end

  // ---- the indices ---------------------------------------------------------------------------
  logic [15:0] next_mem[QUEUES];  // of the next chain
  logic [15:0] seen_mem[QUEUES];  // the driver's, as last read
  logic [15:0] judge_value_q, judge_next_q;
  logic next_we, seen_we;

  assign next_we = start_take || done_valid;
  assign seen_we = start_take || found;
  always_ff @(posedge clk) begin
    if (next_we)
      next_mem[start_take?start_queue : head_queue] <= start_take ? start_index : done_next;
    if (seen_we) begin
      seen_mem[start_take?start_queue : judge_queue_q] <= start_take ? start_index : judge_value_q;
    end
  end

  // ---- accesses ------------------------------------------------------------------------------
  logic [15:0] next_q, seen_q, ahead_q, place, mask_q, size_q, to_wrap_q;
  logic [63:0] base_q, at_q;
  logic [18:0] offset_q;
  logic carry_q, beyond_q, none_q, asked_room;
  logic [COUNT_W-1:0] limit_q, left_q;

  assign op = event_q[look_q] ? OP_EVENT : look2_q[look_q] || !known_q[look_q] ? OP_INDEX : OP_RING;
  assign place = next_q & mask_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_PICK: begin
        grant_q <= grant;
        if (pick && |ready_q) state_q <= S_GRANT;
      end
      S_GRANT: begin
        look_q  <= granted;
        state_q <= S_LOOK;
      end
      S_LOOK: begin
        op_q <= op;
        next_q <= next_mem[look_q];
        seen_q <= seen_mem[look_q];
        base_q <= op == OP_EVENT ? ring.device : ring.driver;
        mask_q <= ring.size - 1'b1;
        size_q <= ring.size;
        state_q <= begins ? S_PLACE : S_PICK;
      end
      S_PLACE: begin
        ahead_q   <= seen_q - next_q;
        to_wrap_q <= mask_q - place;
        unique case (op_q)
          OP_INDEX: offset_q <= 19'd2;
          OP_EVENT: offset_q <= {size_q, 3'd0} + 19'd4;
          default:  offset_q <= 19'({place, 1'b0}) + 19'd4;
        endcase
        state_q <= S_LOW;
      end
      // An address is added up in two cycles.
      S_LOW: begin
        {carry_q, at_q[31:0]} <= 33'(base_q[31:0]) + 33'(offset_q);
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        at_q[63:32] <= base_q[63:32] + 32'(carry_q);
        state_q <= op_q == OP_RING ? S_LIMIT : op_q == OP_EVENT ? S_EVENT : S_ASK;
      end
      S_LIMIT: begin
        limit_q  <= least(COUNT_W'(ENTRIES) - COUNT_W'(at_q[BYTE_W-1:1]), {1'b0, to_wrap_q} + 1'b1);
        left_q   <= least(COUNT_W'(budget), {1'b0, ahead_q});
        beyond_q <= ahead_q > size_q;
        none_q   <= budget == '0;
        state_q  <= S_BOUND;
      end
      S_BOUND: begin
        left_q  <= least(limit_q, 17'(left_q));
        state_q <= beyond_q ? S_FAULT : none_q ? S_NONE : S_ASK;
      end
      S_ASK:   if (ar_valid && ar_ready) state_q <= S_PICK;
      default: state_q <= S_PICK;
    endcase
    if (rst) state_q <= S_PICK;
  end

  assign ar_valid = state_q == S_ASK && asked_room;
  assign ar_addr  = {at_q[63:BYTE_W], {BYTE_W{1'b0}}};

  // ---- the driver is asked to notify ---------------------------------------------------------
  // It may have looked at the old value before this is written: hence a second look.
  logic [63:0] slot_addr_q;
  logic [15:0] slot_next_q;
  always_ff @(posedge clk) begin
    if (poke_ready) slot_q <= 1'b0;
    if (state_q == S_EVENT) begin
      slot_q <= 1'b1;
      slot_queue_q <= look_q;
      slot_addr_q <= at_q;
      slot_next_q <= next_q;
    end
    if (rst) slot_q <= 1'b0;
  end
  assign poke_valid = slot_q;
  assign poke_addr  = slot_addr_q;
  assign poke_data  = {(DATA_W / 16) {slot_next_q}};
  assign poke_strb  = BYTES'(3) << {slot_addr_q[BYTE_W-1:1], 1'b0};

  // ---- what comes back -----------------------------------------------------------------------
  typedef struct packed {
    logic ring;
    logic [LOOK_W-1:0] vq;
    logic [LANE_W-1:0] lane;
    logic [COUNT_W-1:0] count;
    logic [15:0] next;
    logic rest;
  } asked_t;
  asked_t asked_in, back;
  logic [$bits(asked_t)-1:0] back_bits;
  logic back_valid, index_q, index_bad_q;
  logic [$clog2(ASKED):0] asked_depth;
  logic [LOOK_W-1:0] index_queue_q;
  logic [15:0] index_value_q;

  assign asked_in = '{
          ring: op_q == OP_RING,
          vq: look_q,
          lane: at_q[BYTE_W-1:1],
          count: left_q,
          next: next_q + 16'(left_q),
          rest: ahead_q != 16'(left_q)
      };
  kumi_fifo #(
      .W($bits(asked_t)),
      .DEPTH(ASKED),
      .STYLE(0)
  ) u_asked (
      .clk,
      .rst,
      .s_data (asked_in),
      .s_valid(state_q == S_ASK && ar_ready),
      .s_ready(asked_room),
      .m_data (back_bits),
      .m_valid(back_valid),
      .m_ready(r_valid),
      .depth  (asked_depth)
  );
  assign back = back_bits;
  assign back_ring = r_valid && back.ring;
  assign back_queue = back.vq;
  assign back_bad = back_ring && r_resp[1];

  always_ff @(posedge clk) begin
    index_q <= r_valid && !back.ring && !rst;
    index_queue_q <= back.vq;
    index_value_q <= 16'(r_data >> {back.lane, 4'b0});
    index_bad_q <= r_resp[1];
    judge_q <= index_q && !rst;
    judge_queue_q <= index_queue_q;
    judge_value_q <= index_value_q;
    judge_bad_q <= index_bad_q;
    judge_next_q <= next_mem[index_queue_q];
  end
  assign found = judge_q && !judge_bad_q && judge_value_q != judge_next_q;
  assign settled = judge_q && !judge_bad_q && judge_value_q == judge_next_q &&
      (again_q[judge_queue_q] || !event_idx);
  assign asks = judge_q && !judge_bad_q && judge_value_q == judge_next_q &&
      !again_q[judge_queue_q] && event_idx;

  kumi_nic_heads #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W),
      .DEPTH (RINGS)
  ) u_heads (
      .clk,
      .rst,
      .s_valid(back_ring && !r_resp[1]),
      .s_data (r_data),
      .s_queue(back.vq),
      .s_lane (back.lane),
      .s_count(back.count),
      .s_next (back.next),
      .s_rest (back.rest),
      .look   (head_look),
      .ring   (head_ring),
      .m_valid(head_valid),
      .m_ready(head_ready),
      .m_queue(head_queue),
      .m_head (head),
      .m_fault(head_fault),
      .m_table(head_table),
      .m_size (head_size),
      .done_valid,
      .done_next,
      .done_rest
  );

  assign look = look_q;
  assign working = working_q;
  assign dry = enabled_q & armed_q & ~pending_q & ~known_q;

  logic unused;
  assign unused = ^{at_q[0], r_resp[0], poke_resp[0], ring.desc, asked_depth, back_valid};
endmodule
