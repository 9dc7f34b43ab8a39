// SPDX-License-Identifier: Apache-2.0
//
// LUT RAM that one clock writes and another one reads, without a register on the way.
//
// s_*: writes, in s_clk. m_data: the word at m_addr, in the same cycle, in m_clk. It is of an
//   address that is not being written, which the user's pointers ensure.
// Constraints: max delay of one period of m_clk from the memory to what takes m_data.
module kumi_cdc_ram #(
    parameter  int W      = 8,             // bits of a word
    parameter  int DEPTH  = 16,            // words, a power of two
    localparam int ADDR_W = $clog2(DEPTH)
) (
    input logic s_clk,
    input logic s_en,
    input logic [ADDR_W-1:0] s_addr,
    input logic [W-1:0] s_data,
    input logic m_clk,
    input logic [ADDR_W-1:0] m_addr,
    output logic [W-1:0] m_data
);
  (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];

  always_ff @(posedge s_clk) if (s_en) mem[s_addr] <= s_data;
  assign m_data = mem[m_addr];

  logic unused;
  assign unused = m_clk;
endmodule
