// SPDX-License-Identifier: Apache-2.0
//
// Walks the available rings of a set of split virtqueues (virtio 1.2, 2.7.6): heads of chains, in
// the order of each ring, the queues in turn. kumi_nic_chain reads their descriptors.
//
// notify_*: the driver says that a queue has new chains. start_*: a queue begins, at that index,
//   when start_take is high.
// stop: a bit per queue that shall not be looked at any more.
// want: queues whose chains are wanted now; budget: how many of queue `look`.
// look, ring: what the driver set up of that queue, in the same cycle. event_idx:
//   VIRTIO_F_EVENT_IDX was negotiated.
// ar_*, r_*: reads of one beat, whose data is always accepted. poke_*: writes of avail_event, see
//   kumi_nic_poke.
// head_*: a chain; head_fault: its number is beyond the table.
// fault_*: an index more than the ring's size ahead, or memory that does not answer. The queue is
//   not looked at again until it is started.
// dry: nothing is known, nothing is being looked for, and the driver will notify.
// One queue is looked at at a time: two round trips to memory for up to DATA_W/16 chains.
module kumi_nic_fetch
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
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
    input logic [5:0] budget,
    output logic idle,
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
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int ENTRIES = BYTES / 2;  // of an available ring in a beat
  localparam int COUNT_W = $clog2(ENTRIES) + 1;

  if (DATA_W < 256 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "DATA_W must be a power of two, at least 256 (%m)");
  end
  if (QUEUES < 2 || QUEUES > 256) begin : gen_check_queues
    $fatal(0, "QUEUES must be 2..256 (%m)");
  end

  typedef enum logic [3:0] {
    S_PICK,
    S_LOOK,
    S_LOW,
    S_HIGH,
    S_INDEX,
    S_INDEX_WAIT,
    S_JUDGE,
    S_EVENT,
    S_COUNT,
    S_LIMIT,
    S_BOUND,
    S_RING,
    S_RING_WAIT,
    S_HEADS,
    S_FAULT
  } state_e;
  state_e state_q, then_q;

  function automatic logic [COUNT_W-1:0] least(input logic [COUNT_W-1:0] a, input logic [16:0] b);
    return 17'(a) < b ? a : b[COUNT_W-1:0];
  endfunction

  // ---- whose turn it is ----------------------------------------------------------------------
  // pending: notified since its index was read. known: the index is ahead. armed: the driver has
  // been asked to notify.
  logic [QUEUES-1:0] enabled_q, pending_q, known_q, armed_q, ready, grant;
  logic pick, start;
  logic [LOOK_W-1:0] granted, look_q;
  logic [15:0] next_q, seen_q;  // indices of the queue that is looked at
  logic again_q;  // the second look
  logic [COUNT_W-1:0] left_q;  // chains of the beat that are not handed out

  assign ready = enabled_q & ~stop & want & (pending_q | known_q);
  assign start_ready = state_q == S_PICK;
  assign start = start_take;
  assign pick = state_q == S_PICK && !start_valid && |ready;

  kumi_arbiter #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req (ready),
      .done(pick),
      .grant
  );

  always_comb begin
    granted = '0;
    for (int i = 0; i < QUEUES; ++i) if (grant[i]) granted |= LOOK_W'(i);
  end

  logic went, arms, found, empties, settled;
  assign went = state_q == S_LOOK && !known_q[look_q];
  assign found = state_q == S_JUDGE && seen_q != next_q;
  assign settled = state_q == S_JUDGE && seen_q == next_q && (again_q || !event_idx);
  assign arms = settled;
  assign empties = state_q == S_HEADS && head_ready && left_q == 1;

  logic [QUEUES-1:0] this_one, started;
  assign this_one = QUEUES'(1) << look_q;
  assign started  = start ? QUEUES'(1) << start_queue : '0;

  always_ff @(posedge clk) begin
    // What comes while the heads of one beat are handed out is looked for without a notification.
    pending_q <= (pending_q & ~(went ? this_one : '0)) | (empties ? this_one : '0) | started |
        (notify_valid ? QUEUES'(1) << notify_queue : '0);
    known_q <= (known_q & ~(empties && next_q + 1'b1 == seen_q ? this_one : '0) & ~started) |
        (found ? this_one : '0);
    armed_q <= (armed_q & ~(went || found ? this_one : '0) & ~started) | (arms ? this_one : '0);
    enabled_q <= (enabled_q & ~stop & ~(state_q == S_FAULT ? this_one : '0)) | started;
    if (rst) begin
      pending_q <= '0;
      known_q   <= '0;
      armed_q   <= '0;
      enabled_q <= '0;
    end
  end

  // ---- the indices ---------------------------------------------------------------------------
  logic [15:0] next_mem[QUEUES];  // of the next chain
  logic [15:0] seen_mem[QUEUES];  // the driver's, as last read
  logic [15:0] ahead_q, place, mask_q, to_wrap_q;
  logic [63:0] base_q, at_q;
  logic [18:0] offset_q;
  logic carry_q, beyond_q, none_q;
  logic [COUNT_W-1:0] limit_q;

  assign place = next_q & mask_q;

  always_ff @(posedge clk) begin
    if (empties) next_mem[look_q] <= next_q + 1'b1;
    if (found) seen_mem[look_q] <= seen_q;
    if (start) begin
      next_mem[start_queue] <= start_index;
      seen_mem[start_queue] <= start_index;
    end
  end

  // ---- one queue -----------------------------------------------------------------------------
  logic [DATA_W-1:0] beat_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_PICK:
      if (pick) begin
        look_q  <= granted;
        state_q <= S_LOOK;
      end
      S_LOOK: begin
        next_q   <= next_mem[look_q];
        seen_q   <= seen_mem[look_q];
        again_q  <= 1'b0;
        base_q   <= ring.driver;
        mask_q   <= ring.size - 1'b1;
        offset_q <= 19'd2;
        then_q   <= known_q[look_q] ? S_JUDGE : S_INDEX;
        state_q  <= S_LOW;
      end
      // An address is added up in two cycles.
      S_LOW: begin
        {carry_q, at_q[31:0]} <= 33'(base_q[31:0]) + 33'(offset_q);
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        at_q[63:32] <= base_q[63:32] + 32'(carry_q);
        state_q <= then_q;
      end
      S_INDEX: if (ar_ready) state_q <= S_INDEX_WAIT;
      S_INDEX_WAIT:
      if (r_valid) begin
        seen_q  <= 16'(r_data >> {at_q[LANE_W-1:1], 4'b0});
        state_q <= r_resp[1] ? S_FAULT : S_JUDGE;
      end
      S_JUDGE: begin
        base_q   <= ring.device;
        offset_q <= {ring.size, 3'd0} + 19'd4;
        then_q   <= S_EVENT;
        state_q  <= found ? S_COUNT : settled ? S_PICK : S_LOW;
      end
      // The driver may have looked at the old value before this is written: hence a second look.
      S_EVENT:
      if (poke_ready) begin
        again_q  <= 1'b1;
        base_q   <= ring.driver;
        offset_q <= 19'd2;
        then_q   <= S_INDEX;
        state_q  <= poke_resp[1] ? S_FAULT : S_LOW;
      end
      S_COUNT: begin
        ahead_q <= seen_q - next_q;
        to_wrap_q <= mask_q - place;
        base_q <= ring.driver;
        offset_q <= 19'({place, 1'b0}) + 19'd4;
        then_q <= S_LIMIT;
        state_q <= S_LOW;
      end
      S_LIMIT: begin
        limit_q  <= least(COUNT_W'(ENTRIES) - COUNT_W'(at_q[LANE_W-1:1]), {1'b0, to_wrap_q} + 1'b1);
        left_q   <= least(COUNT_W'(budget), {1'b0, ahead_q});
        beyond_q <= ahead_q > ring.size;
        none_q   <= budget == '0;
        state_q  <= S_BOUND;
      end
      S_BOUND: begin
        left_q  <= least(limit_q, 17'(left_q));
        state_q <= beyond_q ? S_FAULT : none_q ? S_PICK : S_RING;
      end
      S_RING:  if (ar_ready) state_q <= S_RING_WAIT;
      S_RING_WAIT:
      if (r_valid) begin
        beat_q  <= r_data >> {at_q[LANE_W-1:1], 4'b0};
        state_q <= r_resp[1] ? S_FAULT : S_HEADS;
      end
      S_HEADS:
      if (head_ready) begin
        beat_q <= beat_q >> 16;
        left_q <= left_q - 1'b1;
        next_q <= next_q + 1'b1;
        if (left_q == 1) state_q <= S_PICK;
      end
      default: state_q <= S_PICK;
    endcase
    if (rst) state_q <= S_PICK;
  end

  assign look = look_q;
  assign idle = state_q == S_PICK;
  assign dry = enabled_q & armed_q & ~pending_q & ~known_q;

  assign ar_valid = state_q == S_INDEX || state_q == S_RING;
  assign ar_addr = {at_q[63:LANE_W], {LANE_W{1'b0}}};
  assign poke_valid = state_q == S_EVENT;
  assign poke_addr = at_q;
  assign poke_data = DATA_W'(next_q) << {at_q[LANE_W-1:1], 4'b0};
  assign poke_strb = BYTES'(3) << {at_q[LANE_W-1:1], 1'b0};

  assign head_valid = state_q == S_HEADS;
  assign head_queue = look_q;
  assign head = beat_q[15:0];
  assign head_fault = beat_q[15:0] >= ring.size;
  assign fault_valid = state_q == S_FAULT;
  assign fault_queue = look_q;

  logic unused;
  assign unused = ^{at_q[0], r_resp[0], poke_resp[0], ring.desc};
endmodule
