// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_report_coalesce for two sessions: no report is lost, none overtakes
//   another, and the queue never overflows, however long the output stalls.
//
// One freely chosen session is observed. Proved: its pending report is the one last reported, with
//   all flags since its last record was sent; it is sent with these; a record bypasses the queue
//   only when none of the session is pending; a discarded report is not sent; a session is queued
//   once; there is space for each session that is queued. No assumptions.
`include "kumi_assert.svh"
module tcp_report_coalesce_formal (
    input logic       clk,
    input logic       rst,
    input logic       s_sid,
    input logic [3:0] s_value,
    input logic       s_set,
    input logic [1:0] s_flags,
    input logic       s_valid,
    input logic       kill_sid,
    input logic       kill_valid,
    input logic       m_ready,
    input logic       choice
);
  logic s_ready, kill_ready, m_valid, idle;
  logic [15:0] m_sid;
  logic [3:0] m_value;
  logic [1:0] m_flags;

  logic watched_q;  // the session
  always_ff @(posedge clk) watched_q <= rst ? choice : watched_q;

  kumi_tcp_report_coalesce #(
      .SESSIONS(2),
      .VALUE_W (4),
      .FLAG_W  (2)
  ) u_dut (
      .clk,
      .rst,
      .s_sid({15'b0, s_sid}),
      .s_value,
      .s_set,
      .s_flags,
      .s_valid,
      .s_ready,
      .kill_sid({15'b0, kill_sid}),
      .kill_valid,
      .kill_ready,
      .m_sid,
      .m_value,
      .m_flags,
      .m_valid,
      .m_ready,
      .idle
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- the model: reports as they are taken ------------------------------------------------------
  // wait_q: something of the session waits; known_q: its value was set since it began to wait.
  // Operations take effect a cycle after they were taken; a report that goes straight out at once.
  localparam logic [1:0] PUSH = 2'd1, POP = 2'd2, KILL = 2'd3;
  logic wait_q, known_q, ours, straight, out_ours;
  logic [3:0] value_q;
  logic [1:0] flags_q;
  assign ours = u_dut.u_mem.at_q == watched_q;
  assign straight = s_valid && s_ready && u_dut.direct;
  assign out_ours = u_dut.op_q == POP && ours;

  always_ff @(posedge clk) begin
    if (u_dut.op_q == PUSH && ours) begin
      wait_q  <= 1'b1;
      flags_q <= u_dut.flags_q | (wait_q ? flags_q : 2'b0);
      if (u_dut.set_q) value_q <= u_dut.value_q;
      known_q <= u_dut.set_q || (wait_q && known_q);
    end
    if ((u_dut.op_q == POP || u_dut.op_q == KILL) && ours) wait_q <= 1'b0;
    if (rst) wait_q <= 1'b0;
  end

  // Every report that is taken goes straight out or is pushed.
  logic taken_q;
  logic [6:0] offer_q;
  always_ff @(posedge clk) begin
    taken_q <= !rst && s_valid && s_ready && !straight;
    offer_q <= {s_set, s_value, s_flags};
  end
  `KUMI_ASSERT(a_taken, taken_q == (u_dut.op_q == PUSH))
  `KUMI_ASSERT(a_same, !taken_q || offer_q == {u_dut.set_q, u_dut.value_q, u_dut.flags_q})

  `KUMI_ASSERT(a_out, !out_ours || u_dut.entry.live == wait_q)
  `KUMI_ASSERT(a_flags, !(out_ours && wait_q) || u_dut.entry.flags == flags_q)
  `KUMI_ASSERT(a_value, !(out_ours && wait_q && known_q) || u_dut.entry.value == value_q)
  `KUMI_ASSERT(a_order, !straight || (!wait_q && u_dut.op_q == 2'd0))
  `KUMI_ASSERT(a_room, !u_dut.enqueue || u_dut.queue_room)
  `KUMI_ASSERT(a_slot, !(straight || u_dut.op_q == POP) || u_dut.out_room)

  // ---- what makes the induction close --------------------------------------------------------------
  logic [7:0] kept0, kept1, kept;  // {queued, live, flags 2, value 4}
  logic [1:0] held, cleared;
  assign kept0 = u_dut.u_mem.write_q && !u_dut.u_mem.last_at_q ? u_dut.u_mem.last_q :
      u_dut.u_mem.u_ram.gen_lut.mem[0];
  assign kept1 = u_dut.u_mem.write_q && u_dut.u_mem.last_at_q ? u_dut.u_mem.last_q :
      u_dut.u_mem.u_ram.gen_lut.mem[1];
  assign kept = watched_q ? kept1 : kept0;
  assign cleared = {!u_dut.clearing, !u_dut.clearing || u_dut.u_mem.clear_at_q};
  `KUMI_ASSERT(i_now, u_dut.op_q == 2'd0 || u_dut.entry == (u_dut.u_mem.at_q ? kept1 : kept0))
  `KUMI_ASSERT(i_clear, !u_dut.clearing || (u_dut.op_q == 2'd0 && u_dut.waiting_q == '0 && !wait_q))
  `KUMI_ASSERT(i_zero0, !(u_dut.clearing && cleared[0]) || kept0 == '0)
  `KUMI_ASSERT(i_live, u_dut.clearing || (kept[6] == wait_q && (!wait_q || kept[7])))
  `KUMI_ASSERT(
      i_kept,
      u_dut.clearing || !wait_q || (kept[5:4] == flags_q && (!known_q || kept[3:0] == value_q)))

  // The queue holds each session that is marked so, once: the fifo's memory, its output register.
  logic [1:0] in_mem, in_out;
  assign in_mem = u_dut.u_queue.depth_q;
  assign in_out = {1'b0, u_dut.u_queue.m_valid};
  assign held   = 2'(kept0[7]) + 2'(kept1[7]);
  `KUMI_ASSERT(i_held, u_dut.clearing || u_dut.waiting_q == held)
  `KUMI_ASSERT(i_queue, 3'(in_mem) + 3'(in_out) + 3'(u_dut.op_q == POP) == 3'(u_dut.waiting_q))
  `KUMI_ASSERT(i_pop, u_dut.op_q != POP || u_dut.entry.queued)

  // Who is there: in the operation, in the output register, in the memory; all different, all marked.
  logic [1:0] who_pop, who_out, who_first, who_second, marks, first_bit;
  logic rd;
  assign rd = u_dut.u_queue.rd_q;
  assign first_bit = 2'b01;
  assign marks = {kept1[7], kept0[7]};
  assign who_pop = u_dut.op_q == POP ? first_bit << u_dut.u_mem.at_q : '0;
  assign who_out = u_dut.u_queue.m_valid ? first_bit << u_dut.head : '0;
  assign who_first = in_mem != '0 ? first_bit << u_dut.u_queue.u_mem.gen_lut.mem[rd] : '0;
  assign who_second = in_mem == 2'd2 ? first_bit << u_dut.u_queue.u_mem.gen_lut.mem[~rd] : '0;
  `KUMI_ASSERT(i_who, u_dut.clearing || (who_pop | who_out | who_first | who_second) == marks)

  `KUMI_COVER(c_merge, out_ours && wait_q && flags_q == 2'b11 && u_dut.waiting_q == 2'd2)
  `KUMI_COVER(c_killed, out_ours && !wait_q)
  `KUMI_COVER(c_straight, straight && m_valid && m_ready)

  logic unused;
  assign unused = ^{m_sid, m_value, m_flags, idle, kill_ready, held};
endmodule
