// SPDX-License-Identifier: Apache-2.0
//
// Interrupt moderation (virtio 1.3, 5.1.6.5.8, VIRTIO_NET_F_NOTF_COAL and VQ_NOTF_COAL): holds the
// interrupts of a set of queues back for some microseconds, or until so many chains have been used
// since the last; each queue with its own limits.
//
// coal: see nic_coal_t. Limits are set for all queues, or for one until it begins anew or all are
//   set. usecs 0 or packets 1: nothing is held back; packets 0: no limit but time. New limits count
//   at once. Chains are counted for packets. Queue QUEUES - 1 of the set (control) is never held
//   back. At reset there are no limits.
// s_*: an interrupt of a queue, and the used index that it tells of. seen_*: an index of a queue
//   that the driver can see, with or without interrupt; not more often than every 2 cycles.
// start_take: a queue begins at that index, with nothing held back; not while `writes`.
// m_*: interrupts. waiting: some are held back.
// Latency 4 cycles with nothing held back; what is due is found within a cycle for each queue and
//   4 for each one that waits. An interrupt is held back no longer than usecs and 1 us.
module kumi_nic_moderate
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 3,  // 2..256
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input nic_coal_t coal,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    output logic writes,
    input logic seen_valid,
    input logic [LOOK_W-1:0] seen_queue,
    input logic [15:0] seen_index,
    input logic s_valid,
    output logic s_ready,
    input logic [LOOK_W-1:0] s_queue,
    input logic [15:0] s_index,
    output logic m_valid,
    input logic m_ready,
    output logic [LOOK_W-1:0] m_queue,
    output logic waiting
);
  typedef enum logic [2:0] {
    S_LOOK,
    S_READ,
    S_COUNT,
    S_JUDGE,
    S_IRQ
  } state_e;
  state_e state_q;

  logic [QUEUES-1:0] held_q;
  logic [15:0] told_mem[QUEUES];  // index at the last interrupt
  logic [15:0] seen_mem[QUEUES];  // index that the driver can see
  logic [15:0] since_mem[QUEUES];  // time at which an interrupt was held back
  logic [LOOK_W-1:0] scan_q, look_q, seen_queue_q;
  logic [15:0] told_q, index_q, since_q, waited_q, chains_q, seen_index_q;
  logic asked_q, fresh_q, seen_q, put_seen, at_once, due;

  // Limits: microseconds and packets.
  logic [31:0] limits_mem[QUEUES];  // of a queue that has its own
  logic [QUEUES-1:0] own_q;
  logic [31:0] all_q, limits_q;
  logic [LOOK_W-1:0] set_queue;
  logic [15:0] usecs, packets;
  assign set_queue = LOOK_W'(coal.pair);
  assign {usecs, packets} = limits_q;

  always_ff @(posedge clk) begin
    if (coal.set_one) limits_mem[set_queue] <= {coal.usecs, coal.packets};
    if (coal.set_one) own_q[set_queue] <= 1'b1;
    if (start_take) own_q[start_queue] <= 1'b0;
    if (coal.set_all) begin
      all_q <= {coal.usecs, coal.packets};
      own_q <= '0;
    end
    limits_q <= own_q[look_q] ? limits_mem[look_q] : all_q;
    if (rst) begin
      all_q <= '0;
      own_q <= '0;
    end
  end

  // A start goes first at the memory of indices.
  assign put_seen = seen_q && !start_take;
  assign at_once = usecs == '0 || packets == 16'd1 || look_q == LOOK_W'(QUEUES - 1);
  assign due = at_once || waited_q >= usecs || (packets != '0 && chains_q >= packets);

  always_ff @(posedge clk) begin
    seen_q <= seen_valid || (seen_q && !put_seen);
    if (seen_valid) {seen_queue_q, seen_index_q} <= {seen_queue, seen_index};
    if (start_take || put_seen) begin
      seen_mem[start_take?start_queue : seen_queue_q] <= start_take ? start_index : seen_index_q;
    end
    if (start_take || writes) begin
      told_mem[start_take?start_queue : look_q] <= start_take ? start_index : index_q;
    end

    unique case (state_q)
      S_LOOK: begin
        asked_q <= s_valid;
        look_q  <= s_valid ? s_queue : scan_q;
        if (!s_valid) scan_q <= scan_q == LOOK_W'(QUEUES - 1) ? '0 : scan_q + 1'b1;
        if (s_valid || held_q[scan_q]) state_q <= S_READ;
      end
      S_READ: begin
        told_q  <= told_mem[look_q];
        index_q <= asked_q ? s_index : seen_mem[look_q];
        fresh_q <= asked_q && !held_q[look_q];
        since_q <= since_mem[look_q];
        state_q <= S_COUNT;
      end
      S_COUNT: begin
        waited_q <= fresh_q ? '0 : coal.now - since_q;
        chains_q <= index_q - told_q;
        state_q  <= S_JUDGE;
      end
      S_JUDGE: begin
        if (asked_q) held_q[look_q] <= 1'b1;
        if (fresh_q) since_mem[look_q] <= coal.now;
        state_q <= due ? S_IRQ : S_LOOK;
      end
      default:
      if (m_ready) begin
        held_q[look_q] <= 1'b0;
        state_q <= S_LOOK;
      end
    endcase
    if (start_take) held_q[start_queue] <= 1'b0;
    if (rst) begin
      state_q <= S_LOOK;
      scan_q  <= '0;
      held_q  <= '0;
      seen_q  <= 1'b0;
    end
  end

  assign s_ready = state_q == S_JUDGE && asked_q;
  assign writes  = state_q == S_JUDGE && due;
  assign m_valid = state_q == S_IRQ;
  assign m_queue = look_q;
  assign waiting = held_q != '0 || state_q != S_LOOK;
endmodule
