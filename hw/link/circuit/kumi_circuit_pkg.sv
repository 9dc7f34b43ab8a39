// SPDX-License-Identifier: Apache-2.0
//
// Packets on a circuit: the header word that kumi_circuit_tx inserts and kumi_circuit_rx searches.
package kumi_circuit_pkg;

  // The low 64 bits of the first word of a packet; the others are zero.
  typedef struct packed {
    logic [15:0] check;  // of the 48 bits below
    logic [15:0] bytes;  // of the packet, 1..65535; ceil(bytes / (W / 8)) words follow
    logic [31:0] crc;    // CRC-32 (IEEE 802.3) of these bytes
  } circuit_header_t;

  // CRC-16 (CCITT, start 0xffff, high bit first) of length and CRC-32. Zeros are no header.
  function automatic logic [15:0] head_check(input logic [47:0] d);
    logic [15:0] c;
    c = 16'hffff;
    for (int i = 47; i >= 0; i--) c = {c[14:0], 1'b0} ^ (c[15] ^ d[i] ? 16'h1021 : 16'h0);
    return c;
  endfunction

  // One-cycle pulses of the receiver.
  typedef struct packed {
    logic good;  // packet delivered
    logic bad;  // packet with a wrong CRC-32, delivered marked bad
    logic truncated;  // its words stopped arriving; ended and marked bad
    logic hunt;  // a word in place of a header is not one: words are skipped
  } circuit_rx_events_t;
endpackage
