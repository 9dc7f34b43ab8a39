// SPDX-License-Identifier: Apache-2.0
//
// Data path of an all-reduce, written by hand: the same ports and
// behaviour as the kernel `combine` of hand.cl. One word a cycle.
module hand_combine (
    input logic clk,
    input logic rst,
    input logic start,
    output logic busy,
    output logic done,
    output logic stall,
    output logic failed,
    input logic [31:0] n,
    input logic [7:0] from_prev,
    input logic [7:0] from_local,
    input logic [7:0] keep,
    input logic [255:0] PREV_data,
    input logic PREV_valid,
    output logic PREV_ready,
    input logic [255:0] LOCAL_data,
    input logic LOCAL_valid,
    output logic LOCAL_ready,
    output logic [255:0] NEXT_data,
    output logic NEXT_valid,
    input logic NEXT_ready,
    output logic [255:0] KEPT_data,
    output logic KEPT_valid,
    input logic KEPT_ready
);
  logic [31:0] left_q;  // words to come
  logic more_q;  // there are any

  logic prev_q, local_q, keep_q, free, take;
  logic [255:0] a, b;
  assign free = (!NEXT_valid || NEXT_ready) && (!KEPT_valid || KEPT_ready);
  assign take = more_q && free && (PREV_valid || !prev_q) && (LOCAL_valid || !local_q);
  assign PREV_ready = take && prev_q;
  assign LOCAL_ready = take && local_q;
  assign a = prev_q ? PREV_data : '0;
  assign b = local_q ? LOCAL_data : '0;
  assign KEPT_data = NEXT_data;
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
    if (NEXT_ready) NEXT_valid <= 1'b0;
    if (KEPT_ready) KEPT_valid <= 1'b0;
    if (take) begin
      NEXT_valid <= 1'b1;
      KEPT_valid <= keep_q;
      for (int i = 0; i < 8; i++) NEXT_data[32*i+:32] <= a[32*i+:32] + b[32*i+:32];
    end
    if (start) begin
      prev_q  <= from_prev != '0;
      local_q <= from_local != '0;
      keep_q  <= keep != '0;
    end
    if (rst) begin
      more_q <= 1'b0;
      busy <= 1'b0;
      NEXT_valid <= 1'b0;
      KEPT_valid <= 1'b0;
    end
  end
endmodule
