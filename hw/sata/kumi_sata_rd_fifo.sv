// SPDX-License-Identifier: Apache-2.0
//
// Read data of a Serial ATA port: from 32-bit words of sata_clk to beats of the user's clock.
//
// s_axis: frames in sata_clk, 32 bits, all bytes kept. m_axis: the same frames in clk, DATA_W bits,
//   tuser[0] with tlast kept.
// Both resets are asserted together. One word a cycle. Latency: 1 cycle behind the last word of a
// beat, and that of kumi_axis_async_fifo.
module kumi_sata_rd_fifo #(
    parameter int BEATS = 512  // depth, a power of two
) (
    input logic sata_clk,
    input logic sata_rst,
    kumi_axis_if.snk s_axis,
    input logic clk,
    input logic rst,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int LANES = DATA_W / 32;
  localparam int LANE_W = LANES > 1 ? $clog2(LANES) : 1;

  if (DATA_W % 32 != 0 || s_axis.DATA_W != 32) begin : gen_check
    $fatal(0, "m_axis must have a multiple of 32 bits, s_axis 32 (%m)");
  end

  typedef struct packed {
    logic              bad;
    logic              last;
    logic [LANE_W-1:0] lane;  // the last one with a word
    logic [DATA_W-1:0] data;
  } sata_rd_beat_t;

  kumi_rec_if #(.W($bits(sata_rd_beat_t))) in ();
  kumi_rec_if #(.W($bits(sata_rd_beat_t))) out ();
  sata_rd_beat_t have;

  // A beat fills lane by lane.
  logic [LANES-1:0][31:0] data_q;
  logic [LANE_W-1:0] lane_q, end_q;
  logic full_q, last_q, bad_q;

  assign s_axis.tready = !full_q || in.ready;
  assign in.valid = full_q;
  assign in.data = {bad_q, last_q, end_q, data_q};

  always_ff @(posedge sata_clk) begin
    if (in.ready) full_q <= 1'b0;
    if (s_axis.tvalid && s_axis.tready) begin
      data_q[lane_q] <= s_axis.tdata;
      end_q <= lane_q;
      last_q <= s_axis.tlast;
      bad_q <= s_axis.tuser[0];
      lane_q <= lane_q + 1'b1;
      if (s_axis.tlast || lane_q == LANE_W'(LANES - 1)) begin
        lane_q <= '0;
        full_q <= 1'b1;
      end
    end
    if (sata_rst) begin
      full_q <= 1'b0;
      lane_q <= '0;
    end
  end

  kumi_rec_async_fifo #(
      .DEPTH(BEATS)
  ) u_fifo (
      .s_clk(sata_clk),
      .s_rst(sata_rst),
      .s_hdr(in),
      .m_clk(clk),
      .m_rst(rst),
      .m_hdr(out)
  );

  assign have = sata_rd_beat_t'(out.data);
  assign m_axis.tvalid = out.valid;
  assign out.ready = m_axis.tready;
  assign m_axis.tdata = have.data;
  assign m_axis.tlast = have.last;
  always_comb begin
    m_axis.tuser    = '0;
    m_axis.tuser[0] = have.bad;
    for (int i = 0; i < LANES; i++) m_axis.tkeep[4*i+:4] = {4{LANE_W'(i) <= have.lane}};
  end
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
