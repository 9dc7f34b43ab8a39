// SPDX-License-Identifier: Apache-2.0
//
// Events of the TCP engine's way in and way out, and records inside them.
package kumi_tcp_path_pkg;
  import kumi_tcp_pkg::*;

  // What became of a received packet. Each one has exactly one outcome, so
  //   packets taken = found + missed + all drops.
  typedef enum logic [3:0] {
    FRONT_FOUND,
    FRONT_MISSED,
    FRONT_DROP_OFF,
    FRONT_DROP_PROTO,
    FRONT_DROP_BAD,
    FRONT_DROP_SHORT,
    FRONT_DROP_OFFSET,
    FRONT_DROP_CHECKSUM,
    FRONT_DROP_STORE,
    FRONT_DROP_FOUND,
    FRONT_DROP_MISS
  } tcp_rx_outcome_e;

  // Pulses of one cycle, each meant for a counter. All but bad_options are outcomes.
  typedef struct packed {
    logic found;          // handed on as a hit
    logic missed;         // handed on as a miss, without its payload
    logic drop_off;       // the engine is not enabled, or clears its tables after reset
    logic drop_proto;     // not TCP
    logic drop_bad;       // marked bad, or of another length than its record says
    logic drop_short;     // less than 20 bytes
    logic drop_offset;    // data offset below 5 words or beyond the segment
    logic drop_checksum;
    logic drop_store;     // no room for its payload
    logic drop_hit_full;     // hit, but the core is behind and the queue of hits is full
    logic drop_miss_full;      // miss, and the queue of misses is full
    logic bad_options;       // an option of a good segment was malformed; those before it count
  } tcp_rx_ev_t;

  // ---- inside kumi_tcp_rx_path -------------------------------------------------------------------

  // The header of a segment, cut into fields; its options still as they came.
  typedef struct packed {
    tcp_tuple_t   tuple;
    logic [31:0]  seq;
    logic [31:0]  ack;
    tcp_flags_t   flags;
    logic [15:0]  wnd;
    logic [15:0]  len;    // bytes of payload
    logic [3:0]   words;  // of options
    logic [319:0] bytes;  // of them, the first in [7:0]
  } tcp_header_t;

  // What the tables say of a tuple.
  typedef struct packed {
    logic             hit;
    logic [SID_W-1:0] sid;
    logic             listen;
    logic [15:0]      age;     // count of the tables' changes when this was true
  } tcp_lookup_t;

  // Events of kumi_tcp_tx_path. Each record taken ends in exactly one of sent, drop_axi, drop_length.
  typedef struct packed {
    logic sent;         // its last beat was handed to the IP stack
    logic drop_axi;     // a read of its payload was answered with an error
    logic drop_length;  // longer than what can be held
  } tcp_tx_ev_t;
endpackage
