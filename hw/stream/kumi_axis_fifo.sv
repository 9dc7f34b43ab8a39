// SPDX-License-Identifier: Apache-2.0
//
// First-word-fall-through fifo for an AXI stream, one clock.
//
// s_axis, m_axis: AXI4-Stream, all side-band kept; one beat a cycle each; no combinational path
//   joins the two. All parameters of the two must be equal.
// depth: beats in the memory (0..DEPTH); one or two more wait in the output registers.
// Latency of an empty fifo: 2 cycles up to 64 beats (LUT RAM) or with STYLE 2, else 3.
// Bad input passes through unchanged; reset empties the fifo.
module kumi_axis_fifo #(
    parameter int DEPTH = 512,  // beats, a power of two
    parameter int STYLE = -1  // -1 by depth, 0 LUT RAM, 1 block RAM and register, 2 block RAM only
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic [$clog2(DEPTH):0] depth
);
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  kumi_fifo #(
      .W(BEAT_W),
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .depth
  );
endmodule
