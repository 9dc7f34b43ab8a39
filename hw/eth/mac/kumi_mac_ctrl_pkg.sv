// SPDX-License-Identifier: Apache-2.0
//
// MAC control: addresses, opcodes and configuration (IEEE 802.3 annexes 31A, 31B and 31D; priority
// flow control was IEEE 802.1Qbb).
package kumi_mac_ctrl_pkg;

  localparam logic [47:0] CTRL_MULTICAST = 48'h01_80_C2_00_00_01;
  localparam logic [15:0] CTRL_ETHERTYPE = 16'h8808;
  localparam logic [15:0] CTRL_OP_PAUSE = 16'h0001;
  localparam logic [15:0] CTRL_OP_PFC = 16'h0101;

  typedef struct packed {
    logic [47:0] mac;          // own address, first byte on the wire in [47:40]
    logic        rx_pause_en;  // obey PAUSE
    logic [7:0]  rx_pfc_en;    // obey PFC for these classes
    logic        tx_pause_en;  // send PAUSE on request
    logic [7:0]  tx_pfc_en;    // send PFC on request for these classes
    logic [15:0] quanta;       // pause time to request, in units of 512 bit times
  } mac_ctrl_cfg_t;

endpackage
