// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_tx_path, its wide record joined from halves.
module kumi_t_tcp_tx_path
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DATA_W     = 64,
    parameter int SESSIONS   = 16,
    parameter int TX_RING    = 16384,
    parameter int ADDR_W     = 32,
    parameter int HOLD_BYTES = 128 * DATA_W,
    parameter int QUEUE      = 16
) (
    input logic clk,
    input logic rst,
    input logic [31:0] ip,
    input logic [ADDR_W-1:0] ring_base,
    kumi_rec_if.snk s_tx,
    kumi_rec_if.snk s_tx_high,
    kumi_axi_if.mst m_axi,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic busy,
    output tcp_tx_ev_t ev
);
  tcp_cfg_t cfg;
  always_comb begin
    cfg = '0;
    cfg.ip = ip;
  end

  kumi_rec_if #(.W($bits(tcp_tx_t))) tx ();
  kumi_t_tcp_whole u_tx (
      .s_low (s_tx),
      .s_high(s_tx_high),
      .m_hdr (tx)
  );

  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) axi ();

  kumi_tcp_tx_path #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .ADDR_W(ADDR_W),
      .HOLD_BYTES(HOLD_BYTES),
      .QUEUE(QUEUE)
  ) u_out (
      .clk,
      .rst,
      .cfg,
      .ring_base,
      .s_tx (tx),
      .m_axi(axi),
      .m_hdr,
      .m_axis,
      .busy,
      .ev
  );

  assign m_axi.arid = axi.arid;
  assign m_axi.araddr = axi.araddr;
  assign m_axi.arlen = axi.arlen;
  assign m_axi.arsize = axi.arsize;
  assign m_axi.arburst = axi.arburst;
  assign m_axi.arvalid = axi.arvalid;
  assign axi.arready = m_axi.arready;
  assign axi.rid = m_axi.rid;
  assign axi.rdata = m_axi.rdata;
  assign axi.rresp = m_axi.rresp;
  assign axi.rlast = m_axi.rlast;
  assign axi.rvalid = m_axi.rvalid;
  assign m_axi.rready = axi.rready;

  assign m_axi.awid = '0;
  assign m_axi.awaddr = '0;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = '0;
  assign m_axi.awburst = '0;
  assign m_axi.awvalid = 1'b0;
  assign m_axi.wdata = '0;
  assign m_axi.wstrb = '0;
  assign m_axi.wlast = 1'b0;
  assign m_axi.wvalid = 1'b0;
  assign m_axi.bready = 1'b1;
endmodule
