// SPDX-License-Identifier: Apache-2.0
//
// Wires from one stream to another.
module kumi_tb_sw2_wire (
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  assign m_axis.tdata  = s_axis.tdata;
  assign m_axis.tkeep  = s_axis.tkeep;
  assign m_axis.tvalid = s_axis.tvalid;
  assign m_axis.tlast  = s_axis.tlast;
  assign m_axis.tuser  = s_axis.tuser;
  assign m_axis.tid    = s_axis.tid;
  assign m_axis.tdest  = s_axis.tdest;
  assign s_axis.tready = m_axis.tready;
endmodule
