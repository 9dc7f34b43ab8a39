// SPDX-License-Identifier: Apache-2.0
//
// Connects two AXI4-Lite bundles by wires: s_axil is the block's end of one, m_axil the master's of
// the other. For a module that passes on elements of an array of bundles. Latency 0, no logic.
module kumi_axil_join (
    kumi_axil_if.slv s_axil,
    kumi_axil_if.mst m_axil
);
  assign m_axil.awaddr  = s_axil.awaddr;
  assign m_axil.awprot  = s_axil.awprot;
  assign m_axil.awvalid = s_axil.awvalid;
  assign s_axil.awready = m_axil.awready;
  assign m_axil.wdata   = s_axil.wdata;
  assign m_axil.wstrb   = s_axil.wstrb;
  assign m_axil.wvalid  = s_axil.wvalid;
  assign s_axil.wready  = m_axil.wready;
  assign s_axil.bresp   = m_axil.bresp;
  assign s_axil.bvalid  = m_axil.bvalid;
  assign m_axil.bready  = s_axil.bready;
  assign m_axil.araddr  = s_axil.araddr;
  assign m_axil.arprot  = s_axil.arprot;
  assign m_axil.arvalid = s_axil.arvalid;
  assign s_axil.arready = m_axil.arready;
  assign s_axil.rdata   = m_axil.rdata;
  assign s_axil.rresp   = m_axil.rresp;
  assign s_axil.rvalid  = m_axil.rvalid;
  assign m_axil.rready  = s_axil.rready;
endmodule
