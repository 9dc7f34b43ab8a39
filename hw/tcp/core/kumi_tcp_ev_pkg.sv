// SPDX-License-Identifier: Apache-2.0
//
// All events of the TCP engine, in the order of its counters (regs/tcp.rdl).
package kumi_tcp_ev_pkg;
  typedef struct packed {
    kumi_tcp_path_pkg::tcp_rx_ev_t    rx;
    kumi_tcp_path_pkg::tcp_tx_ev_t    tx;
    kumi_tcp_mem_pkg::tcp_rx_mem_ev_t rx_mem;
    kumi_tcp_mem_pkg::tcp_tx_mem_ev_t tx_mem;
    kumi_tcp_core_pkg::tcp_core_ev_t  core;
  } tcp_events_t;
endpackage
