// SPDX-License-Identifier: Apache-2.0
//
// Events of the receive and the transmit memory of the TCP engine: pulses of one cycle.
package kumi_tcp_mem_pkg;

  typedef struct packed {
    logic short_frame;  // a payload frame was shorter than its command said
    logic write_error;  // a burst was answered with an error
    logic read_error;   // read data came with an error
    logic no_session;   // a read named a session that does not exist
  } tcp_rx_mem_ev_t;

  typedef struct packed {
    logic written;      // a frame is in its ring
    logic refused;      // a write was not answered TCP_OK
    logic short_frame;  // a frame was shorter than announced: the bytes received count
    logic long_frame;   // a frame was longer than announced: the rest is discarded
    logic bad_frame;    // a frame was marked bad: discarded
    logic stale;        // a frame of a session that has ended: discarded
    logic write_error;  // a burst was answered with an error
  } tcp_tx_mem_ev_t;
endpackage
