// SPDX-License-Identifier: Apache-2.0
//
// The used descriptor that shows a set of chains to the driver of a packed queue: the first one. It
// is kept back until the others are in memory; the driver waits at it (virtio 1.2, 2.8.6).
//
// put: an entry of queue `look`; hold: it is the first of its set, and kept. mark, entry: its
//   place, and what it says. saved: a set of queue `look` ends; more: in the middle of a packet,
//   and the next set of the queue belongs to it. start_*: a queue begins.
// held: of queue `look` one is kept. m_*: that of queue `look`, in the same cycle.
module kumi_nic_used_first
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 3,  // up to 256
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [LOOK_W-1:0] look,
    input logic put,
    output logic hold,
    input nic_place_t place,
    input logic [63:0] entry,
    input logic saved,
    input logic more,
    output logic held,
    output nic_place_t m_place,
    output logic [63:0] m_entry
);
  logic [QUEUES-1:0] held_q;
  nic_place_t place_mem[QUEUES];
  logic [63:0] entry_mem[QUEUES];

  function automatic logic [QUEUES-1:0] bit_of(input logic valid, input logic [LOOK_W-1:0] queue);
    return valid ? QUEUES'(1) << queue : '0;
  endfunction

  assign held = held_q[look];
  assign hold = put && packed_ring && !held;
  assign m_place = place_mem[look];
  assign m_entry = entry_mem[look];

  always_ff @(posedge clk) begin
    if (hold) begin
      place_mem[look] <= place;
      entry_mem[look] <= entry;
    end
    held_q <= (held_q | bit_of(
        hold, look
    )) & ~bit_of(
        saved && !more, look
    ) & ~bit_of(
        start_take, start_queue
    );
    if (rst) held_q <= '0;
  end
endmodule
