// SPDX-License-Identifier: Apache-2.0
//
// Memory of the rings of one direction: on chip, or behind a memory port.
//
// s_axi: accesses of the engine. m_axi: the same accesses with ON_CHIP = 0; idle with ON_CHIP = 1.
//   No latency of its own; that of kumi_axi_ram with ON_CHIP = 1.
module kumi_tcp_ring_mem #(
    parameter int BYTES   = 65536,  // all rings together
    parameter bit ON_CHIP = 1'b1
) (
    input logic           clk,
    input logic           rst,
          kumi_axi_if.slv s_axi,
          kumi_axi_if.mst m_axi
);
  if (ON_CHIP) begin : gen_on_chip
    kumi_axi_ram #(
        .BYTES(BYTES)
    ) u_ram (
        .clk,
        .rst,
        .s_axi
    );
    assign m_axi.awid = '0;
    assign m_axi.awaddr = '0;
    assign m_axi.awlen = '0;
    assign m_axi.awsize = '0;
    assign m_axi.awburst = '0;
    assign m_axi.awvalid = '0;
    assign m_axi.wdata = '0;
    assign m_axi.wstrb = '0;
    assign m_axi.wlast = '0;
    assign m_axi.wvalid = '0;
    assign m_axi.bready = '0;
    assign m_axi.arid = '0;
    assign m_axi.araddr = '0;
    assign m_axi.arlen = '0;
    assign m_axi.arsize = '0;
    assign m_axi.arburst = '0;
    assign m_axi.arvalid = '0;
    assign m_axi.rready = '0;
  end else begin : gen_port
    assign m_axi.awid = s_axi.awid;
    assign m_axi.awaddr = s_axi.awaddr;
    assign m_axi.awlen = s_axi.awlen;
    assign m_axi.awsize = s_axi.awsize;
    assign m_axi.awburst = s_axi.awburst;
    assign m_axi.awvalid = s_axi.awvalid;
    assign m_axi.wdata = s_axi.wdata;
    assign m_axi.wstrb = s_axi.wstrb;
    assign m_axi.wlast = s_axi.wlast;
    assign m_axi.wvalid = s_axi.wvalid;
    assign m_axi.bready = s_axi.bready;
    assign m_axi.arid = s_axi.arid;
    assign m_axi.araddr = s_axi.araddr;
    assign m_axi.arlen = s_axi.arlen;
    assign m_axi.arsize = s_axi.arsize;
    assign m_axi.arburst = s_axi.arburst;
    assign m_axi.arvalid = s_axi.arvalid;
    assign m_axi.rready = s_axi.rready;
    assign s_axi.awready = m_axi.awready;
    assign s_axi.wready = m_axi.wready;
    assign s_axi.bid = m_axi.bid;
    assign s_axi.bresp = m_axi.bresp;
    assign s_axi.bvalid = m_axi.bvalid;
    assign s_axi.arready = m_axi.arready;
    assign s_axi.rid = m_axi.rid;
    assign s_axi.rdata = m_axi.rdata;
    assign s_axi.rresp = m_axi.rresp;
    assign s_axi.rlast = m_axi.rlast;
    assign s_axi.rvalid = m_axi.rvalid;
    logic unused;
    assign unused = clk ^ rst;
  end
endmodule
