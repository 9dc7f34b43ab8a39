// SPDX-License-Identifier: Apache-2.0
//
// Current data phase between host and device: owner, direction and progress, in 32-bit words.
//
// setup: starts with the DMA Setup rec for a command. begins: starts with an exclusive command
//   (internal: an internal one) with operation op. slot, tag: of cmd; total: its length. close: no
//   phase is open. spoil: the rest is discarded.
// activate: the device waits for a Data FIS, until take. words: of the next one, at most 2048.
// sent, got: a Data FIS of that many words, or of rec.words, has ended; moved is its length until
//   the next.
// advance: moved words are accounted. last, two cycles after `moved`: they are the last, and
//   advance closes the phase.
module kumi_sata_data_phase
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic setup,
    input logic begins,
    input sata_fis_info_t rec,
    input blk_op_e op,
    input logic internal,
    input logic [4:0] slot,
    input logic [15:0] tag,
    input logic [23:0] total,
    input logic close,
    input logic spoil,
    input logic activate,
    input logic take,
    input logic sent,
    input logic got,
    input logic advance,
    output data_phase_t phase,
    output logic [11:0] words,
    output logic [11:0] moved,
    output logic last
);
  data_phase_t phase_q, first;
  logic [11:0] moved_q;
  logic last_q, unused;
  assign unused = ^rec;

  assign phase  = phase_q;
  assign words  = phase_q.left[23:11] != '0 ? 12'd2048 : {1'b0, phase_q.left[10:0]};
  assign moved  = moved_q;
  assign last   = last_q;

  always_comb begin
    first      = '0;
    first.slot = slot;
    first.tag  = tag;
    if (setup) begin
      first.dir       = rec.to_host ? PHASE_TO_HOST : PHASE_TO_DEVICE;
      first.offset    = rec.offset[24:2];
      first.left      = rec.bytes[25:2];
      first.activated = !rec.to_host && rec.activate;
      first.user      = 1'b1;
    end else begin
      first.dir  = reads(op) ? PHASE_TO_HOST : writes(op) ? PHASE_TO_DEVICE : PHASE_NONE;
      first.left = total;
      first.user = !internal;
      first.trim = op == BLK_TRIM;
      first.pio  = op == BLK_IDENTIFY || op == BLK_READ_LOG;
    end
  end

  always_ff @(posedge clk) begin
    if (sent) moved_q <= words;
    if (got) moved_q <= rec.words;
    last_q <= phase_q.left == {12'd0, moved_q};

    if (take) phase_q.activated <= 1'b0;
    if (activate) phase_q.activated <= 1'b1;
    if (advance) begin
      phase_q.offset <= phase_q.offset + {11'd0, moved_q};
      phase_q.left   <= phase_q.left - {12'd0, moved_q};
      if (last_q) phase_q.dir <= PHASE_NONE;
    end
    if (spoil) phase_q.dir <= PHASE_DISCARD;
    if (close) begin
      phase_q.dir       <= PHASE_NONE;
      phase_q.activated <= 1'b0;
    end
    if (setup || begins) phase_q <= first;
    if (rst) begin
      phase_q.dir       <= PHASE_NONE;
      phase_q.activated <= 1'b0;
    end
  end
endmodule
