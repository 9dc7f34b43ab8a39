// SPDX-License-Identifier: Apache-2.0
//
// Stand-ins of kumi_gzip_crc32 and kumi_gzip_adler32 for proofs that are about when a sum is read:
// another sum of what was given, valid as many cycles later as theirs.
module gzip_sum_model #(
    parameter int N       = 8,
    parameter int LATENCY = 3
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_clear,
    input  logic                   in_valid,
    input  logic [$clog2(N+1)-1:0] in_count,
    input  logic [        8*N-1:0] in_data,
    output logic [           31:0] sum
);
  // `now` with what is given in this cycle.
  logic [31:0] now, now_q;
  logic [LATENCY-1:0][31:0] late_q;
  always_comb begin
    now = in_clear ? '0 : now_q;
    if (in_valid) begin
      for (int b = 0; b < N; b++) begin
        if (32'(in_count) > b) now = {now[30:0], now[31]} ^ {24'd0, in_data[8*b+:8]} ^ 32'h100;
      end
    end
  end
  always_ff @(posedge clk) begin
    now_q  <= now;
    late_q <= {late_q[LATENCY-2:0], now};
    if (rst) begin
      now_q  <= '0;
      late_q <= '0;
    end
  end
  assign sum = late_q[LATENCY-1];
endmodule

module kumi_gzip_crc32 #(
    parameter int N = 8
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_clear,
    input  logic                   in_valid,
    input  logic [$clog2(N+1)-1:0] in_count,
    input  logic [        8*N-1:0] in_data,
    output logic [           31:0] crc
);
  gzip_sum_model #(
      .N(N),
      .LATENCY(3)
  ) u_sum (
      .clk,
      .rst,
      .in_clear,
      .in_valid,
      .in_count,
      .in_data,
      .sum(crc)
  );
endmodule

module kumi_gzip_adler32 #(
    parameter int N = 8
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_clear,
    input  logic                   in_valid,
    input  logic [$clog2(N+1)-1:0] in_count,
    input  logic [        8*N-1:0] in_data,
    output logic [           31:0] adler
);
  gzip_sum_model #(
      .N(N),
      .LATENCY(9)
  ) u_sum (
      .clk,
      .rst,
      .in_clear,
      .in_valid,
      .in_count,
      .in_data,
      .sum(adler)
  );
endmodule
