// SPDX-License-Identifier: Apache-2.0
//
// Sum of two streams, written by hand: the same ports and
// behaviour as the kernel `add` of hand.cl. One word a cycle.
module hand_add (
    input logic clk,
    input logic rst,
    input logic start,
    output logic busy,
    output logic done,
    output logic stall,
    output logic failed,
    input logic [31:0] n,
    input logic [127:0] ADD_A_data,
    input logic ADD_A_valid,
    output logic ADD_A_ready,
    input logic [127:0] ADD_B_data,
    input logic ADD_B_valid,
    output logic ADD_B_ready,
    output logic [127:0] ADD_OUT_data,
    output logic ADD_OUT_valid,
    input logic ADD_OUT_ready
);
  logic [31:0] left_q;  // words to come
  logic more_q;  // there are any

  logic free, take;
  assign free = !ADD_OUT_valid || ADD_OUT_ready;
  assign take = more_q && free && ADD_A_valid && ADD_B_valid;
  assign ADD_A_ready = take;
  assign ADD_B_ready = take;
  assign done = busy && !more_q && free;
  assign stall = busy && more_q && !take;
  assign failed = 1'b0;

  always_ff @(posedge clk) begin
    if (take) begin
      left_q <= left_q - 1'b1;
      more_q <= left_q != 32'd1;
    end
    if (start) begin
      left_q <= n;
      more_q <= !n[31] && n != '0;
      busy   <= 1'b1;
    end else if (done) busy <= 1'b0;
    if (ADD_OUT_ready) ADD_OUT_valid <= 1'b0;
    if (take) begin
      ADD_OUT_valid <= 1'b1;
      for (int i = 0; i < 4; i++)
      ADD_OUT_data[32*i+:32] <= ADD_A_data[32*i+:32] + ADD_B_data[32*i+:32];
    end
    if (rst) begin
      more_q <= 1'b0;
      busy <= 1'b0;
      ADD_OUT_valid <= 1'b0;
    end
  end
endmodule
