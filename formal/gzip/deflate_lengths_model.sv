// SPDX-License-Identifier: Apache-2.0
//
// Stand-in of kumi_deflate_lengths that may be done at once, with any lengths, so that a short run
// reaches all of kumi_deflate_build. No output is driven, which a proof takes as any value in any
// cycle; the signals below are those that deflate_build_formal looks at.
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
  logic [2:0] state_q, drain_q;
  logic [4:0] valid_q;
  logic issue_q, wr_bits, wr_list;
endmodule
