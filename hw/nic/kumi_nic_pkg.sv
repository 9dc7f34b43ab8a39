// SPDX-License-Identifier: Apache-2.0
//
// Types of the NIC: virtio 1.2 network device, split virtqueues (2.7) and its header (5.1.6).
package kumi_nic_pkg;

  // Bits of the feature words (5.1.3 and 6).
  localparam int F_CSUM = 0;
  localparam int F_GUEST_CSUM = 1;
  localparam int F_MTU = 3;
  localparam int F_MAC = 5;
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
  localparam int F_RING_RESET = 40;
  localparam int F_NOTF_COAL = 53;
  localparam int F_RSS = 60;

  localparam int HEADER_BYTES = 12;  // virtio_net_hdr with num_buffers

  // Hash types that are offered (5.1.6.4.3.1): addresses, TCP and UDP of IPv4 and IPv6.
  localparam logic [31:0] NIC_HASH_TYPES = 32'h3f;
  // Key of the RSS specification's test vectors, until the driver sets another.
  localparam logic [319:0] NIC_RSS_KEY =
      320'h6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa;

  // Flags of a descriptor (2.7.5).
  localparam int D_NEXT = 0;
  localparam int D_WRITE = 1;
  localparam int D_INDIRECT = 2;

  // A descriptor as it lies in memory, byte 0 in bits 7:0.
  typedef struct packed {
    logic [15:0] next;
    logic [15:0] flags;
    logic [31:0] length;
    logic [63:0] addr;
  } nic_desc_t;

  // A queue as its driver set it up. size is a power of two up to 32,768.
  typedef struct packed {
    logic [63:0] desc;    // table of descriptors
    logic [63:0] driver;  // available ring
    logic [63:0] device;  // used ring
    logic [15:0] size;
  } nic_queue_t;

  // A chain in its available ring, with what is known of its queue.
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
    logic [15:0] head;    // id of the chain
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
  } nic_spread_t;

  // What the filter looks at in a frame (kumi_nic_filter).
  typedef struct packed {
    logic [47:0] to;       // destination
    logic        has_tag;  // 802.1Q
    logic [11:0] vlan;
  } nic_look_t;

  // Moderation of a set of queues (kumi_nic_moderate).
  typedef struct packed {
    logic [15:0] now;      // microseconds, running
    logic [15:0] usecs;    // longest time that an interrupt is held back, up to 32,767
    logic [15:0] packets;  // chains used since the last interrupt, 0 no limit
  } nic_coal_t;

  // A piece of a receive buffer.
  typedef struct packed {
    logic [15:0] head;    // id of its chain
    logic        last;    // of its chain
    logic [21:0] length;
    logic [63:0] addr;
  } nic_buffer_t;
  localparam int NIC_BUFFER_W = $bits(nic_buffer_t);

  // A chain that the device has done with.
  typedef struct packed {
    logic [7:0]  vq;
    logic [15:0] head;
    logic [31:0] length;  // bytes written
    logic        more;    // the next chain of this queue belongs to the same packet
  } nic_used_t;

endpackage
