// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_rx_state for two sessions: a read never reaches beyond the notified bytes
//   or into those of another session, and each session is released exactly once.
//
// One freely chosen session is observed. Proved: bytes notified but not requested fit the ring; a
//   read begins at the first of them and takes no more; `over` or the last job comes once after
//   `ended`, no later than when nothing is left to read or all is discarded; nothing is read or
//   released before a session was opened or after it was released. Assumed: commands are stable
//   until accepted, a free number is opened, and `ended` comes once. No assumptions on
//   in_order_end, `discard`, reads, memory errors and timing.
`include "kumi_assert.svh"
module tcp_rx_state_formal
  import kumi_tcp_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input tcp_rx_cmd_t s_cmd,
    input logic        cmd_bad,
    input logic        cmd_valid,
    input tcp_read_t   read,
    input logic        read_valid,
    input logic        note_ready,
    input logic        rsp_ready,
    input logic        job_ready,
    input logic        over_ready,
    input logic        choice
);
  localparam int RING = 4096;

  kumi_rec_if #(.W(NOTIFY_W)) m_notify ();
  kumi_rec_if #(.W(READ_W)) s_read ();
  kumi_rec_if #(.W(READ_RSP_W)) m_read ();

  logic watched_q;  // the session
  always_ff @(posedge clk) watched_q <= rst ? choice : watched_q;

  logic cmd_ready, job_last, job_valid, over_valid, ev_no_session;
  logic [15:0] job_sid, job_len, over_sid;
  logic [31:0] job_seq;
  logic [ 7:0] over_mark;

  assign s_read.data = read;
  assign s_read.valid = read_valid;
  assign m_notify.ready = note_ready;
  assign m_read.ready = rsp_ready;

  kumi_tcp_rx_state #(
      .SESSIONS(2),
      .RX_RING (RING)
  ) u_dut (
      .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- news stay ---------------------------------------------------------------------------------
  tcp_rx_cmd_t cmd_q;
  logic held_q, bad_q;
  always_ff @(posedge clk) begin
    cmd_q  <= s_cmd;
    bad_q  <= cmd_bad;
    held_q <= !rst && cmd_valid && !cmd_ready;
  end
  always_comb assume (!held_q || (cmd_valid && s_cmd == cmd_q && cmd_bad == bad_q));
  // Room for what is over does not go away by itself.
  logic room_q;
  always_ff @(posedge clk) room_q <= !rst && over_ready && !over_valid;
  always_comb assume (!room_q || over_ready);

  // ---- the model ---------------------------------------------------------------------------------
  logic seen_q, active_q, ended_q, discarded_q;
  logic [12:0] shown_q;
  logic [31:0] end_q;
  logic ours, news, asks, takes, ends, frees;
  assign ours  = u_dut.u_mem.at_q == watched_q;
  assign news  = u_dut.cmd_q && ours;
  assign asks  = u_dut.read_q && ours;
  assign takes = asks && u_dut.made;
  assign ends  = news && cmd_ready && s_cmd.ended;
  assign frees = (news && u_dut.is_over) || (takes && u_dut.was_q.over && u_dut.all_q);

  always_comb assume (!news || (s_cmd.opened ? !active_q : seen_q));
  always_comb assume (!news || !s_cmd.ended || s_cmd.opened || (active_q && !ended_q));

  logic [12:0] left;
  logic over_now, none_now;
  assign over_now = s_cmd.opened ? s_cmd.ended : ended_q || ends;
  assign none_now = over_now && cmd_ready && (s_cmd.discard || (!s_cmd.opened && discarded_q));
  assign left = s_cmd.opened ? '0 : shown_q + 13'(u_dut.step);

  always_ff @(posedge clk) begin
    if (news) begin
      shown_q <= none_now ? '0 : left;
      end_q   <= s_cmd.opened ? s_cmd.in_order_end : end_q + 32'(u_dut.step);
      if (s_cmd.opened) begin
        seen_q <= 1'b1;
        active_q <= 1'b1;
        ended_q <= 1'b0;
        discarded_q <= 1'b0;
      end
      if (ends) ended_q <= 1'b1;
      if (cmd_ready && s_cmd.discard) discarded_q <= 1'b1;
    end
    if (takes) shown_q <= shown_q - 13'(u_dut.take);
    if (frees) active_q <= 1'b0;
    if (rst) begin
      seen_q <= 1'b0;
      active_q <= 1'b0;
      ended_q <= 1'b0;
      discarded_q <= 1'b0;
      shown_q <= '0;
    end
  end

  `KUMI_ASSERT(a_ring, shown_q <= 13'(RING))
  `KUMI_ASSERT(
      a_take,
      !takes || (active_q && 32'(u_dut.take) <= 32'(shown_q) && u_dut.take <= u_dut.asked_q.length))
  `KUMI_ASSERT(a_place, !takes || u_dut.was_q.first == end_q - 32'(shown_q))
  `KUMI_ASSERT(
      a_shows,
      !news || s_cmd.opened || u_dut.step == '0 || (active_q && !ended_q && 32'(u_dut.step) <= s_cmd.in_order_end - end_q))
  `KUMI_ASSERT(a_free_once, !frees || active_q || (news && s_cmd.opened))
  `KUMI_ASSERT(a_free_late, !frees || ended_q || ends)
  `KUMI_ASSERT(a_free_due, !(active_q && ended_q && shown_q == '0))
  `KUMI_ASSERT(a_room, !over_valid || over_ready)

  // ---- what makes the induction close --------------------------------------------------------------
  logic cleared;
  logic [80:0] kept;  // {active, over, discarded, broken, avail 13, last 32, first 32}
  assign kept = u_dut.u_mem.write_q && u_dut.u_mem.last_at_q == watched_q ? u_dut.u_mem.last_q :
      u_dut.u_mem.u_ram.gen_lut.mem[watched_q];
  assign cleared = !u_dut.clearing || u_dut.u_mem.clear_at_q > watched_q;
  logic judged, commands;
  assign judged   = u_dut.cmd_q || u_dut.read_q;
  assign commands = u_dut.cmd_q || (u_dut.sums_q && u_dut.sums_cmd_q);
  `KUMI_ASSERT(i_same, !u_dut.sums_q || !ours || u_dut.now == kept)
  `KUMI_ASSERT(i_was, !judged || !ours || u_dut.was_q == kept)
  `KUMI_ASSERT(i_delta, !u_dut.cmd_q || u_dut.delta_q == s_cmd.in_order_end - u_dut.was_q.last)
  `KUMI_ASSERT(i_sum, !u_dut.cmd_q || u_dut.sum_q == s_cmd.in_order_end - u_dut.was_q.first)
  `KUMI_ASSERT(
      i_all,
      !u_dut.read_q || u_dut.all_q == (32'(u_dut.was_q.avail) <= 32'(u_dut.asked_q.length) || 32'(u_dut.asked_q.length) >= 32'(RING)))
  `KUMI_ASSERT(i_rest,
               !u_dut.read_q || u_dut.rest_q == u_dut.was_q.avail - 13'(u_dut.asked_q.length))
  `KUMI_ASSERT(i_past,
               !u_dut.read_q || u_dut.past_q == u_dut.was_q.first + 32'(u_dut.asked_q.length))
  `KUMI_ASSERT(
      i_more,
      !u_dut.cmd_q || (u_dut.avail_more_q == u_dut.was_q.avail + 13'h1FFF && u_dut.last_more_q == u_dut.was_q.last + 32'hFFFF))
  `KUMI_ASSERT(i_sid, !commands || (s_cmd.sid[0] == u_dut.u_mem.at_q && cmd_valid))
  `KUMI_ASSERT(i_at, !u_dut.sums_q || u_dut.at_q == u_dut.u_mem.at_q)
  `KUMI_ASSERT(i_one, 2'(u_dut.sums_q) + 2'(u_dut.cmd_q) + 2'(u_dut.read_q) <= 2'd1)
  `KUMI_ASSERT(i_idle, !u_dut.clearing || (!u_dut.sums_q && !judged && !seen_q))
  `KUMI_ASSERT(i_none, !cleared || seen_q || kept == '0)
  `KUMI_ASSERT(i_zero, seen_q || (!active_q && !ended_q && !discarded_q && shown_q == '0))
  `KUMI_ASSERT(
      i_kept,
      !seen_q || (kept[80] == active_q && kept[79] == ended_q && kept[76:64] == shown_q && kept[63:32] == end_q))
  `KUMI_ASSERT(i_first, !seen_q || !active_q || kept[31:0] == end_q - 32'(shown_q))
  `KUMI_ASSERT(i_forgot, !seen_q || !active_q || kept[78] == discarded_q)
  `KUMI_ASSERT(i_dead, active_q || shown_q == '0)
  `KUMI_ASSERT(i_over, active_q || !seen_q || ended_q)
  `KUMI_ASSERT(i_given, !(ended_q && discarded_q) || shown_q == '0)
  `KUMI_ASSERT(i_slot, !commands || over_ready)

  `KUMI_COVER(c_read_last, takes && frees)
  `KUMI_COVER(c_over, news && u_dut.is_over && ended_q)
  `KUMI_COVER(c_full, shown_q == 13'(RING))
  `KUMI_COVER(c_again, news && s_cmd.opened && ended_q)
  `KUMI_COVER(c_late, news && s_cmd.discard && !s_cmd.opened && seen_q && !active_q)

  logic unused;
  assign unused = ^{job_sid, job_len, job_seq, job_last, job_valid, over_sid, over_mark,
                    ev_no_session, m_notify.valid, m_notify.data, m_read.valid, m_read.data};
endmodule
