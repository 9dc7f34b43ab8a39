// SPDX-License-Identifier: Apache-2.0
//
// Events of the receive and the transmit path of the TCP engine, and the records inside them.
package kumi_tcp_path_pkg;
  import kumi_tcp_pkg::*;

  // Outcome of a received packet. Each packet has exactly one, so
  //   packets received = hit + miss + all drops.
  typedef enum logic [3:0] {
    RX_HIT,
    RX_MISS,
    RX_DROP_DISABLED,
    RX_DROP_PROTO,
    RX_DROP_BAD,
    RX_DROP_SHORT,
    RX_DROP_OFFSET,
    RX_DROP_CHECKSUM,
    RX_DROP_BUFFER_FULL,
    RX_DROP_HIT_FULL,
    RX_DROP_MISS_FULL
  } tcp_rx_outcome_e;

  // Pulses of one cycle, each meant for a counter. All but bad_options are outcomes.
  typedef struct packed {
    logic hit;               // delivered to the core as a hit
    logic miss;              // delivered to the core as a miss, without its payload
    logic drop_disabled;     // the engine is disabled, or clears its tables after reset
    logic drop_proto;        // not TCP
    logic drop_bad;          // marked bad, or its length differs from its record's
    logic drop_short;        // less than 20 bytes
    logic drop_offset;       // data offset below 5 words or beyond the segment
    logic drop_checksum;
    logic drop_buffer_full;  // no space for its payload
    logic drop_hit_full;     // hit, but the queue of hits is full
    logic drop_miss_full;    // miss, and the queue of misses is full
    logic bad_options;       // malformed option in a good segment; those before it count
  } tcp_rx_ev_t;

  // ---- inside kumi_tcp_rx_path ----------------------------------------------------------------

  localparam int NBR_W = 3;  // bits of the class of the neighbor that sent a segment

  // The header of a segment as fields; its options not yet parsed.
  typedef struct packed {
    logic [NBR_W-1:0] neighbor;
    tcp_tuple_t tuple;
    logic [31:0] seq;
    logic [31:0] ack;
    tcp_flags_t flags;
    logic [15:0] wnd;
    logic [15:0] len;  // bytes of payload
    logic ce;  // congestion experienced
    logic [3:0] words;  // of options
    logic [319:0] bytes;  // of options, the first in [7:0]
  } tcp_header_t;

  // Result of a table lookup.
  typedef struct packed {
    logic             hit;
    logic [SID_W-1:0] sid;
    logic             listen;
    logic [15:0]      age;     // number of table changes that the lookup has seen
  } tcp_lookup_t;

  // Events of kumi_tcp_tx_path. Each record ends in exactly one of them.
  typedef struct packed {
    logic sent;         // its last beat was accepted by the IP stack
    logic drop_axi;     // a read of its payload was answered with an error
    logic drop_length;  // longer than the payload buffer
  } tcp_tx_ev_t;
endpackage
