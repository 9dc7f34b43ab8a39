// SPDX-License-Identifier: Apache-2.0
//
// FIFO between two clocks for a record stream: kumi_axis_async_fifo with one record per beat; see
// there for resets and latency.
//
// s_hdr belongs to s_clk/s_rst, m_hdr to m_clk/m_rst; one record a cycle of each clock. Both W must
// be equal.
module kumi_rec_async_fifo #(
    parameter int DEPTH = 16,  // records, a power of two, at least 4
    parameter int STYLE = -1   // memory, see kumi_axis_async_fifo
) (
    input logic s_clk,
    input logic s_rst,
    kumi_rec_if.snk s_hdr,
    input logic m_clk,
    input logic m_rst,
    kumi_rec_if.src m_hdr
);
  localparam int W = s_hdr.W;
  localparam int DATA_W = (W + 7) / 8 * 8;

  if (s_hdr.W != m_hdr.W) begin : gen_check
    $fatal(0, "s_hdr and m_hdr differ in width (%m)");
  end

  kumi_axis_if #(.DATA_W(DATA_W)) s_axis ();
  kumi_axis_if #(.DATA_W(DATA_W)) m_axis ();

  assign s_axis.tdata  = DATA_W'(s_hdr.data);
  assign s_axis.tvalid = s_hdr.valid;
  assign s_axis.tkeep  = '1;
  assign s_axis.tlast  = 1'b1;
  assign s_axis.tuser  = '0;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign s_hdr.ready   = s_axis.tready;
  assign m_hdr.data    = m_axis.tdata[W-1:0];
  assign m_hdr.valid   = m_axis.tvalid;
  assign m_axis.tready = m_hdr.ready;

  logic [$clog2(DEPTH):0] s_depth, m_depth;
  logic unused;
  assign unused = ^{s_depth, m_depth};

  kumi_axis_async_fifo #(
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_fifo (
      .s_clk,
      .s_rst,
      .s_axis,
      .m_clk,
      .m_rst,
      .m_axis,
      .s_depth,
      .m_depth
  );
endmodule
