// SPDX-License-Identifier: Apache-2.0
//
// Context table of the command engine: the command of each context, the places of its chunks, its
// outstanding and failed I/O.
//
// take, new_ctx: allocates free_c. at: the context that is read and updated: we, now (the whole
//   entry), clear (its errors), done (released); place_*: the place of position j, here: the same,
//   read.
// issue, issue_*: a device request starts. cpl_*: a completion; cpl_kind: kind of the command it
//   belongs to.
// stripe_busy: the stripe `logical` has a context. committing: a commit is active; commit_ended: it
//   has finished and becomes ready. *_any, *_c: contexts that are free, ready (no I/O outstanding),
//   waiting for placement, or without I/O; io_pending: any I/O is outstanding.
// Outputs are combinational; updates take effect in the next cycle.
module kumi_array_context_table
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int WIDTH = 8,  // 1..30
    parameter int CONTEXTS = 8  // 2..16
) (
    input logic clk,
    input logic rst,
    input logic take,
    input context_t new_ctx,
    input logic [3:0] at,
    input logic we,
    input context_t now,
    input logic clear,
    input logic done,
    output context_t ctx,
    output chunk_mask_t errors,
    output logic ctx_io_pending,
    input logic [4:0] j,
    input logic place_we,
    input logic [63:0] place,
    output logic [63:0] here,
    input logic issue,
    input logic [3:0] issue_c,
    input logic [4:0] issue_j,
    input logic cpl_valid,
    input disk_rsp_t cpl_rsp,
    output context_kind_e cpl_kind,
    input logic [31:0] logical,
    output logic stripe_busy,
    output logic committing,
    input logic commit_ended,
    output logic free_any,
    output logic free_all,
    output logic [3:0] free_c,
    output logic ready_any,
    output logic [3:0] ready_c,
    output context_kind_e ready_kind,
    output logic placing_any,
    output logic [3:0] placing_c,
    output logic idle_any,
    output logic [3:0] idle_c,
    output logic io_pending
);
  localparam int C_W = $clog2(CONTEXTS);
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);

  if (WIDTH < 1 || WIDTH > 30 || CONTEXTS < 2 || CONTEXTS > 16) begin : gen_check
    $fatal(0, "WIDTH must be 1..30, CONTEXTS 2..16 (%m)");
  end

  context_t context_q[CONTEXTS];
  logic [WIDTH-1:0] wait_q[CONTEXTS], error_q[CONTEXTS];
  logic [63:0] place_mem[CONTEXTS << 5];
  logic [CONTEXTS-1:0] is_stripe_busy, is_free, is_ready, is_placing, is_waiting, is_commit;

  assign ctx = context_q[C_W'(at)];
  assign errors = 32'(error_q[C_W'(at)]);
  assign ctx_io_pending = wait_q[C_W'(at)] != '0;
  assign here = place_mem[{C_W'(at), j}];
  assign cpl_kind = context_q[C_W'(cpl_rsp.context_)].kind;
  assign ready_kind = context_q[C_W'(ready_c)].kind;
  assign stripe_busy = |is_stripe_busy;
  assign committing = |is_commit;
  assign free_any = |is_free;
  assign free_all = &is_free;
  assign ready_any = |is_ready;
  assign placing_any = |is_placing;
  assign idle_any = !(&is_waiting);
  assign io_pending = |is_waiting;

  always_comb begin
    free_c = '0;
    ready_c = '0;
    placing_c = '0;
    idle_c = '0;
    for (int i = CONTEXTS - 1; i >= 0; i--) begin
      is_commit[i] = context_q[i].state != CTX_FREE && context_q[i].kind == KIND_COMMIT;
      is_stripe_busy[i] = context_q[i].state != CTX_FREE && !is_commit[i]
          && context_q[i].logical == logical;
      is_free[i] = context_q[i].state == CTX_FREE;
      is_waiting[i] = wait_q[i] != '0;
      is_ready[i] = context_q[i].state == CTX_BUSY && !is_waiting[i] && (!is_commit[i]
          || commit_ended);
      is_placing[i] = context_q[i].state == CTX_PLACING;
      if (is_free[i]) free_c = 4'(i);
      if (is_ready[i]) ready_c = 4'(i);
      if (is_placing[i]) placing_c = 4'(i);
      if (!is_waiting[i]) idle_c = 4'(i);
    end
  end

  always_ff @(posedge clk) begin
    if (place_we) place_mem[{C_W'(at), j}] <= place;
    if (we) context_q[C_W'(at)] <= now;
    if (take) context_q[C_W'(free_c)] <= new_ctx;
    if (done) context_q[C_W'(at)].state <= CTX_FREE;
    if (clear) error_q[C_W'(at)] <= '0;
    if (issue) wait_q[C_W'(issue_c)][POSITION_W'(issue_j)] <= 1'b1;
    if (cpl_valid) begin
      wait_q[C_W'(cpl_rsp.context_)][POSITION_W'(cpl_rsp.position)] <= 1'b0;
      if (cpl_rsp.status != '0)
        error_q[C_W'(cpl_rsp.context_)][POSITION_W'(cpl_rsp.position)] <= 1'b1;
    end
    if (rst) begin
      for (int i = 0; i < CONTEXTS; i++) begin
        context_q[i].state <= CTX_FREE;
        wait_q[i] <= '0;
      end
    end
  end

  logic unused;
  assign unused = ^{at, free_c, issue_c, issue_j, cpl_rsp};
endmodule
