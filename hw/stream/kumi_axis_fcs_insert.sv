// SPDX-License-Identifier: Apache-2.0
//
// Appends the frame check sequence of IEEE 802.3 (clause 3.2.9) to each frame.
//
// s_axis: frames without FCS. m_axis: the same with 4 bytes behind; all side-band kept (an added
//   beat carries that of the frame's last beat). All parameters of the two must be equal.
// A frame marked bad (tuser[0] with tlast) leaves marked and, with SPOIL_BAD = 1, with an inverted
//   FCS, so that a receiver that sees no side-band drops it too.
// Latency: that of kumi_crc32 (4 at 64 bits, 9 at 512) + 3 cycles, the same for every beat, so the
//   output has no gap inside a frame that the input had not. Throughput one beat a cycle, and one
//   cycle more for a frame whose FCS does not fit in its last beat.
// No combinational path joins the two sides.
module kumi_axis_fcs_insert #(
    parameter bit SPOIL_BAD = 1'b1  // 1 invert the FCS of frames marked bad
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int SIDE_W = s_axis.USER_W + s_axis.ID_W + s_axis.DEST_W;

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (DATA_W < 32) begin : gen_check_w
    $fatal(0, "DATA_W must be at least 32 (%m)");
  end

  logic [DATA_W-1:0] data;
  logic [KEEP_W-1:0] keep, edges;
  logic [SIDE_W-1:0] side;
  logic [31:0] crc, fcs;
  logic valid, last, ready, move, more, flush_q;

  kumi_crc_align #(
      .DATA_W(DATA_W),
      .SIDE_W(SIDE_W)
  ) u_hold (
      .clk,
      .rst,
      .s_data(s_axis.tdata),
      .s_keep(s_axis.tkeep),
      .s_last(s_axis.tlast),
      .s_side({s_axis.tdest, s_axis.tid, s_axis.tuser}),
      .s_crc_valid(1'b1),
      .s_crc_data(s_axis.tdata),
      .s_crc_keep(s_axis.tkeep),
      .s_crc_last(s_axis.tlast),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data(data),
      .m_keep(keep),
      .m_last(last),
      .m_side(side),
      .m_valid(valid),
      .m_ready(move),
      .m_crc(crc)
  );

  // The beat with the FCS behind its bytes: up to 4 bytes longer than a beat. edges is one-hot.
  logic [KEEP_W+3:0][7:0] long_data;
  logic [KEEP_W+3:0] long_keep;
  assign edges = keep & ~(keep >> 1);
  assign fcs   = SPOIL_BAD && side[0] ? ~crc : crc;

  always_comb begin
    for (int i = 0; i < KEEP_W + 4; i++) begin
      long_data[i] = i < KEEP_W ? data[8*(i%KEEP_W)+:8] & {8{keep[i%KEEP_W]}} : 8'd0;
      long_keep[i] = i < KEEP_W && keep[i%KEEP_W];
      for (int j = 0; j < 4; j++) begin
        if (last && i - 1 - j >= 0 && i - 1 - j < KEEP_W && edges[(i+4*KEEP_W-1-j)%KEEP_W]) begin
          long_data[i] |= fcs[8*j+:8];
          long_keep[i] = 1'b1;
        end
      end
    end
  end

  assign more = last && long_keep[KEEP_W];
  assign move = ready && (!more || flush_q);

  always_ff @(posedge clk) begin
    if (valid && ready) flush_q <= more && !flush_q;
    if (rst) flush_q <= 1'b0;
  end

  logic [DATA_W-1:0] out_data;
  logic [KEEP_W-1:0] out_keep;
  assign out_data = flush_q ? DATA_W'(long_data[KEEP_W+3:KEEP_W]) : long_data[KEEP_W-1:0];
  assign out_keep = flush_q ? KEEP_W'(long_keep[KEEP_W+3:KEEP_W]) : long_keep[KEEP_W-1:0];

  kumi_slice #(
      .W(SIDE_W + 1 + KEEP_W + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({side, last && (!more || flush_q), out_keep, out_data}),
      .s_valid(valid),
      .s_ready(ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
