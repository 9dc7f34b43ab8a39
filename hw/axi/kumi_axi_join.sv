// SPDX-License-Identifier: Apache-2.0
//
// Connects two AXI4 bundles by wires: s_axi is the memory's end of one, m_axi the master's of the
// other. For a module whose parts each have half of its memory port. Latency 0, no logic.
module kumi_axi_join (
    kumi_axi_if.slv s_axi,
    kumi_axi_if.mst m_axi
);
  if (s_axi.DATA_W != m_axi.DATA_W || s_axi.ADDR_W != m_axi.ADDR_W
      || s_axi.ID_W != m_axi.ID_W) begin : gen_check_if
    $fatal(0, "s_axi and m_axi differ in a width (%m)");
  end

  assign m_axi.awid = s_axi.awid;
  assign m_axi.awaddr = s_axi.awaddr;
  assign m_axi.awlen = s_axi.awlen;
  assign m_axi.awsize = s_axi.awsize;
  assign m_axi.awburst = s_axi.awburst;
  assign m_axi.awvalid = s_axi.awvalid;
  assign s_axi.awready = m_axi.awready;
  assign m_axi.wdata = s_axi.wdata;
  assign m_axi.wstrb = s_axi.wstrb;
  assign m_axi.wlast = s_axi.wlast;
  assign m_axi.wvalid = s_axi.wvalid;
  assign s_axi.wready = m_axi.wready;
  assign m_axi.bready = s_axi.bready;
  assign s_axi.bid = m_axi.bid;
  assign s_axi.bresp = m_axi.bresp;
  assign s_axi.bvalid = m_axi.bvalid;
  assign m_axi.arid = s_axi.arid;
  assign m_axi.araddr = s_axi.araddr;
  assign m_axi.arlen = s_axi.arlen;
  assign m_axi.arsize = s_axi.arsize;
  assign m_axi.arburst = s_axi.arburst;
  assign m_axi.arvalid = s_axi.arvalid;
  assign s_axi.arready = m_axi.arready;
  assign m_axi.rready = s_axi.rready;
  assign s_axi.rid = m_axi.rid;
  assign s_axi.rdata = m_axi.rdata;
  assign s_axi.rresp = m_axi.rresp;
  assign s_axi.rlast = m_axi.rlast;
  assign s_axi.rvalid = m_axi.rvalid;
endmodule
