// SPDX-License-Identifier: Apache-2.0
//
// kumi_placer_pkg with short numbers, for proofs: what kumi_placer_select needs of it.
// Costs of 2 bits and sums of 9 in place of 48 and 80.
package kumi_placer_pkg;
  localparam int COST_W = 2;
  localparam int KEY_W = 9;
  localparam int SPACE_W = 4;

  typedef logic [COST_W-1:0] cost_t;
  typedef logic [KEY_W-1:0] place_key_t;

  typedef struct packed {
    logic               usable;
    logic               measured;
    logic [7:0]         queue;
    logic [SPACE_W-1:0] space;
    cost_t              cost;
    cost_t              mean_cost;
    place_key_t         base;
    logic [31:0]        seed;
    logic [31:0]        phase;
    logic [3:0]         hash;
  } placer_device_t;
endpackage
