// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_tx_space_ctrl for two sessions: a ring never overflows, and none of its
//   bytes is lost.
//
// One freely chosen session is observed. Proved: reserved bytes (accepted writes, less those
//   returned or acknowledged) and free bytes together are the ring, so no accepted write reaches an
//   unacknowledged byte; FIN is issued at most once per session and RST at most once, and no write
//   is accepted after either; there is space for every response. Assumed: the first record of the
//   core announces a new session, and returned space was reserved by a write of the same session.
//   Acknowledgements are arbitrary.
`include "kumi_assert.svh"
module tcp_tx_space_ctrl_formal
  import kumi_tcp_pkg::*;
(
    input logic                 clk,
    input logic                 rst,
    input tcp_tx_space_t        room,
    input logic                 room_valid,
    input tcp_write_t           write,
    input logic                 write_valid,
    input tcp_close_t           close,
    input logic                 close_valid,
    input tcp_close_t           fault,
    input logic                 fault_valid,
    input logic                 credit_valid,
    input logic          [ 7:0] credit_gen,
    input logic          [15:0] credit_bytes,
    input logic                 job_room,
    input logic                 answer_ready,
    input logic                 choice
);
  localparam int RING = 4096;

  kumi_rec_if #(.W($bits(tcp_tx_space_t))) s_tx_space ();
  kumi_rec_if #(.W(WRITE_W)) s_write ();
  kumi_rec_if #(.W(WRITE_RSP_W)) m_write ();
  kumi_rec_if #(.W(CLOSE_W)) s_close ();
  kumi_rec_if #(.W(CLOSE_W)) s_fault ();

  logic watched_q;  // the session
  always_ff @(posedge clk) watched_q <= rst ? choice : watched_q;

  logic [7:0] fresh_gen, job_gen;
  logic [15:0] fresh_sid, job_sid, job_length;
  logic [31:0] fresh_una;
  logic credit_ready, fresh_valid, job_fin, job_abort, job_valid, ev_refused;

  assign s_tx_space.data = room;
  assign s_tx_space.valid = room_valid;
  assign s_write.data = write;
  assign s_write.valid = write_valid;
  assign s_close.data = close;
  assign s_close.valid = close_valid;
  assign s_fault.data = fault;
  assign s_fault.valid = fault_valid;
  assign m_write.ready = answer_ready;

  kumi_tcp_tx_space_ctrl #(
      .SESSIONS(2),
      .TX_RING (RING)
  ) u_dut (
      .clk,
      .rst,
      .s_tx_space,
      .s_write,
      .m_write,
      .s_close,
      .s_fault,
      .credit_sid({15'b0, watched_q}),
      .credit_gen,
      .credit_bytes,
      .credit_valid,
      .credit_ready,
      .fresh_sid,
      .fresh_gen,
      .fresh_una,
      .fresh_valid,
      .job_sid,
      .job_gen,
      .job_length,
      .job_fin,
      .job_abort,
      .job_valid,
      .job_room,
      .ev_refused
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- the model, two cycles behind the inputs as the ledger ----------------------------------
  logic begun_q, fin_q, rst_q;
  logic [12:0] out_q;  // reserved and not acknowledged
  logic [31:0] una_q, acked;
  logic ours;
  assign ours  = u_dut.u_mem.at_q == watched_q;
  assign acked = u_dut.room_q.snd_una - una_q;

  logic is_room, is_credit;
  assign is_room   = u_dut.op_q == 3'd1 && ours;
  assign is_credit = u_dut.op_q == 3'd2 && ours && u_dut.gen_q == u_dut.was_q.gen;
  always_comb assume (!is_room || begun_q || u_dut.room_q.first);
  always_comb assume (!is_credit || 32'(u_dut.bytes_q) <= 32'(out_q));

  always_ff @(posedge clk) begin
    if (is_room && u_dut.room_q.first) begin
      begun_q <= 1'b1;
      fin_q   <= 1'b0;
      rst_q   <= 1'b0;
      out_q   <= '0;
      una_q   <= u_dut.room_q.snd_una;
    end else if (is_room && acked <= 32'(out_q)) begin
      out_q <= out_q - acked[12:0];
      una_q <= u_dut.room_q.snd_una;
    end
    if (is_credit) out_q <= out_q - u_dut.bytes_q[12:0];
    if (job_valid && job_sid[0] == watched_q) begin
      if (job_fin) fin_q <= 1'b1;
      if (job_abort) rst_q <= 1'b1;
      if (!job_fin && !job_abort) out_q <= out_q + job_length[12:0];
    end
    if (rst) begin
      begun_q <= 1'b0;
      fin_q   <= 1'b0;
      rst_q   <= 1'b0;
      out_q   <= '0;
    end
  end

  logic our_job;
  assign our_job = job_valid && job_sid[0] == watched_q;
  `KUMI_ASSERT(
      a_fits,
      !our_job || job_fin || job_abort || (job_length != '0 && 32'(out_q) + 32'(job_length) <= 32'(RING)))
  `KUMI_ASSERT(a_fin_once, !our_job || !job_fin || (!fin_q && !rst_q))
  `KUMI_ASSERT(a_rst_once, !our_job || !job_abort || !rst_q)
  `KUMI_ASSERT(a_none_behind, !our_job || job_fin || job_abort || (!fin_q && !rst_q))
  `KUMI_ASSERT(a_answer, u_dut.op_q != 3'd3 || u_dut.rsp_room)
  `KUMI_ASSERT(a_one_kind, !job_valid || !(job_fin && job_abort))

  // ---- what makes the induction close ----------------------------------------------------------
  logic cleared;
  logic [55:0] kept;  // {open, closed, aborted, gen 8, free 13, una 32}
  assign kept = u_dut.u_mem.write_q && u_dut.u_mem.last_at_q == watched_q ? u_dut.u_mem.last_q :
      u_dut.u_mem.u_ram.gen_lut.mem[watched_q];
  assign cleared = !u_dut.clearing || u_dut.u_mem.clear_at_q > watched_q;
  logic summed, judged;
  assign summed = u_dut.sum_op_q != 3'd0;
  assign judged = u_dut.op_q != 3'd0;
  `KUMI_ASSERT(i_same, !summed || !ours || u_dut.now == kept)
  `KUMI_ASSERT(i_was, !judged || !ours || u_dut.was_q == kept)
  `KUMI_ASSERT(i_acked, !judged || u_dut.acked_q == u_dut.room_q.snd_una - u_dut.was_q.snd_una)
  `KUMI_ASSERT(i_used, !judged || u_dut.used_q == 13'(RING) - u_dut.was_q.free)
  `KUMI_ASSERT(i_back, !judged || 32'(u_dut.back_q) == 32'(u_dut.was_q.free) + 32'(u_dut.bytes_q))
  `KUMI_ASSERT(i_less, !judged || u_dut.less_q == u_dut.was_q.free - 13'(u_dut.write_q.length))
  `KUMI_ASSERT(i_enough,
               !judged || u_dut.enough_q == (32'(u_dut.write_q.length) <= 32'(u_dut.was_q.free)))
  `KUMI_ASSERT(i_gen, !judged || u_dut.same_gen_q == (u_dut.gen_q == u_dut.was_q.gen))
  `KUMI_ASSERT(i_sid, !(summed || judged) || u_dut.sid_q[0] == u_dut.u_mem.at_q)
  `KUMI_ASSERT(i_at, !summed || u_dut.at_q == u_dut.u_mem.at_q)
  `KUMI_ASSERT(i_one, !(summed && judged))
  `KUMI_ASSERT(i_idle, !u_dut.clearing || (!summed && !judged && !begun_q))
  `KUMI_ASSERT(i_none, !cleared || begun_q || kept == '0)
  `KUMI_ASSERT(i_zero, begun_q || (out_q == '0 && !fin_q && !rst_q))
  `KUMI_ASSERT(i_sum, !begun_q || 32'(kept[44:32]) + 32'(out_q) == 32'(RING))
  `KUMI_ASSERT(i_una, !begun_q || kept[31:0] == una_q)
  `KUMI_ASSERT(i_ends, !begun_q || (kept[54] == fin_q && kept[53] == rst_q))
  `KUMI_ASSERT(
      i_answers,
      u_dut.answers <= 5'd9 && (!(u_dut.op_q == 3'd3 || u_dut.sum_op_q == 3'd3) || u_dut.answers <= 5'd8))

  `KUMI_COVER(c_full, begun_q && out_q == 13'(RING))
  `KUMI_COVER(c_again, begun_q && fin_q && is_room && u_dut.room_q.first)
  `KUMI_COVER(c_rst, our_job && job_abort && fin_q)
  `KUMI_COVER(c_credit, is_credit && u_dut.bytes_q != '0)

  logic unused;
  assign unused = ^{fresh_gen, job_gen, fresh_sid, fresh_una, credit_ready, fresh_valid, ev_refused,
                    m_write.valid, m_write.data, s_tx_space.ready, s_write.ready, s_close.ready,
                    s_fault.ready, job_sid};
endmodule
