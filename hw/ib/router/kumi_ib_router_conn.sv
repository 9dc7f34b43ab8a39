// SPDX-License-Identifier: Apache-2.0
//
// Send side of all connections of a router: PSNs, window, answers, retransmission timers (IBTA
// volume 1, clauses 9.7.2 to 9.7.5). One operation at a time, 3 cycles each.
//
// ask_*: with ask_resend low: may the connection send its next packet? With it high: the next one
//   to be retransmitted. answer_valid: one cycle; answer_ok with answer_psn; not ok: window full or
//   retransmission under way (or nothing more to retransmit), answer_dead: never again. ask_* stay
//   until then.
// ack_*: an answer of the peer. resend_*: connections with something to retransmit, each once.
// clear_*: a peer's connections begin again with PSN 0, and it is alive. unacked: packets wait for
//   an answer, 3 cycles late.
// A connection holds WINDOW packets at most, in buffers that are its own. A connection without an
//   answer for `timeout` sends them again, and for `retries` times in a row: then its peer is dead,
//   and what it held is gone. RNR NAKs are no such times.
module kumi_ib_router_conn
  import kumi_ib_router_pkg::*;
#(
    parameter  int PEERS   = 64,                 // a power of two
    parameter  int WINDOW  = 4,                  // packets of a connection, a power of two
    localparam int CONNS   = PEERS * VCS,
    localparam int CONN_W  = $clog2(CONNS),
    localparam int PEER_W  = $clog2(PEERS),
    localparam int COUNT_W = $clog2(WINDOW + 1)
) (
    input logic clk,
    input logic rst,
    input cfg_t cfg,

    input logic clear_valid,
    output logic clear_ready,
    input logic [PEER_W-1:0] clear_peer,

    input logic ask_valid,
    input logic ask_resend,
    input logic [CONN_W-1:0] ask_conn,
    output logic answer_valid,
    output logic answer_ok,
    output logic answer_dead,
    output logic answer_more,
    output logic [23:0] answer_psn,

    input logic ack_valid,
    output logic ack_ready,
    input logic [CONN_W-1:0] ack_conn,
    input answer_e ack_kind,
    input logic [23:0] ack_psn,

    output logic resend_valid,
    output logic [CONN_W-1:0] resend_conn,
    input logic resend_take,

    output logic [PEERS-1:0] dead,
    output logic unacked,
    output logic ev_timed_out,
    output logic ev_died,
    output logic ev_stale
);
  localparam int SCAN = 8;  // cycles from one connection's timer to the next
  localparam int UNIT_W = $clog2(UNIT);

  if (PEERS < 2 || (PEERS & (PEERS - 1)) != 0 || WINDOW < 2 || (WINDOW & (WINDOW - 1)) != 0)
  begin : gen_check
    $fatal(0, "PEERS and WINDOW must be powers of two, at least 2 (%m)");
  end

  typedef struct packed {
    logic [23:0]        una;      // oldest PSN without an answer
    logic [COUNT_W-1:0] count;    // packets from there on
    logic [COUNT_W-1:0] next;     // of them the next to retransmit
    logic               resend;   // is in the queue of those that retransmit
    logic               rnr;      // waits after an RNR NAK
    logic [2:0]         retries;
    logic [15:0]        stamp;    // time of the last progress
  } conn_t;

  typedef enum logic [2:0] {
    OP_INIT,
    OP_CLEAR,
    OP_ACK,
    OP_SEND,
    OP_RESEND,
    OP_SCAN
  } conn_op_e;

  typedef enum logic [1:0] {
    PICK,
    READ,
    EXEC
  } state_e;

  // ---- time ------------------------------------------------------------------------------------
  logic [UNIT_W-1:0] cycle_q;
  logic [15:0] now_q;
  logic [2:0] scan_wait_q;
  logic scan_due_q;
  logic [CONN_W-1:0] scan_q;

  // ---- choice ----------------------------------------------------------------------------------
  state_e state_q;
  conn_op_e op_q, op;
  logic init_q;
  logic [CONN_W-1:0] conn_q, conn, init_conn_q;
  logic [1:0] clear_vc_q;
  logic picked;

  always_comb begin
    op = OP_SCAN;
    conn = scan_q;
    picked = 1'b1;
    if (init_q) begin
      op   = OP_INIT;
      conn = init_conn_q;
    end else if (clear_valid) begin
      op   = OP_CLEAR;
      conn = {clear_peer, clear_vc_q};
    end else if (ack_valid) begin
      op   = OP_ACK;
      conn = ack_conn;
    end else if (scan_due_q) begin
      op = OP_SCAN;
    end else if (ask_valid) begin
      op   = ask_resend ? OP_RESEND : OP_SEND;
      conn = ask_conn;
    end else begin
      picked = 1'b0;
    end
  end

  // ---- memory ----------------------------------------------------------------------------------
  conn_t ctx, ctx_d;
  kumi_ram_sdp #(
      .W($bits(conn_t)),
      .DEPTH(CONNS)
  ) u_ctx (
      .clk,
      .wr_en  (state_q == EXEC),
      .wr_addr(conn_q),
      .wr_data(ctx_d),
      .rd_en  (state_q == PICK),
      .rd_addr(conn),
      .rd_data(ctx)
  );

  // ---- first cycle: differences and comparisons ------------------------------------------------
  logic [23:0] ahead_q;  // PSN of an answer less the oldest open one
  logic [15:0] elapsed_q, limit_q;
  logic open_q, dead_q;
  always_ff @(posedge clk) begin
    ahead_q <= ack_psn - ctx.una;
    elapsed_q <= now_q - ctx.stamp;
    limit_q <= ctx.rnr ? 16'(cfg.rnr_wait) : 16'(cfg.timeout) << (ctx.retries > 3'd3 ? 2'd3 :
        ctx.retries[1:0]);
    open_q <= ctx.count != '0;
    dead_q <= dead[conn_q[CONN_W-1:2]];
  end

  // ---- second cycle: the new state -------------------------------------------------------------
  logic in_window, push, expired, dies;
  logic [COUNT_W-1:0] acked;

  assign in_window = ahead_q[23:COUNT_W] == '0 && ahead_q[COUNT_W-1:0] < ctx.count;
  assign acked = ahead_q[COUNT_W-1:0] + COUNT_W'(ack_kind == ANSWER_ACK);
  assign expired = open_q && !ctx.resend && elapsed_q >= limit_q;

  always_comb begin
    ctx_d = ctx;
    push  = 1'b0;
    dies  = 1'b0;
    unique case (op_q)
      OP_INIT: ctx_d = '0;
      OP_CLEAR: begin
        ctx_d = '0;
        ctx_d.resend = ctx.resend;
      end
      OP_SEND:
      if (answer_ok) begin
        ctx_d.count = ctx.count + 1'b1;
        if (!open_q) begin
          ctx_d.stamp   = now_q;
          ctx_d.retries = '0;
          ctx_d.rnr     = 1'b0;
        end
      end
      OP_RESEND: begin
        ctx_d.resend = answer_ok && answer_more;
        if (answer_ok) begin
          ctx_d.next  = ctx.next + 1'b1;
          ctx_d.stamp = now_q;
        end
      end
      OP_ACK:
      if (in_window) begin
        ctx_d.una   = ctx.una + 24'(acked);
        ctx_d.count = ctx.count - acked;
        ctx_d.next  = ctx.next > acked ? ctx.next - acked : '0;
        if (acked != '0) ctx_d.retries = '0;
        ctx_d.stamp = now_q;
        ctx_d.rnr   = ack_kind == ANSWER_RNR || (ctx.rnr && acked == '0);
        if (ack_kind == ANSWER_RNR) begin
          ctx_d.next = ctx.count - acked;
        end else if (ack_kind == ANSWER_NAK && !ctx_d.rnr) begin
          ctx_d.next = '0;
          ctx_d.resend = 1'b1;
          push = !ctx.resend;
        end
        dies = ack_kind == ANSWER_FATAL;
      end
      default:
      if (dead_q) begin
        ctx_d.count = '0;
      end else if (expired) begin
        ctx_d.next  = '0;
        ctx_d.stamp = now_q;
        ctx_d.rnr   = 1'b0;
        if (!ctx.rnr && ctx.retries == cfg.retries) begin
          dies = 1'b1;
        end else begin
          if (!ctx.rnr) ctx_d.retries = ctx.retries + 1'b1;
          ctx_d.resend = 1'b1;
          push = 1'b1;
        end
      end
    endcase
    if (dies) ctx_d.count = '0;
  end

  assign answer_valid = state_q == EXEC && (op_q == OP_SEND || op_q == OP_RESEND);
  assign answer_dead = dead_q;
  assign answer_ok = !dead_q && (op_q == OP_SEND ? ctx.count != COUNT_W'(WINDOW) && !ctx.resend &&
      !ctx.rnr : ctx.resend && ctx.next < ctx.count);
  assign answer_more = ctx.next + 1'b1 < ctx.count;
  assign answer_psn = ctx.una + 24'(op_q == OP_SEND ? ctx.count : ctx.next);
  assign ack_ready = state_q == EXEC && op_q == OP_ACK;
  assign clear_ready = state_q == EXEC && op_q == OP_CLEAR && clear_vc_q == '1;

  always_ff @(posedge clk) begin
    cycle_q <= cycle_q + 1'b1;
    if (cycle_q == '1) now_q <= now_q + 1'b1;
    if (scan_wait_q == 3'(SCAN - 1)) begin
      scan_wait_q <= '0;
      scan_due_q  <= 1'b1;
    end else begin
      scan_wait_q <= scan_wait_q + 1'b1;
    end

    unique case (state_q)
      PICK: begin
        op_q   <= op;
        conn_q <= conn;
        if (picked) state_q <= READ;
      end
      READ: state_q <= EXEC;
      default: begin
        state_q <= PICK;
        if (op_q == OP_SCAN) begin
          scan_due_q <= 1'b0;
          scan_q <= scan_q + 1'b1;
        end
        if (op_q == OP_CLEAR) begin
          clear_vc_q <= clear_vc_q + 1'b1;
          dead[conn_q[CONN_W-1:2]] <= 1'b0;
        end
        if (dies) dead[conn_q[CONN_W-1:2]] <= 1'b1;
        if (op_q == OP_INIT) begin
          init_conn_q <= init_conn_q + 1'b1;
          if (init_conn_q == '1) init_q <= 1'b0;
        end
      end
    endcase
    ev_timed_out <= state_q == EXEC && op_q == OP_SCAN && expired && !ctx.rnr && !dead_q && !rst;
    ev_died <= state_q == EXEC && dies && !rst;
    ev_stale <= state_q == EXEC && op_q == OP_ACK && !in_window && !rst;
    if (rst) begin
      cycle_q <= '0;
      now_q <= '0;
      scan_wait_q <= '0;
      scan_due_q <= 1'b0;
      scan_q <= '0;
      state_q <= PICK;
      init_q <= 1'b1;
      init_conn_q <= '0;
      clear_vc_q <= '0;
      dead <= '0;
    end
  end

  // ---- packets that wait for an answer, of all connections --------------------------------------
  localparam int OPEN_W = $clog2(CONNS * WINDOW + 1);
  logic [OPEN_W-1:0] packets_q;
  logic signed [COUNT_W:0] change_q;
  logic [COUNT_W-1:0] before_q, after_q;

  always_ff @(posedge clk) begin
    before_q <= ctx.count;
    after_q  <= ctx_d.count;
    if (state_q != EXEC || op_q == OP_INIT) after_q <= ctx.count;
    change_q  <= $signed({1'b0, after_q}) - $signed({1'b0, before_q});
    packets_q <= packets_q + OPEN_W'(change_q);
    if (rst) begin
      before_q  <= '0;
      after_q   <= '0;
      change_q  <= '0;
      packets_q <= '0;
    end
  end
  assign unacked = packets_q != '0;

  // ---- those that retransmit: a connection is in here once at most -----------------------------
  logic unused_room;
  logic [CONN_W:0] unused_depth;
  kumi_fifo #(
      .W(CONN_W),
      .DEPTH(CONNS)
  ) u_resend (
      .clk,
      .rst,
      .s_data (conn_q),
      .s_valid(push && state_q == EXEC),
      .s_ready(unused_room),
      .m_data (resend_conn),
      .m_valid(resend_valid),
      .m_ready(resend_take),
      .depth  (unused_depth)
  );

  logic unused;
  assign unused = ^{unused_room, unused_depth, cfg};
endmodule
