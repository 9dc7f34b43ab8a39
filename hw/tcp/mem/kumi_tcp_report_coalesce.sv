// SPDX-License-Identifier: Apache-2.0
//
// Non-blocking reports to the core: a later report of a session replaces its pending one.
//
// s_*: s_value becomes the session's value (unchanged if s_set is low), s_flags are ORed into the
//   pending ones.
// kill_*: discards the session's pending report (not a record already offered on m_*).
// m_*: sid, value and flags of a session, oldest first. Each session is queued at most once, so the
//   queue of SESSIONS entries never overflows; s_ready is low for a few cycles at most, whatever
//   m_* does.
// Latency 1 cycle when nothing is pending. Throughput: one report per cycle in, less the cycles in
//   which a pending one leaves or is discarded.
// Reset discards everything; after it nothing is accepted for SESSIONS cycles.
module kumi_tcp_report_coalesce
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,  // a power of two, 2 or more
    parameter int VALUE_W  = 32,
    parameter int FLAG_W   = 1
) (
    input  logic               clk,
    input  logic               rst,
    input  logic [  SID_W-1:0] s_sid,
    input  logic [VALUE_W-1:0] s_value,
    input  logic               s_set,
    input  logic [ FLAG_W-1:0] s_flags,
    input  logic               s_valid,
    output logic               s_ready,
    input  logic [  SID_W-1:0] kill_sid,
    input  logic               kill_valid,
    output logic               kill_ready,
    output logic [  SID_W-1:0] m_sid,
    output logic [VALUE_W-1:0] m_value,
    output logic [ FLAG_W-1:0] m_flags,
    output logic               m_valid,
    input  logic               m_ready,
    output logic               idle
);
  localparam int IDX_W = $clog2(SESSIONS);

  typedef struct packed {
    logic               queued;  // the session is in the queue
    logic               live;    // with a pending report
    logic [FLAG_W-1:0]  flags;
    logic [VALUE_W-1:0] value;
  } report_entry_t;

  typedef enum logic [1:0] {
    OP_NONE,
    OP_PUSH,
    OP_POP,
    OP_KILL
  } report_op_e;

  // ---- operation ------------------------------------------------------------------------------
  report_op_e op, op_q;
  logic [IDX_W-1:0] at, at_q, head;
  logic head_valid, clearing, pop, direct, out_room, enqueue, queue_room;
  logic [IDX_W:0] waiting_q;  // sessions in the queue
  logic [VALUE_W-1:0] value_q;
  logic [FLAG_W-1:0] flags_q;
  logic set_q;
  report_entry_t entry, next;

  // Nothing is pending or about to be: bypass.
  assign direct = waiting_q == '0 && op_q == OP_NONE && out_room;
  assign pop = head_valid && out_room && op_q != OP_POP;
  assign s_ready = !clearing && !kill_valid && !pop;
  assign kill_ready = !clearing;

  always_comb begin
    op = OP_NONE;
    at = s_sid[IDX_W-1:0];
    if (clearing) begin
      op = OP_NONE;
    end else if (kill_valid) begin
      op = OP_KILL;
      at = kill_sid[IDX_W-1:0];
    end else if (pop) begin
      op = OP_POP;
      at = head;
    end else if (s_valid && !direct) begin
      op = OP_PUSH;
    end
  end

  kumi_ram_rmw #(
      .W($bits(report_entry_t)),
      .DEPTH(SESSIONS)
  ) u_mem (
      .clk,
      .rst,
      .at,
      .now(entry),
      .op (op_q != OP_NONE),
      .next,
      .clearing
  );

  always_ff @(posedge clk) begin
    op_q <= op;
    at_q <= at;
    value_q <= s_value;
    flags_q <= s_flags;
    set_q <= s_set;
    if (rst) op_q <= OP_NONE;
  end

  // ---- one cycle later ------------------------------------------------------------------------
  assign enqueue = op_q == OP_PUSH && !entry.queued;

  always_comb begin
    next = entry;
    case (op_q)
      OP_PUSH: begin
        next.queued = 1'b1;
        next.live   = 1'b1;
        next.flags  = flags_q | (entry.live ? entry.flags : '0);
        if (set_q) next.value = value_q;
      end
      OP_POP: begin
        next.queued = 1'b0;
        next.live   = 1'b0;
      end
      OP_KILL: next.live = 1'b0;
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    waiting_q <= waiting_q + (IDX_W + 1)'(enqueue) - (IDX_W + 1)'(op_q == OP_POP);
    if (rst) waiting_q <= '0;
  end


  logic [IDX_W:0] depth;
  kumi_fifo #(
      .W(IDX_W),
      .DEPTH(SESSIONS)
  ) u_queue (
      .clk,
      .rst,
      .s_data (at_q),
      .s_valid(enqueue),
      .s_ready(queue_room),
      .m_data (head),
      .m_valid(head_valid),
      .m_ready(op == OP_POP),
      .depth
  );

  // out_room is sampled one cycle before a popped entry arrives; only a pop and the bypass fill
  // it, and neither follows the other within one cycle.
  kumi_slice #(
      .W(SID_W + VALUE_W + FLAG_W),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data (op_q == OP_POP ? {SID_W'(at_q), entry.value, entry.flags}
          : {s_sid, s_value, s_flags}),
      .s_valid(op_q == OP_POP ? entry.live : s_valid && s_ready && direct),
      .s_ready(out_room),
      .m_data({m_sid, m_value, m_flags}),
      .m_valid,
      .m_ready
  );

  assign idle = waiting_q == '0 && op_q == OP_NONE && !m_valid;

  logic unused;
  assign unused = ^{depth, queue_room, s_sid, kill_sid};
endmodule
