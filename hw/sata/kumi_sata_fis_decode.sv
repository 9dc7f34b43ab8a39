// SPDX-License-Identifier: Apache-2.0
//
// What a FIS of the device means, given what the host awaits (Serial ATA, clauses 10 and 11).
//
// rec: the FIS. means: what follows from it; combinational, of any kind but GOT_SETUP.
// setup_ok: rec is a DMA Setup that may be followed, for the request whose op, bytes and bytes to
//   move are those of `op`, `whole` and `left` and whose slot is in the device (known): the right
//   way, inside the request, not more than is still to move, and no other phase is open.
// place, srst, alone (a command runs alone), busy (a command waits for BSY to clear), issued,
//   phase, tx_busy: the state of the host.
module kumi_sata_fis_decode
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input sata_fis_info_t rec,
    input place_e place,
    input logic srst,
    input logic alone,
    input logic busy,
    input logic queued,
    input logic [31:0] issued,
    input logic tx_busy,
    input data_phase_t phase,
    input blk_op_e op,
    input logic [25:0] whole,
    input logic [25:0] left,
    input logic known,
    output meaning_t means,
    output logic setup_ok
);
  logic error, over, unused;
  assign unused = ^{rec, phase};
  assign error = rec.status[0] || rec.status[5];

  assign setup_ok = queued && !alone && phase.dir != TO_HOST && phase.dir != TO_DEVICE
      && known && rec.bytes != '0 && rec.bytes[1:0] == '0 && rec.offset[1:0] == '0
      && rec.bytes <= left && {2'b00, rec.offset} + {1'b0, rec.bytes} <= {1'b0, whole}
      && op == (rec.to_host ? OP_READ : OP_WRITE);

  always_comb begin
    means = '0;
    over  = 1'b0;
    case (rec.kind)
      GOT_REG: begin
        if (rec.status[7] || srst) begin
          means.stray = 1'b1;
        end else if (place == SIGN) begin
          means.signature = 1'b1;
          means.disk      = rec.lba == 48'h1;
        end else if (alone) begin
          means.finish = 1'b1;
        end else if (error) begin
          means.failed = 1'b1;
          means.stray  = issued == '0;
        end else if (!busy) begin
          means.stray = 1'b1;
        end
        means.unbusy = 1'b1;
        over = alone || error;
      end
      GOT_ACTIVATE: begin
        means.activate = phase.dir == TO_DEVICE && !phase.activated && !tx_busy;
        means.protocol = !means.activate;
      end
      GOT_BITS: begin
        means.done   = !alone;
        means.failed = !alone && error;
        means.stray  = alone || (rec.bits & ~issued) != '0;
        over         = !alone && (rec.bits[phase.slot] || error);
      end
      GOT_PIO: begin
        means.status   = alone && phase.pio;
        means.protocol = !means.status;
      end
      GOT_DATA: begin
        means.piece    = phase.dir == TO_HOST;
        means.protocol = phase.dir != TO_HOST && phase.dir != SPOILT;
      end
      default: begin  // GOT_DATA_END
        means.advance = phase.dir == TO_HOST && !rec.bad;
        means.spoil   = phase.dir == TO_HOST && rec.bad;
      end
    endcase
    means.close = over;
    means.flush = over && phase.dir == TO_DEVICE;
  end
endmodule
