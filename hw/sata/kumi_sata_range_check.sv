// SPDX-License-Identifier: Apache-2.0
//
// Range check of a request: its sectors must be on the device.
//
// cmd: the request; total: sectors of the device. bad: two cycles after cmd, which remains stable:
//   zero sectors, too many for the command, past the end, or an unknown operation.
// total - lba is taken in two parts; the borrow of the low one counts in the second cycle, which
// reads registers only.
module kumi_sata_range_check
  import kumi_blk_pkg::*;
(
    input logic clk,
    input blk_cmd_t cmd,
    input logic [47:0] total,
    output logic bad
);
  localparam int LOW_W = 28;

  logic [LOW_W:0] low;
  logic [47-LOW_W+1:0] high;
  logic [47-LOW_W+1:0] high_q;
  logic [LOW_W-1:0] room_q;  // total - lba, modulo 2^28
  logic [16:0] sectors_q;
  logic borrow_q;
  logic bad_count_q, addressed_q, outside, unused;
  assign unused = ^cmd;

  assign low = {1'b0, total[LOW_W-1:0]} - {1'b0, cmd.lba[LOW_W-1:0]};
  assign high = {1'b0, total[47:LOW_W]} - {1'b0, cmd.lba[47:LOW_W]};
  assign outside = high_q[48-LOW_W] || (high_q == '0 && borrow_q)
      || (high_q == (48 - LOW_W + 1)'(borrow_q) && room_q[LOW_W-1:17] == '0
          && room_q[16:0] < sectors_q);

  always_ff @(posedge clk) begin
    high_q <= high;
    borrow_q <= low[LOW_W];
    room_q <= low[LOW_W-1:0];
    sectors_q <= cmd.sectors;
    addressed_q <= 1'b0;
    case (cmd.op)
      BLK_READ, BLK_WRITE, BLK_TRIM: begin
        bad_count_q <= cmd.sectors == '0 || cmd.sectors > 17'h10000;
        addressed_q <= 1'b1;
      end
      BLK_READ_LOG: bad_count_q <= cmd.sectors == '0 || cmd.sectors > 17'h0ffff;
      BLK_FLUSH, BLK_IDENTIFY, BLK_FEATURES, BLK_RESET: bad_count_q <= 1'b0;
      default: bad_count_q <= 1'b1;
    endcase
    bad <= bad_count_q || (addressed_q && outside);
  end
endmodule
