// SPDX-License-Identifier: Apache-2.0
//
// Multiplexer: N streams into one, frames kept whole.
//
// s_axis[N], m_axis: AXI4-Stream, all side-band kept; all parameters must be equal.
// Arbitration takes place in the cycle after a last beat, so there is no idle cycle
//   between frames, of the same or of different inputs. ROUND_ROBIN = 0 gives index 0 the highest
//   priority.
// Combinational path: from s_axis[*].tvalid to s_axis[*].tready (not from m_axis.tready, which a
//   skid register cuts). Put a kumi_axis_reg before an input if that is too long.
// Latency 1 cycle, throughput one beat a cycle. A source that stops in the middle of a frame holds
// the output until it goes on.
module kumi_axis_mux #(
    parameter int N           = 2,    // inputs
    parameter bit ROUND_ROBIN = 1'b1  // 0 fixed priority, lowest index first
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis[N],
    kumi_axis_if.src m_axis
);
  localparam int BEAT_W = m_axis.DATA_W + m_axis.KEEP_W + 1 + m_axis.USER_W + m_axis.ID_W
      + m_axis.DEST_W;

  logic [N-1:0] valid, last, grant, select, held_q;
  logic [BEAT_W-1:0] beats[N];
  logic [BEAT_W-1:0] beat;
  logic in_frame_q, out_valid, out_ready, out_last;

  for (genvar i = 0; i < N; i++) begin : gen_in
    if (s_axis[i].DATA_W != m_axis.DATA_W || s_axis[i].USER_W != m_axis.USER_W
        || s_axis[i].ID_W != m_axis.ID_W || s_axis[i].DEST_W != m_axis.DEST_W) begin : gen_check_if
      $fatal(0, "s_axis and m_axis differ in a width (%m)");
    end
    assign valid[i] = s_axis[i].tvalid;
    assign last[i] = s_axis[i].tlast;
    assign beats[i] = {
      s_axis[i].tdest,
      s_axis[i].tid,
      s_axis[i].tuser,
      s_axis[i].tlast,
      s_axis[i].tkeep,
      s_axis[i].tdata
    };
    assign s_axis[i].tready = select[i] && out_ready;
  end

  kumi_arbiter #(
      .N(N),
      .ROUND_ROBIN(ROUND_ROBIN)
  ) u_arbiter (
      .clk,
      .rst,
      .req  (valid),
      .done (!in_frame_q && out_ready),
      .grant(grant)
  );

  assign select    = in_frame_q ? held_q : grant;
  assign out_valid = |(select & valid);
  assign out_last  = |(select & last);

  always_comb begin
    beat = '0;
    for (int i = 0; i < N; i++) beat |= beats[i] & {BEAT_W{select[i]}};
  end

  always_ff @(posedge clk) begin
    if (!in_frame_q) held_q <= grant;
    if (out_valid && out_ready) in_frame_q <= !out_last;
    if (rst) in_frame_q <= 1'b0;
  end

  kumi_slice #(
      .W(BEAT_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data (beat),
      .s_valid(out_valid),
      .s_ready(out_ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
