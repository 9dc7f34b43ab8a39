// SPDX-License-Identifier: Apache-2.0
//
// Small FIFO of checksums whose writer guarantees that it never overflows.
//
// push: data is written, at most DEPTH entries. valid, q: the oldest entry, one cycle after it was
//   written; pop removes it.
module kumi_tcp_tx_csum_fifo #(
    parameter int W     = 17,  // bits of a word
    parameter int DEPTH = 32   // words, a power of two
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         push,
    input  logic [W-1:0] data,
    output logic         valid,
    output logic [W-1:0] q,
    input  logic         pop
);
  localparam int AW = $clog2(DEPTH);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, at least 2 (%m)");
  end

  (* ram_style = "distributed" *) logic [W-1:0] mem[DEPTH];
  logic [AW:0] wr_q, rd_q;

  assign valid = wr_q != rd_q;
  assign q = mem[rd_q[AW-1:0]];

  always_ff @(posedge clk) begin
    if (push) begin
      mem[wr_q[AW-1:0]] <= data;
      wr_q <= wr_q + 1'b1;
    end
    if (pop) rd_q <= rd_q + 1'b1;
    if (rst) begin
      wr_q <= '0;
      rd_q <= '0;
    end
  end
endmodule
