// SPDX-License-Identifier: Apache-2.0
//
// Command layer of the Serial ATA host: block-device requests of one user to FISes and back.
// kumi_sata_cmd_seq controls it; the records are in kumi_blk_pkg.
//
// s_cmd: requests (blk_cmd_t), up to 32 outstanding; m_rsp: one response each (blk_rsp_t).
// m_fetch, s_axis: write data is fetched in ranges of at most 8 KiB; each m_fetch is answered by
//   one frame of exactly that length, in order, even if its request has failed meanwhile.
// m_segment, m_axis: read data, one record and one frame per segment of at most 8 KiB. A frame
//   marked bad is sent again. All frames have 32-bit words.
// fis_tx, tx_done, tx_code, fis_rx, up, present, receiving, restart: kumi_sata_host.
module kumi_sata_cmd
  import kumi_sata_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
#(
    parameter int TICK_CYCLES  = 150_000,  // cycles per time-out tick: 1 ms at 150 MHz
    parameter int RESET_CYCLES = 1_024     // duration of SRST, at least 5 us
) (
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    output sata_status_t status,
    output sata_cmd_ev_t ev,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_rec_if.src m_fetch,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_segment,
    kumi_axis_if.src m_axis,
    input logic up,
    input logic present,
    input logic receiving,
    output logic restart,
    kumi_axis_if.src fis_tx,
    input logic tx_done,
    input tx_status_e tx_code,
    kumi_axis_if.snk fis_rx
);
  if (s_cmd.W != $bits(
          blk_cmd_t
      ) || m_rsp.W != $bits(
          blk_rsp_t
      ) || m_fetch.W != $bits(
          blk_fetch_t
      ) || m_segment.W != $bits(
          blk_segment_t
      )) begin : gen_check
    $fatal(0, "s_cmd, m_rsp, m_fetch and m_segment must be as wide as their records (%m)");
  end

  logic rec_valid, rec_ready, to_user, rx_idle, d_valid, job, tx_idle, drop_done;
  logic fetch_start, fetch_stop, fetch_consumed, fetch_busy;
  sata_fis_info_t rec;
  logic [11:0] rx_limit;
  logic [31:0] d_data;
  logic [11:0] d_index, job_words;
  sata_job_e job_kind;
  sata_reg_t job_reg;
  logic [47:0] job_lba;
  logic [16:0] job_sectors;
  logic [15:0] fetch_tag;
  logic [22:0] fetch_offset;
  logic [23:0] fetch_words;
  logic [1:0] fetch_open;

  kumi_sata_cmd_rx u_rx (
      .clk,
      .rst,
      .s_axis(fis_rx),
      .m_axis,
      .rec_valid,
      .rec_ready,
      .rec,
      .to_user,
      .limit (rx_limit),
      .d_valid,
      .d_data,
      .d_index,
      .idle  (rx_idle)
  );

  kumi_sata_cmd_tx u_tx (
      .clk,
      .rst,
      .job,
      .job_kind,
      .job_reg,
      .job_lba,
      .job_sectors,
      .job_words,
      .drop_done,
      .idle  (tx_idle),
      .s_axis,
      .m_axis(fis_tx)
  );

  kumi_sata_write_fetch u_fetch (
      .clk,
      .rst,
      .start (fetch_start),
      .stop  (fetch_stop),
      .tag   (fetch_tag),
      .offset(fetch_offset),
      .words (fetch_words),
      .consumed  (fetch_consumed),
      .open  (fetch_open),
      .busy  (fetch_busy),
      .m_fetch
  );

  kumi_sata_cmd_seq #(
      .TICK_CYCLES (TICK_CYCLES),
      .RESET_CYCLES(RESET_CYCLES)
  ) u_seq (
      .clk,
      .rst,
      .cfg,
      .up,
      .present,
      .restart,
      .status,
      .ev,
      .s_cmd,
      .m_rsp,
      .m_segment,
      .rec_valid,
      .rec_ready,
      .rec,
      .to_user,
      .rx_limit,
      .rx_idle,
      .receiving,
      .d_valid,
      .d_data,
      .d_index,
      .job,
      .job_kind,
      .job_reg,
      .job_lba,
      .job_sectors,
      .job_words,
      .tx_idle,
      .drop_done,
      .tx_done,
      .tx_code,
      .fetch_start,
      .fetch_stop,
      .fetch_tag,
      .fetch_offset,
      .fetch_words,
      .fetch_consumed,
      .fetch_open,
      .fetch_busy
  );
endmodule
