// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ib_router_conn: whatever is asked and whatever answers come, a connection's new
// packets have the next PSN, at most WINDOW of them are open, only open ones are repeated, a
// connection is in the queue of those that repeat at most once, and a dead peer is never sent to.
//
// Two peers, a window of 2; any connection is watched. Assumed of the send side: what it asks stays
// until the answer; it asks to repeat only for the connection at the head of the queue, and takes
// it out with the answer after which nothing is left to repeat. Answers of peers and clears stay
// until they are taken. Of the queue: it gives only what is in it (proved as stream/fifo).
`include "kumi_assert.svh"
module ib_router_conn_formal
  import kumi_ib_router_pkg::*;
(
    input logic           clk,
    input logic           rst,
    input cfg_t           cfg,
    input logic           clear_valid,
    input logic           clear_peer,
    input logic           ask_valid,
    input logic           ask_resend,
    input logic    [ 2:0] ask_conn,
    input logic           ack_valid,
    input logic    [ 2:0] ack_conn,
    input answer_e        ack_kind,
    input logic    [23:0] ack_psn
);
  localparam int CONN_W = 3;
  localparam int WINDOW = 2;
  localparam int CTX_W = 49;  // of a connection's state
  localparam logic [2:0] OP_INIT = 3'd0, OP_CLEAR = 3'd1, OP_ACK = 3'd2, OP_SEND = 3'd3,
      OP_RESEND = 3'd4;
  localparam logic [1:0] PICK = 2'd0, EXEC = 2'd2;

  logic clear_ready, answer_valid, answer_ok, answer_dead, answer_more, ack_ready;
  logic resend_valid, resend_take, timed_out, died, stale;
  logic [23:0] answer_psn;
  logic [CONN_W-1:0] resend_conn;
  logic [1:0] dead;
  logic unacked;

  kumi_ib_router_conn #(
      .PEERS (2),
      .WINDOW(WINDOW)
  ) u_dut (
      .clk,
      .rst,
      .cfg,
      .clear_valid,
      .clear_ready,
      .clear_peer,
      .ask_valid,
      .ask_resend,
      .ask_conn,
      .answer_valid,
      .answer_ok,
      .answer_dead,
      .answer_more,
      .answer_psn,
      .ack_valid,
      .ack_ready,
      .ack_conn,
      .ack_kind,
      .ack_psn,
      .resend_valid,
      .resend_conn,
      .resend_take,
      .dead,
      .unacked,
      .ev_timed_out(timed_out),
      .ev_died(died),
      .ev_stale(stale)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q ? !rst : rst);
  logic ask_held_q, ack_held_q, clear_held_q;
  always_ff @(posedge clk) begin
    ask_held_q   <= ask_valid && !answer_valid && !rst;
    ack_held_q   <= ack_valid && !ack_ready && !rst;
    clear_held_q <= clear_valid && !clear_ready && !rst;
    if (started_q && ask_held_q) assume (ask_valid && $stable(ask_conn) && $stable(ask_resend));
    if (started_q && ack_held_q) begin
      assume (ack_valid && $stable(ack_conn) && $stable(ack_kind) && $stable(ack_psn));
    end
    if (started_q && clear_held_q) assume (clear_valid && $stable(clear_peer));
  end
  assign resend_take = answer_valid && u_dut.op_q == OP_RESEND && !(answer_ok && answer_more);
  always_comb begin
    if (ask_valid && ask_resend) assume (resend_valid && ask_conn == resend_conn);
  end

  // ---- the watched connection ------------------------------------------------------------------
  logic [CONN_W-1:0] who;  // never driven but by itself: any constant
  always_ff @(posedge clk) who <= who;

  logic exec, mine, sends, repeats, cleared, dies;
  logic [23:0] next_q;  // PSN of its next new packet
  logic [3:0] queued_q;  // times that it is in the queue
  logic [CTX_W-1:0] raw;
  logic [23:0] una;
  logic [1:0] count, next;
  logic resend;
  assign exec = u_dut.state_q == EXEC;
  assign mine = exec && u_dut.conn_q == who;
  assign sends = mine && u_dut.op_q == OP_SEND && answer_ok;
  assign repeats = mine && u_dut.op_q == OP_RESEND && answer_ok;
  assign cleared = mine && (u_dut.op_q == OP_CLEAR || u_dut.op_q == OP_INIT);
  assign dies = mine && u_dut.ctx.count != '0 && u_dut.ctx_d.count == '0
      && (u_dut.dies || u_dut.op_q > OP_RESEND);
  assign raw = u_dut.u_ctx.mem[who];
  assign {una, count, next, resend} = raw[CTX_W-1-:29];
  always_ff @(posedge clk) begin
    if (cleared) next_q <= '0;
    else if (dies) next_q <= u_dut.ctx_d.una;
    else if (sends) next_q <= next_q + 1'b1;
    queued_q <= queued_q + 4'(mine && u_dut.push) - 4'(resend_take && resend_conn == who);
    if (rst) begin
      next_q   <= '0;
      queued_q <= '0;
    end
  end

  always_comb begin
    if (resend_valid && resend_conn == who) assume (queued_q != '0);
  end

  `KUMI_ASSERT(a_next, !sends || (answer_psn == next_q && count < 2'(WINDOW)))
  `KUMI_ASSERT(a_repeat, !repeats || 24'(answer_psn - una) < 24'(count))
  `KUMI_ASSERT(a_dead, !(answer_valid && answer_ok) || !dead[u_dut.conn_q[CONN_W-1]])
  `KUMI_ASSERT(a_once, queued_q <= 4'd1)
  `KUMI_ASSERT(a_window, u_dut.init_q || count <= 2'(WINDOW))

  // ---- what the unit holds ---------------------------------------------------------------------
  `KUMI_ASSERT(
      i_init,
      !u_dut.init_q || (queued_q == '0 && next_q == '0 && (u_dut.state_q == PICK || u_dut.op_q == OP_INIT) && (who >= u_dut.init_conn_q || raw == '0)))
  `KUMI_ASSERT(i_after, u_dut.init_q || u_dut.state_q == PICK || u_dut.op_q != OP_INIT)
  `KUMI_ASSERT(i_place, !u_dut.init_q || u_dut.state_q == PICK || u_dut.conn_q == u_dut.init_conn_q)
  `KUMI_ASSERT(i_count, u_dut.init_q || (next <= 2'(WINDOW) && next_q == una + 24'(count)))
  `KUMI_ASSERT(i_queued, u_dut.init_q || queued_q == 4'(resend))
  `KUMI_ASSERT(i_read, u_dut.state_q == PICK || u_dut.ctx == u_dut.u_ctx.mem[u_dut.conn_q])
  `KUMI_ASSERT(i_ahead,
               !exec || u_dut.ahead_q == 24'(ack_psn - u_dut.ctx.una) || u_dut.op_q != OP_ACK)
  `KUMI_ASSERT(i_open, !exec || u_dut.open_q == (u_dut.ctx.count != '0))
  `KUMI_ASSERT(i_dead, !exec || u_dut.dead_q == dead[u_dut.conn_q[CONN_W-1]])
  `KUMI_ASSERT(
      i_op,
      u_dut.state_q == PICK || ((u_dut.op_q != OP_ACK || (ack_valid && u_dut.conn_q == ack_conn)) && (u_dut.op_q != OP_CLEAR || (clear_valid && u_dut.conn_q == {clear_peer, u_dut.clear_vc_q})) && (!(u_dut.op_q == OP_SEND || u_dut.op_q == OP_RESEND) || (ask_valid && u_dut.conn_q == ask_conn && ask_resend == (u_dut.op_q == OP_RESEND)))))
  `KUMI_ASSERT(i_state, u_dut.state_q <= EXEC)

  `KUMI_COVER(c_full, !u_dut.init_q && count == 2'(WINDOW))
  `KUMI_COVER(c_repeat, repeats)
  `KUMI_COVER(c_died, died)
endmodule
