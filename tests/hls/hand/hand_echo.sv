// SPDX-License-Identifier: Apache-2.0
//
// Echo, written by hand: the same ports and
// behaviour as the kernel `echo` of hand.cl. One word a cycle.
module hand_echo (
    input logic clk,
    input logic rst,
    input logic start,
    output logic busy,
    output logic done,
    output logic stall,
    output logic failed,
    input logic [31:0] n,
    input logic [63:0] ECHO_IN_data,
    input logic ECHO_IN_valid,
    output logic ECHO_IN_ready,
    output logic [63:0] ECHO_OUT_data,
    output logic ECHO_OUT_valid,
    input logic ECHO_OUT_ready
);
  logic [31:0] left_q;  // words to come
  logic more_q;  // there are any

  assign ECHO_IN_ready = more_q && (!ECHO_OUT_valid || ECHO_OUT_ready);
  assign done = busy && !more_q && (!ECHO_OUT_valid || ECHO_OUT_ready);
  assign stall = (ECHO_OUT_valid && !ECHO_OUT_ready) || (ECHO_IN_ready && !ECHO_IN_valid);
  assign failed = 1'b0;

  always_ff @(posedge clk) begin
    if (ECHO_IN_valid && ECHO_IN_ready) begin
      left_q <= left_q - 1'b1;
      more_q <= left_q != 32'd1;
    end
    if (start) begin
      left_q <= n;
      more_q <= !n[31] && n != '0;
      busy   <= 1'b1;
    end else if (done) busy <= 1'b0;
    if (ECHO_OUT_ready) ECHO_OUT_valid <= 1'b0;
    if (ECHO_IN_valid && ECHO_IN_ready) begin
      ECHO_OUT_valid <= 1'b1;
      ECHO_OUT_data  <= ECHO_IN_data;
    end
    if (rst) begin
      more_q <= 1'b0;
      busy <= 1'b0;
      ECHO_OUT_valid <= 1'b0;
    end
  end
endmodule
