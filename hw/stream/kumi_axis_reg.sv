// SPDX-License-Identifier: Apache-2.0
//
// Register slice for an AXI stream: cuts long paths between two blocks.
//
// s_axis, m_axis: AXI4-Stream, all side-band kept. All parameters of the two must be equal.
// MODE: 0 wires (latency 0), 1 half rate (latency 1, a beat every second cycle), 2 skid (latency 1,
//   a beat a cycle, every path cut), 3 forward (latency 1, a beat a cycle, s_axis.tready follows
//   m_axis.tready combinationally). See kumi_slice.
// Bad input passes through unchanged.
module kumi_axis_reg #(
    parameter int MODE = 2  // 0 wires, 1 half, 2 skid, 3 forward
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  kumi_slice #(
      .W(BEAT_W),
      .MODE(MODE)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
