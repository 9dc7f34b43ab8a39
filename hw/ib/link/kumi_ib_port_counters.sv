// SPDX-License-Identifier: Apache-2.0
//
// PortCounters and PortCountersExtended of a port (IBTA volume 1, clauses 16.1.3.5 and 16.1.4.10).
//
// Counters stop at their largest value; the extended ones wrap. clear: one bit a counter, zeroes it
//   (an event in the same cycle is lost with it). Data counters count words of 4 bytes, without
//   VCRC, and no link packets. relay_error, *_constraint: from a switch or the P_Key filter.
// Latency event to counter 2 cycles.
module kumi_ib_port_counters
  import kumi_ib_link_pkg::*;
(
    input  logic                 clk,
    input  logic                 rst,
    input  ib_link_events_t      ev,
    input  logic                 relay_error,
    input  logic                 relay_discard,
    input  logic                 xmit_constraint,
    input  logic                 rcv_constraint,
    input  port_counters_clear_t clear,
    output port_counters_t       counters
);
  port_counters_t  q;
  ib_link_events_t e;
  logic relay_error_q, relay_discard_q, xmit_constraint_q, rcv_constraint_q, rcv_error;

  assign counters = q;
  assign rcv_error = e.drops.bad_packet || e.drops.bad_lver || e.drops.bad_length ||
      e.drops.bad_vl || e.drops.overrun || e.drops.bad_fc;

  function automatic logic [15:0] up16(input logic [15:0] value, input logic [3:0] by);
    logic [16:0] sum;
    sum = {1'b0, value} + 17'(by);
    return sum[16] ? '1 : sum[15:0];
  endfunction

  function automatic logic [31:0] up32(input logic [31:0] value, input logic [11:0] by);
    logic [32:0] sum;
    sum = {1'b0, value} + 33'(by);
    return sum[32] ? '1 : sum[31:0];
  endfunction

  always_ff @(posedge clk) begin
    e <= ev;
    relay_error_q <= relay_error;
    relay_discard_q <= relay_discard;
    xmit_constraint_q <= xmit_constraint;
    rcv_constraint_q <= rcv_constraint;

    q.symbol_error <= up16(q.symbol_error, e.symbol_errors);
    if (e.recovery && q.link_error_recovery != '1) begin
      q.link_error_recovery <= q.link_error_recovery + 1'b1;
    end
    if (e.downed && q.link_downed != '1) q.link_downed <= q.link_downed + 1'b1;
    q.rcv_errors <= up16(q.rcv_errors, 4'(rcv_error));
    q.rcv_remote_phys_errors <= up16(q.rcv_remote_phys_errors, 4'(e.drops.remote_bad));
    q.rcv_switch_relay_errors <= up16(q.rcv_switch_relay_errors, 4'(relay_error_q));
    q.xmit_discards <= up16(q.xmit_discards, 4'(e.xmit_discard) + 4'(relay_discard_q));
    if (xmit_constraint_q && q.xmit_constraint_errors != '1) begin
      q.xmit_constraint_errors <= q.xmit_constraint_errors + 1'b1;
    end
    if (rcv_constraint_q && q.rcv_constraint_errors != '1) begin
      q.rcv_constraint_errors <= q.rcv_constraint_errors + 1'b1;
    end
    if (e.integrity && q.link_integrity_errors != '1) begin
      q.link_integrity_errors <= q.link_integrity_errors + 1'b1;
    end
    if (e.buffer_overrun && q.buffer_overrun_errors != '1) begin
      q.buffer_overrun_errors <= q.buffer_overrun_errors + 1'b1;
    end
    q.vl15_dropped <= up16(q.vl15_dropped, 4'(e.drops.vl15_full));
    if (e.xmit_pkt) begin
      q.xmit_data     <= up32(q.xmit_data, 12'(e.xmit_words));
      q.ext_xmit_data <= q.ext_xmit_data + 64'(e.xmit_words);
    end
    if (e.rcv_pkt) begin
      q.rcv_data     <= up32(q.rcv_data, 12'(e.rcv_words));
      q.ext_rcv_data <= q.ext_rcv_data + 64'(e.rcv_words);
    end
    q.xmit_pkts     <= up32(q.xmit_pkts, 12'(e.xmit_pkt));
    q.rcv_pkts      <= up32(q.rcv_pkts, 12'(e.rcv_pkt));
    q.xmit_wait     <= up32(q.xmit_wait, 12'(e.xmit_wait));
    q.ext_xmit_pkts <= q.ext_xmit_pkts + 64'(e.xmit_pkt);
    q.ext_rcv_pkts  <= q.ext_rcv_pkts + 64'(e.rcv_pkt);

    if (clear.symbol_error) q.symbol_error <= '0;
    if (clear.link_error_recovery) q.link_error_recovery <= '0;
    if (clear.link_downed) q.link_downed <= '0;
    if (clear.rcv_errors) q.rcv_errors <= '0;
    if (clear.rcv_remote_phys_errors) q.rcv_remote_phys_errors <= '0;
    if (clear.rcv_switch_relay_errors) q.rcv_switch_relay_errors <= '0;
    if (clear.xmit_discards) q.xmit_discards <= '0;
    if (clear.xmit_constraint_errors) q.xmit_constraint_errors <= '0;
    if (clear.rcv_constraint_errors) q.rcv_constraint_errors <= '0;
    if (clear.link_integrity_errors) q.link_integrity_errors <= '0;
    if (clear.buffer_overrun_errors) q.buffer_overrun_errors <= '0;
    if (clear.vl15_dropped) q.vl15_dropped <= '0;
    if (clear.xmit_data) q.xmit_data <= '0;
    if (clear.rcv_data) q.rcv_data <= '0;
    if (clear.xmit_pkts) q.xmit_pkts <= '0;
    if (clear.rcv_pkts) q.rcv_pkts <= '0;
    if (clear.xmit_wait) q.xmit_wait <= '0;
    if (clear.ext_xmit_data) q.ext_xmit_data <= '0;
    if (clear.ext_rcv_data) q.ext_rcv_data <= '0;
    if (clear.ext_xmit_pkts) q.ext_xmit_pkts <= '0;
    if (clear.ext_rcv_pkts) q.ext_rcv_pkts <= '0;
    if (rst) begin
      e <= '0;
      q <= '0;
    end
  end

  logic unused;
  assign unused = ^{e.drops.wrong_state};
endmodule
