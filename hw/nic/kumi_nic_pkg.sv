// SPDX-License-Identifier: Apache-2.0
//
// Types of the NIC: virtio 1.2 network device, split virtqueues (2.7) and its header (5.1.6).
package kumi_nic_pkg;

  // Bits of the feature words (5.1.3 and 6).
  localparam int F_CSUM = 0;
  localparam int F_MTU = 3;
  localparam int F_MAC = 5;
  localparam int F_MRG_RXBUF = 15;
  localparam int F_STATUS = 16;
  localparam int F_CTRL_VQ = 17;
  localparam int F_CTRL_RX = 18;
  localparam int F_MQ = 22;
  localparam int F_CTRL_MAC_ADDR = 23;
  localparam int F_INDIRECT_DESC = 28;
  localparam int F_EVENT_IDX = 29;
  localparam int F_VERSION_1 = 32;
  localparam int F_RING_RESET = 40;

  localparam int HEADER_BYTES = 12;  // virtio_net_hdr with num_buffers

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

  // A chain that the device has done with.
  typedef struct packed {
    logic [7:0]  vq;
    logic [15:0] head;
    logic [31:0] length;  // bytes written
    logic        more;    // the next chain of this queue belongs to the same packet
  } nic_used_t;

endpackage
