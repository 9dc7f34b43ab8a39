// SPDX-License-Identifier: Apache-2.0
//
// Decodes the effect of a received FIS in the current state of the host (Serial ATA, clauses 10 and
// 11).
//
// rec: the FIS. effect: combinational, for any kind but FIS_SETUP.
// setup_ok: rec is an acceptable DMA Setup for the request with `op`, `total_bytes` and `left`
//   whose slot is issued (known): right direction, inside the request, no more than is left, and no
//   data phase open.
// dev_state, srst, alone (an exclusive command), busy (BSY is awaited to clear), issued, phase,
//   tx_busy: state of the host.
module kumi_sata_fis_decode
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input sata_fis_info_t rec,
    input dev_state_e dev_state,
    input logic srst,
    input logic alone,
    input logic busy,
    input logic queued,
    input logic [31:0] issued,
    input logic tx_busy,
    input data_phase_t phase,
    input blk_op_e op,
    input logic [25:0] total_bytes,
    input logic [25:0] left,
    input logic known,
    output fis_effect_t effect,
    output logic setup_ok
);
  logic error, over, unused;
  assign unused = ^{rec, phase};
  assign error = rec.status[0] || rec.status[5];

  assign setup_ok = queued && !alone && phase.dir != PHASE_TO_HOST && phase.dir != PHASE_TO_DEVICE
      && known && rec.bytes != '0 && rec.bytes[1:0] == '0 && rec.offset[1:0] == '0
      && rec.bytes <= left && {2'b00, rec.offset} + {1'b0, rec.bytes} <= {1'b0, total_bytes}
      && op == (rec.to_host ? BLK_READ : BLK_WRITE);

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
          effect.stray  = issued == '0;
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
        effect.stray  = alone || (rec.bits & ~issued) != '0;
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
