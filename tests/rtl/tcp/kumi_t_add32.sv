// SPDX-License-Identifier: Apache-2.0
//
// Eight lanes of kumi_int_fp32_add behind a record: {is_float, 8 x b, 8 x a} in, 8 sums out.
module kumi_t_add32 (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  logic [5:0] valid_q;
  logic en;

  assign en = !m_axis.tvalid || m_axis.tready;
  assign s_axis.tready = en;

  always_ff @(posedge clk) begin
    if (en) valid_q <= {valid_q[4:0], s_axis.tvalid};
    if (rst) valid_q <= '0;
  end

  for (genvar i = 0; i < 8; i++) begin : gen_lane
    kumi_int_fp32_add u_add (
        .clk,
        .en({5{en}}),
        .is_float(s_axis.tuser[0]),
        .a(s_axis.tdata[32*i+:32]),
        .b(s_axis.tdata[256+32*i+:32]),
        .sum(m_axis.tdata[32*i+:32])
    );
  end

  assign m_axis.tvalid = valid_q[4];
  assign m_axis.tkeep  = '1;
  assign m_axis.tlast  = 1'b1;
  assign m_axis.tuser  = '0;
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;
endmodule
