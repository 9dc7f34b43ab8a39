// SPDX-License-Identifier: Apache-2.0
//
// Finds queues whose reset is over: looks at one after another, a queue a cycle.
//
// resetting: queues of the standard that are being reset, a bit each. stopped: queues of the sets
//   (0 receive, 1 transmit and control) that have ended. many: VIRTIO_NET_F_MQ was negotiated.
// index_queue: asks a set for where its queue has ended; index: the answer, in the same cycle.
// over: a pulse; queue `number` has ended, at `place`. ended: for each queue, whether it has.
// Latency: 4 cycles to one more than a cycle for each queue.
module kumi_nic_endings
  import kumi_nic_pkg::*;
#(
    parameter  int PAIRS  = 1,
    localparam int QUEUES = 2 * PAIRS + 1,
    localparam int Q_W    = $clog2(QUEUES),
    localparam int SET    = PAIRS + 1,
    localparam int LOOK_W = $clog2(SET)
) (
    input logic clk,
    input logic rst,
    input logic many,
    input logic [QUEUES-1:0] resetting,
    input logic [1:0][SET-1:0] stopped,
    output logic [QUEUES-1:0] ended,
    output logic [LOOK_W-1:0] index_queue,
    input logic [1:0][15:0] index,
    output logic over,
    output logic [Q_W-1:0] number,
    output logic [15:0] place
);
  logic [Q_W-1:0] scan_q, found_q;
  logic hit_q;

  always_comb begin
    for (int n = 0; n < QUEUES; ++n) begin
      ended[n] = |(nic_set_of(16'(n), many, PAIRS) &
                   {stopped[1][LOOK_W'(nic_place_of(16'(n), many, PAIRS))],
                    stopped[0][LOOK_W'(nic_place_of(16'(n), many, PAIRS))]});
    end
  end

  // What was looked at, where it ended, and that it has.
  logic [QUEUES-1:0] over_q;
  assign index_queue = LOOK_W'(nic_place_of(16'(found_q), many, PAIRS));
  always_ff @(posedge clk) begin
    over_q <= resetting & ended;
    scan_q <= scan_q == Q_W'(QUEUES - 1) ? '0 : scan_q + 1'b1;
    found_q <= scan_q;
    hit_q <= over_q[scan_q] && resetting[scan_q];
    number <= found_q;
    place <= index[nic_set_of(16'(found_q), many, PAIRS)==2'b10];
    over <= hit_q;
    if (rst) begin
      scan_q <= '0;
      hit_q  <= 1'b0;
      over   <= 1'b0;
      over_q <= '0;
    end
  end
endmodule
