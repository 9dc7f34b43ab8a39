// SPDX-License-Identifier: Apache-2.0
//
// Chains that the device has done with, waiting queue by queue until their used ring is written.
//
// s_used: chains; one moves when its queue has room. some: there are queues with chains, of which
//   `skip` is not set (a cycle late); pick: the next of them, in turn, is `granted` a cycle later.
// look: a queue; count: its chains; first: the place of its oldest one.
// place: a place of queue `look`; m_*: the chain there, a cycle later. pop: the oldest chain of
//   queue `look` is done with.
module kumi_nic_used
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 3,  // 2..256
    parameter int DEPTH = 64,  // chains of a queue, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int PLACE_W = $clog2(DEPTH)
) (
    input logic clk,
    input logic rst,
    input logic s_valid,
    output logic s_ready,
    input nic_used_t s_used,
    input logic [QUEUES-1:0] skip,
    output logic some,
    input logic pick,
    output logic [LOOK_W-1:0] granted,
    input logic [LOOK_W-1:0] look,
    output logic [PLACE_W:0] count,
    output logic [PLACE_W-1:0] first,
    input logic [PLACE_W-1:0] place,
    output logic [15:0] m_head,
    output logic [5:0] m_descs,
    output logic [31:0] m_length,
    output logic m_more,
    input logic pop
);
  logic [PLACE_W-1:0] first_q[QUEUES];
  logic [PLACE_W-1:0] tail_q[QUEUES];
  logic [PLACE_W:0] count_q[QUEUES];
  logic [LOOK_W-1:0] in_queue;
  logic put;
  logic [QUEUES-1:0] some_q;

  assign in_queue = s_used.vq[LOOK_W-1:0];
  assign s_ready = !count_q[in_queue][PLACE_W];
  assign put = s_valid && s_ready;
  assign count = count_q[look];
  assign first = first_q[look];

  always_ff @(posedge clk) begin
    for (int i = 0; i < QUEUES; ++i) begin
      if (put && in_queue == LOOK_W'(i)) tail_q[i] <= tail_q[i] + 1'b1;
      if (pop && look == LOOK_W'(i)) first_q[i] <= first_q[i] + 1'b1;
      count_q[i] <= count_q[i] + (PLACE_W + 1)'(put && in_queue == LOOK_W'(i)) -
          (PLACE_W + 1)'(pop && look == LOOK_W'(i));
      some_q[i] <= count_q[i] != '0;
    end
    if (rst) begin
      for (int i = 0; i < QUEUES; ++i) begin
        tail_q[i]  <= '0;
        first_q[i] <= '0;
        count_q[i] <= '0;
      end
      some_q <= '0;
    end
  end

  kumi_turn #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req  (some_q & ~skip),
      .some,
      .pick,
      .index(granted)
  );

  kumi_ram_sdp #(
      .W(55),
      .DEPTH(2 ** (PLACE_W + LOOK_W))
  ) u_chains (
      .clk,
      .wr_en  (put),
      .wr_addr({in_queue, tail_q[in_queue]}),
      .wr_data({s_used.head, s_used.descs, s_used.length, s_used.more}),
      .rd_en  (1'b1),
      .rd_addr({look, place}),
      .rd_data({m_head, m_descs, m_length, m_more})
  );

  logic unused;
  assign unused = ^s_used.vq;
endmodule
