// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_fifo, and of kumi_fifo_bypass (STYLE 3): capacity, stability, and order by one
// tracked word.
//
// A word is picked at any push. ahead_q is its place in the FIFO (1: next to leave). When it leaves
// it must be what was pushed; so no word is lost, duplicated, changed or overtaken.
`include "kumi_assert.svh"
module fifo_formal #(
    parameter int W     = 4,
    parameter int DEPTH = 4,
    parameter int STYLE = 1
) (
    input logic         clk,
    input logic         rst,
    input logic [W-1:0] s_data,
    input logic         s_valid,
    input logic         m_ready,
    input logic         pick
);
  localparam int ADDR_W = $clog2(DEPTH);

  logic s_ready, m_valid;
  logic [W-1:0] m_data;
  logic [ADDR_W:0] depth;

  if (STYLE == 3) begin : gen_fast
    kumi_fifo_bypass #(
        .W(W),
        .DEPTH(DEPTH)
    ) u_dut (
        .clk,
        .rst,
        .s_data,
        .s_valid,
        .s_ready,
        .m_data,
        .m_valid,
        .m_ready,
        .depth
    );
  end else begin : gen_style
    kumi_fifo #(
        .W(W),
        .DEPTH(DEPTH),
        .STYLE(STYLE)
    ) u_dut (
        .clk,
        .rst,
        .s_data,
        .s_valid,
        .s_ready,
        .m_data,
        .m_valid,
        .m_ready,
        .depth
    );
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Words in the output registers and in all.
  logic [1:0] out_words;
  logic [ADDR_W+1:0] words, ahead_q, ahead;
  logic [W-1:0] word_q, stored;
  logic tracked_q, push, pop;
  logic [ADDR_W-1:0] place, rd, wr;
  logic some;

  assign push  = s_valid && s_ready;
  assign pop   = m_valid && m_ready;
  assign words = (ADDR_W + 2)'(depth) + (ADDR_W + 2)'(out_words);
  assign place = rd + ADDR_W'(ahead_q - 1'b1 - (ADDR_W + 2)'(out_words));
  assign ahead = ahead_q - (ADDR_W + 2)'(pop);

  if (STYLE == 3) begin : gen_past
    assign rd = gen_fast.u_dut.rd_q;
    assign wr = gen_fast.u_dut.wr_q;
    assign some = gen_fast.u_dut.some_q;
    assign out_words = {1'b0, m_valid};
    assign stored = ahead_q == 1 && m_valid ? m_data : gen_fast.u_dut.mem[place];
  end else begin : gen_there
    assign rd   = gen_style.u_dut.rd_q;
    assign wr   = gen_style.u_dut.wr_q;
    assign some = gen_style.u_dut.some_q;
  end
  if (STYLE == 0) begin : gen_lut
    assign out_words = {1'b0, m_valid};
    assign stored = ahead_q == 1 && m_valid ? m_data : gen_style.u_dut.u_mem.gen_lut.mem[place];
  end else if (STYLE == 1) begin : gen_block
    assign out_words = {1'b0, m_valid} + {1'b0, gen_style.u_dut.u_mem.gen_block.gen_reg.ram_valid_q};
    assign stored = ahead_q == 1 && m_valid ? m_data
        : ahead_q <= (ADDR_W + 2)'(out_words) ? gen_style.u_dut.u_mem.gen_block.ram_q
        : gen_style.u_dut.u_mem.gen_block.mem[place];
  end else if (STYLE == 2) begin : gen_direct
    assign out_words = {1'b0, m_valid};
    assign stored = ahead_q == 1 && m_valid ? m_data : gen_style.u_dut.u_mem.gen_block.mem[place];
  end

  always_ff @(posedge clk) begin
    if (tracked_q) begin
      ahead_q <= ahead;
      if (ahead == '0) tracked_q <= 1'b0;
    end else if (push && pick) begin
      tracked_q <= 1'b1;
      word_q    <= s_data;
      ahead_q   <= words + 1'b1 - (ADDR_W + 2)'(pop);
    end
    if (rst) tracked_q <= 1'b0;
  end

  // What is proved.
  `KUMI_ASSERT(a_order, !(tracked_q && ahead_q == 1 && m_valid) || m_data == word_q)
  `KUMI_ASSERT(a_capacity, depth <= DEPTH)
  `KUMI_ASSERT(a_room, s_ready == (depth < DEPTH))
  logic wait_q;
  logic [W-1:0] data_q;
  always_ff @(posedge clk) begin
    wait_q <= !rst && m_valid && !m_ready;
    data_q <= m_data;
  end
  `KUMI_ASSERT(a_stable, !wait_q || (m_valid && m_data == data_q))
  // A word that is inside shows after at most three cycles.
  logic [1:0] hidden_q;
  always_ff @(posedge clk) hidden_q <= rst || m_valid || words == '0 ? 2'd0 : hidden_q + 2'd1;
  `KUMI_ASSERT(a_shows, hidden_q < 2'd3)

  // What makes the induction close.
  `KUMI_ASSERT(i_pointers, depth[ADDR_W-1:0] == ADDR_W'(wr - rd))
  `KUMI_ASSERT(i_some, some == (depth != '0))
  `KUMI_ASSERT(i_ahead, !tracked_q || (ahead_q >= 1 && ahead_q <= words))
  `KUMI_ASSERT(i_stored, !tracked_q || stored == word_q)
  if (STYLE == 1) begin : gen_hidden
    `KUMI_ASSERT(i_hidden,
                 hidden_q == 0 || m_valid || gen_style.u_dut.u_mem.gen_block.gen_reg.ram_valid_q)
    `KUMI_ASSERT(i_hidden2, hidden_q != 2'd2 || m_valid)
  end else begin : gen_hidden
    `KUMI_ASSERT(i_hidden, hidden_q == 0 || m_valid)
  end

  // Full, then drained; and a beat a cycle.
  logic was_full_q;
  logic [2:0] run_q;
  always_ff @(posedge clk) begin
    was_full_q <= !rst && (was_full_q || !s_ready);
    run_q      <= rst || !(push && pop) ? 3'd0 : run_q + 3'd1;
  end
  `KUMI_COVER(c_drained, was_full_q && words == '0)
  `KUMI_COVER(c_rate, run_q == 3'd5)
endmodule
