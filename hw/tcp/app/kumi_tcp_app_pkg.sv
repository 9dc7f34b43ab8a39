// SPDX-License-Identifier: Apache-2.0
//
// Records inside the applications of the TCP engine: what a kernel is told of a session that wants
// service (kumi_tcp_app_sched), what it answers, and orders to kumi_tcp_app_mover.
package kumi_tcp_app_pkg;
  import kumi_tcp_pkg::*;

  // A session that has something to do. It is with the kernel until the answer comes.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic             fresh;   // the first time since it was opened: the kernel's own bits are zero
    logic             active;  // this side opened it
    logic [1:0]       turn;    // counts the sessions that had this number
    logic             fin;     // the peer has closed: nothing comes after `bytes`
    logic             gone;    // the session is over; `bytes` may still be read
    tcp_reason_e      reason;  // gone: why
    logic [31:0]      bytes;   // that may be read
    tcp_tuple_t       tuple;   // active: the peer's half only
  } tcp_app_work_t;

  typedef enum logic [1:0] {
    WORK_IDLE  = 2'd0,  // when something new happens
    WORK_NOW   = 2'd1,  // in its next turn
    WORK_LATER = 2'd2   // after a while: it waits for room
  } tcp_app_op_e;

  // The answer. A session that is gone and of which nothing is left to read is forgotten with IDLE.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    tcp_app_op_e     op;
    logic [31:0]      taken;  // bytes read, or known not to come any more
  } tcp_app_done_t;

  localparam int WORK_W = $bits(tcp_app_work_t);
  localparam int WORK_DONE_W = $bits(tcp_app_done_t);

  // What to do with the next answer of a read, and with the next accepted write.
  //   read and write: the bytes that are read are written; read only: they are thrown away;
  //   write only: a pattern is written.
  typedef struct packed {
    logic        read;
    logic        write;
    logic        keep;    // read only: keep the bytes in the head register
    logic [1:0]  turn;    // of the session, as in tcp_app_work_t
    logic [15:0] length;  // at least 1
  } tcp_app_move_t;

  localparam int MOVE_W = $bits(tcp_app_move_t);

  // A read brought less than was there.
  typedef struct packed {
    logic [1:0]       turn;
    logic [SID_W-1:0] sid;
  } tcp_short_read_t;

  localparam int SHORT_READ_W = $bits(tcp_short_read_t);
endpackage
