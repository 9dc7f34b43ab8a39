// SPDX-License-Identifier: Apache-2.0
//
// The probe: the payload that the traffic kernels send and recognise.
//
//   bytes 0..1   mark 0x4B50 ("KP")
//   bytes 2..3   flow number
//   bytes 4..7   sequence number
//   bytes 8..15  time stamp: cycles of the sender's counter
//   bytes 16..   PRBS-31 (x^31 + x^28 + 1, ITU-T O.150, not inverted), bit 0 of byte 16 first;
//                the 31 bits preceding it are the seed, the oldest in seed[0]
// Numbers are big-endian. The seed depends on every bit of flow, sequence number and time stamp, so
// that an error in them shows in the PRBS.
package kumi_probe_pkg;

  localparam logic [15:0] PROBE_MARK = 16'h4B50;

  typedef struct packed {
    logic [15:0] mark;
    logic [15:0] flow;
    logic [31:0] seq;
    logic [63:0] stamp;
  } probe_hdr_t;

  // What kumi_probe_check found out about a received payload.
  typedef struct packed {
    probe_hdr_t  hdr;      // as it came
    logic [15:0] length;   // payload bytes
    logic [31:0] latency;  // cycles from the time stamp to the last beat, modulo 2^32
    logic        bad;      // the frame ended with the bad mark
    logic        wrong;    // no probe, or its content is damaged
  } probe_res_t;

  // A length that a probe can have: 16 bytes (the header) to 8972 (a 9000-byte IPv4 packet).
  function automatic logic [15:0] probe_length(input logic [15:0] length);
    probe_length = (length < 16'd16) ? 16'd16 : (length > 16'd8972) ? 16'd8972 : length;
  endfunction

  // The header as 16 bytes of a stream, or back: byte order reversed.
  function automatic logic [127:0] probe_swap(input logic [127:0] bytes);
    for (int i = 0; i < 16; ++i) probe_swap[8*i+:8] = bytes[8*(15-i)+:8];
  endfunction

  // Seed of the PRBS: all header bits folded to 31, never zero.
  function automatic logic [30:0] probe_seed(input probe_hdr_t hdr);
    logic [31:0] fold;
    fold = {16'h0, hdr.mark} ^ {hdr.flow, hdr.flow} ^ hdr.seq;
    fold = fold ^ hdr.stamp[31:0] ^ {hdr.stamp[47:32], hdr.stamp[63:48]};
    probe_seed = fold[30:0] ^ {fold[31], 30'h0};
    if (probe_seed == '0) probe_seed = '1;
  endfunction

endpackage
