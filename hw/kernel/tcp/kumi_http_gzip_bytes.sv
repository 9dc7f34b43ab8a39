// SPDX-License-Identifier: Apache-2.0
//
// Beats of a compressor or decompressor to the bytes of a body (kumi_http_body).
//
// s_axis: frames of any length, also without a byte; m_axis: their bytes, then a beat without one,
//   whose tuser[0] is that of the frame's last beat.
// Throughput: a byte a cycle. Handshakes: valid/ready, held; m_axis follows s_axis in the same
//   cycle.
module kumi_http_gzip_bytes (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int BYTES = s_axis.KEEP_W;
  localparam int LANE_W = $clog2(BYTES);

  logic [LANE_W-1:0] lane_q;
  logic end_q, some, last_byte;

  assign some = s_axis.tkeep[lane_q] && !end_q;
  assign last_byte = &lane_q || !s_axis.tkeep[lane_q+1'b1];
  assign m_axis.tdata = s_axis.tdata[8*lane_q+:8];
  assign m_axis.tkeep = some;
  assign m_axis.tvalid = s_axis.tvalid;
  assign m_axis.tlast = !some;
  assign m_axis.tuser = (m_axis.USER_W)'(!some && s_axis.tuser[0]);
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign s_axis.tready = m_axis.tready && (!some || (last_byte && !s_axis.tlast));

  always_ff @(posedge clk) begin
    if (m_axis.tvalid && m_axis.tready) begin
      lane_q <= lane_q + 1'b1;
      if (!some || last_byte) begin
        lane_q <= '0;
        end_q  <= some && s_axis.tlast;
      end
    end
    if (rst) begin
      lane_q <= '0;
      end_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{s_axis.tid, s_axis.tdest, s_axis.tuser};
endmodule
