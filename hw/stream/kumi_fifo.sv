// SPDX-License-Identifier: Apache-2.0
//
// First-word-fall-through FIFO for one valid/ready channel of W bits: the core of kumi_axis_fifo
// and kumi_rec_fifo.
//
// Handshake: s_data moves with s_valid and s_ready, m_data with m_valid and m_ready, one word a
//   cycle each. No combinational path joins the two sides.
// depth: words in the memory, without the one or two in the output registers. Full is DEPTH, so the
//   FIFO as a whole holds DEPTH + 1 words (DEPTH + 2 in style 1).
// Latency s to m of an empty FIFO: 2 cycles in styles 0 and 2, 3 in style 1 (see kumi_fifo_ram).
//   STYLE -1 takes LUT RAM up to 64 words and block RAM with an output register above.
`include "kumi_assert.svh"
module kumi_fifo #(
    parameter int W     = 8,   // bits of a word
    parameter int DEPTH = 16,  // words, a power of two
    parameter int STYLE = -1   // -1 by depth, 0 LUT RAM, 1 block RAM and register, 2 block RAM only
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
  localparam int MEM_STYLE = STYLE >= 0 ? STYLE : DEPTH <= 64 ? 0 : 1;

  logic [ADDR_W-1:0] wr_q, rd_q, wr_next, rd_next;
  logic push, take, some_q, full_q;
  logic [ADDR_W:0] depth_q;

  assign s_ready = !full_q;
  assign push    = s_valid && s_ready;
  assign wr_next = wr_q + 1'b1;
  assign rd_next = rd_q + 1'b1;
  assign depth   = depth_q;

  // Whether there is a word, or room for one, is known without the counter: m_ready, which may come
  // late, passes no carry chain on its way to these two, and an unused depth costs nothing.
  always_ff @(posedge clk) begin
    if (push) wr_q <= wr_next;
    if (take) rd_q <= rd_next;
    if (push != take) begin
      some_q  <= push || rd_next != wr_q;
      full_q  <= push && wr_next == rd_q;
      depth_q <= depth_q + {{ADDR_W{take}}, 1'b1};
    end
    if (rst) begin
      wr_q    <= '0;
      rd_q    <= '0;
      some_q  <= 1'b0;
      full_q  <= 1'b0;
      depth_q <= '0;
    end
  end

  kumi_fifo_ram #(
      .W(W),
      .DEPTH(DEPTH),
      .STYLE(MEM_STYLE)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(push),
      .wr_addr(wr_q),
      .wr_data(s_data),
      .clk,
      .rst,
      .rd_avail(some_q),
      .rd_addr(rd_q),
      .rd_take(take),
      .m_data,
      .m_valid,
      .m_ready
  );

  `KUMI_ASSERT(a_some, some_q == (depth_q != '0))
  `KUMI_ASSERT(a_full, full_q == (depth_q == (ADDR_W + 1)'(DEPTH)))
  `KUMI_ASSERT(a_most, depth_q <= (ADDR_W + 1)'(DEPTH))
  `KUMI_ASSERT(a_depth, ADDR_W'(wr_q - rd_q) == depth_q[ADDR_W-1:0])
endmodule
