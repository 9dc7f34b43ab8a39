// SPDX-License-Identifier: Apache-2.0
//
// Writes the used rings of a set of split virtqueues (virtio 1.2, 2.7.8) and interrupts.
//
// s_used: chains that the device has done with, whose data is in memory. `more`: the next one of
//   the same queue belongs to the same packet; the driver sees all of a packet or nothing.
// start_*: a queue of which no chain is here begins at that index, when start_take is high.
// look, ring: as in kumi_nic_fetch. event_idx: VIRTIO_F_EVENT_IDX was negotiated. coal: see
//   kumi_nic_moderate.
// working: queues with accesses under way. next_index: of queue next_queue, as the driver sees it.
// post_*, ack_*: writes, see kumi_nic_post. ar_*, r_*: reads of one beat, in order.
// done_*: a chain is done with here. irq_*: an interrupt. fault_*: memory does not answer; nothing
//   more of that queue is published until it starts again.
// Order: entries, then the index, each acknowledged before the next (2.7.13.2), then the driver's
//   wish is read and the interrupt decided (2.7.7.2). Up to BATCHES sets of chains, of any queues,
//   are at different points of that, and none passes another.
// Throughput: for each set 18 cycles, a cycle for each chain and 5 for each beat of the ring that
//   they touch. A set has up to 64 chains of one queue. Chains of one packet come without others
//   between them.
module kumi_nic_publish
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // up to 256
    parameter int BATCHES = 32,  // under way, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int TAG_W = LOOK_W + 18
) (
    input logic clk,
    input logic rst,
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
  localparam int WORD_W = LANE_W - 2;  // which word of 32 bits of a beat
  localparam int WORDS = BYTES / 4;
  localparam int PLACE_W = 6;
  localparam int OPEN_W = $clog2(BATCHES) + 1;

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
    OP_INDEX,    // write the index
    OP_WISH      // read what the driver wants to know
  } publish_op_e;
  publish_op_e op_q;

  typedef struct packed {
    logic index;  // the write was the index
    logic last;  // the last one of its set
    logic [LOOK_W-1:0] vq;
    logic [15:0] next;
  } publish_tag_t;
  publish_tag_t tag, ack;
  assign ack = ack_tag;

  function automatic logic [QUEUES-1:0] bit_of(input logic valid, input logic [LOOK_W-1:0] queue);
    return valid ? QUEUES'(1) << queue : '0;
  endfunction

  // ---- chains that wait ----------------------------------------------------------------------
  logic [QUEUES-1:0] some, grant, grant_q;
  logic [LOOK_W-1:0] granted, look_q;
  logic [PLACE_W-1:0] first, oldest_q, entry_place;
  logic [PLACE_W:0] count, left_q;
  logic [15:0] entry_head;
  logic [31:0] entry_length;
  logic entry_more, pop, pick, cut;

  assign entry_place = oldest_q + PLACE_W'(pop);
  kumi_nic_used #(
      .QUEUES(QUEUES),
      .DEPTH (2 ** PLACE_W)
  ) u_used (
      .clk,
      .rst,
      .s_valid,
      .s_ready,
      .s_used,
      .some,
      .look(look_q),
      .count,
      .first,
      .place(entry_place),
      .m_head(entry_head),
      .m_length(entry_length),
      .m_more(entry_more),
      .pop
  );

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
    for (int i = 0; i < QUEUES; ++i) if (grant_q[i]) granted |= LOOK_W'(i);
  end

  logic [15:0] next_q;
  logic [63:0] at_q;

  // ---- sets that wait for their next step ----------------------------------------------------
  // Written: entries that were acknowledged. Shown: indices that were.
  logic written_valid, written_room, shown_valid, shown_room, take_written, take_shown;
  logic [LOOK_W-1:0] written_queue, shown_queue, asked_queue, decided_queue;
  logic [15:0] written_next, shown_next, asked_next;
  logic [WORD_W:0] asked_lane;
  logic asked_valid, asked_room, decided, notify_writes, irq_held;
  logic [OPEN_W-1:0] total_q;
  logic [OPEN_W-2:0] written_unused, shown_unused, asked_unused;
  logic written_high, shown_high, asked_high;

  kumi_fifo #(
      .W(LOOK_W + 16),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_written (
      .clk,
      .rst,
      .s_data ({ack.vq, ack.next}),
      .s_valid(ack_valid && ack.last),
      .s_ready(written_room),
      .m_data ({written_queue, written_next}),
      .m_valid(written_valid),
      .m_ready(take_written),
      .depth  ({written_high, written_unused})
  );
  kumi_fifo #(
      .W(LOOK_W + 16),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_shown (
      .clk,
      .rst,
      .s_data ({ack.vq, ack.next}),
      .s_valid(ack_valid && ack.index),
      .s_ready(shown_room),
      .m_data ({shown_queue, shown_next}),
      .m_valid(shown_valid),
      .m_ready(take_shown),
      .depth  ({shown_high, shown_unused})
  );
  kumi_fifo #(
      .W(LOOK_W + 16 + WORD_W + 1),
      .DEPTH(BATCHES),
      .STYLE(0)
  ) u_asked (
      .clk,
      .rst,
      .s_data ({look_q, next_q, at_q[LANE_W-1:1]}),
      .s_valid(ar_valid && ar_ready),
      .s_ready(asked_room),
      .m_data ({asked_queue, asked_next, asked_lane}),
      .m_valid(asked_valid),
      .m_ready(r_valid),
      .depth  ({asked_high, asked_unused})
  );

  assign take_shown = state_q == S_PICK && shown_valid;
  assign take_written = state_q == S_PICK && !shown_valid && written_valid;
  assign pick = state_q == S_PICK && !shown_valid && !written_valid && !start_valid && |some &&
      !total_q[OPEN_W-1];

  // What the driver wants to know, a cycle after it comes.
  logic wish_q, wish_bad_q;
  logic [LOOK_W-1:0] wish_queue_q;
  logic [15:0] wish_next_q, wish_data_q;
  always_ff @(posedge clk) begin
    wish_q <= r_valid && !rst;
    wish_bad_q <= r_resp[1];
    wish_queue_q <= asked_queue;
    wish_next_q <= asked_next;
    wish_data_q <= 16'(r_data >> {asked_lane, 4'b0});
  end

  kumi_nic_notify #(
      .QUEUES(QUEUES),
      .DEPTH (BATCHES)
  ) u_notify (
      .clk,
      .rst,
      .event_idx,
      .coal,
      .start_take,
      .start_queue,
      .start_index,
      .writes(notify_writes),
      .s_valid(wish_q),
      .s_skip(wish_bad_q),
      .s_queue(wish_queue_q),
      .s_next(wish_next_q),
      .s_event(wish_data_q),
      .done_valid(decided),
      .done_queue(decided_queue),
      .irq_valid,
      .irq_ready,
      .irq_queue,
      .waiting(irq_held)
  );

  // ---- queues --------------------------------------------------------------------------------
  // bad: memory did not answer. lost: that was not reported yet.
  logic [QUEUES-1:0] bad_q, lost_q;
  logic [QUEUES-1:0][OPEN_W-1:0] open_q;  // sets under way
  logic [LOOK_W-1:0] lost;
  logic [QUEUES-1:0] refused;
  logic begins, ends, any_lost;

  assign begins = state_q == S_LOAD && op_q == OP_ENTRIES;
  // A set that ends in the middle of a packet goes on with the next one of its queue.
  assign ends = state_q == S_DROP;
  assign any_lost = |lost_q;
  assign refused = bit_of(
      ack_valid && ack_bad, ack.vq
  ) | bit_of(
      wish_q && wish_bad_q, wish_queue_q
  );

  always_comb begin
    lost = '0;
    for (int i = QUEUES - 1; i >= 0; --i) if (lost_q[i]) lost = LOOK_W'(i);
    for (int i = 0; i < QUEUES; ++i) working[i] = open_q[i] != '0;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < QUEUES; ++i) begin
      open_q[i] <= open_q[i] + OPEN_W'(begins && look_q == LOOK_W'(i)) -
          OPEN_W'(ends && look_q == LOOK_W'(i)) - OPEN_W'(decided && decided_queue == LOOK_W'(i));
    end
    total_q <= total_q + OPEN_W'(begins) - OPEN_W'(ends) - OPEN_W'(decided);
    bad_q <= (bad_q & ~bit_of(start_take, start_queue)) | refused;
    lost_q <= (lost_q & ~bit_of(any_lost, lost)) | (refused & ~bad_q);
    fault_valid <= any_lost;
    fault_queue <= lost;
    if (rst) begin
      open_q <= '0;
      total_q <= '0;
      bad_q <= '0;
      lost_q <= '0;
      fault_valid <= 1'b0;
    end
  end

  // ---- the indices ---------------------------------------------------------------------------
  logic [15:0] next_mem[QUEUES];  // of the next entry
  logic [15:0] shown_mem[QUEUES];  // as the driver sees it
  logic shows;

  assign shows = ack_valid && ack.index && !ack_bad;
  assign start_ready = state_q == S_PICK && !shows && !notify_writes;
  assign next_index = shown_mem[next_queue];
  assign look = look_q;

  always_ff @(posedge clk) begin
    if (start_take || state_q == S_SAVE) begin
      next_mem[start_take?start_queue : look_q] <= start_take ? start_index : next_q;
    end
    if (start_take || shows) begin
      shown_mem[start_take?start_queue : ack.vq] <= start_take ? start_index : ack.next;
    end
  end

  // ---- entries -------------------------------------------------------------------------------
  // They are collected in a beat. One that begins in the last word of a beat ends in the next one.
  logic [63:0] base_q;
  logic [15:0] mask_q, rec_next_q;
  logic [19:0] offset_q;  // with the carry that comes in
  logic carry_q, second_q, more_q, full, last_q;
  logic [WORD_W-1:0] lane_q;
  logic [DATA_W-1:0] line_q;
  logic [BYTES-1:0] strb_q;
  logic [63:0] both;
  logic [WORDS-1:0] low_word, high_word;
  logic carry_in_unused;

  assign cut  = lane_q == '1 && !second_q;
  assign pop  = state_q == S_PUT && !cut;
  assign full = (lane_q == WORD_W'(WORDS - 2) && !second_q) || (next_q & mask_q) == mask_q;
  assign both = {entry_length, 16'd0, entry_head};
  always_comb begin
    for (int i = 0; i < WORDS; ++i) begin
      low_word[i]  = !second_q && lane_q == WORD_W'(i);
      high_word[i] = second_q ? i == 0 : i > 0 && lane_q == WORD_W'(i - 1);
    end
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_PICK: begin
        grant_q <= grant;
        op_q <= shown_valid ? OP_WISH : written_valid ? OP_INDEX : OP_ENTRIES;
        look_q <= shown_valid ? shown_queue : written_queue;
        rec_next_q <= shown_valid ? shown_next : written_next;
        if (take_shown || take_written) state_q <= S_LOAD;
        else if (pick) state_q <= S_GRANT;
      end
      S_GRANT: begin
        look_q  <= granted;
        state_q <= S_LOAD;
      end
      S_LOAD: begin
        next_q   <= op_q == OP_ENTRIES ? next_mem[look_q] : rec_next_q;
        oldest_q <= first;
        left_q   <= count;
        base_q   <= op_q == OP_WISH ? ring.driver : ring.device;
        mask_q   <= ring.size - 1'b1;
        second_q <= 1'b0;
        strb_q   <= '0;
        state_q  <= op_q != OP_ENTRIES && bad_q[look_q] ? S_DROP : S_PLACE;
      end
      // Entries: 4 bytes in front of them; the second word lies 4 further on.
      S_PLACE: begin
        unique case (op_q)
          OP_INDEX: offset_q <= 20'd4;
          OP_WISH:  offset_q <= event_idx ? {2'd0, mask_q, 2'b11} + 20'd9 : '0;
          default:  offset_q <= {next_q & mask_q, second_q ? 4'b1111 : 4'b1000};
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
        lane_q <= at_q[LANE_W-1:2];
        state_q <= op_q == OP_ENTRIES ? S_PUT : op_q == OP_INDEX ? S_INDEX : S_ASK;
      end
      S_PUT: begin
        for (int i = 0; i < WORDS; ++i) begin
          if (low_word[i]) line_q[32*i+:32] <= both[31:0];
          if (high_word[i]) line_q[32*i+:32] <= both[63:32];
          if (low_word[i] || high_word[i]) strb_q[4*i+:4] <= '1;
        end
        lane_q   <= lane_q + (second_q ? WORD_W'(1) : WORD_W'(2));
        second_q <= cut;
        last_q   <= !cut && left_q == 1;
        if (!cut) begin
          next_q   <= next_q + 1'b1;
          oldest_q <= oldest_q + 1'b1;
          left_q   <= left_q - 1'b1;
          more_q   <= entry_more;
        end
        if (cut || full || left_q == 1) state_q <= S_POST;
      end
      S_POST:
      if (post_ready) begin
        strb_q  <= '0;
        state_q <= last_q ? S_SAVE : S_PLACE;
      end
      S_SAVE:  state_q <= more_q ? S_DROP : S_PICK;
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
          next: next_q
      };
  assign post_tag = tag;
  assign post_valid = state_q == S_POST || state_q == S_INDEX;
  assign post_addr = at_q;
  assign post_data = state_q == S_INDEX ? {(DATA_W / 16) {next_q}} : line_q;
  assign post_strb = state_q == S_INDEX ? BYTES'(3) << {at_q[LANE_W-1:1], 1'b0} : strb_q;
  assign ar_valid = state_q == S_ASK;
  assign ar_addr = {at_q[63:LANE_W], {LANE_W{1'b0}}};
  assign done_valid = pop;
  assign done_queue = look_q;
  assign busy = |some || total_q != '0 || state_q != S_PICK || irq_held;

  logic unused;
  assign unused = ^{r_resp[0], at_q[0], ring.desc, carry_in_unused, written_room, shown_room,
                    asked_room, asked_valid, written_unused, shown_unused, asked_unused,
                    written_high, shown_high, asked_high};
endmodule
