// SPDX-License-Identifier: Apache-2.0
//
// Effects of an event outside of its session's state, one cycle after the step that decides them:
//   commands and notifications to the receive memory, space for the application, answers to opens,
//   removal of the session's tuple, segments to look up again.
//
// acts: that step; action: its actions. One cycle later w, t and e are those actions, the new state
// and the event. Outputs are pulses with data. If a session opens, its notification comes first and
// the command one cycle later.
module kumi_tcp_event_effects
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic acts,
    input tcp_action_t action,
    input tcp_action_t w,
    input tcb_t t,
    input tcp_event_t e,
    output logic rx_valid,
    output tcp_rx_cmd_t rx_cmd,
    output logic space_valid,
    output tcp_tx_space_t space_rec,
    output logic opened_valid,
    output tcp_open_rsp_t opened_rec,
    output logic del_valid,
    output tcp_tuple_t del_tuple,
    output logic relookup_valid,
    output tcp_seg_t relookup_seg,
    output logic [31:0] relookup_iss,
    output logic relookup_floor
);
  logic told_q, cmd_q, after_q;
  always_ff @(posedge clk) begin
    after_q <= acts;
    told_q  <= acts && action.opened;
    cmd_q   <= (acts && action.cmd) || (told_q && cmd_q);
    if (rst) begin
      after_q <= 1'b0;
      told_q  <= 1'b0;
      cmd_q   <= 1'b0;
    end
  end

  always_comb begin
    rx_valid = told_q || cmd_q;
    rx_cmd   = w.rx;
    if (w.rx.ended || w.rx.discard) rx_cmd.in_order_end = data_end(t);
    if (told_q) begin
      rx_cmd = '0;
      rx_cmd.sid = e.sid;
      rx_cmd.opened = 1'b1;
      rx_cmd.notify = t.passive;
      rx_cmd.in_order_end = t.rcv_read;
      rx_cmd.tuple = t.tuple;
    end
    if (!rx_valid) rx_cmd = '0;
  end

  assign space_valid = after_q && w.tx_space;
  assign space_rec = '{
          sid: e.sid,
          open: !w.ends && synchronized(t.state) && t.state != ST_TIME_WAIT,
          first: w.opened,
          snd_una: t.snd_una
      };

  logic failed;
  assign failed = w.ends && !t.app_notified && !t.passive;
  assign opened_valid = after_q && ((w.opened && !t.passive) || failed);
  assign opened_rec = '{
          sid: e.sid,
          ip: t.tuple.peer_ip,
          port: t.tuple.peer_port,
          reason: failed ? w.reason : TCP_OK
      };

  assign del_valid = after_q && w.ends;
  assign del_tuple = t.tuple;
  assign relookup_valid = after_q && w.relookup && e.iss == '0;
  assign relookup_seg = e.seg;
  assign relookup_iss = t.snd_nxt + 32'h1_0000;
  assign relookup_floor = w.ends;

  logic unused;
  assign unused = ^{action, w, t, e};
endmodule
