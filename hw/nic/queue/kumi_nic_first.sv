// SPDX-License-Identifier: Apache-2.0
//
// Reads the first descriptor of each chain ahead of need (virtio 1.2, 2.7.5).
//
// s_*: heads, with the address of their queue's table, in order. m_*: each head with its
//   descriptor;
//   m_bad: memory did not answer. A head that is a fault has no descriptor.
// ar_*, r_*: reads of one beat, in order; data is always accepted.
// Throughput: a head a cycle, up to AHEAD of them under way. Latency: 4 cycles and memory's.
module kumi_nic_first
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int LOOK_W = 2,    // bits of a queue's number
    parameter int AHEAD  = 128   // descriptors under way, a power of two
) (
    input logic clk,
    input logic rst,

    // heads
    input logic s_valid,
    output logic s_ready,
    input logic [LOOK_W-1:0] s_queue,
    input logic [15:0] s_head,
    input logic s_fault,
    input logic [63:0] s_table,
    input logic [15:0] s_size,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,

    // with their descriptors
    output logic m_valid,
    input logic m_ready,
    output nic_head_t m_head,
    output nic_desc_t m_desc,
    output logic m_bad,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);
  localparam int SLOT_W = LANE_W - 4;  // which descriptor of a beat

  // Room for what comes back is reserved when a head is taken.
  nic_head_t head_in;
  logic [$bits(nic_head_t)-1:0] head_bits;
  logic head_room, head_valid, pop, first_valid;
  logic [1:0] first_resp;
  logic [127:0] first_bits, picked;
  logic [$clog2(AHEAD):0] depth_heads;
  logic [$clog2(AHEAD)+1:0] depth_firsts, depth_slots;
  logic
      first_room, slot_room, slot_valid, sum_valid_q, sum_carry_q, sum_free, ask_valid_q, ask_free;
  logic [63:0] sum_q, ask_addr_q;
  logic [SLOT_W-1:0] slot;

  assign head_in = '{
          vq: 8'(s_queue),
          head: s_head,
          fault: s_fault,
          table_addr: s_table,
          size: s_size
      };
  assign ask_free = !ask_valid_q || ar_ready;
  assign sum_free = !sum_valid_q || ask_free;
  assign s_ready = head_room && sum_free;

  // An address is added up in two cycles.
  always_ff @(posedge clk) begin
    if (sum_free) begin
      sum_valid_q <= s_valid && head_room && !s_fault;
      {sum_carry_q, sum_q[31:0]} <= 33'(s_table[31:0]) + 33'({s_head, 4'd0});
      sum_q[63:32] <= s_table[63:32];
    end
    if (ask_free) begin
      ask_valid_q <= sum_valid_q;
      ask_addr_q  <= {sum_q[63:32] + 32'(sum_carry_q), sum_q[31:0]};
    end
    if (rst) begin
      sum_valid_q <= 1'b0;
      ask_valid_q <= 1'b0;
    end
  end
  assign ar_valid = ask_valid_q;
  assign ar_addr  = {ask_addr_q[63:LANE_W], {LANE_W{1'b0}}};
  assign ar_len   = '0;

  kumi_fifo #(
      .W($bits(nic_head_t)),
      .DEPTH(AHEAD),
      .STYLE(0)
  ) u_heads (
      .clk,
      .rst,
      .s_data (head_in),
      .s_valid(s_valid && sum_free),
      .s_ready(head_room),
      .m_data (head_bits),
      .m_valid(head_valid),
      .m_ready(pop),
      .depth  (depth_heads)
  );
  assign m_head = head_bits;

  kumi_fifo #(
      .W(SLOT_W),
      .DEPTH(2 * AHEAD),
      .STYLE(0)
  ) u_slots (
      .clk,
      .rst,
      .s_data (ask_addr_q[LANE_W-1:4]),
      .s_valid(ask_valid_q && ar_ready),
      .s_ready(slot_room),
      .m_data (slot),
      .m_valid(slot_valid),
      .m_ready(r_valid),
      .depth  (depth_slots)
  );

  assign picked = 128'(r_data >> {slot, 7'd0});

  kumi_fifo #(
      .W(2 + 128),
      .DEPTH(2 * AHEAD),
      .STYLE(0)
  ) u_firsts (
      .clk,
      .rst,
      .s_data ({r_resp, picked}),
      .s_valid(r_valid),
      .s_ready(first_room),
      .m_data ({first_resp, first_bits}),
      .m_valid(first_valid),
      .m_ready(pop && !m_head.fault),
      .depth  (depth_firsts)
  );
  assign m_valid = head_valid && (m_head.fault || first_valid);
  assign pop = m_valid && m_ready;
  assign m_desc = first_bits;
  assign m_bad = first_resp[1];
  assign busy = head_valid || sum_valid_q || ask_valid_q;

  logic unused;
  assign unused = ^{depth_heads, depth_firsts, depth_slots, first_room, slot_room, slot_valid,
                    first_resp[0], ask_addr_q[3:0]};
endmodule
