// SPDX-License-Identifier: Apache-2.0
//
// Events of the two units that move data between the streams and the rings of the TCP engine. Each
// is high for one cycle when it happens.
package kumi_tcp_mem_pkg;

  typedef struct packed {
    logic cut;          // a frame of payload was shorter than its command said
    logic write_error;  // a burst was answered with an error
    logic read_error;   // the data of a read came with an error
    logic no_session;   // a read named a session that is not there
  } tcp_rx_mem_ev_t;

  typedef struct packed {
    logic written;      // a frame of data is in its ring
    logic refused;      // a write was answered with another reason than TCP_OK
    logic short_frame;  // a frame was shorter than announced: what came counts
    logic long_frame;   // a frame was longer than announced: the rest is thrown away
    logic bad_frame;    // a frame was marked bad: thrown away
    logic stale;        // a frame of a session that ended meanwhile: thrown away
    logic write_error;  // a burst was answered with an error
  } tcp_tx_mem_ev_t;
endpackage
