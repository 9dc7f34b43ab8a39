// SPDX-License-Identifier: Apache-2.0
//
// Moderation of interrupts as commands set it (virtio 1.3, 5.1.6.5.8, VIRTIO_NET_F_NOTF_COAL and
// VIRTIO_NET_F_VQ_NOTF_COAL): for all receive or all transmit queues, or for one of them.
//
// queue: number of a virtqueue, as in the standard. queue_live: a cycle later: it is a receive or
//   transmit queue that is enabled. get_*: what holds for it, a cycle later.
// set_all: packets and usecs hold for all receive (0) or transmit (1) queues from now on; set_one:
//   for `queue` alone, unless it has been disabled.
// live: queues that are enabled, of receive (0) and transmit (1). One that is enabled anew has what
//   was set for all of its kind. clear: nothing is set.
// coal: to kumi_nic_moderate of each kind, with the time in microseconds, made from CLK_MHZ. A
//   number of packets that does not fit there is no limit: time ends the wait.
module kumi_nic_coal
  import kumi_nic_pkg::*;
#(
    parameter int PAIRS   = 1,   // pairs of queues, 1..64
    parameter int CLK_MHZ = 250  // of clk, 2..1023
) (
    input logic clk,
    input logic rst,
    input logic clear,
    input logic [1:0][PAIRS-1:0] live,

    input logic [15:0] queue,
    output logic queue_live,
    output logic [31:0] get_packets,
    output logic [14:0] get_usecs,
    input logic [1:0] set_all,
    input logic set_one,
    input logic [31:0] packets,
    input logic [14:0] usecs,
    output nic_coal_t [1:0] coal
);
  localparam int QUEUES = 2 * PAIRS;
  localparam int Q_W = $clog2(QUEUES);

  if (PAIRS < 1 || PAIRS > 64) begin : gen_check_pairs
    $fatal(0, "PAIRS must be 1..64 (%m)");
  end
  if (CLK_MHZ < 2 || CLK_MHZ > 1023) begin : gen_check_clock
    $fatal(0, "CLK_MHZ must be 2..1023 (%m)");
  end

  // ---- time ----------------------------------------------------------------------------------
  logic [ 9:0] cycle_q;
  logic [15:0] now_q;
  always_ff @(posedge clk) begin
    cycle_q <= cycle_q == 10'(CLK_MHZ - 1) ? '0 : cycle_q + 1'b1;
    if (cycle_q == 10'(CLK_MHZ - 1)) now_q <= now_q + 1'b1;
    if (rst) {cycle_q, now_q} <= '0;
  end

  // ---- what is set ---------------------------------------------------------------------------
  logic [QUEUES-1:0] live_by_number, own_q;  // own: set for this queue alone
  logic [1:0][46:0] all_q;  // microseconds, packets
  logic [46:0] one, all_of_kind_q;
  logic [Q_W-1:0] number;
  logic here, own_of_q, write_one;

  assign number = queue[Q_W-1:0];
  assign here = queue < 16'(QUEUES) && live_by_number[number];
  assign write_one = set_one && here;
  always_comb begin
    for (int n = 0; n < QUEUES; ++n) live_by_number[n] = live[n%2][n/2];
  end

  kumi_ram_sdp #(
      .W(47),
      .DEPTH(QUEUES),
      .STYLE(0)
  ) u_own (
      .clk,
      .wr_en  (write_one),
      .wr_addr(number),
      .wr_data({usecs, packets}),
      .rd_en  (1'b1),
      .rd_addr(number),
      .rd_data(one)
  );

  always_ff @(posedge clk) begin
    own_q <= own_q & live_by_number;
    if (write_one) own_q[number] <= 1'b1;
    for (int k = 0; k < 2; ++k) begin
      if (set_all[k]) begin
        all_q[k] <= {usecs, packets};
        for (int i = 0; i < PAIRS; ++i) own_q[2*i+k] <= 1'b0;
      end
    end
    queue_live <= here;
    own_of_q <= own_q[number];
    all_of_kind_q <= all_q[queue[0]];
    if (rst || clear) begin
      own_q <= '0;
      all_q <= '0;
    end
  end
  assign {get_usecs, get_packets} = own_of_q ? one : all_of_kind_q;

  // ---- to those who hold interrupts back ------------------------------------------------------
  logic [1:0] all_now_q, one_now_q;
  logic [5:0] pair_q;
  logic [15:0] usecs_q, packets_q;
  always_ff @(posedge clk) begin
    all_now_q <= set_all | {2{rst || clear}};
    one_now_q <= write_one ? (queue[0] ? 2'b10 : 2'b01) : 2'b00;
    pair_q <= queue[6:1];
    usecs_q <= clear || rst ? '0 : 16'(usecs);
    packets_q <= clear || rst || packets[31:16] != '0 ? '0 : packets[15:0];
  end
  for (genvar k = 0; k < 2; ++k) begin : gen_kind
    assign coal[k] = '{
            now: now_q,
            set_all: all_now_q[k],
            set_one: one_now_q[k],
            pair: pair_q,
            usecs: usecs_q,
            packets: packets_q
        };
  end
endmodule
