// SPDX-License-Identifier: Apache-2.0
//
// Records inside applications of the TCP engine: the work that kumi_tcp_app_sched offers to a
// kernel, the kernel's answer, and orders to kumi_tcp_app_mover.
package kumi_tcp_app_pkg;
  import kumi_tcp_pkg::*;

  // A session to serve. The kernel owns it until it answers.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             fresh;   // first offer since it was opened: the kernel's own bits are zero
    logic             active;  // this side opened it
    logic [1:0]       gen;     // generation: counts the sessions that had this number
    logic             fin;     // the peer has closed after `bytes`
    logic             ended;   // the session has ended; `bytes` may still be read
    logic             idle;    // nothing has moved for too long; offered once
    tcp_reason_e      reason;  // of ended
    logic [31:0]      bytes;   // readable
    tcp_tuple_t       tuple;   // active: the peer's half only
  } tcp_app_work_t;

  typedef enum logic [1:0] {
    WORK_IDLE  = 2'd0,  // offer it again on the next notification
    WORK_NOW   = 2'd1,  // in its next turn
    WORK_LATER = 2'd2   // after a delay: it waits for transmit space
  } tcp_app_op_e;

  // The answer. WORK_IDLE removes an ended session with nothing left to read.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    tcp_app_op_e      op;
    logic [31:0]      taken;  // bytes read, or known to be lost
  } tcp_app_done_t;

  localparam int WORK_W = $bits(tcp_app_work_t);
  localparam int WORK_DONE_W = $bits(tcp_app_done_t);

  // What to do with the next read response and the next accepted write.
  //   read and write: the bytes read are written; read only: they are discarded;
  //   write only: a pattern is written.
  typedef struct packed {
    logic        read;
    logic        write;
    logic        keep;    // read only: keep the bytes in the head register
    logic [1:0]  gen;     // generation of the session, as in tcp_app_work_t
    logic [15:0] length;  // at least 1
  } tcp_app_move_t;

  localparam int MOVE_W = $bits(tcp_app_move_t);

  // A read returned fewer bytes than were notified.
  typedef struct packed {
    logic [1:0]       gen;
    logic [SID_W-1:0] sid;
  } tcp_short_read_t;

  localparam int SHORT_READ_W = $bits(tcp_short_read_t);
endpackage
