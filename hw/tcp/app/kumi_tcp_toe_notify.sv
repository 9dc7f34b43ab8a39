// SPDX-License-Identifier: Apache-2.0
//
// Notifications and closes of the compatibility profile (kumi_tcp_toe).
//
// s_notify: tcp_notify_t. m_notification: session [15:0], length [31:16], address [63:32], own port
//   [79:64], closed [80], zeros above. A new session is announced with length 0; data with their
//   length; the end, by the peer's FIN or otherwise, once with length 0 and closed.
// s_close: session [15:0]; m_close: tcp_close_t. The profile has no half-close: the peer's FIN is
//   answered by FIN immediately, and a close of a session that is closed or has ended is ignored.
// After reset the memory is cleared for SESSIONS cycles. A notification takes 3 cycles, 4 when it
// becomes two.
module kumi_tcp_toe_notify
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 64
) (
    input  logic                  clk,
    input  logic                  rst,
           kumi_rec_if.snk        s_notify,
           kumi_rec_if.snk        s_up,            // active opens: session number
           kumi_rec_if.src        m_notification,
           kumi_rec_if.snk        s_close,
           kumi_rec_if.src        m_close,
    output logic           [15:0] count            // sessions that have not ended
);
  localparam int ADDR_W = $clog2(SESSIONS);

  typedef enum logic [2:0] {
    CLEAR,
    REST,
    LOOK,
    DATA,
    OVER,
    SHUT
  } state_e;

  // State of a session: its end was notified; this side has closed, or it has ended.
  typedef struct packed {
    logic told;
    logic shut;
  } said_t;

  (* ram_style = "distributed", no_rw_check *) logic [1:0] said_mem[SESSIONS];
  state_e state_q;
  said_t said_q;
  tcp_notify_t note, note_q;
  logic [SID_W-1:0] sid_q;
  logic closing_q, up_q, ends, note_last_q, pick_close;

  assign note = tcp_notify_t'(s_notify.data);
  assign ends = note_q.fin || note_q.ended;
  // Closes of the user and notifications of the engine alternate.
  assign pick_close = s_close.valid && (note_last_q || !s_notify.valid);
  assign s_up.ready = state_q == REST;
  assign s_close.ready = state_q == REST && !s_up.valid && pick_close;
  assign s_notify.ready = state_q == REST && !s_up.valid && !pick_close;
  assign m_close.valid = state_q == SHUT;
  assign m_close.data = {sid_q, 1'b0};
  assign m_notification.valid = state_q == DATA || state_q == OVER;
  assign m_notification.data = (m_notification.W)'({
    state_q == OVER,
    note_q.tuple.local_port,
    note_q.tuple.peer_ip,
    state_q == OVER ? 16'd0 : note_q.length,
    sid_q
  });

  always_ff @(posedge clk) begin
    case (state_q)
      CLEAR: begin
        sid_q <= sid_q + 1'b1;
        if (&sid_q[ADDR_W-1:0]) state_q <= REST;
      end
      REST: begin
        up_q <= s_up.valid;
        closing_q <= !s_up.valid && pick_close;
        note_q <= s_up.valid || pick_close ? '0 : note;
        sid_q <= s_up.valid ? s_up.data[SID_W-1:0] :
            pick_close ? s_close.data[SID_W-1:0] : note.sid;
        if (s_up.valid || s_close.valid || s_notify.valid) begin
          state_q <= LOOK;
          note_last_q <= !pick_close;
        end
      end
      LOOK: begin
        said_q  <= said_t'(said_mem[sid_q[ADDR_W-1:0]]);
        state_q <= DATA;
        if (up_q || note_q.opened) said_q <= '0;
        if (up_q) state_q <= REST;
        else if (closing_q) state_q <= said_mem[sid_q[ADDR_W-1:0]][0] ? REST : SHUT;
        else if (note_q.length == '0 && !note_q.opened) begin
          state_q <= ends && !said_mem[sid_q[ADDR_W-1:0]][1] ? OVER : REST;
        end
      end
      DATA: if (m_notification.ready) state_q <= ends && !said_q.told ? OVER : REST;
      OVER:
      if (m_notification.ready) begin
        state_q <= !note_q.ended && !said_q.shut ? SHUT : REST;
      end
      default: if (m_close.ready) state_q <= REST;
    endcase
    if (state_q == LOOK && !closing_q) begin
      if (note_q.opened || up_q) count <= note_q.ended ? count : count + 1'b1;
      else if (note_q.ended && count != '0) count <= count - 1'b1;
    end
    if (rst) begin
      state_q <= CLEAR;
      sid_q <= '0;
      note_last_q <= 1'b0;
      count <= '0;
    end
  end

  // New sessions start clean; ends and closes accumulate.
  always_ff @(posedge clk) begin
    if (state_q == CLEAR) said_mem[sid_q[ADDR_W-1:0]] <= '0;
    else if (state_q == LOOK) begin
      if (up_q || note_q.opened) said_mem[sid_q[ADDR_W-1:0]] <= {ends, note_q.ended || note_q.fin};
      else if (closing_q || ends) begin
        said_mem[sid_q[ADDR_W-1:0]] <= said_mem[sid_q[ADDR_W-1:0]] | {ends, 1'b1};
      end
    end
  end

  logic unused;
  assign unused = ^{note, note_q, m_notification.data};
endmodule
