// SPDX-License-Identifier: Apache-2.0
//
// Record stream: one packed struct per frame, beside the payload stream that carries its bytes.
//
// Handshake: a record moves on a rising clk edge with valid and ready high. Once valid is high the
//   source holds data until the record has moved; valid never waits for ready.
// Order: records and payload frames come in the same order. A source offers a record no later than
//   its payload's first beat; a sink must not wait for payload before it accepts the record.
// data is a packed struct of the protocol's package, cast at each end. At a flat top the stream is
// *_hdr_NAME_{data,valid,ready}.
interface kumi_rec_if #(
    parameter int W = 32  // bits of the record
);
  logic [W-1:0] data;
  logic         valid;
  logic         ready;

  modport src(output data, valid, input ready);
  modport snk(input data, valid, output ready);
  modport mon(input data, valid, ready);

  // A module may ignore parts of the record; this keeps lint quiet about it in one place.
  logic unused;
  assign unused = ^{data, valid, ready};
endinterface
