// SPDX-License-Identifier: Apache-2.0
//
// Checks received messages (kumi_msg_pkg): every byte, the length, and the order per source.
//
// s_axis: frames; tid: number of the sender; tuser = {last, first, bad}: last, first frame of its
//   message; bad, with tlast: the message was aborted. Frames of different senders may interleave.
//   Never asserts back-pressure, except while ctrl.hold is 1.
// With ctrl.by_length the marks are ignored: a message ends when its length has arrived.
// reply, reply_number: a pulse for each correct message whose source is `own`.
// Every frame counts: bytes and bad_bytes, and each message is one of messages, wrong, broken.
// The state of an incomplete message is kept in a memory of SOURCES entries.
// One beat a cycle; results 4 cycles after a message's last beat.
// Bad input: a frame that continues no message is dropped (orphan). A message that begins while one
//   of its sender is open makes that one wrong. tid at or above SOURCES counts as tid modulo
//   SOURCES.
module kumi_msg_check
  import kumi_msg_pkg::*;
#(
    parameter int SOURCES = 64  // a power of two
) (
    input logic clk,
    input logic rst,
    input logic [63:0] now,  // common cycle counter
    input logic [15:0] own,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.snk s_axis,
    output logic reply,
    output logic [31:0] reply_number,
    output logic busy
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int BYTES = DATA_W / 8;
  localparam int SRC_W = $clog2(SOURCES);
  localparam int N_W = $clog2(BYTES + 1);

  if (DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 128, 256 or 512 (%m)");
  end
  if (s_axis.USER_W != 3 || SOURCES < 2 || (SOURCES & (SOURCES - 1)) != 0) begin : gen_check_if
    $fatal(0, "s_axis has 3 bits of tuser, SOURCES is a power of two from 2 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_eth_check_regs_pkg::kumi_eth_check_regs__in_t  hwif_in;
  kumi_eth_check_regs_pkg::kumi_eth_check_regs__out_t hwif_out;

  kumi_eth_check_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic clear, by_length;
  assign clear = hwif_out.ctrl.clear.value;
  assign by_length = hwif_out.ctrl.by_length.value;
  assign s_axis.tready = !hwif_out.ctrl.hold.value;

  // What is kept of a message between its frames.
  typedef struct packed {
    logic [30:0] prbs;
    logic [31:0] left;  // bytes still to come
    logic [31:0] stamp;
    logic [31:0] number;
    logic own;
  } msg_state_t;

  // ---- stage 1: the beat, its length, its header ---------------------------------------------
  logic beat1_q, last1_q, sof1_q, ufirst1_q, ulast1_q, bad1_q, inside_q;
  logic [DATA_W-1:0] data1_q;
  logic [BYTES-1:0] keep1_q;
  logic [SRC_W-1:0] tid1_q;
  logic [31:0] time1_q;

  always_ff @(posedge clk) begin
    beat1_q <= s_axis.tvalid && s_axis.tready;
    if (s_axis.tvalid && s_axis.tready) begin
      data1_q <= s_axis.tdata;
      keep1_q <= s_axis.tkeep;
      last1_q <= s_axis.tlast;
      sof1_q <= !inside_q;
      ufirst1_q <= s_axis.tuser[1];
      ulast1_q <= s_axis.tuser[2];
      bad1_q <= s_axis.tlast && s_axis.tuser[0];
      tid1_q <= SRC_W'(s_axis.tid);
      time1_q <= now[31:0];
      inside_q <= !s_axis.tlast;
    end
    if (rst) begin
      beat1_q  <= 1'b0;
      inside_q <= 1'b0;
    end
  end

  // ---- stage 2: the state of the sender's message --------------------------------------------
  // The state of the current or last frame is in state_q; others are in the
  // memory.
  msg_state_t memory[SOURCES];
  msg_state_t state_q, fetched_q, state, state_d;
  msg_hdr_t hdr1, hdr2_q;
  logic beat2_q, last2_q, sof2_q, ufirst2_q, ulast2_q, bad2_q, fetch2_q, drop_q;
  logic [DATA_W-1:0] data2_q;
  logic [BYTES-1:0] keep2_q;
  logic [SRC_W-1:0] tid2_q;
  logic [31:0] time2_q;
  logic [30:0] seed2_q;
  logic [N_W-1:0] count2_q;
  logic [SOURCES-1:0] open_q;

  assign hdr1 = msg_hdr_t'(msg_swap(data1_q[127:0]));

  always_ff @(posedge clk) begin
    beat2_q <= beat1_q;
    if (beat1_q) begin
      data2_q <= data1_q;
      keep2_q <= keep1_q;
      last2_q <= last1_q;
      sof2_q <= sof1_q;
      ufirst2_q <= ufirst1_q;
      ulast2_q <= ulast1_q;
      bad2_q <= bad1_q;
      tid2_q <= tid1_q;
      time2_q <= time1_q;
      hdr2_q <= hdr1;
      seed2_q <= msg_seed(hdr1);
      count2_q <= N_W'($countones(keep1_q));
      fetch2_q <= sof1_q && tid1_q != tid2_q;
      fetched_q <= memory[tid1_q];
    end
    if (rst) begin
      beat2_q <= 1'b0;
      tid2_q  <= '0;
    end
  end

  logic open2, first2, orphan2, take2, end2, restart2, err2, short2;
  logic [DATA_W-1:0] prbs, expect2;
  logic [DATA_W+30:0] prbs_next;
  logic [BYTES-1:0] check2;
  logic [30:0] seed2;
  logic [31:0] left2;
  logic [N_W-1:0] step2;

  assign state = fetch2_q ? fetched_q : state_q;
  assign open2 = open_q[tid2_q];
  assign first2 = sof2_q && (by_length ? !open2 : ufirst2_q);
  assign orphan2 = sof2_q && !first2 && !open2;
  assign take2 = !orphan2 && !(drop_q && !sof2_q);
  assign restart2 = first2 && open2;
  assign short2 = first2 && count2_q < N_W'(MSG_HDR_BYTES);
  assign left2 = first2 ? hdr2_q.length : state.left;
  assign end2 = last2_q && (bad2_q || (by_length ? left2 <= 32'(count2_q) : ulast2_q));
  assign err2 = short2 || (first2 && hdr2_q.mark != MSG_MARK) || left2 < 32'(count2_q) ||
      (end2 && left2 != 32'(count2_q));
  assign step2 = short2 ? '0 : first2 ? count2_q - N_W'(MSG_HDR_BYTES) : count2_q;
  assign seed2 = first2 ? seed2_q : state.prbs;

  kumi_prbs31 #(
      .W(DATA_W)
  ) u_prbs (
      .state(seed2),
      .bits (prbs),
      .next (prbs_next)
  );

  always_comb begin
    expect2 = prbs;
    check2  = keep2_q;
    if (first2) begin
      expect2 = prbs << 128;
      check2[MSG_HDR_BYTES-1:0] = '0;
    end
    state_d = state;
    state_d.prbs = prbs_next[8*step2+:31];
    state_d.left = left2 - 32'(count2_q);
    if (first2) begin
      state_d.stamp  = hdr2_q.stamp;
      state_d.number = hdr2_q.number;
      state_d.own    = hdr2_q.source == own;
    end
  end

  always_ff @(posedge clk) begin
    if (beat2_q) begin
      state_q <= state_d;
      drop_q  <= !take2;
      if (last2_q) memory[tid2_q] <= state_d;
      if (take2) open_q[tid2_q] <= !end2;
    end
    if (rst || clear) open_q <= '0;
  end

  // ---- stage 3: what it means ----------------------------------------------------------------
  logic beat3_q, first3_q, end3_q, bad3_q, orphan3_q, restart3_q, err3_q, last3_q, own3_q;
  logic [BYTES-1:0] differs3_q;
  logic [SRC_W-1:0] tid3_q;
  logic [31:0] time3_q, stamp3_q, number3_q;
  logic [N_W-1:0] count3_q;

  always_ff @(posedge clk) begin
    beat3_q <= beat2_q;
    first3_q <= first2 && beat2_q;
    end3_q <= end2 && take2 && beat2_q;
    bad3_q <= bad2_q && beat2_q;
    orphan3_q <= orphan2 && !bad2_q && beat2_q;
    restart3_q <= restart2 && beat2_q;
    err3_q <= err2 && take2 && !bad2_q && beat2_q;
    last3_q <= last2_q && beat2_q;
    own3_q <= state_d.own;
    tid3_q <= tid2_q;
    time3_q <= time2_q;
    stamp3_q <= state_d.stamp;
    number3_q <= state_d.number;
    count3_q <= count2_q;
    // What a broken message ends with is no data.
    for (int i = 0; i < BYTES; ++i) begin
      differs3_q[i] <= beat2_q && take2 && !bad2_q && check2[i] &&
          data2_q[8*i+:8] != expect2[8*i+:8];
    end
    if (rst) beat3_q <= 1'b0;
  end

  logic [SOURCES-1:0] wrong_src_q, begun_q, counted_q;
  logic [31:0] next_number[SOURCES];
  logic [47:0] total[SOURCES];
  logic [31:0] expected3, frame_q, frame3;
  logic wrong3, in_time;

  assign expected3 = begun_q[tid3_q] ? next_number[tid3_q] : '0;
  assign wrong3 = err3_q || (|differs3_q) || (wrong_src_q[tid3_q] && !first3_q);
  assign frame3 = frame_q + 32'(count3_q);
  assign in_time = time3_q >= hwif_out.from_cycle.value.value &&
      time3_q < hwif_out.to_cycle.value.value;

  always_ff @(posedge clk) begin
    if (first3_q) begin
      next_number[tid3_q] <= number3_q + 1'b1;
      begun_q[tid3_q] <= 1'b1;
    end
    if (beat3_q) begin
      wrong_src_q[tid3_q] <= wrong3 && !end3_q;
      frame_q <= last3_q ? '0 : frame3;
      if (last3_q && in_time) begin
        total[tid3_q] <= (counted_q[tid3_q] ? total[tid3_q] : '0) + 48'(frame3);
        counted_q[tid3_q] <= 1'b1;
      end
    end
    if (rst || clear) begin
      wrong_src_q <= '0;
      begun_q <= '0;
      counted_q <= '0;
    end
    if (rst) frame_q <= '0;
  end

  // ---- stage 4: results ----------------------------------------------------------------------
  logic good4_q, wrong4_q, broken4_q, order4_q, orphan4_q, restart4_q, first4_q, any_q;
  logic [N_W-1:0] differs4_q, count4_q;
  logic [31:0] time4_q, age4_q;

  logic [31:0] messages_q, bad_bytes_q, wrongs_q, brokens_q, orders_q, orphans_q;
  logic [31:0] first_min_q, first_max_q, first_sum_q, last_min_q, last_max_q, last_sum_q;
  logic [31:0] begin_q, end_q, first_end_q;
  logic [63:0] bytes_q;

  always_ff @(posedge clk) begin
    good4_q <= end3_q && !bad3_q && !wrong3;
    wrong4_q <= end3_q && !bad3_q && wrong3;
    broken4_q <= bad3_q;
    order4_q <= first3_q && number3_q != expected3;
    orphan4_q <= orphan3_q;
    restart4_q <= restart3_q;
    first4_q <= first3_q;
    differs4_q <= N_W'($countones(differs3_q));
    count4_q <= beat3_q ? count3_q : '0;
    time4_q <= time3_q;
    age4_q <= time3_q - stamp3_q;
    reply <= end3_q && !bad3_q && !wrong3 && own3_q;
    reply_number <= number3_q;

    messages_q <= messages_q + 32'(good4_q);
    wrongs_q <= wrongs_q + 32'(wrong4_q) + 32'(restart4_q);
    brokens_q <= brokens_q + 32'(broken4_q);
    orders_q <= orders_q + 32'(order4_q);
    orphans_q <= orphans_q + 32'(orphan4_q);
    bad_bytes_q <= bad_bytes_q + 32'(differs4_q);
    bytes_q <= bytes_q + 64'(count4_q);
    if (first4_q) begin
      first_sum_q <= first_sum_q + age4_q;
      if (age4_q < first_min_q) first_min_q <= age4_q;
      if (age4_q > first_max_q) first_max_q <= age4_q;
      any_q <= 1'b1;
      if (!any_q) begin_q <= time4_q;
    end
    if (good4_q) begin
      last_sum_q <= last_sum_q + age4_q;
      if (age4_q < last_min_q) last_min_q <= age4_q;
      if (age4_q > last_max_q) last_max_q <= age4_q;
      end_q <= time4_q;
      if (messages_q == '0) first_end_q <= time4_q;
    end
    if (rst || clear) begin
      messages_q <= '0;
      wrongs_q <= '0;
      brokens_q <= '0;
      orders_q <= '0;
      orphans_q <= '0;
      bad_bytes_q <= '0;
      bytes_q <= '0;
      any_q <= 1'b0;
      first_min_q <= '1;
      first_max_q <= '0;
      first_sum_q <= '0;
      last_min_q <= '1;
      last_max_q <= '0;
      last_sum_q <= '0;
      begin_q <= '0;
      end_q <= '0;
      first_end_q <= '0;
    end
    if (rst) reply <= 1'b0;
  end

  // ---- what software reads -------------------------------------------------------------------
  logic [SRC_W-1:0] select;
  logic [47:0] total_q;
  logic [31:0] next_q;
  assign select = SRC_W'(hwif_out.select.value.value);

  always_ff @(posedge clk) begin
    total_q <= counted_q[select] ? total[select] : '0;
    next_q  <= begun_q[select] ? next_number[select] : '0;
  end

  assign hwif_in.source_bytes_lo.value.next = total_q[31:0];
  assign hwif_in.source_bytes_hi.value.next = 32'(total_q[47:32]);
  assign hwif_in.source_next.value.next = next_q;
  assign hwif_in.messages.value.next = messages_q;
  assign hwif_in.bytes_lo.value.next = bytes_q[31:0];
  assign hwif_in.bytes_hi.value.next = bytes_q[63:32];
  assign hwif_in.bad_bytes.value.next = bad_bytes_q;
  assign hwif_in.wrong.value.next = wrongs_q;
  assign hwif_in.broken.value.next = brokens_q;
  assign hwif_in.order.value.next = orders_q;
  assign hwif_in.orphan.value.next = orphans_q;
  assign hwif_in.first_min.value.next = first_min_q;
  assign hwif_in.first_max.value.next = first_max_q;
  assign hwif_in.first_sum.value.next = first_sum_q;
  assign hwif_in.last_min.value.next = last_min_q;
  assign hwif_in.last_max.value.next = last_max_q;
  assign hwif_in.last_sum.value.next = last_sum_q;
  assign hwif_in.begin_cycle.value.next = begin_q;
  assign hwif_in.end_cycle.value.next = end_q;
  assign hwif_in.first_end.value.next = first_end_q;

  assign busy = inside_q || beat1_q || beat2_q || beat3_q;

  logic unused;
  assign unused = ^{prbs_next, now[63:32]};
endmodule
