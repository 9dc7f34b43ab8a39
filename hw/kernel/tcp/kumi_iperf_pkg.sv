// SPDX-License-Identifier: Apache-2.0
//
// Records of the iperf kernels.
package kumi_iperf_pkg;

  // A stream of datagrams that an iperf client asks for.
  typedef struct packed {
    logic [31:0] ip;
    logic [15:0] port;
    logic [15:0] length;   // bytes of a datagram, 64..1470
    logic        by_time;  // amount is microseconds, else bytes
    logic [31:0] amount;
    logic [31:0] rate;     // bits a second
  } iperf_reverse_t;
  localparam int IPERF_REVERSE_W = $bits(iperf_reverse_t);

endpackage
