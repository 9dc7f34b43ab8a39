// SPDX-License-Identifier: Apache-2.0
//
// Decodes the effect of a received FIS in the current state of the host (Serial ATA, clauses 10 and
// 11).
//
// rec: the FIS. effect: combinational, for any kind but FIS_SETUP.
// setup_ok, one cycle after its inputs: rec, there for three cycles, is an acceptable DMA Setup for
//   the request with `op`, `sectors` (there for two cycles) and words `left` whose slot is issued
//   (known): right direction, inside the request, no more than is left, and no data phase open.
// dev_state, srst, alone (an exclusive command), busy (BSY is awaited to clear), none_issued, stray
//   (a slot of rec.bits is not issued), phase, tx_busy: state of the host.
module kumi_sata_fis_decode
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input sata_fis_info_t rec,
    input dev_state_e dev_state,
    input logic srst,
    input logic alone,
    input logic busy,
    input logic queued,
    input logic none_issued,
    input logic stray,
    input logic tx_busy,
    input data_phase_t phase,
    input blk_op_e op,
    input logic [16:0] sectors,
    input logic [23:0] left,
    input logic known,
    output fis_effect_t effect,
    output logic setup_ok
);
  logic error, over, unused;
  assign unused = ^{rec, phase};
  assign error  = rec.status[0] || rec.status[5];

  logic [24:0] end_q;  // word behind the last one
  logic in_range_q;
  always_ff @(posedge clk) begin
    in_range_q <= end_q[24:7] < {1'b0, sectors}
        || (end_q[24:7] == {1'b0, sectors} && end_q[6:0] == '0);
    end_q <= {2'b00, rec.offset[24:2]} + {1'b0, rec.bytes[25:2]};
    setup_ok <= queued && !alone && phase.dir != PHASE_TO_HOST && phase.dir != PHASE_TO_DEVICE
        && known && rec.bytes != '0 && rec.bytes[1:0] == '0 && rec.offset[1:0] == '0
        && rec.bytes[25:2] <= left && in_range_q && op == (rec.to_host ? BLK_READ : BLK_WRITE);
  end

  always_comb begin
    effect = '0;
    over   = 1'b0;
    case (rec.kind)
      FIS_REG: begin
        if (rec.status[7] || srst) begin
          effect.stray = 1'b1;
        end else if (dev_state == DEV_SIGNATURE) begin
          effect.signature = 1'b1;
          effect.disk      = rec.lba == 48'h1;
        end else if (alone) begin
          effect.finish = 1'b1;
        end else if (error) begin
          effect.failed = 1'b1;
          effect.stray  = none_issued;
        end else if (!busy) begin
          effect.stray = 1'b1;
        end
        effect.unbusy = 1'b1;
        over = alone || error;
      end
      FIS_ACTIVATE: begin
        effect.activate = phase.dir == PHASE_TO_DEVICE && !phase.activated && !tx_busy;
        effect.protocol = !effect.activate;
      end
      FIS_SDB: begin
        effect.done   = !alone;
        effect.failed = !alone && error;
        effect.stray  = alone || stray;
        over          = !alone && (rec.bits[phase.slot] || error);
      end
      FIS_PIO: begin
        effect.status   = alone && phase.pio;
        effect.protocol = !effect.status;
      end
      FIS_DATA_BEGIN: begin
        effect.segment  = phase.dir == PHASE_TO_HOST;
        effect.protocol = phase.dir != PHASE_TO_HOST && phase.dir != PHASE_DISCARD;
      end
      default: begin  // FIS_DATA_END
        effect.advance = phase.dir == PHASE_TO_HOST && !rec.bad;
        effect.spoil   = phase.dir == PHASE_TO_HOST && rec.bad;
      end
    endcase
    effect.close = over;
    effect.flush = over && phase.dir == PHASE_TO_DEVICE;
  end
endmodule
