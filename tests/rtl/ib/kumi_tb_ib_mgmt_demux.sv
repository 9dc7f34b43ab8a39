// SPDX-License-Identifier: Apache-2.0
//
// kumi_node_ib_mgmt_demux with its outputs as two streams.
module kumi_tb_ib_mgmt_demux #(
    parameter int DATA_W = 64
) (
    input logic            clk,
    input logic            rst,
          kumi_axis_if.snk s_axis,
          kumi_axis_if.src m_axis_data,
          kumi_axis_if.src m_axis_mgmt
);
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) way[2] ();

  kumi_node_ib_mgmt_demux u_demux (
      .clk,
      .rst,
      .s_axis,
      .m_axis(way)
  );

  assign m_axis_data.tdata = way[0].tdata;
  assign m_axis_data.tkeep = way[0].tkeep;
  assign m_axis_data.tvalid = way[0].tvalid;
  assign m_axis_data.tlast = way[0].tlast;
  assign m_axis_data.tuser = way[0].tuser;
  assign m_axis_data.tid = way[0].tid;
  assign m_axis_data.tdest = way[0].tdest;
  assign way[0].tready = m_axis_data.tready;
  assign m_axis_mgmt.tdata = way[1].tdata;
  assign m_axis_mgmt.tkeep = way[1].tkeep;
  assign m_axis_mgmt.tvalid = way[1].tvalid;
  assign m_axis_mgmt.tlast = way[1].tlast;
  assign m_axis_mgmt.tuser = way[1].tuser;
  assign m_axis_mgmt.tid = way[1].tid;
  assign m_axis_mgmt.tdest = way[1].tdest;
  assign way[1].tready = m_axis_mgmt.tready;
endmodule
