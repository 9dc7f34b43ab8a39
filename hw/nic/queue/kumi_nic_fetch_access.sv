// SPDX-License-Identifier: Apache-2.0
//
// One access to the rings of a queue: its address, how much of it, and the reads.
//
// go: an access `op` to queue `look`, which stand still until idle. ring: what the driver set up of
//   it; next: its next chain ({wrap, pos} of a packed ring), seen: the driver's index, budget:
//   chains that are wanted; level: beats of a packed ring, 2^level, from 4 on as many as a chain
//   may have.
// ar_*: reads; asked: what is needed when a read comes back, moves with it.
// event_*: a notification event is to be written for index `next` at that address.
// none: there was nothing to ask for. fault: an index more than the ring's size ahead, or a place
//   outside it.
// Throughput: split ring: 7 cycles an access, 9 for heads. Packed ring: 9 cycles, and 6 more for
//   each further read: around the ring's end, and across a page of 4 KiB.
module kumi_nic_fetch_access
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int LOOK_W = 2  // bits of a queue's number
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,

    input logic go,
    input nic_fetch_op_e op,
    input nic_queue_t ring,
    input logic [15:0] next,
    input logic [15:0] seen,
    input logic [6:0] budget,
    input logic [2:0] level,
    input logic [LOOK_W-1:0] look,
    output logic idle,

    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic asked_room,
    output nic_asked_t asked,
    output logic event_valid,
    output logic [63:0] event_addr,
    output logic [15:0] event_next,
    output logic none,
    output logic fault
);
  localparam int BYTE_W = $clog2(DATA_W / 8);
  localparam int ENTRIES = DATA_W / 16;
  localparam int DESC_W = BYTE_W - 4;  // which descriptor of a beat
  localparam int DESCS = DATA_W / 128;
  localparam int COUNT_W = $clog2(NIC_CHAIN) + 1;

  typedef enum logic [3:0] {
    S_IDLE,
    S_PLACE,
    S_LOW,
    S_HIGH,
    S_LIMIT,
    S_BOUND,
    S_PART,
    S_BEATS,
    S_ASK,
    S_EVENT,
    S_NONE,
    S_FAULT
  } state_e;
  state_e state_q;

  function automatic logic [COUNT_W-1:0] least(input logic [COUNT_W-1:0] a, input logic [16:0] b);
    return 17'(a) < b ? a : b[COUNT_W-1:0];
  endfunction

  nic_fetch_op_e op_q;
  logic [15:0] next_q, seen_q, ahead_q, place, mask_q, size_q, to_wrap_q, to_end_q;
  logic [63:0] base_q, at_q;
  logic [18:0] offset_q;
  logic carry_q, beyond_q, none_q, packed_q, further_q, most_q, around;
  logic [6:0] budget_q;
  logic [COUNT_W-1:0] limit_q, left_q, part_q, first_to_end_q;
  logic [8:0] to_page_q;  // descriptors to the end of the page
  nic_place_t at_place_q;  // of the read
  logic [7:0] len_q;

  assign place  = next_q & mask_q;
  assign idle   = state_q == S_IDLE;
  assign around = 16'(part_q) == to_end_q;

  // Descriptors of an access to a packed ring, by its level.
  logic [COUNT_W-1:0] wanted;
  assign wanted = level[2] ? COUNT_W'(NIC_CHAIN) :
      (COUNT_W'(DESCS) << level[1:0]) - COUNT_W'(at_q[BYTE_W-1:4]);

  always_ff @(posedge clk) begin
    budget_q <= budget;
    unique case (state_q)
      S_IDLE: begin
        op_q <= op;
        packed_q <= packed_ring && op == OP_RING;
        further_q <= 1'b0;
        next_q <= next;
        at_place_q <= next;
        seen_q <= seen;
        base_q <= op == OP_EVENT ? ring.device : packed_ring ? ring.desc : ring.driver;
        mask_q <= ring.size - 1'b1;
        size_q <= ring.size;
        if (go) state_q <= S_PLACE;
      end
      S_PLACE: begin
        ahead_q   <= seen_q - next_q;
        to_wrap_q <= mask_q - place;
        to_end_q  <= size_q - 16'(at_place_q.pos);
        unique case (op_q)
          OP_INDEX: offset_q <= 19'd2;
          OP_EVENT: offset_q <= packed_ring ? '0 : {size_q, 3'd0} + 19'd4;
          default:  offset_q <= packed_q ? {at_place_q.pos, 4'd0} : 19'({place, 1'b0}) + 19'd4;
        endcase
        state_q <= S_LOW;
      end
      // An address is added up in two cycles.
      S_LOW: begin
        {carry_q, at_q[31:0]} <= 33'(base_q[31:0]) + 33'(offset_q);
        beyond_q <= packed_q && at_place_q.pos >= size_q[14:0] && !size_q[15];
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        at_q[63:32] <= base_q[63:32] + 32'(carry_q);
        to_page_q <= 9'd256 - {1'b0, at_q[11:4]};
        state_q <= further_q ? S_BOUND : op_q == OP_RING ? S_LIMIT :
            op_q == OP_EVENT ? S_EVENT : S_ASK;
      end
      S_LIMIT: begin
        limit_q <= packed_q ? wanted : least(
            COUNT_W'(ENTRIES) - COUNT_W'(at_q[BYTE_W-1:1]), {1'b0, to_wrap_q} + 1'b1
        );
        left_q <= least(budget_q, {1'b0, packed_q ? size_q : ahead_q});
        if (!packed_q) beyond_q <= ahead_q > size_q;
        none_q <= budget_q == '0;
        first_to_end_q <= |to_end_q[15:COUNT_W] ? '1 : to_end_q[COUNT_W-1:0];
        state_q <= S_BOUND;
      end
      S_BOUND: begin
        if (!further_q) begin
          left_q <= least(limit_q, 17'(left_q));
          // No larger access would be made for a chain that does not end in this one.
          most_q <= level[2] || left_q <= limit_q;
        end
        part_q <= least(
            |to_end_q[15:COUNT_W-1] ? COUNT_W'(NIC_CHAIN) : to_end_q[COUNT_W-1:0], 17'(to_page_q)
        );
        state_q <= beyond_q ? S_FAULT : none_q ? S_NONE : packed_q ? S_PART : S_ASK;
      end
      S_PART: begin
        part_q  <= least(part_q, 17'(left_q));
        state_q <= S_BEATS;
      end
      S_BEATS: begin
        len_q   <= 8'((8'(part_q) + 8'(at_q[BYTE_W-1:4]) - 8'd1) >> DESC_W);
        state_q <= S_ASK;
      end
      S_ASK:
      if (ar_valid && ar_ready) begin
        further_q <= 1'b1;
        left_q <= left_q - part_q;
        at_place_q.pos <= around ? '0 : at_place_q.pos + 15'(part_q);
        at_place_q.wrap <= at_place_q.wrap ^ around;
        state_q <= packed_q && left_q != part_q ? S_PLACE : S_IDLE;
      end
      default: state_q <= S_IDLE;
    endcase
    if (rst) state_q <= S_IDLE;
  end

  assign ar_valid = state_q == S_ASK && asked_room;
  assign ar_addr = {at_q[63:BYTE_W], {BYTE_W{1'b0}}};
  assign ar_len = packed_q ? len_q : '0;
  assign asked = '{
          ring: op_q == OP_RING,
          vq: 8'(look),
          lane: packed_q ? 6'(at_q[BYTE_W-1:4]) : 6'(at_q[BYTE_W-1:1]),
          count: packed_q ? part_q : left_q,
          next: packed_q ? next_q : next_q + 16'(left_q),
          rest: ahead_q != 16'(left_q),
          first: !further_q,
          last: left_q == part_q,
          wrap: at_place_q.wrap,
          to_end: first_to_end_q,
          most: most_q
      };
  assign event_valid = state_q == S_EVENT;
  assign event_addr = at_q;
  assign event_next = next_q;
  assign none = state_q == S_NONE;
  assign fault = state_q == S_FAULT;

  logic unused;
  assign unused = ^ring;
endmodule
