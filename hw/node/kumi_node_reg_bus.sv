// SPDX-License-Identifier: Apache-2.0
//
// Register bus of a node: one AXI4-Lite port, the identity block at 0x0000, block k of the node
// (m_axil[k]) at 0x1000 + 4096 k.
//
// s_axil: the host's port. m_axil: to the blocks; an address beyond the last one returns DECERR, a
// block that does not respond SLVERR (kumi_axil_demux). now: cycles since reset.
module kumi_node_reg_bus #(
    parameter int DATA_W = 64,  // bits of the data path, shown to software
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks, 1..15
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, block 0 in KINDS[0]
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axil_if.mst m_axil[BLOCKS],
    output logic [63:0] now
);
  if (BLOCKS < 1 || BLOCKS > 15) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be 1..15 (%m)");
  end

  kumi_axil_if axil[BLOCKS+1] ();

  kumi_axil_demux #(
      .N(BLOCKS + 1)
  ) u_axil_demux (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil)
  );

  kumi_node_id #(
      .DATA_W(DATA_W),
      .NAME  (NAME),
      .BLOCKS(BLOCKS),
      .KINDS (KINDS),
      .BUILD (BUILD)
  ) u_id (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .now
  );

  for (genvar k = 0; k < BLOCKS; ++k) begin : gen_block
    kumi_axil_join u_join (
        .s_axil(axil[k+1]),
        .m_axil(m_axil[k])
    );
  end
endmodule
