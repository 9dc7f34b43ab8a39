// SPDX-License-Identifier: Apache-2.0
//
// Transmit space control: answers the application's writes, reserves ring space, and keeps writes
//   and closes in order.
//
// s_tx_space: from the core, accepted in every cycle except for SESSIONS cycles after reset.
//   fresh_*: it announced a new session: everything of the previous one with this number is void.
// s_write, m_write: each write is answered in order: TCP_OK (a frame must follow), TCP_BAD_LENGTH
//   (length 0), TCP_NO_SESSION (not open, or aborted), TCP_HALF_CLOSED (closed by the application,
//   until the number is reused), TCP_NO_SPACE (less space than requested). An accepted write
//   reserves its space.
// s_close: FIN or RST after earlier writes; ignored for a session that is not open or already
//   closed. s_fault: an abort like that of s_close.
// credit_*: reserved space that a write did not use.
// job_*: accepted writes and closes in order; job_gen distinguishes sessions with the same number.
//   job_room: two more can be accepted.
// Latency: s_write to m_write 3 cycles, to job_valid 1. Throughput: one operation per cycle.
module kumi_tcp_tx_space_ctrl
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,     // a power of two, 2 or more
    parameter int TX_RING  = 16384,  // bytes of a ring, a power of two
    parameter int GEN_W    = 8       // generation bits, distinguish sessions with the same number
) (
    input  logic                       clk,
    input  logic                       rst,
           kumi_rec_if.snk             s_tx_space,
           kumi_rec_if.snk             s_write,
           kumi_rec_if.src             m_write,
           kumi_rec_if.snk             s_close,
           kumi_rec_if.snk             s_fault,
    input  logic           [SID_W-1:0] credit_sid,
    input  logic           [GEN_W-1:0] credit_gen,
    input  logic           [     15:0] credit_bytes,
    input  logic                       credit_valid,
    output logic                       credit_ready,
    output logic           [SID_W-1:0] fresh_sid,
    output logic           [GEN_W-1:0] fresh_gen,
    output logic           [     31:0] fresh_una,
    output logic                       fresh_valid,
    output logic           [SID_W-1:0] job_sid,
    output logic           [GEN_W-1:0] job_gen,
    output logic           [     15:0] job_length,
    output logic                       job_fin,
    output logic                       job_abort,
    output logic                       job_valid,
    input  logic                       job_room,
    output logic                       ev_refused
);
  localparam int IDX_W = $clog2(SESSIONS);
  localparam int RING_W = $clog2(TX_RING);

  if (SESSIONS < 2 || (SESSIONS & (SESSIONS - 1)) != 0 || IDX_W > SID_W) begin : gen_check_sessions
    $fatal(0, "SESSIONS must be a power of two, 2 to 65536 (%m)");
  end
  if ((TX_RING & (TX_RING - 1)) != 0 || RING_W < 12 || RING_W > 29) begin : gen_check_ring
    $fatal(0, "TX_RING must be a power of two, 4096 to 2^29 (%m)");
  end

  typedef struct packed {
    logic             open;
    logic             closed;   // by the application
    logic             aborted;
    logic [GEN_W-1:0] gen;
    logic [RING_W:0]  free;     // bytes neither reserved nor unacknowledged
    logic [31:0]      snd_una;
  } account_t;

  typedef enum logic [2:0] {
    OP_NONE,
    OP_ROOM,
    OP_CREDIT,
    OP_WRITE,
    OP_CLOSE
  } tx_space_op_e;

  // ---- one operation a cycle ------------------------------------------------------------------
  tx_space_op_e op, op_q;
  logic clearing, turn_q, may, pick_fault;
  logic [IDX_W-1:0] at;
  logic [SID_W-1:0] sid, sid_q;
  tcp_tx_space_t room, room_q;
  tcp_write_t write, write_q;
  tcp_close_t close, close_q;
  logic [15:0] bytes_q;
  logic [GEN_W-1:0] gen_q;
  logic [4:0] answers;

  assign room = s_tx_space.data;
  assign write = s_write.data;
  assign pick_fault = s_fault.valid;
  assign close = pick_fault ? s_fault.data : s_close.data;
  assign may = !clearing && !s_tx_space.valid && !credit_valid && job_room && !answers[3]
      && !answers[4];

  // Writes and closes alternate when both wait.
  logic closing, take_write, take_close;
  assign closing = s_close.valid || s_fault.valid;
  assign take_write = may && (turn_q || !closing);
  assign take_close = may && (!turn_q || !s_write.valid);
  assign s_tx_space.ready = !clearing;
  assign credit_ready = !clearing && !s_tx_space.valid;
  assign s_write.ready = take_write;
  assign s_fault.ready = take_close;
  assign s_close.ready = take_close && !pick_fault;

  always_comb begin
    op  = OP_NONE;
    sid = room.sid;
    if (s_tx_space.valid) begin
      op = OP_ROOM;
    end else if (credit_valid) begin
      op  = OP_CREDIT;
      sid = credit_sid;
    end else if (take_write && s_write.valid) begin
      op  = OP_WRITE;
      sid = write.sid;
    end else if (take_close && closing) begin
      op  = OP_CLOSE;
      sid = close.sid;
    end
    if (clearing) op = OP_NONE;
  end
  assign at = sid[IDX_W-1:0];

  account_t now, next;
  kumi_ram_rmw #(
      .W($bits(account_t)),
      .DEPTH(SESSIONS)
  ) u_mem (
      .clk,
      .rst,
      .at,
      .now,
      .op(op_q != OP_NONE),
      .next,
      .clearing
  );

  always_ff @(posedge clk) begin
    op_q <= op;
    sid_q <= sid;
    room_q <= room;
    write_q <= write;
    close_q <= close;
    bytes_q <= credit_bytes;
    gen_q <= credit_gen;
    if (op == OP_WRITE) turn_q <= 1'b0;
    if (op == OP_CLOSE) turn_q <= 1'b1;
    if (rst) begin
      op_q   <= OP_NONE;
      turn_q <= 1'b1;
    end
  end

  // ---- one cycle later ------------------------------------------------------------------------
  logic [31:0] acked;
  logic [RING_W+1:0] freed, back;
  logic [RING_W:0] less;
  logic fits, fits_back, enough, writes, closes, aborts;
  tcp_reason_e reason;

  assign acked = room_q.snd_una - now.snd_una;
  assign freed = (RING_W + 2)'(now.free) + (RING_W + 2)'(acked[RING_W:0]);
  assign fits = acked[31:RING_W+1] == '0 && freed <= (RING_W + 2)'(TX_RING);
  assign back = (RING_W + 2)'(now.free) + (RING_W + 2)'(bytes_q);
  assign fits_back = 32'(now.free) + 32'(bytes_q) <= 32'(TX_RING) && gen_q == now.gen;
  assign enough = 32'(write_q.length) <= 32'(now.free);
  assign less = now.free - (RING_W + 1)'(write_q.length);

  always_comb begin
    if (write_q.length == '0) reason = TCP_BAD_LENGTH;
    else if (now.aborted || !(now.open || now.closed)) reason = TCP_NO_SESSION;
    else if (now.closed) reason = TCP_HALF_CLOSED;
    else if (!enough) reason = TCP_NO_SPACE;
    else reason = TCP_OK;
  end

  assign writes = op_q == OP_WRITE && reason == TCP_OK;
  assign closes = op_q == OP_CLOSE && !close_q.abort && now.open && !now.closed && !now.aborted;
  assign aborts = op_q == OP_CLOSE && close_q.abort && (now.open || now.closed) && !now.aborted;

  always_comb begin
    next = now;
    case (op_q)
      OP_ROOM: begin
        next.open = room_q.open;
        if (room_q.first) begin
          next.closed = 1'b0;
          next.aborted = 1'b0;
          next.gen = now.gen + 1'b1;
          next.free = (RING_W + 1)'(TX_RING);
          next.snd_una = room_q.snd_una;
        end else if (fits) begin
          next.free = freed[RING_W:0];
          next.snd_una = room_q.snd_una;
        end
      end
      OP_CREDIT: if (fits_back) next.free = back[RING_W:0];
      OP_WRITE:  if (writes) next.free = less;
      OP_CLOSE: begin
        if (closes) next.closed = 1'b1;
        if (aborts) next.aborted = 1'b1;
      end
      default:   ;
    endcase
  end

  always_ff @(posedge clk) begin
    ev_refused <= op_q == OP_WRITE && !writes;
    if (rst) ev_refused <= 1'b0;
  end


  assign fresh_valid = op_q == OP_ROOM && room_q.first;
  assign fresh_sid = sid_q;
  assign fresh_gen = next.gen;
  assign fresh_una = room_q.snd_una;

  assign job_valid = writes || closes || aborts;
  assign job_sid = sid_q;
  assign job_gen = now.gen;
  assign job_length = write_q.length;
  assign job_fin = closes;
  assign job_abort = aborts;

  // ---- responses ------------------------------------------------------------------------------
  tcp_write_rsp_t rsp;
  logic rsp_room;
  assign rsp = '{
          sid: write_q.sid,
          length: write_q.length,
          space: 30'(writes ? less : now.free),
          reason: reason
      };

  kumi_fifo #(
      .W(WRITE_RSP_W),
      .DEPTH(16),
      .STYLE(0)
  ) u_answers (
      .clk,
      .rst,
      .s_data (rsp),
      .s_valid(op_q == OP_WRITE),
      .s_ready(rsp_room),
      .m_data (m_write.data),
      .m_valid(m_write.valid),
      .m_ready(m_write.ready),
      .depth  (answers)
  );

  logic unused;
  assign unused = ^{rsp_room, answers[2:0], back[RING_W+1], freed[RING_W+1], room_q.sid,
                    close_q.sid, sid};
endmodule
