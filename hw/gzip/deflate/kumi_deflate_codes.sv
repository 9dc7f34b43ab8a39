// SPDX-License-Identifier: Apache-2.0
//
// Canonical codes from code lengths (RFC 1951, 3.2.2), bit-reversed, of up to three alphabets at
// once; or the fixed code.
//
// clear: forget all, an entry a cycle in the order of `step`: 64 cycles. add_*: a symbol of an
//   alphabet has that length, not 0; not in a cycle with clear.
// first: `step` goes from 0 to 47: alphabet (5:4) and length (3:0) of which the first code is
//   found; nothing else meanwhile. fixed: of the fixed code instead, also with code_*.
// code_*: a symbol, in order within its alphabet, with its length, 0 if it has no code. m_*: its
//   code, 2 cycles later.
module kumi_deflate_codes
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
(
    input  logic                clk,
    input  logic                fixed,
    input  logic                clear,
    input  logic          [5:0] step,
    input  logic                add_valid,
    input  logic          [1:0] add_tree,
    input  logic          [3:0] add_bits,
    input  logic                first,
    input  logic                code_valid,
    input  logic          [1:0] code_tree,
    input  logic          [8:0] code_sym,
    input  logic          [3:0] code_bits,
    output deflate_code_t       m_code
);
  localparam logic [1:0] TREE_LITLEN = 2'd0;

  // How many there are of each length, then the next one of each length.
  (* ram_style = "distributed", no_rw_check *)logic [ 8:0] of_bits  [64];
  (* ram_style = "distributed", no_rw_check *)logic [14:0] next_code[64];
  logic [5:0] of_at, of_prev, next_at, add_at_q;
  logic add_q;
  logic [8:0] of_now, of_before;
  logic [15:0] first_q, first_code;
  logic code_q, first_on_q, clear_q;
  logic [5:0] step_q;
  logic [1:0] tree_q;
  logic [3:0] bits, bits_1_q, bits_2_q;
  logic [14:0] now, now_q;

  assign of_at = clear_q ? step_q : add_at_q;
  assign of_now = of_bits[of_at];
  assign of_prev = {step[5:4], step[3:0] - 4'd1};
  assign of_before = step[3:0] < 4'd2 ? '0 : of_bits[of_prev];
  assign first_code = step[3:0] == '0 ? '0 : (first_q + 16'(of_before)) << 1;

  function automatic logic [14:0] fixed_first(input logic [5:0] at);
    return at == {TREE_LITLEN, 4'd8} ? 15'h30 : at == {TREE_LITLEN, 4'd9} ? 15'h190 : 15'd0;
  endfunction

  assign bits = !fixed ? code_bits : code_tree == TREE_LITLEN ? fixed_litlen_bits(code_sym) : 4'd5;
  assign next_at = first_on_q ? step_q : {tree_q, bits_1_q};
  assign now = next_code[next_at];

  always_ff @(posedge clk) begin
    first_q <= first_code;
    add_q <= add_valid;
    add_at_q <= {add_tree, add_bits};
    if (clear_q || add_q) of_bits[of_at] <= clear_q ? '0 : of_now + 1'b1;
    code_q <= code_valid;
    tree_q <= code_tree;
    bits_1_q <= bits;
    clear_q <= clear;
    first_on_q <= first;
    step_q <= step;
    if (first_on_q || code_q) begin
      next_code[next_at] <= !first_on_q ? now + 1'b1 : fixed ? fixed_first(step_q) : 15'(first_q);
    end
    bits_2_q <= bits_1_q;
    for (int i = 0; i < 15; i++) now_q[i] <= now[14-i];
  end
  assign m_code = '{bits: bits_2_q, code: now_q >> (4'd15 - bits_2_q)};
endmodule
