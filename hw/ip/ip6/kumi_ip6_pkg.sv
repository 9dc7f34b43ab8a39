// SPDX-License-Identifier: Apache-2.0
//
// IPv6 at a port (kumi_ip6): settings, addresses, records, events.
package kumi_ip6_pkg;

  // Frames between kumi_ip6 and the IPv4 stack say with their MAC address that they are a peer's of
  // IPv6: these two octets and the peer's handle. No station may have such an address.
  localparam logic [15:0] HANDLE_OUI = 16'h0636;

  // A handle is an address of 240.0.0.0/4, which no station has (RFC 1112, section 4).
  localparam logic [3:0] HANDLE_NET = 4'hf;

  localparam logic [15:0] ETHERTYPE_IP6 = 16'h86dd;

  // Next header (RFC 8200, section 4; RFC 4443).
  localparam logic [7:0] NEXT_TCP = 8'd6;
  localparam logic [7:0] NEXT_UDP = 8'd17;
  localparam logic [7:0] NEXT_ICMP6 = 8'd58;

  localparam logic [63:0] LINK_LOCAL_NET = 64'hfe80_0000_0000_0000;
  localparam logic [127:0] ALL_NODES = 128'hff02_0000_0000_0000_0000_0000_0000_0001;
  localparam logic [127:0] ALL_ROUTERS = 128'hff02_0000_0000_0000_0000_0000_0000_0002;
  localparam logic [103:0] SOLICITED_NET = 104'hff02_0000_0000_0000_0000_0001_ff;

  typedef struct packed {
    logic         enable;
    logic         autoconf;      // take a prefix from routers (RFC 4862)
    logic         ping;          // answer echo requests
    logic [2:0]   probes;        // for another owner of an address, before it is used; 0: none
    logic [15:0]  second_ticks;  // ticks of a second
    logic [15:0]  mtu;           // of packets to peers on the link
    logic [47:0]  mac;
    logic [23:0]  tick_cycles;
    logic [31:0]  ip;            // the node's IPv4 address
    logic [127:0] address;       // a global address given by the user; 0: none
  } ip6_cfg_t;

  // The node's own addresses: of the link, from a router's prefix, given by the user.
  localparam int OWNS = 3;
  localparam int OWN_LINK = 0, OWN_AUTO = 1, OWN_GIVEN = 2;

  typedef struct packed {
    logic         valid;    // it may be used
    logic [127:0] address;
  } ip6_own_t;

  // What precedes the payload of a received packet.
  typedef struct packed {
    logic [47:0]  dst_mac;
    logic [47:0]  mac;      // source
    logic [3:0]   version;
    logic [1:0]   ecn;
    logic [15:0]  length;   // payload bytes, extension headers included
    logic [7:0]   next;
    logic [7:0]   hops;     // hop limit
    logic [127:0] src;
    logic [127:0] dst;
  } ip6_head_t;

  // A received ICMPv6 message.
  typedef struct packed {
    logic [47:0]  mac;     // source
    logic [7:0]   hops;
    logic [127:0] src;
    logic [127:0] dst;
    logic [15:0]  length;
    logic [15:0]  seed;    // sum of the pseudo-header (RFC 8200, section 8.1)
  } icmp6_rx_t;

  // The IPv4 stack's "port unreachable": ICMP's header, and IPv4's and UDP's of the datagram.
  localparam logic [7:0] IP4_ICMP = 8'd1;  // its protocol
  localparam int UNREACHABLE_BYTES = 36;

  // A message to be written: of neighbour or router discovery, or an error.
  typedef enum logic [1:0] {
    NOTE_PROBE,        // solicitation for an address that we want to use
    NOTE_ADVERTISE,    // answer: the address is ours
    NOTE_FIND_ROUTER,
    NOTE_UNREACHABLE   // of a datagram from dst to src: its port is closed
  } note_e;

  typedef struct packed {
    note_e        kind;
    logic         solicited;
    logic [47:0]  mac;        // destination
    logic [127:0] src;
    logic [127:0] dst;
    logic [127:0] target;
    logic [15:0]  length;     // of the datagram's payload
    logic [7:0]   hops;       // its hop limit
    logic [63:0]  udp;        // its header
  } icmp6_note_t;

  // One to send; its body is a frame beside it.
  typedef struct packed {
    logic [47:0]  mac;     // destination
    logic [127:0] src;
    logic [127:0] dst;
    logic [15:0]  length;
  } icmp6_tx_t;

  // Pulses, each meant for a counter. Every received IPv6 frame raises exactly one of rx_* and
  // drop_*, every packet to a peer of IPv6 exactly one of tx_packet, tx_unreachable and tx_drop_*.
  typedef struct packed {
    logic rx_packet;  // given to the IPv4 stack
    logic rx_icmp;  // a message taken: echo request, neighbour or router discovery
    logic drop_short;  // no payload
    logic drop_mac;  // for another station
    logic drop_source;  // from no host's address
    logic drop_address;  // for another address
    logic drop_next;  // neither TCP, UDP nor ICMPv6; extension headers count here
    logic drop_peers;  // no room for another peer
    logic drop_icmp;  // an ICMPv6 message without meaning here, malformed, or with a bad checksum
    logic drop_icmp_full;  // no room for it
    logic tx_packet;
    logic tx_unreachable;  // the IPv4 stack's "port unreachable", one of tx_icmp
    logic tx_drop_peer;  // the peer was forgotten meanwhile
    logic tx_drop_proto;  // neither TCP, UDP nor "port unreachable"
    logic tx_drop_length;  // longer than the link's MTU
    logic tx_icmp;  // message sent: echo reply, discovery, port unreachable
    logic forged;  // an IPv4 frame from an address of HANDLE_NET or HANDLE_OUI: marked bad
    logic conflict;  // another station has the address
  } ip6_events_t;

endpackage
