// SPDX-License-Identifier: Apache-2.0
//
// kumi_inflate with flat ports, for inflate_harness.cpp.
module kumi_t_inflate
  import kumi_gzip_pkg::*;
#(
    parameter int DATA_W = 64,
    parameter int SPAN   = 32,
    parameter int SYMS   = 4
) (
    input logic clk,
    input logic rst,
    input logic [1:0] format,
    input logic [DATA_W-1:0] s_axis_tdata,
    input logic [DATA_W/8-1:0] s_axis_tkeep,
    input logic s_axis_tvalid,
    output logic s_axis_tready,
    input logic s_axis_tlast,
    output logic [DATA_W-1:0] m_axis_tdata,
    output logic [DATA_W/8-1:0] m_axis_tkeep,
    output logic m_axis_tvalid,
    input logic m_axis_tready,
    output logic m_axis_tlast,
    output logic [5:0] m_axis_tuser,
    output logic busy
);
  kumi_axis_if #(.DATA_W(DATA_W)) in ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(6)
  ) out ();

  assign in.tdata = s_axis_tdata;
  assign in.tkeep = s_axis_tkeep;
  assign in.tvalid = s_axis_tvalid;
  assign in.tlast = s_axis_tlast;
  assign in.tuser = '0;
  assign in.tid = '0;
  assign in.tdest = '0;
  assign s_axis_tready = in.tready;
  assign m_axis_tdata = out.tdata;
  assign m_axis_tkeep = out.tkeep;
  assign m_axis_tvalid = out.tvalid;
  assign m_axis_tlast = out.tlast;
  assign m_axis_tuser = out.tuser;
  assign out.tready = m_axis_tready;

  kumi_inflate #(
      .DATA_W(DATA_W),
      .SPAN  (SPAN),
      .SYMS  (SYMS)
  ) u_dut (
      .clk,
      .rst,
      .format(gzip_format_e'(format)),
      .s_axis(in),
      .m_axis(out),
      .busy
  );
endmodule
