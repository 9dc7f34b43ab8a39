// SPDX-License-Identifier: Apache-2.0
//
// Simple dual-port memory: one write port, one registered read port, one clock.
//
// wr_*: written on a clk edge with wr_en high. rd_data: the word at rd_addr on the last edge with
//   rd_en high; latency 1 cycle, a read and a write every cycle.
// A read of the word that is written on the same edge: RDW 0 returns either content or a mixture,
//   and the user forwards the write where that matters; RDW 1 returns the old word, which may cost
//   logic where the memory's cells do not do so.
// Contents are undefined at first.
module kumi_ram_sdp #(
    parameter int W     = 32,  // bits of a word
    parameter int DEPTH = 16,  // words, 2 or more
    parameter int RDW   = 0,   // read during write: 0 undefined, 1 old word
    parameter int STYLE = -1   // -1 by depth, 0 LUT RAM, 1 block RAM, 2 the tool's choice
) (
    input  logic                     clk,
    input  logic                     wr_en,
    input  logic [$clog2(DEPTH)-1:0] wr_addr,
    input  logic [            W-1:0] wr_data,
    input  logic                     rd_en,
    input  logic [$clog2(DEPTH)-1:0] rd_addr,
    output logic [            W-1:0] rd_data
);
  localparam int CELL = STYLE >= 0 ? STYLE : DEPTH <= 64 ? 0 : 1;

  if (DEPTH < 2) begin : gen_check_depth
    $fatal(0, "DEPTH must be at least 2 (%m)");
  end
  if (STYLE < -1 || STYLE > 2) begin : gen_check_style
    $fatal(0, "STYLE must be -1..2 (%m)");
  end
  if (RDW < 0 || RDW > 1 || (RDW == 1 && STYLE != 2)) begin : gen_check_rdw
    $fatal(0, "RDW must be 0, or 1 with STYLE 2 (%m)");
  end

  if (RDW == 1) begin : gen_old
    logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end else if (CELL == 0) begin : gen_lut
    (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end else if (CELL == 1) begin : gen_block
    (* ram_style = "block", no_rw_check *) logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end else begin : gen_auto
    (* no_rw_check *) logic [W-1:0] mem[DEPTH];
    always_ff @(posedge clk) begin
      if (wr_en) mem[wr_addr] <= wr_data;
      if (rd_en) rd_data <= mem[rd_addr];
    end
  end
endmodule
