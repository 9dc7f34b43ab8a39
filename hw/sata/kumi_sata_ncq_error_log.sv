// SPDX-License-Identifier: Apache-2.0
//
// Extracts the failed queued command from the NCQ error log (ACS, log 10h).
//
// take, d_*: words of the page, as kumi_sata_cmd_rx reports them. rsp: response of the command,
//   without tag and LBA; a log without an error yields BLK_ERR. lba_low, lba_high: d_data[23:0] is
//   that half of the LBA. alone: no queued command has failed; otherwise `slot` has. Valid after
//   the third word of the page.
module kumi_sata_ncq_error_log
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic take,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [6:0] d_index,
    output logic lba_low,
    output logic lba_high,
    output logic alone,
    output logic [4:0] slot,
    output blk_rsp_t rsp
);
  logic alone_q;
  logic [4:0] slot_q;
  logic [7:0] status_q, error_q;
  blk_status_e status;
  logic hit, unused;
  assign unused = ^d_data;

  assign alone = alone_q;
  assign slot = slot_q;
  assign status = status_of(
      status_q[5], status_q[0], error_q[7], error_q[6], error_q[4], error_q[2]
  );
  assign rsp = '{
          tag: '0,
          status: status == BLK_OK ? BLK_ERR : status,
          ata_status: status_q,
          ata_error: error_q,
          lba: '0
      };

  assign hit = take && d_valid;
  assign lba_low = hit && d_index == 7'd1;
  assign lba_high = hit && d_index == 7'd2;

  always_ff @(posedge clk) begin
    if (hit && d_index == '0) begin
      alone_q  <= d_data[7];
      slot_q   <= d_data[4:0];
      status_q <= d_data[23:16];
      error_q  <= d_data[31:24];
    end
  end
endmodule
