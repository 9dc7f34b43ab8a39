// SPDX-License-Identifier: Apache-2.0
//
// Constants, event records and the CRC-32 matrix that the Ethernet MAC and PCS blocks share.
// IEEE 802.3: XGMII characters clause 46, FCS clause 3.2.9, MAC control annexes 31A, 31B, 31D.
package kumi_eth_pkg;

  // XGMII control characters (table 46-3).
  localparam logic [7:0] XGMII_IDLE = 8'h07;
  localparam logic [7:0] XGMII_START = 8'hFB;
  localparam logic [7:0] XGMII_TERM = 8'hFD;
  localparam logic [7:0] XGMII_ERROR = 8'hFE;
  localparam logic [7:0] XGMII_SEQ = 8'h9C;

  localparam logic [7:0] PREAMBLE = 8'h55;
  localparam logic [7:0] SFD = 8'hD5;

  // ---- Events: one-cycle pulses --------------------------------------------------------------
  // Every frame that starts on the wire raises exactly one of the receive events but `overrun`.
  typedef struct packed {
    logic ok;            // good frame delivered
    logic bad_fcs;       // frame check sequence wrong
    logic err_char;      // error or other control character inside the frame, or no terminate
    logic runt;          // shorter than 64 bytes with FCS, FCS right or wrong
    logic giant;         // longer than the limit; cut there
    logic bad_preamble;  // start without preamble and start-of-frame delimiter; not delivered
    logic overrun;       // a beat was lost because the client was not ready (one pulse a beat)
  } mac_rx_events_t;

  // Every client frame raises exactly one of the transmit events.
  typedef struct packed {
    logic ok;        // sent whole
    logic underrun;  // the client paused inside a frame: ended with error characters
    logic bad;       // the client marked the frame bad: ended with error characters
    logic fault;     // thrown away, in part or whole, because the link reports a fault
  } mac_tx_events_t;

  // MAC control frames; receive and transmit events are independent.
  typedef struct packed {
    logic rx_pause;  // valid PAUSE frame received
    logic rx_pfc;    // valid PFC frame received
    logic rx_other;  // MAC control frame with another opcode or destination: dropped
    logic rx_bad;    // MAC control frame that is bad or too short: dropped, not obeyed
    logic tx_pause;  // PAUSE frame sent
    logic tx_pfc;    // PFC frame sent
  } mac_ctrl_events_t;

  // ---- CRC-32 of 802.3, reflected: bit 0 of a byte goes in first -------------------------------
  localparam logic [31:0] CRC_POLY = 32'hEDB8_8320;
  localparam logic [31:0] CRC_INIT = 32'hFFFF_FFFF;
  localparam logic [31:0] CRC_RESIDUE = 32'hDEBB_20E3;  // state after data and its own FCS

  typedef logic [31:0][63:0] crc_matrix_t;

  // State after `bits` zero bits; negative runs backwards.
  function automatic logic [31:0] crc_zeros(input logic [31:0] state, input int bits);
    logic [31:0] s;
    s = state;
    for (int i = 0; i < bits; i++) s = s[0] ? (s >> 1) ^ CRC_POLY : s >> 1;
    for (int i = 0; i < -bits; i++) s = s[31] ? ((s ^ CRC_POLY) << 1) | 32'h1 : s << 1;
    return s;
  endfunction

  // Row i: which bits of a 64-bit word reach bit i of the state, from state zero.
  function automatic crc_matrix_t crc_matrix();
    logic [31:0] column;
    crc_matrix_t m;
    column = CRC_POLY;
    for (int c = 63; c >= 0; c--) begin
      for (int r = 0; r < 32; r++) m[r][c] = column[r];
      column = crc_zeros(column, 1);
    end
    return m;
  endfunction

  localparam crc_matrix_t CRC_MATRIX = crc_matrix();

  // State after eight bytes whose first four have the old state folded in by exclusive or.
  function automatic logic [31:0] crc_fold64(input logic [63:0] word);
    logic [31:0] s;
    for (int r = 0; r < 32; r++) s[r] = ^(word & CRC_MATRIX[r]);
    return s;
  endfunction

  // State after one byte.
  function automatic logic [31:0] crc_byte(input logic [31:0] state, input logic [7:0] data);
    logic [31:0] s;
    for (int r = 0; r < 32; r++) begin
      s[r] = ^({state[7:0] ^ data, 56'h0} & CRC_MATRIX[r]) ^ ((r < 24) ? state[(r+8)%32] : 1'b0);
    end
    return s;
  endfunction

endpackage
