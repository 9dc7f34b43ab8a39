// SPDX-License-Identifier: Apache-2.0
//
// A node for tests of the memory port: each AXI4 channel is a stream of its own, so that a test says
// every beat. Only wires; the rule breaker withdraws or changes what was offered.
module kumi_node_axi_wires #(
    parameter int DATA_W = 64,
    parameter int ADDR_W = 40,
    parameter int ID_W   = 4
) (
    input logic clk,
    input logic rst,

    input  logic [ADDR_W+ID_W+13-1:0] s_hdr_aw_data,    // {id, burst, size, len, addr}
    input  logic                      s_hdr_aw_valid,
    output logic                      s_hdr_aw_ready,
    input  logic [        DATA_W-1:0] s_axis_w_tdata,
    input  logic [      DATA_W/8-1:0] s_axis_w_tuser,   // strobes
    input  logic                      s_axis_w_tvalid,
    output logic                      s_axis_w_tready,
    input  logic                      s_axis_w_tlast,
    output logic [        ID_W+2-1:0] m_hdr_b_data,     // {id, resp}
    output logic                      m_hdr_b_valid,
    input  logic                      m_hdr_b_ready,
    input  logic [ADDR_W+ID_W+13-1:0] s_hdr_ar_data,
    input  logic                      s_hdr_ar_valid,
    output logic                      s_hdr_ar_ready,
    output logic [        DATA_W-1:0] m_axis_r_tdata,
    output logic [        ID_W+3-1:0] m_axis_r_tuser,   // {id, resp, 0}
    output logic                      m_axis_r_tvalid,
    input  logic                      m_axis_r_tready,
    output logic                      m_axis_r_tlast,

    output logic [    ID_W-1:0] m_axi_mem_awid,
    output logic [  ADDR_W-1:0] m_axi_mem_awaddr,
    output logic [         7:0] m_axi_mem_awlen,
    output logic [         2:0] m_axi_mem_awsize,
    output logic [         1:0] m_axi_mem_awburst,
    output logic [         3:0] m_axi_mem_awcache,
    output logic                m_axi_mem_awvalid,
    input  logic                m_axi_mem_awready,
    output logic [  DATA_W-1:0] m_axi_mem_wdata,
    output logic [DATA_W/8-1:0] m_axi_mem_wstrb,
    output logic                m_axi_mem_wlast,
    output logic                m_axi_mem_wvalid,
    input  logic                m_axi_mem_wready,
    input  logic [    ID_W-1:0] m_axi_mem_bid,
    input  logic [         1:0] m_axi_mem_bresp,
    input  logic                m_axi_mem_bvalid,
    output logic                m_axi_mem_bready,
    output logic [    ID_W-1:0] m_axi_mem_arid,
    output logic [  ADDR_W-1:0] m_axi_mem_araddr,
    output logic [         7:0] m_axi_mem_arlen,
    output logic [         2:0] m_axi_mem_arsize,
    output logic [         1:0] m_axi_mem_arburst,
    output logic                m_axi_mem_arvalid,
    input  logic                m_axi_mem_arready,
    input  logic [    ID_W-1:0] m_axi_mem_rid,
    input  logic [  DATA_W-1:0] m_axi_mem_rdata,
    input  logic [         1:0] m_axi_mem_rresp,
    input  logic                m_axi_mem_rlast,
    input  logic                m_axi_mem_rvalid,
    output logic                m_axi_mem_rready,

    input logic [1:0] break_rule  // 1 every other cycle no awvalid, 2 the address changes
);

  logic odd_q;
  always_ff @(posedge clk) odd_q <= rst ? 1'b0 : !odd_q;
  wire hide_aw = break_rule == 2'd1 && odd_q;

  assign {m_axi_mem_awid, m_axi_mem_awburst, m_axi_mem_awsize, m_axi_mem_awlen, m_axi_mem_awaddr} =
      s_hdr_aw_data ^ {{(ADDR_W + ID_W + 12) {1'b0}}, break_rule == 2'd2 && odd_q};
  assign m_axi_mem_awcache = 4'b0011;
  assign m_axi_mem_awvalid = s_hdr_aw_valid && !hide_aw;
  assign s_hdr_aw_ready = m_axi_mem_awready && !hide_aw;
  assign m_axi_mem_wdata = s_axis_w_tdata;
  assign m_axi_mem_wstrb = s_axis_w_tuser;
  assign m_axi_mem_wlast = s_axis_w_tlast;
  assign m_axi_mem_wvalid = s_axis_w_tvalid;
  assign s_axis_w_tready = m_axi_mem_wready;
  assign m_hdr_b_data = {m_axi_mem_bid, m_axi_mem_bresp};
  assign m_hdr_b_valid = m_axi_mem_bvalid;
  assign m_axi_mem_bready = m_hdr_b_ready;
  assign {m_axi_mem_arid, m_axi_mem_arburst, m_axi_mem_arsize, m_axi_mem_arlen, m_axi_mem_araddr} =
      s_hdr_ar_data;
  assign m_axi_mem_arvalid = s_hdr_ar_valid;
  assign s_hdr_ar_ready = m_axi_mem_arready;
  assign m_axis_r_tdata = m_axi_mem_rdata;
  assign m_axis_r_tuser = {m_axi_mem_rid, m_axi_mem_rresp, 1'b0};
  assign m_axis_r_tlast = m_axi_mem_rlast;
  assign m_axis_r_tvalid = m_axi_mem_rvalid;
  assign m_axi_mem_rready = m_axis_r_tready;
endmodule
