// SPDX-License-Identifier: Apache-2.0
//
// Assertion macros with one spelling for three back ends:
//   simulation (Verilator --assert), proofs (Yosys read_slang -D FORMAL), and synthesis (nothing).
// COND is a boolean expression over sampled values; $past, $stable and $rose are fine, sequence
// operators are not (the proof front end refuses them): write `a |=> b` as `!$past(a) || b`.
// The macros sample on `clk` and are off while `rst` is high; both names must be in scope.
`ifndef KUMI_ASSERT_SVH
`define KUMI_ASSERT_SVH

`ifdef FORMAL
`define KUMI_ASSERT(NAME, COND) NAME : assert property (@(posedge clk) disable iff (rst) (COND));
`define KUMI_ASSUME(NAME, COND) NAME : assume property (@(posedge clk) disable iff (rst) (COND));
`define KUMI_COVER(NAME, COND) NAME : cover property (@(posedge clk) disable iff (rst) (COND));
`elsif VERILATOR
`define KUMI_ASSERT(NAME, COND) NAME : assert property (@(posedge clk) disable iff (rst) (COND)) \
    else $error("%m: NAME");
`define KUMI_ASSUME(NAME, COND) NAME : assume property (@(posedge clk) disable iff (rst) (COND)) \
    else $error("%m: NAME");
`define KUMI_COVER(NAME, COND)
`else
`define KUMI_ASSERT(NAME, COND)
`define KUMI_ASSUME(NAME, COND)
`define KUMI_COVER(NAME, COND)
`endif

`endif
