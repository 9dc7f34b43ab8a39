// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA words at the pins of the storage node (port kind `sata`).
package kumi_node_storage_pkg;
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  k;
    logic        cominit;
    logic        comwake;
    logic        idle;
  } sata_tx_t;
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  k;
    logic        error;
    logic        cominit;
    logic        comwake;
    logic        idle;
  } sata_rx_t;
endpackage
