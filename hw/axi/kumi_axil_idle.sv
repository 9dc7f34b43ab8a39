// SPDX-License-Identifier: Apache-2.0
//
// A master that asks for nothing: in place of one that is left out.
//
// m_axil: AXI4-Lite.
module kumi_axil_idle (
    kumi_axil_if.mst m_axil
);
  assign m_axil.awvalid = 1'b0;
  assign m_axil.awaddr  = '0;
  assign m_axil.awprot  = '0;
  assign m_axil.wvalid  = 1'b0;
  assign m_axil.wdata   = '0;
  assign m_axil.wstrb   = '0;
  assign m_axil.bready  = 1'b1;
  assign m_axil.arvalid = 1'b0;
  assign m_axil.araddr  = '0;
  assign m_axil.arprot  = '0;
  assign m_axil.rready  = 1'b1;
endmodule
