// SPDX-License-Identifier: Apache-2.0
//
// Register bus of a node: one AXI4-Lite port, the identity block at 0x0000, block k of the node
// (m_axil[k]) at 0x1000 + 4096 k.
//
// s_axil: the host's port. m_axil: to the blocks; an address beyond the last one answers DECERR, a
// block that does not answer SLVERR (kumi_axil_demux). now: cycles since reset.
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
    assign m_axil[k].awaddr  = axil[k+1].awaddr;
    assign m_axil[k].awprot  = axil[k+1].awprot;
    assign m_axil[k].awvalid = axil[k+1].awvalid;
    assign axil[k+1].awready = m_axil[k].awready;
    assign m_axil[k].wdata   = axil[k+1].wdata;
    assign m_axil[k].wstrb   = axil[k+1].wstrb;
    assign m_axil[k].wvalid  = axil[k+1].wvalid;
    assign axil[k+1].wready  = m_axil[k].wready;
    assign axil[k+1].bresp   = m_axil[k].bresp;
    assign axil[k+1].bvalid  = m_axil[k].bvalid;
    assign m_axil[k].bready  = axil[k+1].bready;
    assign m_axil[k].araddr  = axil[k+1].araddr;
    assign m_axil[k].arprot  = axil[k+1].arprot;
    assign m_axil[k].arvalid = axil[k+1].arvalid;
    assign axil[k+1].arready = m_axil[k].arready;
    assign axil[k+1].rdata   = m_axil[k].rdata;
    assign axil[k+1].rresp   = m_axil[k].rresp;
    assign axil[k+1].rvalid  = m_axil[k].rvalid;
    assign m_axil[k].rready  = axil[k+1].rready;
  end
endmodule
