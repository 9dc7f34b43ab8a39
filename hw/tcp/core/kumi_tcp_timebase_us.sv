// SPDX-License-Identifier: Apache-2.0
//
// Microsecond counter for a clock whose period is given in picoseconds. It accumulates no error, so
// timeouts do not depend on the board's clock.
//
// now_us: microseconds since reset, modulo 2^32. period_ps: 1..65535, stable; 0 stops the counter.
module kumi_tcp_timebase_us (
    input  logic        clk,
    input  logic        rst,
    input  logic [15:0] period_ps,
    output logic [31:0] now_us
);
  localparam logic [20:0] US = 21'd1_000_000;  // picoseconds

  logic [20:0] part_q;  // picoseconds into the current microsecond, below US
  logic [20:0] sum;
  assign sum = part_q + 21'(period_ps);

  always_ff @(posedge clk) begin
    part_q <= sum >= US ? sum - US : sum;
    if (sum >= US) now_us <= now_us + 1'b1;
    if (rst) begin
      part_q <= '0;
      now_us <= '0;
    end
  end
endmodule
