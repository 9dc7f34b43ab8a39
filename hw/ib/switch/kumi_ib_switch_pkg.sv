// SPDX-License-Identifier: Apache-2.0
//
// Settings and events of an InfiniBand switch (IBTA volume 1, chapter 18).
package kumi_ib_switch_pkg;

  localparam int TIME_W = 21;  // bits of a time in units of 4.096 us: the longest lifetime is 2^19

  // Why packets are discarded: one-cycle pulses. The first three count on the port that received
  // the packet (PortRcvSwitchRelayErrors), the others on the port to send it (PortXmitDiscards).
  typedef struct packed {
    logic no_route;  // DLID without a port
    logic no_vl;     // SL mapped to VL15 or to a VL out of operation
    logic loop;      // would leave by the port it came from
    logic inactive;  // the port to send is not Active (VL15: is Down)
    logic too_long;  // above the neighbour's MTU
    logic life;      // lifetime limit of the switch
    logic hoq_life;  // lifetime limit at the head of a queue
    logic discard;   // one for each packet discarded for one of the last four
  } ib_relay_events_t;

  // A packet discarded on account of the port to send it.
  typedef struct packed {
    logic       valid;
    logic [5:0] port;
    logic       inactive;
    logic       too_long;
    logic       life;
    logic       hoq_life;
  } ib_discard_t;

  // What the inputs must know of an output.
  typedef struct packed {
    logic       data_ok;   // data packets may be sent
    logic       mgmt_ok;   // packets of VL15 may be sent
    logic [2:0] mtu;
    logic [2:0] oper_vls;
    logic [4:0] hoq_life;
  } ib_out_info_t;

  // A write to the tables of all inputs; *_all: every one of them (initialisation).
  typedef struct packed {
    logic        lft_we;
    logic [15:0] lft_lid;
    logic [7:0]  lft_port;
    logic        mft_we;
    logic        mft_all;
    logic [15:0] mft_lid;
    logic [3:0]  mft_position;  // ports 16 n to 16 n + 15
    logic [15:0] mft_mask;
    logic        s2v_we;
    logic        s2v_all;
    logic [7:0]  s2v_in;
    logic [7:0]  s2v_out;
    logic [63:0] s2v_table;     // SL0 in the most significant 4 bits
  } ib_table_write_t;

  // VL of a service level in a row of the SL-to-VL table.
  function automatic logic [3:0] vl_of(input logic [63:0] row, input logic [3:0] sl);
    return row[4*(4'd15-sl)+:4];
  endfunction

  // Cycles that kumi_ib_switch_route takes, by words per beat.
  function automatic int route_delay(input int words);
    return words == 2 ? 3 : 6;
  endfunction

endpackage
