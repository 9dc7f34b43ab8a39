// SPDX-License-Identifier: Apache-2.0
//
// Records of the iperf kernels.
package kumi_iperf_pkg;

  // A stream of datagrams that an iperf client asks for, or this side's own.
  typedef struct packed {
    logic        own;      // nothing is heard from its receiver before its end
    logic [31:0] ip;
    logic [15:0] port;
    logic [15:0] length;   // bytes of a datagram, 64..1470
    logic        by_time;  // amount is microseconds, else bytes
    logic [31:0] amount;
    logic [31:0] rate;     // bits a second
  } iperf_reverse_t;
  localparam int IPERF_REVERSE_W = $bits(iperf_reverse_t);

  localparam int IPERF_REPORT_BYTES = 56;  // header and figures, of new and old servers

  // What an iperf server reports of a stream of datagrams.
  typedef struct packed {
    logic [63:0] bytes;
    logic [31:0] seconds;
    logic [31:0] us;            // of the next second, or all of them
    logic [31:0] lost;
    logic [31:0] out_of_order;
    logic [31:0] datagrams;
    logic [31:0] jitter_us;
  } iperf_report_t;

endpackage
