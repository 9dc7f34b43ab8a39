// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_pad: frames come out with max(length, MIN_BYTES) bytes, the bytes of the
// frame in front and zeros behind, at 16 bits of data and a minimum of 5 bytes.
//
// The reference is the slice in front of the output: what it takes is compared beat by beat with
// what the frame's own beats say. (The register slice behind it is proved in slice.sby.)
`include "kumi_assert.svh"
module pad_formal #(
    parameter int MIN_BYTES = 5
) (
    input logic        clk,
    input logic        rst,
    input logic [15:0] s_data,
    input logic [ 1:0] s_keep,
    input logic        s_valid,
    input logic        s_last,
    input logic        s_user,
    input logic        m_ready
);
  kumi_axis_if #(.DATA_W(16)) s_axis ();
  kumi_axis_if #(.DATA_W(16)) m_axis ();
  assign s_axis.tdata  = s_data;
  assign s_axis.tkeep  = s_keep;
  assign s_axis.tvalid = s_valid;
  assign s_axis.tlast  = s_last;
  assign s_axis.tuser  = s_user;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = m_ready;
  kumi_axis_pad #(
      .MIN_BYTES(MIN_BYTES)
  ) u_dut (
      .clk,
      .rst,
      .s_axis(s_axis),
      .m_axis(m_axis)
  );
  kumi_axis_props #(
      .ASSUME(1'b1)
  ) u_in (
      .clk,
      .rst,
      .axis(s_axis)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Bytes of the frame that have passed, saturating above the minimum.
  localparam int CNT_W = $clog2(MIN_BYTES + 4) + 1;
  localparam logic [CNT_W-1:0] TOP = CNT_W'(MIN_BYTES + 2);
  logic [CNT_W-1:0] out_q, out_now, out_bytes;
  logic move, ended_q, user_q;
  assign move = u_dut.valid && u_dut.ready;
  assign out_bytes = CNT_W'(u_dut.keep[0]) + CNT_W'(u_dut.keep[1]);
  assign out_now = out_q + out_bytes;

  always_ff @(posedge clk) begin
    if (move) begin
      out_q <= u_dut.last ? '0 : out_now > TOP ? TOP : out_now;
      if (s_axis.tvalid && s_axis.tready) begin
        ended_q <= s_last && !u_dut.last;
        user_q  <= s_user;
      end
      if (u_dut.last) ended_q <= 1'b0;
    end
    if (rst) begin
      out_q   <= '0;
      ended_q <= 1'b0;
    end
  end

  // Each beat out is the input's beat with zeros for what it lacks, or zeros alone after its end.
  logic [15:0] expect_data;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      expect_data[8*i+:8] = !ended_q && s_keep[i] ? s_data[8*i+:8] : 8'd0;
    end
  end
  `KUMI_ASSERT(a_data, !move || u_dut.data == expect_data)
  `KUMI_ASSERT(a_side, !move || u_dut.side[0] == (ended_q ? user_q : s_user))
  `KUMI_ASSERT(a_take, (s_axis.tvalid && s_axis.tready) == (move && !ended_q))
  // It ends when the input has ended and the minimum is reached, and holds exactly that much.
  `KUMI_ASSERT(a_end, !move || u_dut.last == ((ended_q || s_last) && out_now >= MIN_BYTES))
  `KUMI_ASSERT(a_length,
               !(move && u_dut.last) || out_now == MIN_BYTES || (!ended_q && u_dut.keep == s_keep))
  `KUMI_ASSERT(a_keep, !move || (u_dut.last ? u_dut.keep[0] : &u_dut.keep))
  `KUMI_ASSERT(a_run, !(u_dut.fill_q && u_dut.ready) || move)
  `KUMI_ASSERT(
      i_left,
      32'(out_q) == 2 * ((MIN_BYTES + 1) / 2 - 32'(u_dut.left_q)) || (u_dut.left_q == '0 && 32'(out_q) >= MIN_BYTES && !ended_q))
  `KUMI_ASSERT(i_left_range, 32'(u_dut.left_q) <= (MIN_BYTES + 1) / 2)
  `KUMI_ASSERT(i_fill, u_dut.fill_q == ended_q)
  `KUMI_ASSERT(i_user, !ended_q || u_dut.side_q[0] == user_q)
  `KUMI_ASSERT(i_out, out_q <= TOP && !(ended_q && 32'(out_q) >= MIN_BYTES))

  `KUMI_COVER(c_padded, move && u_dut.last && ended_q)
  `KUMI_COVER(c_long, move && u_dut.last && out_q == TOP)
endmodule
