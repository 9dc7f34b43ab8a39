// SPDX-License-Identifier: Apache-2.0
//
// Records, settings and events of the IP stack (kumi_ip_stack) and its kernels.
package kumi_ip_pkg;

  // Checksum of an outgoing UDP datagram (RFC 768).
  typedef enum logic [1:0] {
    CKS_NONE     = 2'd0,  // zero: the receiver does not check it
    CKS_GENERATE = 2'd1,  // computed; the payload is held until it is known
    CKS_GIVEN    = 2'd2   // the record's `checksum` is sent; the payload is not held
  } udp_cks_e;

  // One UDP datagram, received or to be sent. Fields are in native order.
  typedef struct packed {
    logic [47:0] peer_mac;        // received: source MAC; to send: used when peer_mac_valid
    logic        peer_mac_valid;
    logic        vlan_valid;      // the frame carries an 802.1Q tag
    logic [15:0] vlan_tci;        // PCP, DEI, VID
    logic [31:0] peer_ip;
    logic [15:0] peer_port;
    logic [15:0] local_port;
    logic [15:0] length;          // payload bytes, 0..65507
    logic [15:0] checksum;        // received: the field; to send: with CKS_GIVEN
    udp_cks_e    cks;             // received: CKS_NONE when the field was zero, else CKS_GIVEN
  } udp_hdr_t;

  localparam int UDP_HDR_W = $bits(udp_hdr_t);

  // One IPv4 packet of another protocol; its payload starts at the header of that protocol.
  typedef struct packed {
    logic [47:0] peer_mac;        // received: source MAC; to send: used when peer_mac_valid
    logic        peer_mac_valid;
    logic        vlan_valid;      // the frame carries an 802.1Q tag
    logic [15:0] vlan_tci;        // PCP, DEI, VID
    logic [31:0] peer_ip;         // received: source address; to send: destination
    logic [7:0]  proto;           // IPv4 protocol number (6: TCP)
    logic [1:0]  ecn;             // RFC 3168; 2: ECT(0), 3: CE
    logic [15:0] length;          // payload bytes, 0..65515
  } ip_hdr_t;

  localparam int IP_HDR_W = $bits(ip_hdr_t);

  // UDP ports that are open; with cfg.udp_any all are delivered.
  localparam int UDP_OPEN_PORTS = 4;

  typedef struct packed {
    logic        valid;
    logic [15:0] port;
  } udp_open_t;

  // The ports that the kernels of a node take. One of cfg.udp_ports is left for DHCP.
  localparam int UDP_KERNEL_PORTS = UDP_OPEN_PORTS - 1;

  typedef struct packed {
    logic                             every;  // all: none is closed
    udp_open_t [UDP_KERNEL_PORTS-1:0] ports;
  } udp_listen_t;

  localparam udp_listen_t UDP_EVERY_PORT = '{every: 1'b1, ports: '0};

  // Settings of a stack. Stable while traffic flows; a change takes effect immediately.
  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
    logic [31:0] netmask;
    logic [31:0] gateway;  // 0: none, every address is on the link
    logic [7:0] ttl;  // of packets sent
    logic [23:0] tick_cycles;  // clock cycles of one tick, at least 2 (1 ms is usual)
    logic [15:0] arp_retry_ticks;  // ticks between two ARP requests for one address
    logic [3:0] arp_retries;  // unanswered requests before pending packets are dropped
    logic [15:0] arp_age_ticks;  // ticks of one age step; an entry expires after one to two
    logic enable;  // low: received frames are dropped, nothing is sent unsolicited
    logic promiscuous;  // accept frames for any MAC address (not any IP address)
    logic multicast;  // accept IPv4 multicast
    logic ping;  // answer ICMP echo requests
    logic raw;  // deliver other IPv4 protocols on m_ip
    logic udp_any;  // deliver every UDP port
    logic handles;  // 240.0.0.0/4 are hosts: the peers of kumi_ip6
    logic drop_ttl0;  // drop received packets with TTL 0 (RFC 1122: do not)
    logic arp_strict;  // learn only from solicited replies
    logic dont_fragment;  // packets sent have DF and identification 0 (RFC 6864), else a count
    logic announce;  // a rising edge sends a gratuitous ARP request
    logic unreachable;  // ICMP port unreachable for datagrams to ports not in udp_ports
    logic [15:0] error_ticks;  // ticks between ICMP errors to one address after a burst; 0: none
    udp_open_t [UDP_OPEN_PORTS-1:0] udp_ports;
  } ip_cfg_t;

  // Events: pulses of one cycle, each meant for a counter.
  //
  // Receive: each frame raises rx_frame at its end and in the same cycle exactly one outcome:
  //   rx_frame = rx_udp + rx_raw + rx_icmp + rx_arp + all drop_*.
  // Transmit: each packet accepted on s_udp, s_ip or from the ICMP responder ends in exactly one of
  //   tx_udp, tx_raw, tx_icmp (sent immediately), tx_resolved (sent after its ARP reply),
  //   tx_bad (sent, but marked bad), tx_drop_length, tx_drop_pending_full, tx_drop_timeout.
  typedef struct packed {
    // outcomes of received frames
    logic rx_frame;              // a frame ended
    logic rx_udp;                // delivered on m_udp
    logic rx_raw;                // delivered on m_ip
    logic rx_icmp;               // echo request accepted
    logic rx_arp;                // ARP packet accepted
    logic drop_bad;              // marked bad by the MAC (tuser), or the stack is disabled
    logic drop_runt;             // less than 42 bytes without a tag
    logic drop_mac;              // for another MAC address, or from a group address
    logic drop_ethertype;        // neither IPv4 nor ARP; a second VLAN tag counts here
    logic drop_arp;              // malformed ARP packet
    logic drop_arp_busy;         // ARP queue full
    logic drop_ip_version;       // version is not 4, or header shorter than 20 bytes
    logic drop_ip_options;       // header longer than 20 bytes
    logic drop_ip_length;        // total length below the headers or beyond the frame
    logic drop_ip_fragment;      // part of a fragmented packet
    logic drop_ip_ttl;           // TTL 0 and drop_ttl0
    logic drop_ip_checksum;
    logic drop_ip_src;           // source is no host's: this network, loopback, a group, our own
    logic drop_ip_dst;           // destination is another address
    logic drop_ip_proto;         // unsupported protocol
    logic drop_udp_length;       // UDP length is not IP length - 20
    logic drop_udp_checksum;
    logic drop_udp_port;         // closed port
    logic drop_icmp_type;        // not an echo request, too short, or ping is off
    logic drop_icmp_checksum;
    logic drop_icmp_busy;        // no space for the reply
    logic drop_store;            // receive buffer (RX_STORE) full
    logic drop_tcp_dst;          // TCP to a broadcast or group address (RFC 9293, MUST-57)
    // outcomes of packets to send
    logic tx_udp;
    logic tx_raw;
    logic tx_icmp;
    logic tx_resolved;
    logic tx_bad;                // payload marked bad, or its length differs from its record
    logic tx_drop_length;        // longer than MTU; with CKS_GENERATE also bad payload or length
    logic tx_drop_pending_full;  // MAC address unknown, no pending slot free; or no own address
    logic tx_drop_timeout;       // no ARP reply after arp_retries requests
    // others
    logic tx_frame;              // a frame was sent, including ARP and bad ones
    logic tx_pending;            // a packet waits for its ARP reply
    logic arp_request;           // ARP request sent
    logic arp_reply;             // ARP reply sent
    logic arp_learn;             // cache entry written
    logic arp_ignored;           // ARP packet without effect
    logic arp_conflict;          // another station uses our IP address
    logic arp_expired;           // cache entry expired
    logic icmp_unreachable;      // closed port: ICMP port unreachable queued
    logic icmp_limited;          // closed port: none, because of the rate limit
  } ip_events_t;

  // A pulse: packets to this next hop are dropped, as nobody answers for it (ARP).
  typedef struct packed {
    logic        valid;
    logic [31:0] ip;
  } ip_unresolved_t;

  localparam logic [7:0] PROTO_ICMP = 8'd1;
  localparam logic [7:0] PROTO_TCP = 8'd6;
  localparam logic [7:0] PROTO_UDP = 8'd17;

  // ---- inside the stack -----------------------------------------------------------------------

  typedef enum logic [1:0] {
    KIND_UDP  = 2'd0,
    KIND_RAW  = 2'd1,
    KIND_ICMP = 2'd2,
    KIND_ARP  = 2'd3
  } ip_kind_e;

  // A received packet, of any kind but ARP.
  typedef struct packed {
    ip_kind_e    kind;
    logic [47:0] mac;         // source
    logic        vlan_valid;
    logic [15:0] vlan_tci;
    logic [31:0] ip;          // source
    logic [7:0]  proto;
    logic [1:0]  ecn;
    logic [15:0] length;      // payload bytes
    logic [15:0] src_port;
    logic [15:0] dst_port;
    logic [15:0] checksum;    // UDP
  } ip_rx_t;

  // Outcome of a received frame, in the order of the outcome bits of ip_events_t.
  typedef enum logic [4:0] {
    RX_UDP,
    RX_RAW,
    RX_ICMP,
    RX_ARP,
    DROP_BAD,
    DROP_RUNT,
    DROP_MAC,
    DROP_ETHERTYPE,
    DROP_ARP,
    DROP_ARP_BUSY,
    DROP_IP_VERSION,
    DROP_IP_OPTIONS,
    DROP_IP_LENGTH,
    DROP_IP_FRAGMENT,
    DROP_IP_TTL,
    DROP_IP_CHECKSUM,
    DROP_IP_SRC,
    DROP_IP_DST,
    DROP_IP_PROTO,
    DROP_UDP_LENGTH,
    DROP_UDP_CHECKSUM,
    DROP_UDP_PORT,
    DROP_ICMP_TYPE,
    DROP_ICMP_CHECKSUM,
    DROP_STORE,
    DROP_TCP_DST
  } rx_outcome_e;

  // The verdict on the headers of a received frame.
  typedef struct packed {
    logic        udp;
    logic        icmp;
    logic        early;     // the reason precedes a wrong IP checksum
    logic        good;      // no reason to drop
    logic        closed;    // a datagram to a closed port, which is told so
    logic        summed;    // its payload has a checksum
    rx_outcome_e reason;
    logic [15:0] pay_len;
    logic        pay_none;  // pay_len is 0
    logic        pay_fits;  // pay_len is one beat or less
  } ip_rx_check_t;

  // A packet on its way to the frame builder.
  typedef struct packed {
    ip_kind_e    kind;
    logic        discard;     // consume the payload, send nothing: bad length
    logic [47:0] mac;         // destination
    logic        mac_valid;
    logic        vlan_valid;
    logic [15:0] vlan_tci;
    logic [31:0] ip;          // destination, ARP: target address
    logic [7:0]  proto;
    logic [1:0]  ecn;
    logic [15:0] id;          // identification, given by kumi_ip_tx_resolve
    logic [15:0] length;      // payload bytes of the stream beside it
    logic        arp_reply;   // ARP: reply, else request
    logic [15:0] src_port;
    logic [15:0] dst_port;
    logic [15:0] checksum;    // UDP
  } ip_tx_t;

  // A datagram to a closed port.
  typedef struct packed {
    logic [47:0]      mac;         // source
    logic             vlan_valid;
    logic [15:0]      vlan_tci;
    logic [27:0][7:0] header;      // IP and UDP; [0] is the first byte
  } ip_closed_t;

  // An ARP packet for the ARP engine.
  typedef struct packed {
    logic [47:0] sha;
    logic [31:0] spa;
    logic        for_us;      // target address is ours
    logic        reply;
    logic        vlan_valid;
    logic [15:0] vlan_tci;
  } arp_rx_t;

endpackage
