// SPDX-License-Identifier: Apache-2.0
//
// Memory and read side that all fifos share: a simple dual-port memory, and in front of its output
// the one or two registers that turn it into a first-word-fall-through stream.
//
// Write: wr_data goes to wr_addr on a wr_clk edge with wr_en high.
// Read: while rd_avail is high the word at rd_addr may be fetched; rd_take says that it was, and
//   the owner steps rd_addr on that clk edge. rd_avail may only speak of words written on an
//   earlier edge, so a read never meets the write of the same word.
// m_data, m_valid, m_ready: the stream. rd_take depends on m_ready combinationally. Words move only
//   when there is one: an idle fifo costs no power, and no time in a simulation.
// STYLE: 0 memory read combinationally into the output register (LUT RAM), latency rd_avail to
//   m_valid 1; 1 memory with registered read (block RAM) followed by an output register, latency 2;
//   2 block RAM without the output register, latency 1, slow clock-to-output of the memory.
module kumi_fifo_ram #(
    parameter int W     = 8,   // bits of a word
    parameter int DEPTH = 16,  // words, a power of two
    parameter int STYLE = 1    // 0 LUT RAM, 1 block RAM and register, 2 block RAM only
) (
    input  logic                     wr_clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     rd_avail,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic                     rd_take,
    output logic [            W-1:0] m_data,
    output logic                     m_valid,
    input  logic                     m_ready
);
  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, at least 2 (%m)");
  end
  if (STYLE < 0 || STYLE > 2) begin : gen_check_style
    $fatal(0, "STYLE must be 0..2 (%m)");
  end

  logic out_valid_q, out_free;
  assign out_free = !out_valid_q || m_ready;
  assign m_valid  = out_valid_q;

  if (STYLE == 0) begin : gen_lut
    (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];
    logic [W-1:0] out_q;

    always_ff @(posedge wr_clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
    end

    always_ff @(posedge clk) begin
      if (rd_take) out_q <= mem[rd_addr];
      if (out_free) out_valid_q <= rd_avail;
      if (rst) out_valid_q <= 1'b0;
    end

    assign rd_take = rd_avail && out_free;
    assign m_data  = out_q;
  end else begin : gen_block
    (* ram_style = "block", no_rw_check *)logic [W-1:0] mem    [DEPTH];
    logic [W-1:0] ram_q;
    logic         ram_en;

    always_ff @(posedge wr_clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
    end

    always_ff @(posedge clk) begin
      if (rd_take) ram_q <= mem[rd_addr];
    end

    assign rd_take = rd_avail && ram_en;

    if (STYLE == 1) begin : gen_reg
      logic [W-1:0] out_q;
      logic         ram_valid_q;

      assign ram_en = !ram_valid_q || out_free;

      always_ff @(posedge clk) begin
        if (ram_en) ram_valid_q <= rd_avail;
        if (out_free && ram_valid_q) out_q <= ram_q;
        if (out_free) out_valid_q <= ram_valid_q;
        if (rst) begin
          ram_valid_q <= 1'b0;
          out_valid_q <= 1'b0;
        end
      end

      assign m_data = out_q;
    end else begin : gen_direct
      assign ram_en = out_free;

      always_ff @(posedge clk) begin
        if (ram_en) out_valid_q <= rd_avail;
        if (rst) out_valid_q <= 1'b0;
      end

      assign m_data = ram_q;
    end
  end
endmodule
