// SPDX-License-Identifier: Apache-2.0
//
// Symbols, settings, status and events of an InfiniBand link (IBTA volume 1 chapter 7, volume 2
// chapter 5).
package kumi_ib_link_pkg;

  // ---- Symbols of the 8b/10b code ---------------------------------------------------------------
  localparam logic [7:0] SYM_COM = 8'hBC;  // K28.5, begins an ordered set
  localparam logic [7:0] SYM_SKP = 8'h1C;  // K28.0, may be dropped or doubled on the way
  localparam logic [7:0] SYM_SDP = 8'hFB;  // K27.7, start of a data packet
  localparam logic [7:0] SYM_SLP = 8'h5C;  // K28.2, start of a link packet
  localparam logic [7:0] SYM_EGP = 8'hFD;  // K29.7, end of a good packet
  localparam logic [7:0] SYM_EBP = 8'hFE;  // K30.7, end of a packet that was bad when it was sent
  localparam logic [7:0] SYM_TS1 = 8'h4A;  // D10.2, fills training set 1
  localparam logic [7:0] SYM_TS2 = 8'h45;  // D5.2, fills training set 2
  localparam int TS_SYMBOLS = 16;  // of a training set per lane: COM, lane, 14 times TS1/2

  // Four symbols in the order of the packet: one of each of four lanes, or four of one lane.
  typedef struct packed {
    logic [3:0]      err;   // code violation
    logic [3:0]      k;
    logic [3:0][7:0] data;  // [0] is first
  } ib_word_t;

  // ---- States -----------------------------------------------------------------------------------
  typedef enum logic [3:0] {
    PHYS_POLLING  = 4'd2,
    PHYS_DISABLED = 4'd3,
    PHYS_TRAINING = 4'd4,
    PHYS_LINK_UP  = 4'd5,
    PHYS_RECOVERY = 4'd6
  } phys_state_e;

  typedef enum logic [2:0] {
    PORT_NOP    = 3'd0,  // as a command: no change
    PORT_DOWN   = 3'd1,
    PORT_INIT   = 3'd2,
    PORT_ARMED  = 3'd3,
    PORT_ACTIVE = 3'd4
  } port_state_e;

  // What the line sends when it carries no packets.
  typedef enum logic [1:0] {
    LINE_QUIET,  // transmitter off
    LINE_TS1,
    LINE_TS2,
    LINE_DATA
  } line_mode_e;

  // ---- Flow-control packet, without its CRC -----------------------------------------------------
  typedef struct packed {
    logic [3:0]  op;     // 0 normal, 1 initialisation
    logic [11:0] fctbs;  // blocks of 64 bytes sent so far
    logic [3:0]  vl;
    logic [11:0] fccl;   // limit up to which the receiver of this packet may send
  } fc_pkt_t;

  localparam logic [3:0] FC_NORMAL = 4'd0;
  localparam logic [3:0] FC_INIT = 4'd1;

  // Blocks of 64 bytes that a packet of pkt_len words takes, VCRC included: ceil((4 n + 2) / 64).
  function automatic logic [6:0] blocks_of(input logic [10:0] pkt_len);
    return 7'(pkt_len >> 4) + 1'b1;
  endfunction

  // For each bit, whether a lower one is set; and the lowest bit that is. In log2(FIRST_W) steps,
  // without a carry chain.
  localparam int FIRST_W = 64;
  function automatic logic [FIRST_W-1:0] above_first(input logic [FIRST_W-1:0] bits);
    logic [FIRST_W-1:0] above;
    above = bits << 1;
    for (int k = 1; k < FIRST_W; k *= 2) above |= above << k;
    return above;
  endfunction

  function automatic logic [FIRST_W-1:0] first_of(input logic [FIRST_W-1:0] bits);
    return bits & ~above_first(bits);
  endfunction

  // ---- Settings ---------------------------------------------------------------------------------
  localparam int ARB_ENTRIES = 8;  // of each of the two arbitration tables

  typedef struct packed {
    logic [3:0] vl;
    logic [7:0] weight;  // blocks of 64 bytes; 0: entry not used
  } vl_arb_entry_t;

  typedef struct packed {
    logic enable;  // 0: physical state Disabled
    port_state_e set_state;  // command, for one cycle; else PORT_NOP
    logic [2:0] mtu;  // neighbour's MTU, code 1 to 5
    logic [2:0] oper_vls;  // code 1 to 5: VL0, 0-1, 0-3, 0-7, 0-14
    logic [3:0] phy_errors;  // LocalPhyErrors threshold
    logic [3:0] overrun_errors;  // OverrunErrors threshold
    logic [7:0] high_limit;  // limit of high priority, 4096 bytes; 255 none
    logic [15:0][3:0] sl2vl;  // [sl]; 15: drop
    vl_arb_entry_t [ARB_ENTRIES-1:0] arb_high;
    vl_arb_entry_t [ARB_ENTRIES-1:0] arb_low;
  } ib_link_cfg_t;

  typedef struct packed {
    phys_state_e phys_state;
    port_state_e port_state;
  } ib_link_status_t;

  // Data VLs in operation, as a number, by OperationalVLs code.
  function automatic logic [3:0] vls_of(input logic [2:0] oper_vls);
    unique case (oper_vls)
      3'd2: return 4'd2;
      3'd3: return 4'd4;
      3'd4: return 4'd8;
      3'd5: return 4'd15;
      default: return 4'd1;
    endcase
  endfunction

  // The code of a number of data VLs; 1 for numbers that have none.
  function automatic logic [2:0] vls_code(input int vls);
    return vls == 2 ? 3'd2 : vls == 4 ? 3'd3 : vls == 8 ? 3'd4 : vls == 15 ? 3'd5 : 3'd1;
  endfunction

  // ---- Events -----------------------------------------------------------------------------------
  // One-cycle pulses: why a received packet was dropped. Each is a part of PortRcvErrors but for
  // remote_bad, wrong_state and vl15_full.
  typedef struct packed {
    logic bad_packet;   // VCRC, code violation, stray symbol, or no end
    logic remote_bad;   // ended with EBP
    logic bad_lver;     // link version is not 0
    logic bad_length;   // PktLen is not the length, below 6 words, or above the MTU
    logic bad_vl;       // data VL that is not in operation
    logic wrong_state;  // data packet while the port is Down or Init
    logic overrun;      // no space although there was credit
    logic vl15_full;    // no space on VL15, which has no flow control
    logic bad_fc;       // link packet with a wrong CRC, length, operand or VL
  } ib_rx_drops_t;

  typedef struct packed {
    ib_rx_drops_t drops;
    logic         rcv_pkt;
    logic [10:0]  rcv_words;       // of the packet in this cycle, with rcv_pkt
    logic         xmit_pkt;
    logic [10:0]  xmit_words;      // with xmit_pkt
    logic         xmit_wait;       // a packet waits for credit, and nothing is sent
    logic         xmit_discard;    // port inactive, or VL without mapping or out of operation
    logic [3:0]   symbol_errors;   // in this cycle
    logic         integrity;       // LocalPhyErrors threshold exceeded
    logic         buffer_overrun;  // OverrunErrors threshold exceeded
    logic         recovery;        // retrained
    logic         downed;          // retraining failed, or the signal is lost
  } ib_link_events_t;

  // ---- PortCounters and PortCountersExtended (clause 16.1.3.5, 16.1.4.10) -----------------------
  typedef struct packed {
    logic [15:0] symbol_error;
    logic [7:0]  link_error_recovery;
    logic [7:0]  link_downed;
    logic [15:0] rcv_errors;
    logic [15:0] rcv_remote_phys_errors;
    logic [15:0] rcv_switch_relay_errors;
    logic [15:0] xmit_discards;
    logic [7:0]  xmit_constraint_errors;
    logic [7:0]  rcv_constraint_errors;
    logic [3:0]  link_integrity_errors;
    logic [3:0]  buffer_overrun_errors;
    logic [15:0] vl15_dropped;
    logic [31:0] xmit_data;
    logic [31:0] rcv_data;
    logic [31:0] xmit_pkts;
    logic [31:0] rcv_pkts;
    logic [31:0] xmit_wait;
    logic [63:0] ext_xmit_data;
    logic [63:0] ext_rcv_data;
    logic [63:0] ext_xmit_pkts;
    logic [63:0] ext_rcv_pkts;
  } port_counters_t;

  // One bit per counter, in the order above.
  typedef struct packed {
    logic symbol_error;
    logic link_error_recovery;
    logic link_downed;
    logic rcv_errors;
    logic rcv_remote_phys_errors;
    logic rcv_switch_relay_errors;
    logic xmit_discards;
    logic xmit_constraint_errors;
    logic rcv_constraint_errors;
    logic link_integrity_errors;
    logic buffer_overrun_errors;
    logic vl15_dropped;
    logic xmit_data;
    logic rcv_data;
    logic xmit_pkts;
    logic rcv_pkts;
    logic xmit_wait;
    logic ext_xmit_data;
    logic ext_rcv_data;
    logic ext_xmit_pkts;
    logic ext_rcv_pkts;
  } port_counters_clear_t;

endpackage
