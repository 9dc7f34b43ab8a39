// SPDX-License-Identifier: Apache-2.0
//
// Gives a stream another tdest, unless DEST is 0, and another tid. Wires.
module kumi_tb_ib_tdest #(
    parameter logic [7:0] DEST = 8'd0,
    parameter logic ID = 1'b0
) (
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  assign m_axis.tdata  = s_axis.tdata;
  assign m_axis.tkeep  = s_axis.tkeep;
  assign m_axis.tvalid = s_axis.tvalid;
  assign m_axis.tlast  = s_axis.tlast;
  assign m_axis.tuser  = s_axis.tuser;
  assign m_axis.tid    = ID;
  assign m_axis.tdest  = DEST == 8'd0 ? s_axis.tdest : DEST;
  assign s_axis.tready = m_axis.tready;
endmodule
