// SPDX-License-Identifier: Apache-2.0
//
// Types for the test of shells.
package kumi_shelled_pkg;
  typedef enum logic [1:0] {
    KIND_A,
    KIND_B,
    KIND_C
  } kind_e;
  typedef struct packed {
    logic [7:0] a;
    kind_e      e;
  } pair_t;
endpackage
