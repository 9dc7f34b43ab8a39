// SPDX-License-Identifier: Apache-2.0
//
// Test top: a register bus with two real blocks and one that misbehaves on demand.
module kumi_t_axil (
    input logic clk,
    input logic rst,
    input logic [31:0] s_axil_awaddr,
    input logic [2:0] s_axil_awprot,
    input logic s_axil_awvalid,
    output logic s_axil_awready,
    input logic [31:0] s_axil_wdata,
    input logic [3:0] s_axil_wstrb,
    input logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input logic s_axil_bready,
    input logic [31:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready,
    input logic deaf,  // block 2 takes no request
    input logic dumb,  // block 2 takes requests and does not answer
    output logic [7:0] answers  // answers of block 2
);
  kumi_axil_if host ();
  kumi_axil_if axil[3] ();
  assign host.awaddr = s_axil_awaddr;
  assign host.awprot = s_axil_awprot;
  assign host.awvalid = s_axil_awvalid;
  assign s_axil_awready = host.awready;
  assign host.wdata = s_axil_wdata;
  assign host.wstrb = s_axil_wstrb;
  assign host.wvalid = s_axil_wvalid;
  assign s_axil_wready = host.wready;
  assign s_axil_bresp = host.bresp;
  assign s_axil_bvalid = host.bvalid;
  assign host.bready = s_axil_bready;
  assign host.araddr = s_axil_araddr;
  assign host.arprot = s_axil_arprot;
  assign host.arvalid = s_axil_arvalid;
  assign s_axil_arready = host.arready;
  assign s_axil_rdata = host.rdata;
  assign s_axil_rresp = host.rresp;
  assign s_axil_rvalid = host.rvalid;
  assign host.rready = s_axil_rready;

  kumi_axil_demux #(
      .N(3),
      .TIMEOUT(64)
  ) u_demux (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil)
  );

  logic [63:0] now;
  logic unused;
  assign unused = ^now;
  kumi_node_id #(
      .DATA_W(256),
      .NAME  ("a test of names"),
      .BLOCKS(2),
      .KINDS ({kumi_regs_pkg::BLOCK_ECHO, kumi_regs_pkg::BLOCK_IP}),
      .BUILD (64'h0123456789abcdef)
  ) u_id0 (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .now
  );
  kumi_ip_pkg::ip_cfg_t cfg;
  logic unused_cfg;
  assign unused_cfg = ^cfg;
  kumi_node_ip_regs u_ip (
      .clk,
      .rst,
      .s_axil(axil[1]),
      .cfg,
      .ev('1),
      .ev_node(3'b101)
  );

  // Answers a read with its address and a write with OKAY, when it wants to.
  logic aw_q, w_q, ar_q;
  assign axil[2].awready = !deaf && !aw_q;
  assign axil[2].wready  = !deaf && !w_q;
  assign axil[2].arready = !deaf && !ar_q;
  assign axil[2].bvalid  = aw_q && w_q && !dumb;
  assign axil[2].rvalid  = ar_q && !dumb;
  assign axil[2].bresp   = 2'b00;
  assign axil[2].rresp   = 2'b00;
  always_ff @(posedge clk) begin
    if (axil[2].arvalid && axil[2].arready) axil[2].rdata <= axil[2].araddr;
    aw_q <= (aw_q || (axil[2].awvalid && axil[2].awready)) && !axil[2].bvalid;
    w_q  <= (w_q || (axil[2].wvalid && axil[2].wready)) && !axil[2].bvalid;
    ar_q <= (ar_q || (axil[2].arvalid && axil[2].arready)) && !axil[2].rvalid;
    if (axil[2].bvalid || axil[2].rvalid) answers <= answers + 1'b1;
    if (rst) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      ar_q <= 1'b0;
      answers <= '0;
    end
  end
endmodule
