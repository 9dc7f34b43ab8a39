// SPDX-License-Identifier: Apache-2.0
//
// Error recovery: when to reset the link, which request is to blame, and how often each is retried.
//
// recovering: a reset is pending, from fault, cfg.restart, or a timed-out request (timeout,
//   timeout_slot). blame_valid: a fault caused by blame_slot if blame_known; bad_data: by its user.
//   overdue: a pulse for a timed-out request.
// stop: the reset, one cycle; drain: until drained, after 32 quiet cycles. Then requeuing: every
//   issued request is requeued or failed, until settled, which clears the state.
// not_blamed: another request than inflight_slot is to blame. blame_status: status for
//   inflight_slot.
// retry, new_retries: whether the request with rsp_status and rd_retries is issued again. Interface
//   errors, missing data and time-outs count up to cfg.retries (bits 1:0); with none to blame, each
//   survives seven resets (bits 4:2).
module kumi_sata_error_recovery
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    input logic fault,
    input logic blame_valid,
    input logic blame_known,
    input logic [4:0] blame_slot,
    input logic bad_data,
    input logic timeout,
    input logic [4:0] timeout_slot,
    output logic overdue,
    input logic stop,
    input logic drain,
    input logic all_quiet,
    output logic drained,
    input logic settled,
    input logic [4:0] inflight_slot,
    output logic recovering,
    output logic requeuing,
    output logic not_blamed,
    output blk_status_e blame_status,
    input blk_status_e rsp_status,
    input logic [4:0] rd_retries,
    output logic retry,
    output logic [4:0] new_retries
);
  logic recovering_q, blamed_q, bad_data_q, requeuing_q, blameless;
  logic [4:0] blame_q, quiet_q;
  logic unused;
  assign unused = ^cfg;

  assign recovering = recovering_q;
  assign requeuing = requeuing_q;
  assign drained = drain && quiet_q == '1;
  assign overdue = timeout && !recovering_q && !requeuing_q && !stop && !drain;
  assign not_blamed = blamed_q && blame_q != inflight_slot;
  assign blame_status = bad_data_q && blame_q == inflight_slot ? BLK_BAD_DATA : BLK_TIMEOUT;

  assign blameless = requeuing_q && !blamed_q;
  assign retry = rsp_status inside {BLK_ICRC, BLK_TIMEOUT, BLK_SHORT}
      && (blameless ? rd_retries[4:2] != '1 : rd_retries[1:0] < cfg.retries);
  always_comb begin
    new_retries = rd_retries;
    if (retry && blameless) new_retries[4:2] = rd_retries[4:2] + 3'd1;
    else if (retry) new_retries[1:0] = rd_retries[1:0] + 2'd1;
  end

  always_ff @(posedge clk) begin
    quiet_q <= drain && all_quiet ? quiet_q + 1'b1 : '0;
    if (drained) requeuing_q <= 1'b1;
    if (settled) begin
      recovering_q <= 1'b0;
      requeuing_q <= 1'b0;
      blamed_q <= 1'b0;
      bad_data_q <= 1'b0;
    end
    if (blame_valid) begin
      blamed_q <= blame_known;
      blame_q <= blame_slot;
      bad_data_q <= bad_data;
    end
    if (overdue) begin
      blamed_q <= 1'b1;
      blame_q  <= timeout_slot;
    end
    if (fault || blame_valid || overdue || (cfg.restart && !recovering_q)) recovering_q <= 1'b1;
    if (rst) begin
      recovering_q <= 1'b0;
      blamed_q <= 1'b0;
      bad_data_q <= 1'b0;
      requeuing_q <= 1'b0;
    end
  end
endmodule
