// SPDX-License-Identifier: Apache-2.0
//
// kumi_fifo in LUT RAM with a bypass around the memory: latency 1 while it is empty.
//
// Handshake, depth and capacity as kumi_fifo with STYLE 0: s_data moves with s_valid and s_ready,
//   m_data with m_valid and m_ready, one word a cycle each; depth counts the words in the memory,
//   the FIFO holds DEPTH + 1. No combinational path joins the two sides.
// The output register has a two-way multiplexer in front, so s_data should not arrive late.
module kumi_fifo_bypass #(
    parameter int W     = 8,  // bits of a word
    parameter int DEPTH = 16  // words, a power of two, up to 64 make sense
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [          W-1:0] s_data,
    input  logic                   s_valid,
    output logic                   s_ready,
    output logic [          W-1:0] m_data,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [$clog2(DEPTH):0] depth
);
  localparam int ADDR_W = $clog2(DEPTH);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, at least 2 (%m)");
  end

  (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];
  logic [ADDR_W-1:0] wr_q, rd_q;
  logic [ADDR_W:0] depth_q;
  logic [W-1:0] out_q;
  logic out_valid_q, out_free, push, keep, take, some_q;  // some_q: depth_q is not zero

  assign out_free = !out_valid_q || m_ready;
  assign s_ready = !depth_q[ADDR_W];
  assign push = s_valid && s_ready;
  assign take = some_q && out_free;
  assign keep = push && (some_q || !out_free);  // into the memory
  assign depth = depth_q;
  assign m_data = out_q;
  assign m_valid = out_valid_q;

  always_ff @(posedge clk) begin
    if (keep) mem[wr_q] <= s_data;
  end

  always_ff @(posedge clk) begin
    if (out_free) begin
      out_q <= some_q ? mem[rd_q] : s_data;
      out_valid_q <= some_q || push;
    end
    if (keep) wr_q <= wr_q + 1'b1;
    if (take) rd_q <= rd_q + 1'b1;
    if (keep != take) depth_q <= depth_q + {{ADDR_W{take}}, 1'b1};
    if (keep) some_q <= 1'b1;
    else if (take && depth_q[ADDR_W:1] == '0) some_q <= 1'b0;
    if (rst) begin
      wr_q <= '0;
      rd_q <= '0;
      depth_q <= '0;
      some_q <= 1'b0;
      out_valid_q <= 1'b0;
    end
  end
endmodule
