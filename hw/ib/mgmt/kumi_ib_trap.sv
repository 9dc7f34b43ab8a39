// SPDX-License-Identifier: Apache-2.0
//
// Link state changes of a switch's ports: SwitchInfo:PortStateChange, and when a trap 128 is due
// (IBTA volume 1, clauses 14.2.5.4, 14.3.1, 14.3.2).
//
// A change is a transition to Down or Init that the manager did not command. state_change: set by
//   one, cleared by `clear`. With a LID and a manager's LID each change begins a trap with a new
//   tid; it is due (trap_valid) at once and then every 4.096 us times 2^timeout, until `repress`
//   with its tid or REPEATS times. trap_ready: it was sent. tick: pulse every 4.096 us.
module kumi_ib_trap
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int PORTS   = 4,
    parameter int REPEATS = 8
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      tick,
    input  ib_link_status_t [PORTS:1] status,
    input  logic            [PORTS:1] commanded_down,
    input  logic                      clear,
    input  end_port_t                 own,
    input  logic                      repress,
    input  logic            [   31:0] repress_tid,
    output logic                      state_change,
    output logic                      trap_valid,
    input  logic                      trap_ready,
    output logic            [   31:0] tid
);
  localparam int SENT_W = $clog2(REPEATS + 1);

  logic [PORTS:1] changed;
  logic pending_q, changed_q, due_q;
  logic [31:0] wait_q;
  logic [SENT_W-1:0] sent_q;

  for (genvar p = 1; p <= PORTS; p++) begin : gen_port
    port_state_e state_q;
    logic commanded_q;  // the next transition to Down is the manager's
    always_ff @(posedge clk) begin
      state_q <= status[p].port_state;
      changed[p] <= status[p].port_state != state_q && !commanded_q
          && (status[p].port_state == PORT_DOWN || status[p].port_state == PORT_INIT);
      if (commanded_down[p] && state_q != PORT_DOWN) commanded_q <= 1'b1;
      else if (status[p].port_state != state_q) commanded_q <= 1'b0;
      if (rst) begin
        state_q     <= PORT_DOWN;
        changed[p]  <= 1'b0;
        commanded_q <= 1'b0;
      end
    end
  end

  assign trap_valid = pending_q && due_q;

  always_ff @(posedge clk) begin
    changed_q <= |changed;
    if (clear) state_change <= 1'b0;
    due_q <= pending_q && wait_q == '0;
    if (tick && wait_q != '0) wait_q <= wait_q - 1'b1;
    if (repress && repress_tid == tid) pending_q <= 1'b0;
    if (trap_valid && trap_ready) begin
      due_q  <= 1'b0;
      wait_q <= 32'd1 << own.timeout;
      sent_q <= sent_q + 1'b1;
      if (sent_q == SENT_W'(REPEATS - 1)) pending_q <= 1'b0;
    end
    if (changed_q) begin
      state_change <= 1'b1;
      pending_q <= own.lid != '0 && own.sm_lid != '0;
      tid <= tid + 1'b1;
      sent_q <= '0;
    end
    if (rst) begin
      changed_q <= 1'b0;
      state_change <= 1'b0;
      pending_q <= 1'b0;
      due_q <= 1'b0;
      wait_q <= '0;
      sent_q <= '0;
      tid <= '0;
    end
  end

  logic unused;
  assign unused = ^{own, status};
endmodule
