// SPDX-License-Identifier: Apache-2.0
//
// What CUBIC (RFC 9438) keeps of a session beside its TCB. Windows are bytes, times ticks of the
// timestamp clock (1.024 ms).
package kumi_tcp_cubic_pkg;
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;

  localparam int K_W = 18;  // a time from the curve's start; K of the largest window is 240,000
  localparam int CREDIT_W = 49;
  localparam int ACKED_W = 20;  // bytes of an ACK that count

  typedef struct packed {
    logic                on;       // a stage of congestion avoidance has begun
    logic                known;    // k is
    logic [31:0]         start;    // of the stage
    logic [K_W-1:0]      k;        // from its start to the curve's plateau
    logic [WND_W-1:0]    w_max;    // the plateau; 0 after a time-out
    logic [WND_W-1:0]    prior;    // cwnd_prior
    logic [WND_W-1:0]    w_est;    // window of the Reno-friendly region
    logic [WND_W-1:0]    est_acc;  // bytes acknowledged, times alpha, since w_est grew
    logic [WND_W-1:0]    target;   // the curve one round trip after the last ACK
    logic [CREDIT_W-1:0] credit;   // of growth, in cwnd * mss
  } tcp_cubic_t;

  // To kumi_tcp_cubic_k and back.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      start;  // of the stage that it is for
    logic [WND_W-1:0] gap;    // w_max less the window at its start
    logic [15:0]      mss;
  } tcp_cubic_k_req_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      start;
    logic [K_W-1:0]   k;
  } tcp_cubic_k_rsp_t;
endpackage
