// SPDX-License-Identifier: Apache-2.0
//
// A used entry (virtio 1.2, 2.7.8 and 2.8.13), and where the one behind it lies.
//
// mark: index and place of the entry; mask: the ring's size less 1; to_end: descriptors between the
//   place and the ring's last one. head, descs, length: its chain.
// entry: 64 bits; of a packed ring the second half of a descriptor. next, next_to_end: what mark
//   and to_end become; wraps: that is behind the ring's end, and to_end does not count then.
// No register.
module kumi_nic_used_step
  import kumi_nic_pkg::*;
(
    input logic packed_ring,
    input nic_mark_t mark,
    input logic [15:0] mask,
    input logic [15:0] to_end,
    input logic [15:0] head,
    input logic [5:0] descs,
    input logic [31:0] length,
    output logic [63:0] entry,
    output nic_mark_t next,
    output logic [15:0] next_to_end,
    output logic wraps
);
  nic_place_t place;
  logic [15:0] along, flags;

  assign wraps = packed_ring ? 16'(descs) >= to_end : (mark.index & mask) == mask;
  // descs is one less than the chain has: the 1 is a carry that comes in.
  assign along = {mark.place.pos, 1'b1} + {9'd0, descs, 1'b1};
  assign place = '{
          wrap: mark.place.wrap ^ wraps,
          pos: wraps ? 15'(16'(descs) - to_end) : along[15:1]
      };
  assign next = '{index: mark.index + 1'b1, place: place};
  assign next_to_end = to_end + ~16'(descs);

  always_comb begin
    flags = '0;
    flags[D_AVAIL] = mark.place.wrap;
    flags[D_USED] = mark.place.wrap;
    flags[D_WRITE] = length != '0;
  end
  assign entry = packed_ring ? {flags, head, length} : {length, 16'd0, head};

  logic unused;
  assign unused = along[0];
endmodule
