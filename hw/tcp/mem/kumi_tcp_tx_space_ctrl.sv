// SPDX-License-Identifier: Apache-2.0
//
// Transmit space control: answers the application's writes, reserves ring space, and keeps writes
//   and closes in order.
//
// s_tx_space: from the core. fresh_*: it announced a new session: everything of the previous one
//   with this number is void.
// s_write, m_write: each write is answered in order: TCP_OK (a frame must follow), TCP_BAD_LENGTH
//   (length 0), TCP_NO_SESSION (not open, or aborted), TCP_HALF_CLOSED (closed by the application,
//   until the number is reused), TCP_NO_SPACE (less space than requested). An accepted write
//   reserves its space.
// s_close: FIN or RST after earlier writes; ignored for a session that is not open or already
//   closed. s_fault: an abort like that of s_close.
// credit_*: reserved space that a write did not use.
// job_*: accepted writes and closes in order; job_gen distinguishes sessions with the same number.
//   job_room: two more can be accepted.
// An operation takes three cycles, with one carry chain each: it is picked and its session read;
//   its sums are formed; it is judged and the session written, while the next one is picked.
// Latency: s_write to m_write 4 cycles, to job_valid 2. Throughput: one operation in 2 cycles.
// After reset nothing is accepted for SESSIONS cycles.
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
  localparam int BACK_W = (RING_W > 16 ? RING_W : 16) + 2;

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

  // ---- pick, and read the session -------------------------------------------------------------
  tx_space_op_e op, sum_op_q, op_q;  // picked now, a cycle ago, judged now
  logic clearing, open, turn_q, may, pick_fault;
  logic [IDX_W-1:0] at, at_q;
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
  assign open = !clearing && sum_op_q == OP_NONE;
  assign may = open && !s_tx_space.valid && !credit_valid && job_room && !answers[3] && !answers[4];

  // Writes and closes alternate when both wait.
  logic wants_close, take_write, take_close;
  assign wants_close = s_close.valid || s_fault.valid;
  assign take_write = may && (turn_q || !wants_close);
  assign take_close = may && (!turn_q || !s_write.valid);
  assign s_tx_space.ready = open;
  assign credit_ready = open && !s_tx_space.valid;
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
    end else if (take_close && wants_close) begin
      op  = OP_CLOSE;
      sid = close.sid;
    end
    if (!open) op = OP_NONE;
  end
  assign at = open ? sid[IDX_W-1:0] : at_q;

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
    at_q <= at;
    sum_op_q <= op;
    op_q <= sum_op_q;
    if (open) begin
      sid_q   <= sid;
      room_q  <= room;
      write_q <= write;
      close_q <= close;
      bytes_q <= credit_bytes;
      gen_q   <= credit_gen;
    end
    if (op == OP_WRITE) turn_q <= 1'b0;
    if (op == OP_CLOSE) turn_q <= 1'b1;
    if (rst) begin
      sum_op_q <= OP_NONE;
      op_q     <= OP_NONE;
      turn_q   <= 1'b1;
    end
  end

  // ---- sums -----------------------------------------------------------------------------------
  account_t was_q;  // the session
  logic [31:0] acked_q;
  logic [RING_W:0] used_q;  // reserved or unacknowledged
  logic [BACK_W-1:0] back_q;  // free bytes with those that come back
  logic [RING_W:0] less_q;  // without those of a write
  logic enough_q, same_gen_q;

  always_ff @(posedge clk) begin
    was_q <= now;
    acked_q <= room_q.snd_una - now.snd_una;
    used_q <= (RING_W + 1)'(TX_RING) - now.free;
    back_q <= BACK_W'(now.free) + BACK_W'(bytes_q);
    less_q <= now.free - (RING_W + 1)'(write_q.length);
    enough_q <= 32'(write_q.length) <= 32'(now.free);
    same_gen_q <= gen_q == now.gen;
  end

  // ---- judged ---------------------------------------------------------------------------------
  logic [RING_W:0] freed;
  logic fits, fits_back, writes, closing, closes, aborts;
  tcp_reason_e reason;

  assign freed = was_q.free + acked_q[RING_W:0];
  assign fits = acked_q[31:RING_W+1] == '0 && acked_q[RING_W:0] <= used_q;
  assign fits_back = back_q <= BACK_W'(TX_RING) && same_gen_q;

  always_comb begin
    if (write_q.length == '0) reason = TCP_BAD_LENGTH;
    else if (was_q.aborted || !(was_q.open || was_q.closed)) reason = TCP_NO_SESSION;
    else if (was_q.closed) reason = TCP_HALF_CLOSED;
    else if (!enough_q) reason = TCP_NO_SPACE;
    else reason = TCP_OK;
  end

  assign writes  = op_q == OP_WRITE && reason == TCP_OK;
  assign closing = op_q == OP_CLOSE && !was_q.aborted;
  assign closes  = closing && !close_q.abort && was_q.open && !was_q.closed;
  assign aborts  = closing && close_q.abort && (was_q.open || was_q.closed);

  always_comb begin
    next = was_q;
    case (op_q)
      OP_ROOM: begin
        next.open = room_q.open;
        if (room_q.first) begin
          next.closed = 1'b0;
          next.aborted = 1'b0;
          next.gen = was_q.gen + 1'b1;
          next.free = (RING_W + 1)'(TX_RING);
          next.snd_una = room_q.snd_una;
        end else if (fits) begin
          next.free = freed;
          next.snd_una = room_q.snd_una;
        end
      end
      OP_CREDIT: if (fits_back) next.free = back_q[RING_W:0];
      OP_WRITE:  if (writes) next.free = less_q;
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
  assign job_gen = was_q.gen;
  assign job_length = write_q.length;
  assign job_fin = closes;
  assign job_abort = aborts;

  // ---- responses ------------------------------------------------------------------------------
  tcp_write_rsp_t rsp;
  logic rsp_room;
  assign rsp = '{
          sid: write_q.sid,
          length: write_q.length,
          space: 30'(writes ? less_q : was_q.free),
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
  assign unused = ^{rsp_room, answers[2:0], back_q[RING_W+1], room_q.sid, close_q.sid, sid};
endmodule
