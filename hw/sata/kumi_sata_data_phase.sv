// SPDX-License-Identifier: Apache-2.0
//
// Current data phase between host and device: owner, direction and progress.
//
// setup: starts with the DMA Setup rec for cmd. begins: starts with the exclusive command cmd (own:
//   an internal one). slot: of cmd; total_bytes: its length. close: no phase is open. spoil: the
//   rest is discarded.
// activate: the device waits for a Data FIS, until take. words: of the next one, at most 2048.
// sent, got: a Data FIS of that many words, or of rec.bytes, has ended; moved is its length in
//   bytes until the next.
// advance: moved bytes are accounted. last: they are the last, and advance closes the phase.
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
    input blk_cmd_t cmd,
    input logic init_step,
    input logic [4:0] slot,
    input logic [25:0] total_bytes,
    input logic close,
    input logic spoil,
    input logic activate,
    input logic take,
    input logic sent,
    input logic got,
    input logic advance,
    output data_phase_t phase,
    output logic [12:0] words,
    output logic [25:0] moved,
    output logic last
);
  data_phase_t phase_q, first;
  logic [25:0] chunk, moved_q;
  logic unused;
  assign unused = ^{rec, cmd};

  assign phase  = phase_q;
  assign words  = chunk[14:2];
  assign chunk  = phase_q.left > 26'd8192 ? 26'd8192 : phase_q.left;
  assign moved  = moved_q;
  assign last   = phase_q.left == moved_q;

  always_comb begin
    first      = '0;
    first.slot = slot;
    first.tag  = cmd.tag;
    if (setup) begin
      first.dir       = rec.to_host ? PHASE_TO_HOST : PHASE_TO_DEVICE;
      first.offset    = rec.offset;
      first.left      = rec.bytes;
      first.activated = !rec.to_host && rec.activate;
      first.user      = 1'b1;
    end else begin
      first.dir  = reads(cmd.op) ? PHASE_TO_HOST : writes(cmd.op) ? PHASE_TO_DEVICE : PHASE_NONE;
      first.left = total_bytes;
      first.user = !init_step;
      first.trim = cmd.op == BLK_TRIM;
      first.pio  = cmd.op == BLK_IDENTIFY || cmd.op == BLK_READ_LOG;
    end
  end

  always_ff @(posedge clk) begin
    if (sent) moved_q <= chunk;
    if (got) moved_q <= rec.bytes;

    if (take) phase_q.activated <= 1'b0;
    if (activate) phase_q.activated <= 1'b1;
    if (advance) begin
      phase_q.offset <= phase_q.offset + moved_q[24:0];
      phase_q.left   <= phase_q.left - moved_q;
      if (last) phase_q.dir <= PHASE_NONE;
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
