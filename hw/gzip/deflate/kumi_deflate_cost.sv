// SPDX-License-Identifier: Apache-2.0
//
// Costs of a row in bits: stored, with the fixed code, and with its own.
//
// clear: begin a row, of `size` bytes. Then, each in any cycle, but never two of them in one:
// fixed_*: count of a literal/length symbol, or with fixed_dist of a distance: its bits in the
//   fixed code are added. sym_*: the same with its length in the row's own code. item_*: count and
//   length of a symbol of the code lengths' code.
// extra_*: an item of the header; its extra bits are added. lengths_*: how many lengths of the code
//   lengths' code the header has. In any cycle.
// stored_least: stored is shorter than both others, even with 40 bits of its own; fixed_least: the
//   fixed code is not longer than the row's own. Both hold 6 cycles after the last value.
module kumi_deflate_cost
  import kumi_gzip_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        clear,
    input  logic [16:0] size,
    input  logic        fixed_valid,
    input  logic        fixed_dist,
    input  logic [ 8:0] fixed_sym,
    input  logic [16:0] fixed_count,
    input  logic        sym_valid,
    input  logic        sym_dist,
    input  logic [ 8:0] sym,
    input  logic [ 3:0] sym_bits,
    input  logic [16:0] sym_count,
    input  logic        item_valid,
    input  logic [ 3:0] item_bits,
    input  logic [ 8:0] item_count,
    input  logic        extra_valid,
    input  logic [ 4:0] extra_sym,
    input  logic        lengths_valid,
    input  logic [ 4:0] lengths,
    output logic        stored_least,
    output logic        fixed_least
);
  localparam int STORED_COST = 40;
  localparam int COST_W = 22;
  localparam int HEAD_COST = 3 + 14;  // type of the block, and the three numbers of a header

  // Stage 1: one of the three. Stage 2: factors. Stage 3: product.
  typedef struct packed {
    logic        fixed;
    logic        distance;
    logic        item;      // has no extra bits
    logic [8:0]  sym;
    logic [3:0]  bits;
    logic [16:0] count;
  } cost_term_t;
  cost_term_t term_q;
  logic [2:0] valid_q, fixed_q;
  logic [4:0] bits, extra, factor_q;
  logic [16:0] count_q;
  logic [COST_W-1:0] product_q;

  always_comb begin
    bits = 5'(term_q.bits);
    if (term_q.fixed) bits = term_q.distance ? 5'd5 : 5'(fixed_litlen_bits(term_q.sym));
    extra = '0;
    if (term_q.distance) extra = 5'(dist_extra(term_q.sym[4:0]));
    else if (!term_q.item && term_q.sym > 9'd256) extra = 5'(length_extra(5'(term_q.sym - 9'd257)));
  end

  always_ff @(posedge clk) begin
    valid_q <= {valid_q[1:0], fixed_valid || sym_valid || item_valid};
    fixed_q <= {fixed_q[1:0], fixed_valid};
    term_q <= '{
        fixed: fixed_valid,
        distance: fixed_valid ? fixed_dist : sym_valid && sym_dist,
        item: item_valid,
        sym: fixed_valid ? fixed_sym : sym,
        bits: sym_valid ? sym_bits : item_bits,
        count: fixed_valid ? fixed_count : sym_valid ? sym_count : 17'(item_count)
    };
    factor_q <= bits + extra;
    count_q <= term_q.count;
    product_q <= COST_W'(count_q) * COST_W'(factor_q);
    if (rst) valid_q <= '0;
  end

  // Bits that count as they are.
  logic [6:0] direct, direct_q;
  always_comb begin
    direct = '0;
    if (lengths_valid) direct = 7'(lengths) + 7'({lengths, 1'b0});
    else if (extra_valid && extra_sym == 5'd16) direct = 7'd2;
    else if (extra_valid && extra_sym == 5'd17) direct = 7'd3;
    else if (extra_valid && extra_sym == 5'd18) direct = 7'd7;
  end

  logic [COST_W-1:0] sum_fixed_q, sum_own_q, stored_q;
  always_ff @(posedge clk) begin
    direct_q <= direct;
    if (valid_q[2] && fixed_q[2]) sum_fixed_q <= sum_fixed_q + product_q;
    sum_own_q <= sum_own_q + (valid_q[2] && !fixed_q[2] ? product_q : '0) + COST_W'(direct_q);
    stored_q <= COST_W'({size, 3'b0}) + COST_W'(STORED_COST);
    stored_least <= stored_q < sum_own_q && stored_q < sum_fixed_q;
    fixed_least <= sum_fixed_q <= sum_own_q;
    if (clear) begin
      sum_fixed_q <= COST_W'(3);
      sum_own_q   <= COST_W'(HEAD_COST);
    end
  end
endmodule
