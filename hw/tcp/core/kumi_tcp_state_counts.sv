// SPDX-License-Identifier: Apache-2.0
//
// Numbers of sessions in some states, counted as their states change.
//
// fresh: first step of an event; t: its session's state, in which nothing of this has changed yet;
// turn: the event is an entry of the output queue, which keeps its session busy until then. last:
// last step. written: the new state, one cycle after it.
// half_open: passive opens in SYN-RECEIVED; time_wait: in TIME-WAIT; busy: a session keeps the
//   engine busy.
module kumi_tcp_state_counts
  import kumi_tcp_core_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic fresh,
    input logic turn,
    input tcb_t t,
    input logic last,
    input tcb_t written,
    output logic [15:0] half_open,
    output logic [15:0] time_wait,
    output logic busy
);
  typedef struct packed {
    logic half;
    logic waiting;
    logic matters;
  } counted_t;

  function automatic counted_t counted(input tcb_t s);
    return
    '{
        half: s.state == ST_SYN_RCVD && s.passive,
        waiting: s.state == ST_TIME_WAIT,
        matters: keeps_busy(s)
    }
    ;
  endfunction

  counted_t loaded_q, old_q, now;
  logic counts_q;  // the state written counts
  logic [15:0] alive_q;
  assign now  = counted(written);
  assign busy = alive_q != '0 || counts_q;

  always_ff @(posedge clk) begin
    counts_q <= last;
    if (fresh) begin
      loaded_q <= counted(t);
      if (turn) loaded_q.matters <= 1'b1;
    end
    if (last) old_q <= loaded_q;
    if (counts_q) begin
      half_open <= half_open + 16'(now.half) - 16'(old_q.half);
      time_wait <= time_wait + 16'(now.waiting) - 16'(old_q.waiting);
      alive_q   <= alive_q + 16'(now.matters) - 16'(old_q.matters);
    end
    if (rst) begin
      counts_q  <= 1'b0;
      half_open <= '0;
      time_wait <= '0;
      alive_q   <= '0;
    end
  end
endmodule
