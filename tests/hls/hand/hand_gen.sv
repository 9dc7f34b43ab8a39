// SPDX-License-Identifier: Apache-2.0
//
// Message generator, written by hand: the same ports and
// behaviour as the kernel `gen` of hand.cl. One word a cycle.
module hand_gen (
    input logic clk,
    input logic rst,
    input logic start,
    output logic busy,
    output logic done,
    output logic stall,
    output logic failed,
    input logic [31:0] n,
    input logic [31:0] seed,
    output logic [63:0] GEN_OUT_data,
    output logic GEN_OUT_valid,
    input logic GEN_OUT_ready
);
  logic [31:0] left_q;  // words to come
  logic more_q;  // there are any

  logic [31:0] x_q, count_q;
  logic send;
  assign send   = more_q && (!GEN_OUT_valid || GEN_OUT_ready);
  assign done   = busy && !more_q && (!GEN_OUT_valid || GEN_OUT_ready);
  assign stall  = GEN_OUT_valid && !GEN_OUT_ready;
  assign failed = 1'b0;

  always_ff @(posedge clk) begin
    if (send) begin
      left_q <= left_q - 1'b1;
      more_q <= left_q != 32'd1;
    end
    if (start) begin
      left_q <= n;
      more_q <= !n[31] && n != '0;
      busy   <= 1'b1;
    end else if (done) busy <= 1'b0;
    if (GEN_OUT_ready) GEN_OUT_valid <= 1'b0;
    if (send) begin
      GEN_OUT_valid <= 1'b1;
      GEN_OUT_data <= {x_q, count_q};
      x_q <= {1'b0, x_q[31:1]} ^ (x_q[0] ? 32'h80200003 : 32'd0);
      count_q <= count_q + 1'b1;
    end
    if (start) begin
      x_q <= seed;
      count_q <= '0;
    end
    if (rst) begin
      more_q <= 1'b0;
      busy <= 1'b0;
      GEN_OUT_valid <= 1'b0;
    end
  end
endmodule
