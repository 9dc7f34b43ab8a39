// SPDX-License-Identifier: Apache-2.0
//
// Buffers between kumi_coll and its user, with their fill levels.
//
// s_local -> m_in: this node's bytes; s_out -> m_local: what it receives. ROOM beats each.
// in_beats: beats that m_in can deliver without the user; out_beats: beats of s_out that the user
//   has not accepted. Latency 3 cycles each way, one beat a cycle.
module kumi_coll_buffer #(
    parameter int ROOM = 256  // beats, a power of two
) (
    input  logic                                 clk,
    input  logic                                 rst,
           kumi_axis_if.snk                      s_local,
           kumi_axis_if.src                      m_in,
           kumi_axis_if.snk                      s_out,
           kumi_axis_if.src                      m_local,
    output logic            [$clog2(ROOM+3)-1:0] in_beats,
    output logic            [$clog2(ROOM+3)-1:0] out_beats
);
  localparam int W = $clog2(ROOM + 3);

  kumi_axis_if #(
      .DATA_W(s_local.DATA_W),
      .ID_W  (s_local.ID_W),
      .USER_W(s_local.USER_W),
      .DEST_W(s_local.DEST_W)
  ) kept ();
  logic [$clog2(ROOM):0] in_depth, out_depth;

  kumi_axis_fifo #(
      .DEPTH(ROOM)
  ) u_in (
      .clk,
      .rst,
      .s_axis(s_local),
      .m_axis(kept),
      .depth (in_depth)
  );
  kumi_axis_fifo #(
      .DEPTH(ROOM)
  ) u_out (
      .clk,
      .rst,
      .s_axis(s_out),
      .m_axis(m_local),
      .depth (out_depth)
  );
  assign m_in.tdata = kept.tdata;
  assign m_in.tkeep = kept.tkeep;
  assign m_in.tlast = kept.tlast;
  assign m_in.tvalid = kept.tvalid;
  assign m_in.tuser = '0;
  assign m_in.tid = '0;
  assign m_in.tdest = '0;
  assign kept.tready = m_in.tready;

  always_ff @(posedge clk) begin
    in_beats <= in_beats + W'(s_local.tvalid && s_local.tready) - W'(kept.tvalid && kept.tready);
    out_beats <= out_beats + W'(s_out.tvalid && s_out.tready)
        - W'(m_local.tvalid && m_local.tready);
    if (rst) begin
      in_beats  <= '0;
      out_beats <= '0;
    end
  end

  logic unused;
  assign unused = ^{in_depth, out_depth, kept.tuser, kept.tid, kept.tdest};
endmodule
