// SPDX-License-Identifier: Apache-2.0
//
// Property checker for one AXI stream: the rules of kumi_axis_if as assertions or assumptions.
//
// axis: the stream it watches. ASSUME = 1 states the rules as assumptions (the side that a proof
//   drives), 0 as assertions (the side that is proved, and in simulation).
// Rules: a beat that is offered stays offered, unchanged, until it is taken; tkeep is all ones but
//   with tlast, where it is a run of ones from bit 0, at least one. With MAX_BEATS > 0 no frame is
//   longer than that; with MAX_STALL > 0 the sink is ready within that many cycles.
// Costs nothing in synthesis: without FORMAL or Verilator the properties vanish.
`include "kumi_assert.svh"
module kumi_axis_props #(
    parameter bit ASSUME     = 1'b0,  // 1 assume, 0 assert
    parameter bit CHECK_KEEP = 1'b1,  // 0 leaves tkeep out
    parameter int MAX_BEATS  = 0,     // longest frame in beats, 0 for any
    parameter int MAX_STALL  = 0      // most cycles that the sink may stall a beat, 0 for any
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.mon axis
);
  localparam int BEAT_W = axis.DATA_W + axis.KEEP_W + 1 + axis.USER_W + axis.ID_W + axis.DEST_W;

  logic [BEAT_W-1:0] beat, beat_q;
  logic wait_q;
  logic [31:0] beats_q, stall_q;
  logic stable, keep_ok, length_ok, stall_ok;

  assign beat = {axis.tdest, axis.tid, axis.tuser, axis.tlast, axis.tkeep, axis.tdata};

  always_ff @(posedge clk) begin
    wait_q <= axis.tvalid && !axis.tready;
    beat_q <= beat;
    if (axis.tvalid && axis.tready) beats_q <= axis.tlast ? 32'd0 : beats_q + 32'd1;
    stall_q <= axis.tvalid && !axis.tready ? stall_q + 32'd1 : 32'd0;
    if (rst) begin
      wait_q  <= 1'b0;
      beats_q <= 32'd0;
      stall_q <= 32'd0;
    end
  end

  assign stable = !wait_q || (axis.tvalid && beat == beat_q);
  assign keep_ok = !CHECK_KEEP || !axis.tvalid || (axis.tlast ?
      axis.tkeep[0] && (axis.tkeep & (axis.tkeep + 1'b1)) == '0 : &axis.tkeep);
  assign length_ok = MAX_BEATS == 0 || !axis.tvalid || beats_q + 32'(!axis.tlast) < MAX_BEATS;
  assign stall_ok = MAX_STALL == 0 || stall_q <= MAX_STALL;

  if (ASSUME) begin : gen_assume
    `KUMI_ASSUME(a_stable, stable)
    `KUMI_ASSUME(a_keep, keep_ok)
    `KUMI_ASSUME(a_length, length_ok)
    `KUMI_ASSUME(a_stall, stall_ok)
  end else begin : gen_assert
    `KUMI_ASSERT(a_stable, stable)
    `KUMI_ASSERT(a_keep, keep_ok)
    `KUMI_ASSERT(a_length, length_ok)
    `KUMI_ASSERT(a_stall, stall_ok)
  end
endmodule
