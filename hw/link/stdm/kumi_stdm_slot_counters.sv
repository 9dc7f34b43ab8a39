// SPDX-License-Identifier: Apache-2.0
//
// Words and empty slots of each circuit of one output.
//
// count: a slot of `owner` passed in this cycle, with a word (full) or without.
// Software side: words, empties: totals of the sw_owner of the previous cycle. They wrap modulo
//   2^32 and start from zero: reset takes OWNERS cycles, during which nothing may be counted.
module kumi_stdm_slot_counters
  import kumi_stdm_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        count,
    input  logic        full,
    input  logic [ 5:0] owner,
    input  logic [ 5:0] sw_owner,
    output logic [31:0] words,
    output logic [31:0] empties
);
  (* ram_style = "distributed" *)logic [31:0] full_mem [OWNERS];
  (* ram_style = "distributed" *)logic [31:0] empty_mem[OWNERS];
  logic [ 6:0] clear_q;
  logic clearing, count_q, full_q;
  logic [5:0] at, owner_q;
  logic [31:0] full_sum, empty_sum;

  assign clearing = !clear_q[6];
  assign at = clearing ? clear_q[5:0] : owner_q;
  assign full_sum = clearing ? '0 : full_mem[at] + 1'b1;
  assign empty_sum = clearing ? '0 : empty_mem[at] + 1'b1;

  always_ff @(posedge clk) begin
    count_q <= count;
    full_q  <= full;
    owner_q <= owner;
    if (clearing) clear_q <= clear_q + 1'b1;
    if (rst) begin
      clear_q <= '0;
      count_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (clearing || (count_q && full_q)) full_mem[at] <= full_sum;
    if (clearing || (count_q && !full_q)) empty_mem[at] <= empty_sum;
    words   <= full_mem[sw_owner];
    empties <= empty_mem[sw_owner];
  end
endmodule
