// SPDX-License-Identifier: Apache-2.0
//
// Demultiplexer: one stream to one of N, frame by frame.
//
// s_axis, m_axis[N]: AXI4-Stream, all side-band kept; all parameters must be equal.
// Output of a frame: with USE_DEST = 1 tdest of its first beat, else `select` in the cycle in which
//   its first beat is offered and taken at s_axis. A number of N or more drops the whole frame and
//   pulses ev_drop once, at its first beat.
// Latency 1 cycle, throughput one beat a cycle; s_axis.tready and all outputs come from registers
//   (a skid register and a decoder). A frame waits for its own output only, and those behind it
//   wait too.
module kumi_axis_demux #(
    parameter int N        = 2,    // outputs
    parameter int SELECT_W = 1,    // bits of select
    parameter bit USE_DEST = 1'b0  // 1 tdest chooses, 0 the select input
) (
    input logic clk,
    input logic rst,
    input logic [SELECT_W-1:0] select,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis[N],
    output logic ev_drop
);
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  logic [N-1:0] choice, choice_in, choice_q, route, ready;
  logic [BEAT_W-1:0] beat;
  logic in_frame_q, last, valid, move, drop_q;

  // The choice is decoded to one-hot before the skid register; zero means drop.
  for (genvar i = 0; i < N; i++) begin : gen_decode
    if (USE_DEST) begin : gen_dest
      assign choice_in[i] = 32'(s_axis.tdest) == i;
    end else begin : gen_select
      assign choice_in[i] = 32'(select) == i;
    end
  end
  if (USE_DEST) begin : gen_no_select
    logic unused;
    assign unused = &{select};
  end

  kumi_slice #(
      .W(N + BEAT_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data({
        choice_in, s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata
      }),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data({choice, beat}),
      .m_valid(valid),
      .m_ready(move)
  );

  assign last  = beat[s_axis.DATA_W+s_axis.KEEP_W];
  assign route = in_frame_q ? choice_q : choice;
  assign move  = |(route & ready) || route == '0;

  for (genvar i = 0; i < N; i++) begin : gen_out
    if (m_axis[i].DATA_W != s_axis.DATA_W || m_axis[i].USER_W != s_axis.USER_W
        || m_axis[i].ID_W != s_axis.ID_W || m_axis[i].DEST_W != s_axis.DEST_W) begin : gen_check_if
      $fatal(0, "s_axis and m_axis differ in a width (%m)");
    end
    assign {m_axis[i].tdest, m_axis[i].tid, m_axis[i].tuser, m_axis[i].tlast, m_axis[i].tkeep,
            m_axis[i].tdata} = beat;
    assign m_axis[i].tvalid = valid && route[i];
    assign ready[i] = m_axis[i].tready;
  end

  always_ff @(posedge clk) begin
    if (!in_frame_q) choice_q <= choice;
    if (valid && move) in_frame_q <= !last;
    drop_q <= valid && move && !in_frame_q && choice == '0;
    if (rst) begin
      in_frame_q <= 1'b0;
      drop_q     <= 1'b0;
    end
  end

  assign ev_drop = drop_q;
endmodule
