// SPDX-License-Identifier: Apache-2.0
//
// Adler-32 of zlib (RFC 1950, 8.2) over a stream of 0 to N bytes a cycle.
//
// in_*: in a cycle with in_valid high the first in_count bytes of in_data are added, byte 0 (bits
//   7:0) first; bytes beyond are ignored. in_clear starts again, before bytes of the same cycle.
//   There is no back-pressure.
// adler: value of all that was given LATENCY (9) cycles ago and before, 1 after in_clear alone.
// Bad input: in_count above N adds nothing.
//
// How: both sums are kept below 65521 by one conditional subtraction, so that each loop is one
// addition. What a beat adds to the second sum (in_count times the first sum, and the bytes by
// weight) is reduced on the way, outside the loop. Bytes are weighed in fours, then the fours.
module kumi_gzip_adler32 #(
    parameter int N = 8  // bytes a cycle, 1..16
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_clear,
    input  logic                   in_valid,
    input  logic [$clog2(N+1)-1:0] in_count,
    input  logic [        8*N-1:0] in_data,
    output logic [           31:0] adler
);
  localparam int BASE = 65521;
  localparam int FOURS = (N + 3) / 4;

  if (N < 1 || N > 16) begin : gen_check_n
    $fatal(0, "N must be 1..16 (%m)");
  end

  // Bytes at the end of the beat, so that a byte's weight is its place.
  logic [4*FOURS-1:0][7:0] beat_q;
  logic [3:0][4:0] count_q;  // [i]: as of i + 1 cycles ago
  logic [7:0] clear_q;
  logic [FOURS-1:0][9:0] four_q, four;
  logic [FOURS-1:0][11:0] four_weighted_q, four_weighted;  // at most 10 * 255
  logic [11:0] sum_q, sum;  // at most 16 * 255
  logic [15:0] weighted_q, weighted;  // at most 136 * 255

  always_comb begin
    sum = '0;
    weighted = '0;
    for (int f = 0; f < FOURS; f++) begin
      four[f] = '0;
      four_weighted[f] = '0;
      for (int i = 0; i < 4; i++) begin
        four[f] += 10'(beat_q[4*f+i]);
        four_weighted[f] += 12'(beat_q[4*f+i]) * 12'(4 - i);
      end
      sum += 12'(four_q[f]);
      weighted += 16'(four_weighted_q[f]) + 16'(four_q[f]) * 16'(4 * (FOURS - 1 - f));
    end
  end

  always_ff @(posedge clk) begin
    beat_q <= '0;
    for (int n = 1; n <= N; n++) begin
      if (in_valid && in_count == $bits(in_count)'(n)) begin
        beat_q <= (32 * FOURS)'(in_data) << (8 * (4 * FOURS - n));
      end
    end
    count_q <= {count_q[2:0], in_valid ? 5'(in_count) : 5'd0};
    clear_q <= {clear_q[6:0], in_clear};
    four_q <= four;
    four_weighted_q <= four_weighted;
    sum_q <= sum;
    weighted_q <= weighted;
    if (rst) begin
      count_q <= '0;
      clear_q <= '1;
    end
  end

  // First sum; less_q is sum_q - BASE.
  logic [15:0] a_q, a_from;
  logic [11:0] sum_late_q;
  logic [16:0] less_q, a_over;
  assign a_from = clear_q[3] ? 16'd1 : a_q;
  assign a_over = {1'b0, a_from} + less_q;

  // count * first sum before the beat + weights, then modulo BASE.
  logic [15:0] weighted_late_q;
  logic [17:0] low_q;
  logic [20:0] high_q, total_q;
  logic [16:0] folded_q;
  logic [15:0] step_q;

  always_ff @(posedge clk) begin
    sum_late_q <= sum_q;
    less_q <= 17'(sum_q) - 17'(BASE);
    weighted_late_q <= weighted_q;
    a_q <= a_over[16] ? a_from + 16'(sum_late_q) : a_over[15:0];
    low_q <= 18'(count_q[3][0] ? a_from : '0) + 18'({count_q[3][1] ? a_from : '0, 1'b0});
    high_q <= 21'({count_q[3][2] ? a_from : '0, 2'b0}) + 21'({count_q[3][3] ? a_from : '0, 3'b0})
        + 21'({count_q[3][4] ? a_from : '0, 4'b0}) + 21'(weighted_late_q);
    total_q <= high_q + 21'(low_q);
    folded_q <= 17'(total_q[15:0]) + 17'({total_q[20:16], 4'b0}) - 17'(total_q[20:16]);
    step_q <= folded_q >= 17'(BASE) ? 16'(folded_q - 17'(BASE)) : 16'(folded_q);
  end

  // Second sum.
  logic [15:0] b_q, b_from;
  logic [16:0] step_less, b_over;
  assign b_from = clear_q[7] ? '0 : b_q;
  assign step_less = 17'(step_q) - 17'(BASE);
  assign b_over = {1'b0, b_from} + step_less;
  always_ff @(posedge clk) begin
    b_q <= b_over[16] ? b_from + step_q : b_over[15:0];
    if (rst) b_q <= '0;
  end

  // The first sum waits for the second.
  logic [3:0][15:0] a_late_q;
  always_ff @(posedge clk) a_late_q <= {a_late_q[2:0], a_q};
  assign adler = {b_q, a_late_q[3]};
endmodule
