// SPDX-License-Identifier: Apache-2.0
//
// The kernel wrong_kernel with flat ports.
module kumi_node_wrong (
    input logic clk,
    input logic rst,
    input logic [3:0] mistake,

    input logic [kumi_ip_pkg::UDP_HDR_W-1:0] s_hdr_data,
    input logic s_hdr_valid,
    output logic s_hdr_ready,
    input logic [63:0] s_axis_tdata,
    input logic [7:0] s_axis_tkeep,
    input logic s_axis_tvalid,
    output logic s_axis_tready,
    input logic s_axis_tlast,
    input logic s_axis_tuser,

    output logic [kumi_ip_pkg::UDP_HDR_W-1:0] m_hdr_data,
    output logic m_hdr_valid,
    input logic m_hdr_ready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0] m_axis_tkeep,
    output logic m_axis_tvalid,
    input logic m_axis_tready,
    output logic m_axis_tlast,
    output logic m_axis_tuser
);
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) s_hdr ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) m_hdr ();
  kumi_axis_if #(.DATA_W(64)) s_axis ();
  kumi_axis_if #(.DATA_W(64)) m_axis ();

  assign s_hdr.data = s_hdr_data;
  assign s_hdr.valid = s_hdr_valid;
  assign s_hdr_ready = s_hdr.ready;
  assign s_axis.tdata = s_axis_tdata;
  assign s_axis.tkeep = s_axis_tkeep;
  assign s_axis.tvalid = s_axis_tvalid;
  assign s_axis_tready = s_axis.tready;
  assign s_axis.tlast = s_axis_tlast;
  assign s_axis.tuser = s_axis_tuser;
  assign s_axis.tid = '0;
  assign s_axis.tdest = '0;
  assign m_hdr_data = m_hdr.data;
  assign m_hdr_valid = m_hdr.valid;
  assign m_hdr.ready = m_hdr_ready;
  assign m_axis_tdata = m_axis.tdata;
  assign m_axis_tkeep = m_axis.tkeep;
  assign m_axis_tvalid = m_axis.tvalid;
  assign m_axis.tready = m_axis_tready;
  assign m_axis_tlast = m_axis.tlast;
  assign m_axis_tuser = m_axis.tuser;

  wrong_kernel u_kernel (.*);
endmodule
