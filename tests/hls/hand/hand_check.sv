// SPDX-License-Identifier: Apache-2.0
//
// Message checker, written by hand: the same ports and
// behaviour as the kernel `check` of hand.cl. One word a cycle.
module hand_check (
    input logic clk,
    input logic rst,
    input logic start,
    output logic busy,
    output logic done,
    output logic stall,
    output logic failed,
    input logic [31:0] n,
    input logic [31:0] seed,
    input logic [63:0] CHECK_IN_data,
    input logic CHECK_IN_valid,
    output logic CHECK_IN_ready,
    output logic [31:0] CHECK_OUT_data,
    output logic CHECK_OUT_valid,
    input logic CHECK_OUT_ready
);
  logic [31:0] left_q;  // words to come
  logic more_q;  // there are any

  logic [31:0] x_q, count_q;
  logic word_q, wrong_q, tell_q;  // a word is being compared; it differs; the result is to be sent
  assign CHECK_IN_ready = more_q;
  assign CHECK_OUT_valid = tell_q && !more_q && !word_q;
  assign done = CHECK_OUT_valid && CHECK_OUT_ready;
  assign stall = (more_q && !CHECK_IN_valid) || (CHECK_OUT_valid && !CHECK_OUT_ready);
  assign failed = 1'b0;

  always_ff @(posedge clk) begin
    if (CHECK_IN_valid && CHECK_IN_ready) begin
      left_q <= left_q - 1'b1;
      more_q <= left_q != 32'd1;
    end
    if (start) begin
      left_q <= n;
      more_q <= !n[31] && n != '0;
      busy   <= 1'b1;
    end else if (done) busy <= 1'b0;
    word_q  <= CHECK_IN_valid && CHECK_IN_ready;
    wrong_q <= CHECK_IN_data != {x_q, count_q};
    if (word_q && wrong_q) CHECK_OUT_data <= CHECK_OUT_data + 1'b1;
    if (CHECK_IN_valid && CHECK_IN_ready) begin
      x_q <= {1'b0, x_q[31:1]} ^ (x_q[0] ? 32'h80200003 : 32'd0);
      count_q <= count_q + 1'b1;
    end
    if (done) tell_q <= 1'b0;
    if (start) begin
      x_q <= seed;
      count_q <= '0;
      tell_q <= 1'b1;
      CHECK_OUT_data <= '0;
    end
    if (rst) begin
      more_q <= 1'b0;
      busy   <= 1'b0;
      word_q <= 1'b0;
      tell_q <= 1'b0;
    end
  end
endmodule
