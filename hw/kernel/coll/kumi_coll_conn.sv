// SPDX-License-Identifier: Apache-2.0
//
// The two connections of a node in a ring: one opened by the previous node, one to the next node.
//
// link: keep both open: listen on `port`, and connect to next_ip, retrying RETRY cycles after a
//   failure. When low, or with a pulse of `cancel`, both are aborted; with link high they open
//   again.
// prev_up, prev_sid, bytes: the connection from the previous node and the bytes that can be read
//   from it; taken: bytes read, in the cycle with take. next_up, next_sid: the other connection.
// lost: one of them ended, with its reason; the other is aborted too, so that no operation
//   continues over part of a ring. A second connection from the previous node is refused with RST.
module kumi_coll_conn
  import kumi_tcp_pkg::*;
#(
    parameter int RETRY = 65536  // cycles between two tries to connect
) (
    input logic clk,
    input logic rst,
    input logic link,
    input logic cancel,
    input logic [15:0] port,
    input logic [31:0] next_ip,
    kumi_rec_if.src m_listen,
    kumi_rec_if.snk s_listen_rsp,
    kumi_rec_if.src m_open,
    kumi_rec_if.snk s_open_rsp,
    kumi_rec_if.src m_close,
    kumi_rec_if.snk s_notify,
    output logic prev_up,
    output logic [SID_W-1:0] prev_sid,
    output logic [31:0] bytes,
    input logic take,
    input logic [15:0] taken,
    output logic next_up,
    output logic [SID_W-1:0] next_sid,
    output logic lost,
    output tcp_reason_e reason
);
  logic listening;
  tcp_reason_e listen_reason;

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(link),
      .port,
      .m_listen,
      .s_listen_rsp,
      .open  (listening),
      .reason(listen_reason)
  );

  // ---- to the next node ------------------------------------------------------------------------
  typedef enum logic [1:0] {
    REST,
    ASK,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_open_rsp_t opened;
  tcp_notify_t note;
  logic [$clog2(RETRY+1)-1:0] timer_q;
  logic end_prev_q, end_next_q, end_other_q, ending, ours_prev, ours_next, over;
  logic [SID_W-1:0] end_prev_sid_q, end_next_sid_q, other_q;

  assign opened = tcp_open_rsp_t'(s_open_rsp.data);
  assign note = tcp_notify_t'(s_notify.data);
  assign m_open.valid = state_q == ASK;
  assign m_open.data = {next_ip, port};
  assign s_open_rsp.ready = !ending;
  assign s_notify.ready = !ending;
  assign ending = end_prev_q || end_next_q || end_other_q;

  assign ours_prev = s_notify.valid && s_notify.ready && prev_up && note.sid == prev_sid;
  assign ours_next = s_notify.valid && s_notify.ready && next_up && note.sid == next_sid;
  assign over = (ours_prev || ours_next) && (note.fin || note.ended);

  assign m_close.valid = ending;
  assign m_close.data = end_prev_q ? {end_prev_sid_q, 1'b1}
      : end_next_q ? {end_next_sid_q, 1'b1} : {other_q, 1'b1};

  always_ff @(posedge clk) begin
    lost <= 1'b0;
    if (timer_q != '0) timer_q <= timer_q - 1'b1;
    case (state_q)
      REST: if (link && !next_up && timer_q == '0 && !ending && !cancel) state_q <= ASK;
      ASK:  if (m_open.ready) state_q <= ANSWER;
      default:
      if (s_open_rsp.valid && s_open_rsp.ready) begin
        state_q <= REST;
        timer_q <= ($clog2(RETRY + 1))'(RETRY);
        if (opened.reason == TCP_OK) begin
          next_up  <= 1'b1;
          next_sid <= opened.sid;
        end
      end
    endcase
    if (m_close.ready) begin
      if (end_prev_q) end_prev_q <= 1'b0;
      else if (end_next_q) end_next_q <= 1'b0;
      else end_other_q <= 1'b0;
    end
    if (s_notify.valid && s_notify.ready && note.opened) begin
      if (prev_up || !link) begin
        end_other_q <= 1'b1;
        other_q <= note.sid;
      end else begin
        prev_up  <= 1'b1;
        prev_sid <= note.sid;
      end
    end
    if (ours_prev && take) bytes <= bytes + 32'(note.length) - 32'(taken);
    else if (ours_prev) bytes <= bytes + 32'(note.length);
    else if (take) bytes <= bytes - 32'(taken);
    if (!prev_up) bytes <= note.opened ? 32'(note.length) : '0;
    if (over) begin
      lost   <= 1'b1;
      reason <= note.ended ? note.reason : TCP_CLOSED;
    end
    if (over || cancel || (!link && !ending)) begin
      prev_up <= 1'b0;
      next_up <= 1'b0;
      // What is gone already needs no end.
      end_prev_q <= prev_up && !(ours_prev && note.ended);
      end_next_q <= next_up && !(ours_next && note.ended);
      end_prev_sid_q <= prev_sid;
      end_next_sid_q <= next_sid;
    end
    if (rst) begin
      state_q <= REST;
      timer_q <= '0;
      prev_up <= 1'b0;
      next_up <= 1'b0;
      end_prev_q <= 1'b0;
      end_next_q <= 1'b0;
      end_other_q <= 1'b0;
      lost <= 1'b0;
      reason <= TCP_OK;
    end
  end

  logic unused;
  assign unused = ^{listening, listen_reason, note, opened};
endmodule
