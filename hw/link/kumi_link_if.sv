// SPDX-License-Identifier: Apache-2.0
//
// Frames in blocks of 8 bytes, between the layers of a serial link.
//
// Handshake: a beat moves on a rising clk edge with valid and ready high. Once valid is high, the
//   source keeps every signal stable until the beat has moved; valid never waits for ready.
// data: blocks in order, block 0 first; byte 0 of a block is in bits [63:56], as on the wire.
// count: blocks in this beat, 1..LANES. Beats need not be full.
// last: end of the frame; then pad is the number of bytes (0..7) missing in the last block, and bad
//   marks the frame. Both are zero on other beats.
interface kumi_link_if #(
    parameter int LANES = 1  // blocks of a beat
);
  logic [LANES-1:0][63:0] data;
  logic [2:0] count;
  logic last;
  logic [2:0] pad;
  logic bad;
  logic valid;
  logic ready;

  modport src(output data, count, last, pad, bad, valid, input ready);
  modport snk(input data, count, last, pad, bad, valid, output ready);

  // A module may ignore parts of the bundle; this keeps lint quiet about it in one place.
  logic unused;
  assign unused = ^{data, count, last, pad, bad, valid, ready};
endinterface
