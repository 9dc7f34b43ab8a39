// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of gzip (RFC 1952, 8) over a stream of 0 to N bytes a cycle.
//
// in_*: in a cycle with in_valid high the first in_count bytes of in_data are added, byte 0 (bits
//   7:0) first; bytes beyond are ignored. in_clear starts again, before bytes of the same cycle.
//   There is no back-pressure.
// crc: value of all that was given LATENCY (3) cycles ago and before, 0 after in_clear alone.
// Bad input: in_count above N adds nothing.
//
// How: bytes are moved to the end of the beat. Leading zeros leave a register of zero alone, so the
// data's part is one matrix for every count, outside the loop; in the loop the register's own bytes
// are moved to where the first data bytes are, through the same matrix.
module kumi_gzip_crc32 #(
    parameter int N = 8  // bytes a cycle, a power of two, 1..16
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_clear,
    input  logic                   in_valid,
    input  logic [$clog2(N+1)-1:0] in_count,
    input  logic [        8*N-1:0] in_data,
    output logic [           31:0] crc
);
  localparam logic [31:0] POLY = 32'hedb8_8320;

  if (N < 1 || N > 16 || (N & (N - 1)) != 0) begin : gen_check_n
    $fatal(0, "N must be a power of two in 1..16 (%m)");
  end

  // [r][i]: whether bit i of a beat, counted from a register of zero, reaches bit r.
  typedef logic [31:0][8*N-1:0] gzip_crc_rows_t;
  function automatic gzip_crc_rows_t beat_rows();
    gzip_crc_rows_t rows;
    logic [31:0] c;
    c = POLY;
    for (int i = 8 * N - 1; i >= 0; i--) begin
      for (int r = 0; r < 32; r++) rows[r][i] = c[r];
      c = (c >> 1) ^ (c[0] ? POLY : 32'd0);
    end
    return rows;
  endfunction
  localparam gzip_crc_rows_t ROWS = beat_rows();

  function automatic logic [31:0] through(input logic [8*N-1:0] beat);
    logic [31:0] y;
    for (int r = 0; r < 32; r++) y[r] = ^(beat & ROWS[r]);
    return y;
  endfunction

  logic [N:0] count_a_q, count_b_q;  // one-hot
  logic clear_a_q, clear_b_q;
  logic [8*N-1:0] beat_q;
  logic [31:0] part_q, state_q, from, moved;

  always_ff @(posedge clk) begin
    beat_q <= '0;
    count_a_q <= (N + 1)'(1);
    for (int n = 1; n <= N; n++) begin
      if (in_valid && in_count == $bits(in_count)'(n)) begin
        beat_q <= in_data << (8 * (N - n));
        count_a_q <= (N + 1)'(1) << n;
      end
    end
    clear_a_q <= in_clear;
    part_q <= through(beat_q);
    count_b_q <= count_a_q;
    clear_b_q <= clear_a_q;
    if (rst) begin
      count_a_q <= (N + 1)'(1);
      count_b_q <= (N + 1)'(1);
      clear_a_q <= 1'b1;
      clear_b_q <= 1'b1;
    end
  end

  assign from = clear_b_q ? '1 : state_q;

  always_comb begin
    logic [8*N-1:0] aligned;
    logic [31:0] rest;
    aligned = '0;
    rest = '0;
    for (int n = 0; n <= N; n++) begin
      if (count_b_q[n]) begin
        aligned |= (8 * N)'({(8 * N)'(0), from} << (8 * (N - n)));
        rest |= 32'({32'd0, from} >> (8 * n));
      end
    end
    moved = through(aligned) ^ rest;
  end

  always_ff @(posedge clk) begin
    state_q <= moved ^ part_q;
    if (rst) state_q <= '1;
  end

  assign crc = ~state_q;
endmodule
