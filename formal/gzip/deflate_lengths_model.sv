// SPDX-License-Identifier: Apache-2.0
//
// Stand-in of kumi_deflate_lengths that may be done at once, with any lengths, so that a short run
// reaches all of kumi_deflate_build: when it is done, and when a count is used, any_q says, whose
// first value is any; what it finds is any, but the same each time.
module kumi_deflate_lengths (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [ 8:0] base,
    input  logic [ 8:0] size,
    input  logic [ 3:0] limit,
    output logic [ 8:0] sym,
    output logic        sym_on,
    input  logic [16:0] count,
    output logic        tap_valid,
    output logic [ 8:0] tap_sym,
    output logic [16:0] tap_count,
    output logic        collected,
    output logic        done,
    output logic [ 8:0] used,
    input  logic [ 8:0] rd_at,
    output logic [ 3:0] rd_bits,
    output logic [16:0] rd_count
);
  logic [2:0] state_q, drain_q;  // as in the original, for deflate_build_formal
  logic [4:0] valid_q;
  logic issue_q, wr_bits, wr_list;
  assign {state_q, drain_q, valid_q, issue_q, wr_bits, wr_list} = '0;

  logic [127:0] any_q;
  logic [ 16:0] count_q;
  logic [  8:0] used_q;
  logic [  3:0] bits_q;
  always_ff @(posedge clk) begin
    any_q   <= any_q >> 2;
    count_q <= count_q;
    used_q  <= used_q;
    bits_q  <= bits_q;
  end
  assign done = any_q[0];
  assign tap_valid = any_q[1];
  assign tap_count = count_q;
  assign tap_sym = '0;
  assign rd_count = count_q;
  assign rd_bits = bits_q;
  assign used = used_q;
  assign {sym, sym_on, collected} = '0;
endmodule
