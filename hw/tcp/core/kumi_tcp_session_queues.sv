// SPDX-License-Identifier: Apache-2.0
//
// Queues of session numbers: free numbers, the output queue, the TIME-WAIT queue.
//
// free_push, out_push, tw_push: the event engine frees or queues the number sid. back_*: the
//   connection manager returns an unused number.
// free_*, out_*, tw_*: the oldest number of each queue, valid/ready.
// sessions: numbers in use. Each number is queued at most once, so no queue overflows.
// Latency: those of kumi_fifo.
`include "kumi_assert.svh"

module kumi_tcp_session_queues
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 64,  // a power of two
    localparam int W = $clog2(SESSIONS)
) (
    input logic clk,
    input logic rst,
    // from the event engine
    input logic [SID_W-1:0] sid,
    input logic free_push,
    input logic out_push,
    input logic tw_push,
    // numbers returned by the connection manager
    input logic back_valid,
    input logic [SID_W-1:0] back_sid,
    output logic back_ready,
    // the oldest of each queue
    output logic free_valid,
    output logic [W-1:0] free_sid,
    input logic free_take,
    output logic out_valid,
    output logic [W-1:0] out_sid,
    input logic out_take,
    output logic tw_valid,
    output logic [W-1:0] tw_sid,
    input logic tw_take,
    output logic [15:0] sessions
);
  logic push_free, free_fits, out_fits, tw_fits;
  logic [W:0] free_depth, out_depth, tw_depth;

  assign back_ready = !free_push;
  assign push_free  = free_push || back_valid;

  kumi_fifo #(
      .W(W),
      .DEPTH(SESSIONS)
  ) u_free (
      .clk,
      .rst,
      .s_data (free_push ? sid[W-1:0] : back_sid[W-1:0]),
      .s_valid(push_free),
      .s_ready(free_fits),
      .m_data (free_sid),
      .m_valid(free_valid),
      .m_ready(free_take),
      .depth  (free_depth)
  );

  kumi_fifo #(
      .W(W),
      .DEPTH(SESSIONS)
  ) u_out (
      .clk,
      .rst,
      .s_data (sid[W-1:0]),
      .s_valid(out_push),
      .s_ready(out_fits),
      .m_data (out_sid),
      .m_valid(out_valid),
      .m_ready(out_take),
      .depth  (out_depth)
  );

  kumi_fifo #(
      .W(W),
      .DEPTH(SESSIONS)
  ) u_tw (
      .clk,
      .rst,
      .s_data (sid[W-1:0]),
      .s_valid(tw_push),
      .s_ready(tw_fits),
      .m_data (tw_sid),
      .m_valid(tw_valid),
      .m_ready(tw_take),
      .depth  (tw_depth)
  );

  // Numbers in the FIFO, counted at its ports; the others are in use.
  logic [15:0] idle_q;
  always_ff @(posedge clk) begin
    idle_q <= idle_q + 16'(push_free) - 16'(free_take);
    if (rst) idle_q <= '0;
  end
  assign sessions = 16'(SESSIONS) - idle_q;

  `KUMI_ASSERT(a_free_fits, !push_free || free_fits)
  `KUMI_ASSERT(a_out_fits, !out_push || out_fits)
  `KUMI_ASSERT(a_tw_fits, !tw_push || tw_fits)

  logic unused;
  assign unused = ^{sid, back_sid, free_fits, out_fits, tw_fits, free_depth, out_depth, tw_depth};
endmodule
