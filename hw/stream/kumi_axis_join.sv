// SPDX-License-Identifier: Apache-2.0
//
// Connects two AXI4-Streams by wires: s_axis is the sink's end of one, m_axis the source's of the
// other. For a module that passes members or elements of bundles on. Latency 0, no logic.
module kumi_axis_join (
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  if (s_axis.DATA_W != m_axis.DATA_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in width (%m)");
  end
  assign m_axis.tdata  = s_axis.tdata;
  assign m_axis.tkeep  = s_axis.tkeep;
  assign m_axis.tvalid = s_axis.tvalid;
  assign m_axis.tlast  = s_axis.tlast;
  assign m_axis.tuser  = (m_axis.USER_W)'(s_axis.tuser);
  assign m_axis.tid    = (m_axis.ID_W)'(s_axis.tid);
  assign m_axis.tdest  = (m_axis.DEST_W)'(s_axis.tdest);
  assign s_axis.tready = m_axis.tready;
endmodule
