// SPDX-License-Identifier: Apache-2.0
//
// Stores of a process: a frame of s_axis is a word {strobes [39:32], address [19:0]} and the beats
// of a burst; m_axis has the response of each.
module kumi_tb_sw2_stores (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_axi_if.mst m_axi
);
  logic open_q, aw_q;
  logic [39:0] head_q;

  assign s_axis.tready = open_q ? !aw_q && m_axi.wready : !aw_q;
  assign m_axi.awvalid = aw_q;
  assign m_axi.awaddr  = head_q[19:0];
  assign m_axi.awid    = '0;
  assign m_axi.awlen   = '0;
  assign m_axi.awsize  = 3'd3;
  assign m_axi.awburst = 2'b01;
  assign m_axi.wvalid  = open_q && !aw_q && s_axis.tvalid;
  assign m_axi.wdata   = s_axis.tdata;
  assign m_axi.wstrb   = head_q[39:32];
  assign m_axi.wlast   = s_axis.tlast;
  assign m_axi.bready  = m_axis.tready;
  assign m_axi.arvalid = 1'b0;
  assign m_axi.araddr  = '0;
  assign m_axi.arid    = '0;
  assign m_axi.arlen   = '0;
  assign m_axi.arsize  = '0;
  assign m_axi.arburst = '0;
  assign m_axi.rready  = 1'b0;
  assign m_axis.tvalid = m_axi.bvalid;
  assign m_axis.tdata  = 64'(m_axi.bresp);
  assign m_axis.tkeep  = 8'h01;
  assign m_axis.tlast  = 1'b1;
  assign m_axis.tuser  = '0;
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;
  always_ff @(posedge clk) begin
    if (aw_q && m_axi.awready) aw_q <= 1'b0;
    if (s_axis.tvalid && s_axis.tready) begin
      open_q <= !s_axis.tlast;
      if (!open_q) begin
        head_q <= s_axis.tdata[39:0];
        aw_q   <= 1'b1;
      end
    end
    if (rst) begin
      open_q <= 1'b0;
      aw_q   <= 1'b0;
    end
  end
  logic unused;
  assign unused = ^head_q[31:20];
endmodule
