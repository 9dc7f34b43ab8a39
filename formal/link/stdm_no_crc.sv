// SPDX-License-Identifier: Apache-2.0
//
// Stands for kumi_crc32 in circuit_rx_formal: the same times, and a value that the solver chooses.
module kumi_crc32 #(
    parameter int DATA_W = 64
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                in_valid,
    input  logic                in_last,
    input  logic [  DATA_W-1:0] in_data,
    input  logic [DATA_W/8-1:0] in_keep,
    output logic                out_valid,
    output logic [        31:0] out_crc
);
  logic [3:0] done_q;
  always_ff @(posedge clk) begin
    done_q  <= rst ? '0 : {done_q[2:0], in_valid && in_last};
    out_crc <= in_data[31:0];
  end
  assign out_valid = done_q[3];
  logic unused;
  assign unused = ^{in_keep, in_data};
endmodule
