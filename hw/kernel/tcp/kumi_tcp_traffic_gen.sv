// SPDX-License-Identifier: Apache-2.0
//
// Sender of test streams over TCP: opens sessions, writes the same number of bytes to each in turn
// as fast as the engine accepts them, and closes them. For benches.
//
// open, write, close: pulses, one at a time while !busy. Every request to the engine is awaited.
// m_open, s_open_rsp, m_close, m_write, s_write, m_axis: the engine's application side.
// A write that finds no space is retried at the session's next turn. At most one request awaits its
//   response; it overlaps with the data of the previous one. One beat a cycle.
// A write refused for another reason (the session has ended) ends that session's share
// (ev_refused). count: sessions, 1..SESSIONS; chunk: bytes of a write, from 1; bytes: to each
//   session, from 1.
module kumi_tcp_traffic_gen
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 64  // the most, a power of two
) (
    input logic clk,
    input logic rst,
    input logic open,
    input logic write,
    input logic close,
    input logic [31:0] peer_ip,
    input logic [15:0] peer_port,
    input logic [15:0] count,
    input logic [15:0] chunk,
    input logic [31:0] bytes,
    kumi_rec_if.src m_open,
    kumi_rec_if.snk s_open_rsp,
    kumi_rec_if.src m_close,
    kumi_rec_if.src m_write,
    kumi_rec_if.snk s_write,
    kumi_axis_if.src m_axis,
    output logic [15:0] opened,
    output logic ev_failed,
    output logic ev_refused,
    output logic busy
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int BYTES = DATA_W / 8;
  localparam int IDX_W = $clog2(SESSIONS);

  typedef enum logic [2:0] {
    REST,
    OPEN,
    PICK,    // look up the share that is left of the next session
    ASK,
    ANSWER,
    CLOSE
  } state_e;

  typedef struct packed {
    logic [IDX_W-1:0] index;
    logic [SID_W-1:0] sid;
    logic [31:0]      offset;
    logic [15:0]      length;
  } gen_request_t;

  logic [SID_W-1:0] sids[SESSIONS];
  logic [31:0] offsets[SESSIONS];  // written to each session, since it was opened
  logic [31:0] end_q;  // to be written to each session in all

  state_e state_q;
  logic [15:0] asked_q, opened_q, failed_q, unfinished_q;
  logic [IDX_W-1:0] index_q;
  gen_request_t request_q;
  logic [31:0] left;
  logic last_index;
  tcp_open_rsp_t answer;
  tcp_write_rsp_t taken;
  assign answer = tcp_open_rsp_t'(s_open_rsp.data);
  assign taken = tcp_write_rsp_t'(s_write.data);
  assign last_index = 16'(index_q) + 16'd1 >= opened_q;
  assign left = end_q - offsets[index_q];

  // ---- requests ------------------------------------------------------------------------------
  tcp_open_t  ask_open;
  tcp_write_t ask_write;
  tcp_close_t ask_close;

  always_comb begin
    ask_open  = '{ip: peer_ip, port: peer_port};
    ask_write = '{sid: request_q.sid, length: request_q.length};
    ask_close = '{sid: sids[index_q], abort: 1'b0};
  end

  assign m_open.data = ask_open;
  assign m_open.valid = state_q == OPEN && asked_q != count;
  assign m_write.data = ask_write;
  assign m_write.valid = state_q == ASK;
  assign m_close.data = ask_close;
  assign m_close.valid = state_q == CLOSE && opened_q != '0;
  assign s_open_rsp.ready = 1'b1;
  assign opened = opened_q;

  // ---- accepted writes wait for their data ---------------------------------------------------
  gen_request_t order;
  logic order_valid, order_ready, room, order_done;
  logic [1:0] depth;

  assign s_write.ready = room;

  kumi_fifo #(
      .W($bits(gen_request_t)),
      .DEPTH(2)
  ) u_orders (
      .clk,
      .rst,
      .s_data (request_q),
      .s_valid(s_write.valid && taken.reason == TCP_OK && state_q == ANSWER),
      .s_ready(room),
      .m_data (order),
      .m_valid(order_valid),
      .m_ready(order_ready),
      .depth
  );

  always_ff @(posedge clk) begin
    ev_failed  <= 1'b0;
    ev_refused <= 1'b0;
    if (s_open_rsp.valid) begin
      if (answer.reason == TCP_OK) begin
        sids[IDX_W'(opened_q)] <= answer.sid;
        offsets[IDX_W'(opened_q)] <= '0;
        opened_q <= opened_q + 1'b1;
      end else begin
        failed_q  <= failed_q + 1'b1;
        ev_failed <= 1'b1;
      end
    end
    unique case (state_q)
      REST: begin
        index_q <= '0;
        asked_q <= '0;
        unfinished_q <= opened_q;
        if (open) begin
          state_q <= OPEN;
          opened_q <= '0;
          failed_q <= '0;
          end_q <= '0;
        end else if (write && opened_q != '0) begin
          state_q <= PICK;
          end_q   <= end_q + bytes;
        end else if (close) begin
          state_q <= CLOSE;
        end
      end
      OPEN: begin
        if (m_open.valid && m_open.ready) asked_q <= asked_q + 1'b1;
        if (opened_q + failed_q == count) state_q <= REST;
      end
      PICK: begin
        request_q.index <= index_q;
        request_q.sid <= sids[index_q];
        request_q.offset <= offsets[index_q];
        request_q.length <= left < 32'(chunk) ? left[15:0] : chunk;
        if (unfinished_q == '0) state_q <= REST;
        else if (left != '0) state_q <= ASK;
        else index_q <= last_index ? '0 : index_q + 1'b1;
      end
      ASK: if (m_write.ready) state_q <= ANSWER;
      ANSWER: begin
        if (s_write.valid && s_write.ready) begin
          state_q <= PICK;
          index_q <= last_index ? '0 : index_q + 1'b1;
          if (taken.reason == TCP_OK) begin
            offsets[request_q.index] <= request_q.offset + 32'(request_q.length);
            if (left == 32'(request_q.length)) unfinished_q <= unfinished_q - 1'b1;
          end else if (taken.reason != TCP_NO_SPACE) begin
            offsets[request_q.index] <= end_q;
            unfinished_q <= unfinished_q - 1'b1;
            ev_refused <= 1'b1;
          end
        end
      end
      default: begin  // CLOSE
        if (m_close.ready || opened_q == '0) begin
          if (last_index) begin
            state_q  <= REST;
            opened_q <= '0;
          end
          index_q <= index_q + 1'b1;
        end
      end
    endcase
    if (rst) begin
      state_q  <= REST;
      opened_q <= '0;
      failed_q <= '0;
    end
  end

  // ---- data -----------------------------------------------------------------------------------
  logic [31:0] at_q;
  logic [15:0] left_q;
  logic [ 7:0] salt_q;
  logic running_q, last;
  logic [DATA_W-1:0] pattern;

  kumi_tcp_pattern #(
      .DATA_W(DATA_W)
  ) u_pattern (
      .offset(at_q),
      .salt  (salt_q),
      .data  (pattern)
  );

  assign last = left_q <= 16'(BYTES);
  assign order_ready = !running_q || (m_axis.tready && last);
  assign order_done = running_q && m_axis.tready && last;

  always_ff @(posedge clk) begin
    if (running_q && m_axis.tready) begin
      at_q   <= at_q + 32'(BYTES);
      left_q <= left_q - 16'(BYTES);
      if (order_done) running_q <= 1'b0;
    end
    if (order_valid && order_ready) begin
      running_q <= 1'b1;
      at_q <= order.offset;
      left_q <= order.length;
      salt_q <= 8'(order.index);
    end
    if (rst) running_q <= 1'b0;
  end

  assign m_axis.tdata = pattern;
  for (genvar i = 0; i < BYTES; ++i) begin : gen_keep
    assign m_axis.tkeep[i] = left_q > 16'(i);
  end
  assign m_axis.tvalid = running_q;
  assign m_axis.tlast = last;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;

  assign busy = state_q != REST || running_q || order_valid;

  logic unused;
  assign unused = ^{depth, order.sid, answer.ip, answer.port, taken.sid, taken.length, taken.space};
endmodule
