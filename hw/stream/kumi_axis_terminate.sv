// SPDX-License-Identifier: Apache-2.0
//
// End of a stream whose source may be reset: whatever happens upstream, the stream stays legal.
//
// s_*: beats; reset_source: the source is in reset and its beats are invalid. A packet interrupted
//   by it ends with one more byte, zero, marked bad.
// m_axis: the packets; tdest from s_dest, tid 0. ev_packet: a packet ended; ev_truncated: it was
//   interrupted.
// Latency 1, a beat a cycle, no combinational path between the sides.
module kumi_axis_terminate (
    input logic clk,
    input logic rst,
    input logic reset_source,
    kumi_axis_if.src m_axis,
    input logic [m_axis.DATA_W-1:0] s_data,
    input logic [m_axis.KEEP_W-1:0] s_keep,
    input logic s_last,
    input logic s_bad,
    input logic [7:0] s_dest,
    input logic s_valid,
    output logic s_ready,
    output logic ev_packet,
    output logic ev_truncated
);
  localparam int BEAT_W = m_axis.DATA_W + m_axis.KEEP_W + 2 + 8;

  logic open_q, terminate_q, in_valid, in_ready, out_bad;
  logic [7:0] dest_q, out_dest;
  logic [BEAT_W-1:0] in_beat;

  assign in_valid = terminate_q || (s_valid && !reset_source);
  assign in_beat = terminate_q ? {dest_q, 1'b1, 1'b1, (m_axis.KEEP_W)'(1), {m_axis.DATA_W{1'b0}}} :
      {s_dest, s_bad && s_last, s_last, s_keep, s_data};
  assign s_ready = in_ready && !terminate_q && !reset_source;

  always_ff @(posedge clk) begin
    if (in_valid && in_ready) begin
      open_q <= !terminate_q && !s_last;
      terminate_q <= 1'b0;
      if (!terminate_q) dest_q <= s_dest;
    end
    if (reset_source && open_q) begin
      open_q <= 1'b0;
      terminate_q <= 1'b1;
    end
    ev_packet <= in_valid && in_ready && (terminate_q || s_last);
    ev_truncated <= in_valid && in_ready && terminate_q;
    if (rst) begin
      open_q <= 1'b0;
      terminate_q <= 1'b0;
      ev_packet <= 1'b0;
      ev_truncated <= 1'b0;
    end
  end

  kumi_slice #(
      .W(BEAT_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data (in_beat),
      .s_valid(in_valid),
      .s_ready(in_ready),
      .m_data ({out_dest, out_bad, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );

  assign m_axis.tuser = (m_axis.USER_W)'(out_bad);
  assign m_axis.tid   = '0;
  assign m_axis.tdest = out_dest[m_axis.DEST_W-1:0];

  logic unused;
  assign unused = ^out_dest;
endmodule
