// SPDX-License-Identifier: Apache-2.0
//
// Queues that are lost: all at once as bits, and told one after another, in turn.
//
// set: queues that are lost now; again counts again. lost: those of which it was not told yet.
// tell_*: a pulse with the number of one of them, 3 cycles after `set`, and then every second one.
module kumi_nic_lost #(
    parameter int QUEUES = 3,  // 2..256
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic [QUEUES-1:0] set,
    output logic [QUEUES-1:0] lost,
    output logic tell_valid,
    output logic [LOOK_W-1:0] tell_queue
);
  logic some, pick, picked_q;
  logic [LOOK_W-1:0] index;

  assign pick = some && !picked_q;
  kumi_turn #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req(lost),
      .some,
      .pick,
      .index
  );

  always_ff @(posedge clk) begin
    picked_q   <= pick;
    lost       <= (lost & ~(picked_q ? QUEUES'(1) << index : '0)) | set;
    tell_valid <= picked_q;
    tell_queue <= index;
    if (rst) begin
      picked_q   <= 1'b0;
      lost       <= '0;
      tell_valid <= 1'b0;
    end
  end
endmodule
