// SPDX-License-Identifier: Apache-2.0
//
// State of one ring: stopped, running, stopping.
//
// cfg_run: software wants it to run. quiet: nothing of it is in flight.
// reset: the ring's parts are held in reset (stopped). run: new work may start. stopping: neither.
// clear: one pulse at the start of a run. size: descriptors, a power of two.
// doorbell with value: software has handed over descriptors up to that number; ev_tail_error when
//   it is more than `size` ahead of `written`, the completions, or behind an earlier one: it is
//   ignored then, as is one while the ring does not run. tail: the last valid one.
module kumi_dma_ring_ctrl (
    input  logic        clk,
    input  logic        rst,
    input  logic        cfg_run,
    input  logic        quiet,
    input  logic [15:0] size,
    input  logic [15:0] written,
    input  logic        doorbell,
    input  logic [15:0] value,
    output logic        reset,
    output logic        run,
    output logic        stopping,
    output logic        clear,
    output logic [15:0] tail,
    output logic        ev_tail_error
);
  typedef enum logic [1:0] {
    S_STOPPED,
    S_START,
    S_RUN,
    S_STOPPING
  } state_e;
  state_e state_q;
  logic [1:0] quiet_cycles_q;  // quiet cycles in a row: what left one counter is in the next

  // Two steps: the distances, then the verdict.
  logic [15:0] ahead_q, step_q, value_q;
  logic doorbell_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_STOPPED: if (cfg_run) state_q <= S_START;
      S_START: state_q <= S_RUN;
      S_RUN: if (!cfg_run) state_q <= S_STOPPING;
      default: if (quiet_cycles_q == 2'd3) state_q <= S_STOPPED;
    endcase
    if (state_q != S_STOPPING || !quiet) quiet_cycles_q <= '0;
    else if (quiet_cycles_q != 2'd3) quiet_cycles_q <= quiet_cycles_q + 1'b1;

    doorbell_q <= doorbell && (state_q == S_RUN || state_q == S_START);
    value_q <= value;
    ahead_q <= value - written;
    step_q <= value - tail;
    ev_tail_error <= 1'b0;
    if (doorbell_q) begin
      if (ahead_q <= size && step_q <= size) tail <= value_q;
      else ev_tail_error <= 1'b1;
    end
    if (state_q == S_STOPPED) begin
      tail <= '0;
      doorbell_q <= 1'b0;
    end
    if (rst) begin
      state_q <= S_STOPPED;
      quiet_cycles_q <= '0;
      ev_tail_error <= 1'b0;
    end
  end

  assign reset = state_q == S_STOPPED;
  assign clear = state_q == S_STOPPED && cfg_run;
  assign run = state_q == S_RUN;
  assign stopping = state_q == S_STOPPING;
endmodule
