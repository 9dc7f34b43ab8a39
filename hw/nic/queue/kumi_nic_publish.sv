// SPDX-License-Identifier: Apache-2.0
//
// Writes the used rings of a set of split virtqueues (virtio 1.2, 2.7.8) and interrupts.
//
// s_used: chains that the device has done with, whose data is in memory. `more`: the next one of
//   the same queue belongs to the same packet; the driver sees all of a packet or nothing.
// start_*: a queue of which no chain is here begins at that index, when start_take is high.
// look, ring: as in kumi_nic_fetch. event_idx: VIRTIO_F_EVENT_IDX was negotiated.
// post_*: writes, see kumi_nic_post. ar_*, r_*: reads of one beat.
// done_*: a chain is done with here. irq_*: an interrupt. fault_*: memory does not answer.
// Order: entries, then the index, each acknowledged before the next (2.7.13.2), then the driver's
//   wish is read and the interrupt decided (2.7.7.2).
// Chains wait here queue by queue. Those of one queue are published together, up to BATCH: three
//   round trips to memory for all of them, one write for each beat of the ring that they touch, two
//   cycles for each and five for each beat. Chains of one packet come without others between them.
module kumi_nic_publish
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
    parameter int BATCH = 64,  // chains of a queue that wait, a power of two
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic event_idx,

    // queues
    input logic start_valid,
    output logic start_ready,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    output logic [LOOK_W-1:0] look,
    input nic_queue_t ring,
    input logic [LOOK_W-1:0] next_queue,
    output logic [15:0] next_index,
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
    output logic post_clear,
    input logic post_in_flight,
    input logic post_failed,

    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  localparam int WORD_W = LANE_W - 2;  // which word of 32 bits of a beat
  localparam int WORDS = BYTES / 4;
  localparam int PLACE_W = $clog2(BATCH);

  typedef enum logic [4:0] {
    S_WAIT,
    S_LOAD,
    S_PLACE,
    S_LOW,
    S_HIGH,
    S_PUT,
    S_STEP,
    S_POST,
    S_DRAIN,
    S_INDEX,
    S_INDEX_WAIT,
    S_ASK,
    S_ASK_WAIT,
    S_COMPARE,
    S_DECIDE,
    S_IRQ,
    S_FAULT
  } state_e;
  state_e state_q, then_q;

  typedef struct packed {
    logic [15:0] head;
    logic [31:0] length;
    logic more;
  } entry_t;

  // ---- chains that wait ----------------------------------------------------------------------
  entry_t wait_mem[QUEUES*BATCH];
  logic [PLACE_W-1:0] first_q[QUEUES];
  logic [PLACE_W:0] count_q[QUEUES];
  logic [QUEUES-1:0] some, grant;
  logic [LOOK_W-1:0] in_queue, granted, look_q;
  logic [PLACE_W-1:0] oldest_q;  // of the queue that is served
  logic put, pop, pick, entry_valid;
  entry_t entry;

  assign in_queue = s_used.vq[LOOK_W-1:0];
  assign s_ready = !count_q[in_queue][PLACE_W];
  assign put = s_valid && s_ready;
  assign entry = wait_mem[{look_q, oldest_q}];
  assign entry_valid = some[look_q];
  assign pick = state_q == S_WAIT && !start_valid && |some;

  always_ff @(posedge clk) begin
    if (put) begin
      wait_mem[{
        in_queue, first_q[in_queue]+count_q[in_queue][PLACE_W-1:0]
      }] <=
      '{head: s_used.head, length: s_used.length, more: s_used.more};
    end
    for (int i = 0; i < QUEUES; ++i) begin
      if (pop && look_q == LOOK_W'(i)) first_q[i] <= first_q[i] + 1'b1;
      count_q[i] <= count_q[i] + (PLACE_W + 1)'(put && in_queue == LOOK_W'(i)) -
          (PLACE_W + 1)'(pop && look_q == LOOK_W'(i));
    end
    if (rst) begin
      for (int i = 0; i < QUEUES; ++i) begin
        first_q[i] <= '0;
        count_q[i] <= '0;
      end
    end
  end

  kumi_arbiter #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req (some),
      .done(pick),
      .grant
  );

  always_comb begin
    granted = '0;
    for (int i = 0; i < QUEUES; ++i) begin
      some[i] = count_q[i] != '0;
      if (grant[i]) granted |= LOOK_W'(i);
    end
  end

  // ---- the indices ---------------------------------------------------------------------------
  logic [15:0] next_mem[QUEUES];  // of the next entry
  logic [15:0] told_mem[QUEUES];  // of the first entry about which no interrupt was decided
  logic [15:0] next_q, told_q, event_q, ahead_q, since_q;
  logic written;

  assign start_ready = state_q == S_WAIT;
  assign written = state_q == S_INDEX_WAIT && !post_in_flight && !post_failed;
  assign next_index = next_mem[next_queue];
  assign look = look_q;

  always_ff @(posedge clk) begin
    if (written) next_mem[look_q] <= next_q;
    if (state_q == S_DECIDE) told_mem[look_q] <= next_q;
    if (start_take) begin
      next_mem[start_queue] <= start_index;
      told_mem[start_queue] <= start_index;
    end
  end

  // ---- entries -------------------------------------------------------------------------------
  // They are collected in a beat. One that begins in the last word of a beat ends in the next one.
  logic [63:0] base_q, at_q;
  logic [15:0] mask_q;
  logic [19:0] offset_q;  // with the carry that comes in
  logic carry_q, cut, second_q, more_q, full_q, last_q;
  logic [PLACE_W:0] batch_q;
  logic [WORD_W-1:0] lane_q;
  logic [DATA_W-1:0] line_q;
  logic [BYTES-1:0] strb_q;
  logic [63:0] both;
  logic [WORDS-1:0] low_word, high_word;
  logic carry_in_unused;

  assign cut  = lane_q == '1 && !second_q;
  assign pop  = state_q == S_PUT && entry_valid && !cut;
  assign both = {entry.length, 16'd0, entry.head};
  always_comb begin
    for (int i = 0; i < WORDS; ++i) begin
      low_word[i]  = !second_q && lane_q == WORD_W'(i);
      high_word[i] = second_q ? i == 0 : i > 0 && lane_q == WORD_W'(i - 1);
    end
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_WAIT: begin
        look_q <= granted;
        if (pick) state_q <= S_LOAD;
      end
      S_LOAD: begin
        next_q   <= next_mem[look_q];
        told_q   <= told_mem[look_q];
        oldest_q <= first_q[look_q];
        base_q   <= ring.device;
        mask_q   <= ring.size - 1'b1;
        batch_q  <= '0;
        second_q <= 1'b0;
        strb_q   <= '0;
        state_q  <= S_PLACE;
      end
      // 4 bytes in front of the entries; the second word lies 4 further on.
      S_PLACE: begin
        offset_q <= {next_q & mask_q, second_q ? 4'b1111 : 4'b1000};
        then_q   <= S_PUT;
        state_q  <= S_LOW;
      end
      // An address is added up in two cycles.
      S_LOW: begin
        {carry_q, at_q[31:0], carry_in_unused} <= {1'b0, base_q[31:0], 1'b1} + 34'(offset_q);
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        at_q[63:32] <= base_q[63:32] + 32'(carry_q);
        lane_q <= at_q[LANE_W-1:2];
        state_q <= then_q;
      end
      S_PUT:
      if (entry_valid) begin
        for (int i = 0; i < WORDS; ++i) begin
          if (low_word[i]) line_q[32*i+:32] <= both[31:0];
          if (high_word[i]) line_q[32*i+:32] <= both[63:32];
          if (low_word[i] || high_word[i]) strb_q[4*i+:4] <= '1;
        end
        lane_q   <= lane_q + (second_q ? WORD_W'(1) : WORD_W'(2));
        second_q <= cut;
        last_q   <= 1'b0;
        full_q   <= (lane_q == WORD_W'(WORDS - 2) && !second_q) || (next_q & mask_q) == mask_q;
        if (!cut) begin
          next_q   <= next_q + 1'b1;
          oldest_q <= oldest_q + 1'b1;
          batch_q  <= batch_q + 1'b1;
          more_q   <= entry.more;
        end
        state_q <= cut ? S_POST : S_STEP;
      end
      S_STEP:
      if (!more_q && (!entry_valid || batch_q[PLACE_W])) begin
        last_q  <= 1'b1;
        state_q <= S_POST;
      end else if (entry_valid) begin
        state_q <= full_q ? S_POST : S_PUT;
      end
      S_POST:
      if (post_ready) begin
        strb_q  <= '0;
        state_q <= last_q ? S_DRAIN : S_PLACE;
      end
      S_DRAIN: begin
        offset_q <= 20'd4;
        then_q   <= S_INDEX;
        if (!post_in_flight) state_q <= post_failed ? S_FAULT : S_LOW;
      end
      S_INDEX: if (post_ready) state_q <= S_INDEX_WAIT;
      S_INDEX_WAIT: begin
        base_q   <= ring.driver;
        offset_q <= event_idx ? {2'd0, ring.size, 2'd0} + 20'd8 : '0;
        then_q   <= S_ASK;
        if (!post_in_flight) state_q <= post_failed ? S_FAULT : S_LOW;
      end
      S_ASK: if (ar_ready) state_q <= S_ASK_WAIT;
      S_ASK_WAIT:
      if (r_valid) begin
        event_q <= 16'(r_data >> {at_q[LANE_W-1:1], 4'b0});
        state_q <= r_resp[1] ? S_FAULT : S_COMPARE;
      end
      // next - (event + 1), as a borrow less costs nothing.
      S_COMPARE: begin
        ahead_q <= next_q + ~event_q;
        since_q <= next_q - told_q;
        state_q <= S_DECIDE;
      end
      S_DECIDE: state_q <= (event_idx ? ahead_q < since_q : !event_q[0]) ? S_IRQ : S_WAIT;
      S_IRQ: if (irq_ready) state_q <= S_WAIT;
      default: state_q <= S_WAIT;
    endcase
    if (rst) state_q <= S_WAIT;
  end

  assign post_valid = state_q == S_POST || state_q == S_INDEX;
  assign post_addr = at_q;
  assign post_clear = state_q == S_WAIT;
  assign post_data = state_q == S_INDEX ? {(DATA_W / 16) {next_q}} : line_q;
  assign post_strb = state_q == S_INDEX ? BYTES'(3) << {at_q[LANE_W-1:1], 1'b0} : strb_q;
  assign ar_valid = state_q == S_ASK;
  assign ar_addr = {at_q[63:LANE_W], {LANE_W{1'b0}}};
  assign irq_valid = state_q == S_IRQ;
  assign irq_queue = look_q;
  assign fault_valid = state_q == S_FAULT;
  assign fault_queue = look_q;
  assign done_valid = pop;
  assign done_queue = look_q;
  assign busy = |some || state_q != S_WAIT;

  logic unused;
  assign unused = ^{r_resp[0], at_q[0], s_used.vq, ring.desc, carry_in_unused};
endmodule
