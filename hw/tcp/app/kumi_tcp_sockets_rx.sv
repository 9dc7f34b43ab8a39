// SPDX-License-Identifier: Apache-2.0
//
// Receive half of kumi_tcp_sockets: the bytes of all sessions as one stream.
//
// m_axis: bytes; tid: session. Sessions interleave after reads of up to CHUNK bytes; any beat may
//   be partially filled. tlast, on a beat without bytes, ends the session's stream, once; tuser is
//   then TCP_OK after the peer's FIN, else the reason the session ended.
// m_accept: {session, tuple} of each passively opened session, before its first beat.
// s_notify, m_read, s_read, s_axis: the engine. s_open_rsp: active opens.
// Reads are requested only when the buffer has space for all their bytes, so a user that does not
// accept its beats never blocks other applications on the engine, only its own sessions.
module kumi_tcp_sockets_rx
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int SESSIONS = 64,
    parameter int CHUNK    = 1024,  // bytes per read, a power of two, at least 128
    parameter int BUFFER   = 4096   // bytes of the buffer, a power of two, more than CHUNK
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_notify,
    kumi_rec_if.snk s_open_rsp,
    kumi_rec_if.src m_read,
    kumi_rec_if.snk s_read,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_accept,
    output logic [15:0] open_count,
    output logic busy
);
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int BEATS = BUFFER / KEEP_W;
  localparam int CHUNK_BEATS = CHUNK / KEEP_W;
  localparam int COUNT_W = $clog2(BEATS + 1);

  if (CHUNK < 128 || CHUNK > 32768 || BUFFER < 2 * CHUNK) begin : gen_check
    $fatal(0, "CHUNK must be 128..32768, BUFFER at least twice as much (%m)");
  end
  if (m_axis.ID_W != SID_W || m_axis.USER_W < 4) begin : gen_check_if
    $fatal(0, "m_axis needs a tid of a session number's width and 4 bits of tuser (%m)");
  end

  // ---- sessions -------------------------------------------------------------------------------
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  kumi_rec_if #(.W(WORK_W + 1)) work_s ();
  kumi_rec_if #(.W(WORK_DONE_W + 1)) done_s ();
  logic ev_opened, ev_ended, ev_stray, work_busy;

  kumi_tcp_app_sched #(
      .SESSIONS(SESSIONS),
      .APP_W(1)
  ) u_work (
      .clk,
      .rst,
      .s_notify,
      .s_open_rsp,
      .s_short_read(lost_s),
      .m_work(work_s),
      .s_done(done_s),
      .open_count,
      .ev_opened,
      .ev_ended,
      .ev_stray,
      .busy(work_busy)
  );

  typedef enum logic [2:0] {
    REST,
    SIZE,
    ACCEPT,
    READ,
    ORDER,
    ANSWER
  } state_e;

  // Next output: a read of a session, or its end.
  typedef struct packed {
    logic             over;
    logic [1:0]       gen;
    tcp_reason_e      reason;
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
  } order_t;

  state_e state_q;
  tcp_app_work_t work_q;
  order_t order_q, order;
  tcp_app_op_e op_q;
  logic told_q, order_ready, order_valid, order_take, room;
  logic [31:0] taken_q;
  logic [2:0] order_depth;
  logic [$bits(order_t)-1:0] order_bits;

  assign work_s.ready = state_q == REST && room && order_ready;
  assign m_accept.valid = state_q == ACCEPT;
  assign m_accept.data = {work_q.sid, work_q.tuple};
  assign m_read.valid = state_q == READ;
  assign m_read.data = {work_q.sid, order_q.length};
  assign done_s.valid = state_q == ANSWER;
  assign done_s.data = {told_q, work_q.sid, op_q, taken_q};

  always_ff @(posedge clk) begin
    case (state_q)
      REST:
      if (work_s.valid && work_s.ready) begin
        {told_q, work_q} <= work_s.data;
        state_q <= SIZE;
      end
      SIZE: begin
        taken_q <= '0;
        op_q <= WORK_IDLE;
        order_q <= '{
            over: 1'b0,
            gen: work_q.gen,
            reason: TCP_OK,
            sid: work_q.sid,
            length: work_q.bytes > 32'(CHUNK) ? 16'(CHUNK) : work_q.bytes[15:0]
        };
        state_q <= ANSWER;
        if (work_q.fresh && !work_q.active) begin
          state_q <= ACCEPT;
          op_q <= WORK_NOW;
        end else if (work_q.bytes != '0) begin
          state_q <= READ;
          op_q <= WORK_NOW;
        end else if ((work_q.fin || work_q.ended) && !told_q) begin
          told_q <= 1'b1;
          order_q.over <= 1'b1;
          order_q.reason <= work_q.fin ? TCP_OK : work_q.reason;
          state_q <= ORDER;
        end
      end
      ACCEPT:  if (m_accept.ready) state_q <= ANSWER;
      READ:
      if (m_read.ready) begin
        taken_q <= 32'(order_q.length);
        state_q <= ORDER;
      end
      ORDER:   state_q <= ANSWER;  // space was checked before the work was accepted
      default: if (done_s.ready) state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  kumi_fifo #(
      .W($bits(order_t)),
      .DEPTH(4)
  ) u_orders (
      .clk,
      .rst,
      .s_data (order_q),
      .s_valid(state_q == ORDER),
      .s_ready(order_ready),
      .m_data (order_bits),
      .m_valid(order_valid),
      .m_ready(order_take),
      .depth  (order_depth)
  );
  assign order = order_t'(order_bits);

  // ---- beats ----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(s_axis.DATA_W),
      .ID_W  (SID_W),
      .USER_W(m_axis.USER_W),
      .DEST_W(m_axis.DEST_W)
  ) out ();
  tcp_read_rsp_t read_told;
  logic [COUNT_W-1:0] room_q, depth;
  logic passing_q, short_read, end_beat, frame_end;

  assign read_told = tcp_read_rsp_t'(s_read.data);
  assign short_read = read_told.length != order.length;
  assign end_beat = order_valid && order.over && !passing_q;
  assign s_read.ready = order_valid && !order.over && !passing_q && !lost_s.valid;
  assign s_axis.tready = passing_q && out.tready;
  assign frame_end = passing_q && s_axis.tvalid && out.tready && s_axis.tlast;
  assign order_take = (end_beat && out.tready) || frame_end
      || (s_read.valid && s_read.ready && read_told.length == '0);
  assign out.tvalid = passing_q ? s_axis.tvalid : end_beat;
  assign out.tdata = s_axis.tdata;
  assign out.tkeep = passing_q ? s_axis.tkeep : '0;
  assign out.tlast = !passing_q;
  assign out.tuser = passing_q ? '0 : (m_axis.USER_W)'(order.reason);
  assign out.tid = order.sid;
  assign out.tdest = '0;

  always_ff @(posedge clk) begin
    if (lost_s.ready) lost_s.valid <= 1'b0;
    if (s_read.valid && s_read.ready) begin
      passing_q <= read_told.length != '0;
      if (short_read) begin
        lost_s.valid <= 1'b1;
        lost_s.data  <= {order.gen, order.sid};
      end
    end
    if (frame_end) passing_q <= 1'b0;
    if (rst) begin
      passing_q <= 1'b0;
      lost_s.valid <= 1'b0;
    end
  end

  kumi_axis_fifo #(
      .DEPTH(BEATS)
  ) u_fifo (
      .clk,
      .rst,
      .s_axis(out),
      .m_axis,
      .depth
  );

  // Free space after the beats in the buffer and those outstanding reads may return.
  always_ff @(posedge clk) begin
    room_q <= COUNT_W'(BEATS) - depth;
    room   <= 32'(room_q) >= 6 * CHUNK_BEATS + 6 || (order_depth == '0 && !order_valid &&
        state_q == REST && 32'(room_q) >= CHUNK_BEATS + 2);
    if (rst) room <= 1'b0;
  end

  assign busy = work_busy || state_q != REST || order_valid || out.tvalid || m_axis.tvalid;

  logic unused;
  assign unused = ^{work_q.idle, read_told, ev_opened, ev_ended, ev_stray};
endmodule
