// SPDX-License-Identifier: Apache-2.0
//
// Keeps a TCP port listening while `enable` is high: requests it, retries when refused (the engine
//   may be disabled, or the port still in use), closes it for new connections when enable falls,
//   and follows a change of `port`.
//
// m_listen, s_listen_rsp: tcp_listen_t and tcp_listen_rsp_t, one outstanding request.
// open: the port is open. reason: the last response.
// A refused request is repeated after RETRY cycles, so nothing waits forever.
module kumi_tcp_listener
  import kumi_tcp_pkg::*;
#(
    parameter int RETRY = 4096  // cycles between two requests
) (
    input logic clk,
    input logic rst,
    input logic enable,
    input logic [15:0] port,
    kumi_rec_if.src m_listen,
    kumi_rec_if.snk s_listen_rsp,
    output logic open,
    output tcp_reason_e reason
);
  typedef enum logic [1:0] {
    REST,
    ASK,
    ANSWER,
    PAUSE
  } state_e;

  state_e state_q;
  tcp_listen_t ask_q;
  tcp_listen_rsp_t told;
  logic [$clog2(RETRY+1)-1:0] timer_q;

  assign told = tcp_listen_rsp_t'(s_listen_rsp.data);
  assign m_listen.data = ask_q;
  assign m_listen.valid = state_q == ASK;
  assign s_listen_rsp.ready = 1'b1;

  always_ff @(posedge clk) begin
    timer_q <= timer_q - 1'b1;
    case (state_q)
      REST:
      if (open ? (!enable || port != ask_q.port) : enable) begin
        if (!open) ask_q.port <= port;
        ask_q.off <= open;
        state_q   <= ASK;
      end
      ASK: if (m_listen.ready) state_q <= ANSWER;
      ANSWER:
      if (s_listen_rsp.valid) begin
        open <= !ask_q.off && told.reason == TCP_OK;
        reason <= told.reason;
        timer_q <= ($clog2(RETRY + 1))'(RETRY);
        state_q <= (ask_q.off || told.reason == TCP_OK) ? REST : PAUSE;
      end
      default: if (timer_q == '0) state_q <= REST;
    endcase
    if (rst) begin
      state_q <= REST;
      open    <= 1'b0;
      reason  <= TCP_OK;
    end
  end

  logic unused;
  assign unused = ^told.port;
endmodule
