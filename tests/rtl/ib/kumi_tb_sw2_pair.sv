// SPDX-License-Identifier: Apache-2.0
//
// Two ends of an SW2 link with a line of `delay` cycles each way; a bit of a word from a to b can
// be inverted, or its frame signal. max_depth: most beats that were in a buffer of b.
module kumi_tb_sw2_pair
  import kumi_sw2_pkg::*;
#(
    parameter int CABLE = 32
) (
    input logic clk,
    input logic rst,
    input logic [5:0] delay,
    input logic [19:0] flip,  // a to b, in this cycle
    input logic flip_frame,
    input logic [15:0] rate,  // of single-bit errors, in 1 / 65536 per flit; rest with two
    input logic [15:0] rate2,
    output link_events_t ev_a,
    output link_events_t ev_b,
    output logic [15:0] max_depth,
    kumi_axis_if.snk s_axis_0,
    kumi_axis_if.snk s_axis_1,
    kumi_axis_if.snk s_axis_2,
    kumi_axis_if.snk s_axis_3,
    kumi_axis_if.src m_axis_0,
    kumi_axis_if.src m_axis_1,
    kumi_axis_if.src m_axis_2,
    kumi_axis_if.src m_axis_3
);
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) in_a[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) out_a[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) in_b[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) out_b[VCS] ();

  kumi_tb_sw2_wire u_in_0 (
      .s_axis(s_axis_0),
      .m_axis(in_a[0])
  );
  kumi_tb_sw2_wire u_in_1 (
      .s_axis(s_axis_1),
      .m_axis(in_a[1])
  );
  kumi_tb_sw2_wire u_in_2 (
      .s_axis(s_axis_2),
      .m_axis(in_a[2])
  );
  kumi_tb_sw2_wire u_in_3 (
      .s_axis(s_axis_3),
      .m_axis(in_a[3])
  );
  // What b receives comes back to a.
  for (genvar v = 0; v < VCS; v++) begin : gen_back
    kumi_tb_sw2_wire u_back (
        .s_axis(out_b[v]),
        .m_axis(in_b[v])
    );
  end
  kumi_tb_sw2_wire u_out_0 (
      .s_axis(out_a[0]),
      .m_axis(m_axis_0)
  );
  kumi_tb_sw2_wire u_out_1 (
      .s_axis(out_a[1]),
      .m_axis(m_axis_1)
  );
  kumi_tb_sw2_wire u_out_2 (
      .s_axis(out_a[2]),
      .m_axis(m_axis_2)
  );
  kumi_tb_sw2_wire u_out_3 (
      .s_axis(out_a[3]),
      .m_axis(m_axis_3)
  );

  logic [19:0] data_a, data_b;
  logic frame_a, frame_b;
  logic [63:0][20:0] line_ab_q, line_ba_q;
  logic [20:0] at_a, at_b;
  assign at_b = delay == '0 ? {frame_a, data_a} : line_ab_q[delay-1];
  assign at_a = delay == '0 ? {frame_b, data_b} : line_ba_q[delay-1];

  // Errors at a rate: in the words of a flit one bit, or two.
  logic [31:0] lfsr_q;
  logic [19:0] wrong;
  logic one, two;
  assign one = lfsr_q[31:16] < rate;
  assign two = lfsr_q[31:16] >= rate && 17'(lfsr_q[31:16]) < 17'(rate) + 17'(rate2);
  assign wrong = !at_b[20] ? '0 : one ? 20'd1 << (lfsr_q[15:11] % 20) :
      two ? 20'd1 << (lfsr_q[15:11] % 10) | 20'd1 << (10 + lfsr_q[10:6] % 10) : '0;

  always_ff @(posedge clk) begin
    line_ab_q <= {line_ab_q[62:0], {frame_a, data_a}};
    line_ba_q <= {line_ba_q[62:0], {frame_b, data_b}};
    lfsr_q <= lfsr_q * 32'd1664525 + 32'd1013904223;
    for (int v = 0; v < VCS; v++) begin
      if (16'(u_b.depth[v]) > max_depth) max_depth <= 16'(u_b.depth[v]);
    end
    if (rst) begin
      line_ab_q <= '0;
      line_ba_q <= '0;
      lfsr_q <= 32'h1234_5678;
      max_depth <= '0;
    end
  end

  kumi_sw2_link #(
      .CABLE(CABLE)
  ) u_a (
      .clk,
      .rst,
      .s_axis(in_a),
      .m_axis(out_a),
      .m_data(data_a),
      .m_frame(frame_a),
      .s_data(at_a[19:0]),
      .s_frame(at_a[20]),
      .ev(ev_a)
  );
  kumi_sw2_link #(
      .CABLE(CABLE)
  ) u_b (
      .clk,
      .rst,
      .s_axis(in_b),
      .m_axis(out_b),
      .m_data(data_b),
      .m_frame(frame_b),
      .s_data(at_b[19:0] ^ flip ^ wrong),
      .s_frame(at_b[20] ^ flip_frame),
      .ev(ev_b)
  );
endmodule
