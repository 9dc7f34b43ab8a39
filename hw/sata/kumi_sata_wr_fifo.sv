// SPDX-License-Identifier: Apache-2.0
//
// Write data of a Serial ATA port: from beats of the user's clock to 32-bit words of sata_clk.
//
// s_axis: frames in clk, DATA_W bits, all bytes kept but at the end. m_axis: the same frames in
//   sata_clk, 32 bits; tuser[0] with tlast: marked bad by the user, or not of whole words.
// Both resets are asserted together. One word a cycle; behind a frame that does not fill its last
// beat one cycle more. Latency: that of kumi_axis_async_fifo, and 1 cycle.
module kumi_sata_wr_fifo #(
    parameter int BEATS = 512  // depth, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    input logic sata_clk,
    input logic sata_rst,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int LANES = DATA_W / 32;
  localparam int LANE_W = LANES > 1 ? $clog2(LANES) : 1;

  if (DATA_W % 32 != 0 || m_axis.DATA_W != 32) begin : gen_check
    $fatal(0, "s_axis must have a multiple of 32 bits, m_axis 32 (%m)");
  end

  typedef struct packed {
    logic              bad;
    logic              last;
    logic [LANE_W-1:0] lane;  // the last one with a byte
    logic [DATA_W-1:0] data;
  } sata_wr_beat_t;

  kumi_rec_if #(.W($bits(sata_wr_beat_t))) in ();
  kumi_rec_if #(.W($bits(sata_wr_beat_t))) out ();
  sata_wr_beat_t give, have;
  logic [LANES-1:0][3:0] keep;

  assign keep = s_axis.tkeep;
  always_comb begin
    give.lane = '0;
    for (int i = 1; i < LANES; i++) if (keep[i][0]) give.lane = LANE_W'(i);
    give.last = s_axis.tlast;
    give.bad  = s_axis.tlast && (s_axis.tuser[0] || keep[give.lane] != '1);
    give.data = s_axis.tdata;
  end
  assign in.data = give;
  assign in.valid = s_axis.tvalid;
  assign s_axis.tready = in.ready;
  assign have = sata_wr_beat_t'(out.data);

  kumi_rec_async_fifo #(
      .DEPTH(BEATS),
      .STYLE(LANES > 1 ? 2 : 1)
  ) u_fifo (
      .s_clk(clk),
      .s_rst(rst),
      .s_hdr(in),
      .m_clk(sata_clk),
      .m_rst(sata_rst),
      .m_hdr(out)
  );

  logic word_valid, word_ready, word_last, word_bad;
  logic [31:0] word;

  if (LANES > 1) begin : gen_lanes
    // Lane 0 comes straight from the memory; meanwhile its control bits are stored, so that no long
    // path leads from the memory's output back to its enable.
    logic [LANE_W-1:0] lane_q, end_q;
    logic last_q, bad_q, past, ends;
    logic [LANES-1:0][31:0] words;

    assign words = have.data;
    assign past = lane_q != '0 && lane_q > end_q;
    assign ends = lane_q != '0 && lane_q >= end_q;
    assign word = words[lane_q];
    assign word_valid = out.valid && !past;
    assign word_last = lane_q == '0 ? have.last && have.lane == '0 : last_q && ends;
    assign word_bad = lane_q == '0 ? have.bad && have.lane == '0 : bad_q && ends;
    assign out.ready = ends && (past || word_ready);

    always_ff @(posedge sata_clk) begin
      if (lane_q == '0) begin
        end_q  <= have.lane;
        last_q <= have.last;
        bad_q  <= have.bad;
      end
      if (out.valid && (past || word_ready)) lane_q <= ends ? '0 : lane_q + 1'b1;
      if (sata_rst) lane_q <= '0;
    end
  end else begin : gen_word
    assign word = have.data;
    assign word_valid = out.valid;
    assign word_last = have.last;
    assign word_bad = have.bad;
    assign out.ready = word_ready;
    logic unused;
    assign unused = ^have.lane;
  end

  kumi_slice #(
      .W(34),
      .MODE(2)
  ) u_slice (
      .clk(sata_clk),
      .rst(sata_rst),
      .s_data({word_bad, word_last, word}),
      .s_valid(word_valid),
      .s_ready(word_ready),
      .m_data({m_axis.tuser[0], m_axis.tlast, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
  assign m_axis.tkeep = '1;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
