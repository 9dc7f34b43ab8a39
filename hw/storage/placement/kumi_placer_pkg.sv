// SPDX-License-Identifier: Apache-2.0
//
// Device record of kumi_placer and the arithmetic of shares.
//
// Shares are counted in sixteenths of a chunk's cost: base is 16 * n * cost after n chunks, and the
// key of the next chunk is base + (16 + hash) * cost. KEY_W bits do not overflow: with static costs
// (2^40 at 1 kB/s) and chunks of at least 4 kB, base grows by at most 2^42 per second of writing,
// so it lasts 2^37 seconds without new weights; with measured times it grows by 256 per cycle.
package kumi_placer_pkg;
  localparam int COST_W = 48;
  localparam int KEY_W = 80;
  localparam int SPACE_W = 25;

  typedef logic [COST_W-1:0] cost_t;
  typedef logic [KEY_W-1:0] place_key_t;

  typedef struct packed {
    logic               usable;
    logic               measured;   // mean is a measurement
    logic [7:0]         queue;      // chunks
    logic [SPACE_W-1:0] space;      // free slots
    cost_t              cost;       // cost of a chunk
    cost_t              mean_cost;  // unrounded mean
    place_key_t         base;
    logic [31:0]        seed;       // (i + 1) * 0x9e3779b1
    logic [31:0]        phase;      // (2 n + 1) * seed
    logic [3:0]         hash;       // hash of phase, see kumi_placer_key_hash
  } placer_device_t;

  // All bits from the highest set bit of v down.
  function automatic cost_t filled(input cost_t v);
    cost_t ones;
    ones = v;
    for (int i = 1; i < COST_W; i *= 2) ones |= ones >> i;
    return ones;
  endfunction

  // v rounded to seven significant bits, so that equally fast devices compare equal.
  function automatic cost_t rounded(input cost_t v, input cost_t ones);
    cost_t low;
    low = ones >> 7;
    return (v + (low & ~(low >> 1))) & ~low;
  endfunction
endpackage
