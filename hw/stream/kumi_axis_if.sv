// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Stream bundle (ARM IHI 0051A), the one wire format between cores.
//
// Handshake: a beat moves on a rising clk edge with tvalid and tready high. Once tvalid is high the
//   source holds every signal until the beat has moved; tvalid never waits for tready.
// Byte order: byte 0 of a frame is tdata[7:0] of its first beat.
// tkeep:  all ones on every beat but the last; on the last a run of ones from bit 0, at least one.
// tuser:  on a frame stream tuser[0], with tlast, says that the frame is bad. Whoever ends the
//   path drops such a frame and counts it.
interface kumi_axis_if #(
    parameter int DATA_W = 64,  // bits of data, a multiple of 8
    parameter int USER_W = 1,   // bits of side-band that travel with a beat
    parameter int ID_W   = 1,   // bits of stream identifier
    parameter int DEST_W = 1    // bits of routing information
);
  localparam int KEEP_W = DATA_W / 8;

  logic [DATA_W-1:0] tdata;
  logic [KEEP_W-1:0] tkeep;
  logic              tvalid;
  logic              tready;
  logic              tlast;
  logic [USER_W-1:0] tuser;
  logic [  ID_W-1:0] tid;
  logic [DEST_W-1:0] tdest;

  modport src(output tdata, tkeep, tvalid, tlast, tuser, tid, tdest, input tready);
  modport snk(input tdata, tkeep, tvalid, tlast, tuser, tid, tdest, output tready);
  modport mon(input tdata, tkeep, tvalid, tready, tlast, tuser, tid, tdest);

  // A module may ignore parts of the bundle; this keeps lint quiet about it in one place.
  logic unused;
  assign unused = ^{tdata, tkeep, tvalid, tready, tlast, tuser, tid, tdest};
endinterface
