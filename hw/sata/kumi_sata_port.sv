// SPDX-License-Identifier: Apache-2.0
//
// Complete Serial ATA host port: block-device requests and data in the user's clock, PHY words in
// sata_clk (150 MHz for 6 Gb/s).
//
// s_cmd, m_rsp, m_fetch, s_axis, m_segment, m_axis: see kumi_sata_cmd, here in clk and with
//   DATA_W-bit frames. A response follows the last beat of its data.
// status: device status, in clk. s_axil: regs/sata.rdl, in clk. PHY side: see kumi_sata_host.
// Both resets are asserted together, for at least 4 cycles of the slower clock, with no stream
// active.
// Throughput: one beat per cycle and direction; clk times DATA_W should exceed 600 MB/s by the
// user's pauses. Latency: about 20 cycles of sata_clk from request to FIS; the data FIFOs hold 4
// KiB per direction.
module kumi_sata_port
  import kumi_sata_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
#(
    parameter int TICK_CYCLES  = 150_000,    // cycles per time-out tick of the command layer
    parameter int RESET_CYCLES = 1_024,      // of SRST
    parameter int WAIT_CYCLES  = 1_500_000,  // this and the following: see kumi_sata_host
    parameter int RETRIES      = 3,
    parameter int RETRY_CYCLES = 1_500_000,
    parameter int ALIGN_CYCLES = 131_000,
    parameter int LOST_CYCLES  = 64,
    parameter int DEPTH        = 128,
    parameter int SLACK        = 64
) (
    input logic clk,
    input logic rst,
    input logic sata_clk,
    input logic sata_rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_rec_if.src m_fetch,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_segment,
    kumi_axis_if.src m_axis,
    output sata_status_t status,
    kumi_axil_if.slv s_axil,
    input logic phy_ready,
    output logic tx_cominit,
    output logic tx_comwake,
    input logic tx_oob_done,
    output logic tx_idle,
    output logic [31:0] tx_data,
    output logic [3:0] tx_k,
    input logic rx_cominit,
    input logic rx_comwake,
    input logic rx_idle,
    output logic rx_invert,
    input logic [31:0] rx_data,
    input logic [3:0] rx_k,
    input logic rx_valid,
    input logic rx_error
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int BEATS = 4096 * 8 / DATA_W;  // of the data FIFOs
  localparam int ORDER_W = 12;  // of the frame count, more than the data FIFO holds
  localparam int RSP_W = $bits(blk_rsp_t) + ORDER_W;

  if (s_axis.DATA_W != DATA_W || DATA_W < 32 || DATA_W > 512) begin : gen_check
    $fatal(0, "s_axis and m_axis must have the same width, 32..512 (%m)");
  end

  // ---- layers, in sata_clk ----------------------------------------------------------------------
  sata_cfg_t cfg;
  sata_status_t sata_status;
  sata_cmd_ev_t cmd_ev;
  link_ev_t link_ev;
  logic up, present, receiving, restart, done;
  logic fis_retry, fis_drop, init_retry, lost;
  tx_status_e code;

  kumi_rec_if #(.W($bits(blk_cmd_t))) cmd ();
  kumi_rec_if #(.W($bits(blk_rsp_t))) rsp ();
  kumi_rec_if #(.W($bits(blk_fetch_t))) fetch ();
  kumi_rec_if #(.W($bits(blk_segment_t))) segment ();
  kumi_axis_if #(.DATA_W(32)) wr ();
  kumi_axis_if #(.DATA_W(32)) rd ();
  kumi_axis_if #(.DATA_W(32)) fis_tx ();
  kumi_axis_if #(.DATA_W(32)) fis_rx ();

  kumi_sata_cmd #(
      .TICK_CYCLES (TICK_CYCLES),
      .RESET_CYCLES(RESET_CYCLES)
  ) u_cmd (
      .clk(sata_clk),
      .rst(sata_rst),
      .cfg,
      .status(sata_status),
      .ev(cmd_ev),
      .s_cmd(cmd),
      .m_rsp(rsp),
      .m_fetch(fetch),
      .s_axis(wr),
      .m_segment(segment),
      .m_axis(rd),
      .up,
      .present,
      .receiving,
      .restart,
      .fis_tx,
      .tx_done(done),
      .tx_code(code),
      .fis_rx
  );

  kumi_sata_host #(
      .DEPTH(DEPTH),
      .SLACK(SLACK),
      .WAIT_CYCLES(WAIT_CYCLES),
      .RETRIES(RETRIES),
      .RETRY_CYCLES(RETRY_CYCLES),
      .ALIGN_CYCLES(ALIGN_CYCLES),
      .LOST_CYCLES(LOST_CYCLES)
  ) u_host (
      .clk(sata_clk),
      .rst(sata_rst),
      .restart,
      .up,
      .present,
      .s_axis(fis_tx),
      .m_axis(fis_rx),
      .done,
      .code,
      .receiving,
      .ev(link_ev),
      .ev_retry(fis_retry),
      .ev_drop(fis_drop),
      .ev_init_retry(init_retry),
      .ev_lost(lost),
      .phy_ready,
      .tx_cominit,
      .tx_comwake,
      .tx_oob_done,
      .tx_idle,
      .tx_data,
      .tx_k,
      .rx_cominit,
      .rx_comwake,
      .rx_idle,
      .rx_invert,
      .rx_data,
      .rx_k,
      .rx_valid,
      .rx_error
  );

  logic [19:0] ev;
  assign ev = {
    lost,
    init_retry,
    fis_drop,
    fis_retry,
    link_ev.dead,
    link_ev.timeout,
    link_ev.bad_word,
    link_ev.rx_overrun,
    link_ev.rx_abort,
    link_ev.rx_bad,
    link_ev.rx_good,
    cmd_ev.identified,
    cmd_ev.data_out,
    cmd_ev.data_in,
    cmd_ev.unexpected,
    cmd_ev.protocol_error,
    cmd_ev.cmd_timeout,
    cmd_ev.recovery,
    cmd_ev.ncq_log,
    cmd_ev.reissue
  };

  kumi_sata_ctl #(
      .TICK_CYCLES(TICK_CYCLES)
  ) u_ctl (
      .clk,
      .rst,
      .s_axil,
      .user_status(status),
      .sata_clk,
      .sata_rst,
      .cfg,
      .status(sata_status),
      .rsp(cmd_ev.rsp),
      .rsp_status(cmd_ev.rsp_status),
      .ev
  );

  // ---- records ----------------------------------------------------------------------------------
  // The sequencer decides late in a cycle that it has a record, and holds it until it is taken: one
  // cycle later.
  kumi_rec_if #(.W(RSP_W)) rsp_in ();
  kumi_rec_if #(.W(RSP_W)) rsp_out ();
  kumi_rec_if #(.W($bits(blk_segment_t))) segment_in ();
  logic rsp_push_q, segment_push_q;
  always_ff @(posedge sata_clk) begin
    rsp_push_q     <= rsp.valid && !rsp_push_q && rsp_in.ready;
    segment_push_q <= segment.valid && !segment_push_q && segment_in.ready;
    if (sata_rst) begin
      rsp_push_q     <= 1'b0;
      segment_push_q <= 1'b0;
    end
  end
  assign segment_in.valid = segment_push_q;
  assign segment_in.data  = segment.data;
  assign segment.ready    = segment_push_q;

  kumi_rec_async_fifo #(
      .DEPTH(16),
      .STYLE(3)
  ) u_cmd_fifo (
      .s_clk(clk),
      .s_rst(rst),
      .s_hdr(s_cmd),
      .m_clk(sata_clk),
      .m_rst(sata_rst),
      .m_hdr(cmd)
  );
  kumi_rec_async_fifo #(
      .DEPTH(16),
      .STYLE(3)
  ) u_fetch_fifo (
      .s_clk(sata_clk),
      .s_rst(sata_rst),
      .s_hdr(fetch),
      .m_clk(clk),
      .m_rst(rst),
      .m_hdr(m_fetch)
  );
  kumi_rec_async_fifo #(
      .DEPTH(16),
      .STYLE(3)
  ) u_segment_fifo (
      .s_clk(sata_clk),
      .s_rst(sata_rst),
      .s_hdr(segment_in),
      .m_clk(clk),
      .m_rst(rst),
      .m_hdr(m_segment)
  );

  // A response carries the number of frames before it and waits until they are taken.
  logic [ORDER_W-1:0] sent_q, taken_q, ahead, ahead_q;
  logic head_q, due_q;  // the response at the head is compared, may go

  always_ff @(posedge sata_clk) begin
    if (rd.tvalid && rd.tready && rd.tlast) sent_q <= sent_q + 1'b1;
    if (sata_rst) sent_q <= '0;
  end
  always_ff @(posedge clk) begin
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) taken_q <= taken_q + 1'b1;
    if (rst) taken_q <= '0;
  end
  assign rsp_in.data = {sent_q, rsp.data};
  assign rsp_in.valid = rsp_push_q;
  assign rsp.ready = rsp_push_q;
  assign ahead = rsp_out.data[RSP_W-1-:ORDER_W] - taken_q;
  always_ff @(posedge clk) begin
    ahead_q <= ahead;
    head_q  <= rsp_out.valid && !rsp_out.ready;
    due_q   <= head_q && !rsp_out.ready && (ahead_q == '0 || ahead_q[ORDER_W-1]);
    if (rst) begin
      head_q <= 1'b0;
      due_q  <= 1'b0;
    end
  end
  assign m_rsp.valid = due_q;
  assign m_rsp.data = rsp_out.data[$bits(blk_rsp_t)-1:0];
  assign rsp_out.ready = m_rsp.valid && m_rsp.ready;

  kumi_rec_async_fifo #(
      .DEPTH(32),
      .STYLE(3)
  ) u_rsp_fifo (
      .s_clk(sata_clk),
      .s_rst(sata_rst),
      .s_hdr(rsp_in),
      .m_clk(clk),
      .m_rst(rst),
      .m_hdr(rsp_out)
  );

  // ---- data -------------------------------------------------------------------------------------
  kumi_sata_wr_fifo #(
      .BEATS(BEATS)
  ) u_wr_fifo (
      .clk,
      .rst,
      .s_axis,
      .sata_clk,
      .sata_rst,
      .m_axis(wr)
  );
  kumi_sata_rd_fifo #(
      .BEATS(BEATS)
  ) u_rd_fifo (
      .sata_clk,
      .sata_rst,
      .s_axis(rd),
      .clk,
      .rst,
      .m_axis
  );
endmodule
