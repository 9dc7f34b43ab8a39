// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_arp_pending_queue, with short slots.
//
// Proved (assertions inside the module): the order among pending frames is a strict order within
//   one address, so no frames wait for each other and each address keeps its order; only complete
//   frames that are the oldest of their address are sent.
// Assumed: a slot is taken only when one is available, frames arrive one after the other in the
//   order in which their slots were taken, the ARP engine answers only its queries.
`include "kumi_assert.svh"
module arp_pending_queue_formal
  import kumi_ip_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        tick_retry,
    input logic        learned,
    input logic        q_en,
    input logic [31:0] q_ip,
    input logic        q_take,
    input logic        f_valid,
    input logic        f_last,
    input logic        f_bad,
    input logic        poll_done,
    input logic        poll_hit,
    input logic        poll_asked,
    input logic        m_ready,
    input logic [ 3:0] retries
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  ip_cfg_t cfg;
  always_comb begin
    cfg = '0;
    cfg.arp_retries = retries;
  end

  logic q_match, q_room, poll_valid, poll_vlan_valid, poll_due, poll_expired;
  logic [1:0] q_slot, f_slot;
  logic [31:0] poll_ip, timeout_ip;
  logic [15:0] poll_vlan_tci;
  logic m_valid, m_last, ev_timeout, ev_resolved, active;
  logic [63:0] m_data;
  logic [ 7:0] m_keep;

  kumi_arp_pending_queue #(
      .DATA_W(64),
      .SLOTS(4),
      .SLOT_BYTES(16),
      .PER_ADDRESS(3)
  ) u_dut (
      .f_data(64'd0),
      .f_keep('1),
      .q_vlan_valid(1'b0),
      .q_vlan_tci(16'd0),
      .poll_mac(48'd0),
      .*
  );

  // Up to three slots are taken whose frames are not in yet; they come in that order.
  logic [2:0][1:0] wait_q;
  logic [1:0] count_q, count;
  assign count  = count_q - 2'(f_valid && f_last);
  assign f_slot = wait_q[0];

  always_ff @(posedge clk) begin
    if (f_valid && f_last) wait_q <= {2'd0, wait_q[2:1]};
    if (q_take) wait_q[count] <= q_slot;
    count_q <= count + 2'(q_take);
    if (rst) count_q <= '0;
  end

  // Room is asked for in one cycle and taken two later or more, once.
  logic en_q, took_q;
  always_ff @(posedge clk) begin
    en_q   <= q_en;
    took_q <= rst || q_take || (took_q && !q_en);
  end
  `KUMI_ASSUME(m_room, !q_take || (q_room && count != 2'd3 && !took_q && !q_en && !en_q))
  `KUMI_ASSUME(m_frame, !f_valid || count_q != '0)
  `KUMI_ASSUME(m_answer, !poll_done || poll_valid)
  // Only whether addresses are equal makes a difference, so there are no more than eight.
  always_comb assume (q_ip < 32'd8);
  `KUMI_ASSERT(a_asked_ip, took_q || u_dut.asked_ip_q < 32'd8)
  // Until a slot is taken, the answer is about the addresses that the slots have.
  for (genvar i = 0; i < 4; i++) begin : gen_same
    `KUMI_ASSERT(a_ip, !u_dut.used_q[i] || u_dut.ip_q[i] < 32'd8)
    `KUMI_ASSERT(a_same,
                 took_q || !u_dut.used_q[i] || u_dut.same_q[i] == (u_dut.ip_q[i][2:0] == u_dut.asked_ip_q[2:0]))
  end
  // The slots that wait for their frames are exactly those taken and not full.
  logic [3:0] waiting;
  always_comb begin
    waiting = '0;
    for (int i = 0; i < 3; i++) if (2'(i) < count_q) waiting[wait_q[i]] = 1'b1;
  end
  `KUMI_ASSERT(a_waiting, waiting == (u_dut.used_q & ~u_dut.full_q))
  `KUMI_ASSERT(
      a_distinct,
      count_q < 2'd2 || (wait_q[0] != wait_q[1] && (count_q != 2'd3 || (wait_q[2] != wait_q[0] && wait_q[2] != wait_q[1]))))

  // The address that is given up is the one whose request was answered last, by nothing.
  logic [31:0] polled_q;
  always_ff @(posedge clk) polled_q <= poll_ip;
  `KUMI_ASSERT(a_timeout_ip, !ev_timeout || timeout_ip == polled_q)

  logic unused;
  assign unused = &{q_match, poll_vlan_valid, poll_due, poll_expired, poll_ip, poll_vlan_tci, m_valid,
                    m_last, ev_timeout, ev_resolved, active, m_data, m_keep};
endmodule
