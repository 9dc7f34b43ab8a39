// SPDX-License-Identifier: Apache-2.0
//
// CUBIC's state of a session (RFC 9438), kept beside its TCB. Windows are in bytes, times in ticks
// of the timestamp clock (1.024 ms).
package kumi_tcp_cubic_pkg;
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;

  localparam int K_W = 18;  // bits of a time in an epoch; K of the largest window is 240,000
  localparam int CREDIT_W = 49;
  localparam int ACKED_W = 20;  // bits of the bytes of one ACK that count

  // An epoch is a congestion avoidance stage; it begins at t_epoch.
  typedef struct packed {
    logic                active;       // an epoch has begun
    logic                k_valid;
    logic [31:0]         epoch_start;  // t_epoch
    logic [K_W-1:0]      k;            // from t_epoch to the curve's plateau
    logic [WND_W-1:0]    w_max;        // the plateau; 0 after a timeout
    logic [WND_W-1:0]    cwnd_prior;
    logic [WND_W-1:0]    w_est;        // window of the Reno-friendly region
    logic [WND_W-1:0]    est_acc;      // bytes acknowledged, times alpha, since w_est grew
    logic [WND_W-1:0]    target;       // W_cubic one round trip after the last ACK
    logic [CREDIT_W-1:0] credit;       // of growth, in cwnd * mss
  } tcp_cubic_t;

  // Request to kumi_tcp_cubic_k and its response.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      epoch_start;
    logic [WND_W-1:0] gap;          // w_max - window at t_epoch
    logic [15:0]      mss;
  } tcp_cubic_k_req_t;

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      epoch_start;
    logic [K_W-1:0]   k;
  } tcp_cubic_k_rsp_t;
endpackage
