// SPDX-License-Identifier: Apache-2.0
//
// Types of the NIC: virtio 1.2 network device, split (2.7) and packed virtqueues (2.8), its header
// (5.1.6).
package kumi_nic_pkg;

  // Bits of the feature words (5.1.3 and 6).
  localparam int F_CSUM = 0;
  localparam int F_GUEST_CSUM = 1;
  localparam int F_CTRL_GUEST_OFFLOADS = 2;
  localparam int F_MTU = 3;
  localparam int F_MAC = 5;
  localparam int F_GUEST_TSO4 = 7;
  localparam int F_GUEST_TSO6 = 8;
  localparam int F_HOST_TSO4 = 11;
  localparam int F_HOST_TSO6 = 12;
  localparam int F_HOST_ECN = 13;
  localparam int F_MRG_RXBUF = 15;
  localparam int F_STATUS = 16;
  localparam int F_CTRL_VQ = 17;
  localparam int F_CTRL_RX = 18;
  localparam int F_CTRL_VLAN = 19;
  localparam int F_CTRL_RX_EXTRA = 20;
  localparam int F_MQ = 22;
  localparam int F_CTRL_MAC_ADDR = 23;
  localparam int F_INDIRECT_DESC = 28;
  localparam int F_EVENT_IDX = 29;
  localparam int F_VERSION_1 = 32;
  localparam int F_RING_PACKED = 34;
  localparam int F_RING_RESET = 40;
  localparam int F_VQ_NOTF_COAL = 52;
  localparam int F_NOTF_COAL = 53;
  localparam int F_HASH_REPORT = 57;
  localparam int F_RSS = 60;

  localparam int HEADER_BYTES = 12;  // virtio_net_hdr with num_buffers
  localparam int HASH_BYTES = 8;  // behind it, with VIRTIO_NET_F_HASH_REPORT

  // Hash types that are offered (5.1.6.4.3.1): addresses, TCP and UDP of IPv4 and IPv6.
  localparam logic [31:0] NIC_HASH_TYPES = 32'h3f;
  // Key of the RSS specification's test vectors, until the driver sets another.
  localparam logic [319:0] NIC_RSS_KEY =
      320'h6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa;

  // Flags of a descriptor (2.7.5), and those of a packed ring (2.8.1).
  localparam int D_NEXT = 0;
  localparam int D_WRITE = 1;
  localparam int D_INDIRECT = 2;
  localparam int D_AVAIL = 7;
  localparam int D_USED = 15;

  // Event suppression of a packed ring (2.8.10).
  localparam logic [1:0] EVENTS_OFF = 2'd1;
  localparam logic [1:0] EVENTS_DESC = 2'd2;  // at one descriptor, with VIRTIO_F_EVENT_IDX

  localparam int NIC_CHAIN = 64;  // descriptors of a chain, at most

  // A descriptor as it lies in memory, byte 0 in bits 7:0. In a packed ring the last two fields are
  // the other way round, and `next` is the buffer's id.
  typedef struct packed {
    logic [15:0] next;
    logic [15:0] flags;
    logic [31:0] length;
    logic [63:0] addr;
  } nic_desc_t;

  // Whether a descriptor with INDIRECT has no table that the device can walk: linked, empty, too
  // long, or of no whole number of descriptors.
  function automatic logic nic_bad_table(input logic linked, input logic [31:0] length,
                                         input logic [3:0] offset);
    return linked || length[3:0] != '0 || offset != '0 || length == '0 ||
        length > 32'(16 * NIC_CHAIN);
  endfunction

  // A queue as its driver set it up. size is up to 32,768, of a split ring a power of two.
  typedef struct packed {
    logic [63:0] desc;    // table or ring of descriptors
    logic [63:0] driver;  // available ring, or the driver's event suppression
    logic [63:0] device;  // used ring, or the device's event suppression
    logic [15:0] size;
  } nic_queue_t;

  // A place in a packed ring, with the wrap counter that belongs to it.
  typedef struct packed {
    logic wrap;
    logic [14:0] pos;
  } nic_place_t;

  // How far the used ring of a queue is: chains so far, and the place in a packed ring.
  typedef struct packed {
    logic [15:0] index;
    nic_place_t  place;
  } nic_mark_t;

  // What a queue's rings are accessed for (kumi_nic_fetch).
  typedef enum logic [1:0] {
    OP_INDEX,  // read the driver's index of a split ring
    OP_RING,   // read heads, or descriptors of a packed ring
    OP_EVENT   // ask to be notified
  } nic_fetch_op_e;

  // What such an access has found.
  typedef enum logic [1:0] {
    JUDGED_FOUND,  // available chains
    JUDGED_EMPTY,  // none
    JUDGED_RETRY,  // the begin of one that is longer than the access
    JUDGED_BAD     // memory did not answer, or a rule is broken
  } nic_judged_e;

  // A read of the rings that is under way.
  typedef struct packed {
    logic        ring;    // else the index
    logic [7:0]  vq;
    logic [5:0]  lane;    // first entry in its first beat
    logic [6:0]  count;   // entries
    logic [15:0] next;    // split ring: index behind them. Packed: first place of the access
    logic        rest;    // split ring: the driver has made more available
    logic        first;   // packed ring: of the reads of an access
    logic        last;
    logic        wrap;    // the wrap counter at its place
    logic [6:0]  to_end;  // and `most`: see kumi_nic_scan
    logic        most;
  } nic_asked_t;

  // A chain in its available ring, with what is known of its queue. In a packed ring, a descriptor:
  // head is the buffer's id, and there is no table.
  typedef struct packed {
    logic [7:0]  vq;
    logic [15:0] head;
    logic        fault;       // its number is beyond the table
    logic [63:0] table_addr;
    logic [15:0] size;        // of the table
  } nic_head_t;

  // A piece of a chain of descriptors.
  typedef struct packed {
    logic [7:0]  vq;
    logic [15:0] head;    // id of the chain; in a packed ring valid with `last`
    logic [5:0]  descs;   // packed ring: descriptors that the chain has in it so far, less 1
    logic        write;   // the device may write it
    logic        first;   // of its chain
    logic        last;    // of its chain
    logic [31:0] length;
    logic [63:0] addr;
  } nic_seg_t;

  // What a virtio_net_hdr asks of the device (5.1.6.2).
  typedef struct packed {
    logic [15:0] gso_size;
    logic [15:0] offset;    // csum_offset
    logic [15:0] start;     // csum_start
    logic [1:0]  gso;       // 1 TCP over IPv4, 2 TCP over IPv6, 3 another one
    logic        sum;       // NEEDS_CSUM
  } nic_tx_offload_t;

  // The checksum that a frame still needs.
  typedef struct packed {
    logic [15:0] start;
    logic [15:0] offset;
    logic        needed;
  } nic_tx_sum_t;

  // How frames are spread over the receive queues (kumi_nic_rss).
  typedef struct packed {
    logic [7:0]   pairs;         // of queues in use
    logic         rss;           // the driver has set a table; else evenly over the pairs
    logic [5:0]   types;         // hash types
    logic [319:0] key;           // its first byte in the highest bits
    logic [7:0]   unclassified;  // queue of what has no hash
    logic         report;        // the driver has said which hashes it wants to know
  } nic_spread_t;

  // What a driver wants done with frames that it receives.
  typedef struct packed {
    logic tso6;  // join segments of IPv6
    logic tso4;
    logic csum;  // verify checksums; both others need it
  } nic_guest_t;

  // The hash of a frame, for its header (5.1.6.4.3.4).
  typedef struct packed {
    logic [2:0]  kind;   // 1 IPv4, 2 TCP, 3 UDP; 4 IPv6, 5 TCP, 6 UDP; 0 none
    logic [31:0] value;
  } nic_hash_t;

  // A flow that the steering table may hold (kumi_nic_steer). Addresses of IPv4 are in the low 32
  // bits, behind zeros.
  typedef struct packed {
    logic         v6;
    logic         udp;          // else TCP
    logic [127:0] source;
    logic [127:0] to;
    logic [15:0]  source_port;
    logic [15:0]  to_port;
  } nic_flow_t;
  localparam int NIC_STEER_WAYS = 4;  // slots of a bucket of its table
  localparam logic [319:0] NIC_STEER_KEY =
      320'h09c57a4bbbddf5ab8d878842f283677cbcff62efe0005e7a2ac9a2b935fd6a3a2e56ec29f32cb50a;

  // The bucket of a flow in a half of the table, in the low bits: two Toeplitz matrices.
  function automatic logic [7:0] nic_steer_hash(input nic_flow_t flow, input int half);
    for (int i = 0; i < 8; ++i) begin
      nic_steer_hash[i] = ^(flow & (half == 0 ? NIC_STEER_KEY[i+:$bits(nic_flow_t)] :
                                    NIC_RSS_KEY[i+:$bits(nic_flow_t)]));
    end
  endfunction

  // Registers of the steering table (kumi_nic_steer_ctl): a word that is written; what is at
  // `field`, and whether a command is under way.
  typedef struct packed {
    logic        valid;
    logic [3:0]  field;
    logic [31:0] data;
  } nic_steer_write_t;
  typedef struct packed {
    logic        busy;
    logic [31:0] data;
  } nic_steer_read_t;

  // A frame as kumi_nic_rsc_class sees it, for the coalescing of segments.
  typedef struct packed {
    logic        able;     // it can be part of a packet of several
    logic        follows;  // it continues the frame before
    logic        v6;       // IPv6, else IPv4
    logic        push;     // PSH
    logic [1:0]  options;  // words of TCP options, up to 3
    logic [15:0] length;   // of the IPv4 packet, or of the payload of an IPv6 one
    logic [15:0] csum;     // of the IPv4 header, as received
    logic [15:0] pseudo;   // sum of addresses and protocol, less 20 for IPv4: with `length` the
                           // pseudo header's
  } nic_rsc_t;

  // Bytes of headers that `length` counts, with so many words of TCP options: 40 to 52, of IPv6 20
  // to 32.
  function automatic logic [5:0] nic_rsc_headers(input logic v6, input logic [1:0] options);
    return v6 ? {&options, !(&options), options == 2'd1 || options == 2'd2, !options[0], 2'd0} :
        {1'b1, options[1], !options[1], options[0], 2'd0};
  endfunction

  // Frames that become one packet (kumi_nic_rsc_join), and its header.
  typedef struct packed {
    logic [5:0]  more;     // frames behind the first
    logic        v6;
    logic [1:0]  options;
    logic        push;     // the last one has PSH
    logic [15:0] length;   // of the packet, as above
    logic [15:0] csum;
    logic [15:0] pseudo;
  } nic_rsc_op_t;

  // What virtio_net_hdr says of a packet of several segments.
  typedef struct packed {
    logic        on;       // it is one
    logic        v6;
    logic [1:0]  options;
    logic [15:0] size;     // gso_size
  } nic_gso_t;

  // Bytes of its headers: 54 to 66, with IPv6 74 to 86.
  function automatic logic [6:0] nic_gso_headers(input logic v6, input logic [1:0] options);
    return (v6 ? 7'd74 : 7'd54) + {3'd0, options, 2'd0};
  endfunction

  // What the filter looks at in a frame (kumi_nic_filter).
  typedef struct packed {
    logic [47:0] to;       // destination
    logic        has_tag;  // 802.1Q
    logic [11:0] vlan;
  } nic_look_t;

  // Moderation of a set of queues (kumi_nic_coal to kumi_nic_moderate): the time, and limits that
  // are set.
  typedef struct packed {
    logic [15:0] now;      // microseconds, running
    logic        set_all;  // for all queues
    logic        set_one;  // for one
    logic [5:0]  pair;     // its number in the set
    logic [15:0] usecs;    // longest time that an interrupt is held back, up to 32,767
    logic [15:0] packets;  // chains used since the last interrupt, 0 no limit
  } nic_coal_t;

  // Where the answer of a command goes, and its result behind it (virtio 1.3, 5.1.6.5).
  typedef struct packed {
    logic        behind;  // the first segment has 9 bytes or more
    logic        beside;  // it has one, and the second one 8 or more
    logic [63:0] next;    // its address
    nic_seg_t    seg;     // the first segment that the device may write
  } nic_ack_t;

  // A piece of a receive buffer.
  typedef struct packed {
    logic [15:0] head;    // id of its chain, see nic_seg_t
    logic [5:0]  descs;
    logic        last;    // of its chain
    logic [21:0] length;
    logic [63:0] addr;
  } nic_buffer_t;
  localparam int NIC_BUFFER_W = $bits(nic_buffer_t);

  // A chain that the device has done with.
  typedef struct packed {
    logic [7:0]  vq;
    logic [15:0] head;
    logic [5:0]  descs;   // of a packed ring that it had, less 1
    logic [31:0] length;  // bytes written
    logic        more;    // the next chain of this queue belongs to the same packet
  } nic_used_t;

  // ---- queues of the standard, and of the two sets --------------------------------------------
  // many: VIRTIO_NET_F_MQ was negotiated. A set is one-hot: receive, transmit with control.
  function automatic logic nic_is_control(input logic [15:0] n, input logic many, input int pairs);
    return n == (many ? 16'(2 * pairs) : 16'd2);
  endfunction
  function automatic logic [1:0] nic_set_of(input logic [15:0] n, input logic many,
                                            input int pairs);
    return nic_is_control(n, many, pairs) || n[0] ? 2'b10 : 2'b01;
  endfunction
  function automatic logic [7:0] nic_place_of(input logic [15:0] n, input logic many,
                                              input int pairs);
    return nic_is_control(n, many, pairs) ? 8'(pairs) : 8'(n >> 1);
  endfunction
endpackage
