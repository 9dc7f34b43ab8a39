// SPDX-License-Identifier: Apache-2.0
//
// Broadcast: every beat goes to all N outputs, each with its own back-pressure.
//
// s_axis, m_axis[N]: AXI4-Stream, all side-band kept; all parameters must be equal.
// Latency 1 cycle, throughput one beat a cycle; s_axis.tready and all outputs come from registers
//   (a skid register and one flag per output). An output may run one beat ahead of the slowest.
module kumi_axis_broadcast #(
    parameter int N = 2  // outputs
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis[N]
);
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  logic [N-1:0] ready, done_q;
  logic [BEAT_W-1:0] beat;
  logic valid, move;

  kumi_slice #(
      .W(BEAT_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data (beat),
      .m_valid(valid),
      .m_ready(move)
  );

  for (genvar i = 0; i < N; i++) begin : gen_out
    if (m_axis[i].DATA_W != s_axis.DATA_W || m_axis[i].USER_W != s_axis.USER_W
        || m_axis[i].ID_W != s_axis.ID_W || m_axis[i].DEST_W != s_axis.DEST_W) begin : gen_check_if
      $fatal(0, "s_axis and m_axis differ in a width (%m)");
    end
    assign {m_axis[i].tdest, m_axis[i].tid, m_axis[i].tuser, m_axis[i].tlast, m_axis[i].tkeep,
            m_axis[i].tdata} = beat;
    assign m_axis[i].tvalid = valid && !done_q[i];
    assign ready[i] = m_axis[i].tready;
  end

  assign move = &(done_q | ready);

  always_ff @(posedge clk) begin
    if (valid) done_q <= move ? '0 : done_q | ready;
    if (rst) done_q <= '0;
  end
endmodule
