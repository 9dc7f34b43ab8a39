// SPDX-License-Identifier: Apache-2.0
//
// What depends on time in the management agent: M_Key leases of all ports with a LID, and traps.
//
// set_*: words that are written to the attribute memory. verdict, key_bad, key_good: the M_Key of a
//   datagram at port end_index; protect, violations: of this port, 1 cycle later. The rest: see
//   kumi_ib_trap.
module kumi_ib_agent_timed
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE    = 2,
    parameter int PORTS        = 4,
    parameter int TICK         = 512,     // cycles of 4.096 us
    parameter int SECOND_TICKS = 244141,  // ticks of a second
    parameter int TRAP_REPEATS = 8
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      set_valid,
    input  attr_write_t               set,
    input  logic            [    6:0] end_index,
    input  logic                      verdict,
    input  logic                      key_bad,
    input  logic                      key_good,
    output logic            [    1:0] protect,
    output logic            [   15:0] violations,
    // traps
    input  ib_link_status_t [PORTS:1] status,
    input  logic            [PORTS:1] commanded_down,
    input  logic                      clear_change,
    input  end_port_t                 own,
    input  logic                      repress,
    input  logic            [   31:0] repress_tid,
    output logic                      state_change,
    output logic                      trap_valid,
    input  logic                      trap_ready,
    output logic            [   31:0] trap_tid
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam int PORT_W = $clog2(PORTS + 1);
  localparam int TICK_W = $clog2(TICK + 1);
  localparam int SECOND_W = $clog2(SECOND_TICKS + 1);

  logic [PORTS:0][1:0] protect_all;
  logic [PORTS:0][15:0] violations_all;
  logic [TICK_W-1:0] tick_left_q;
  logic [SECOND_W-1:0] second_left_q;
  logic tick_q, second_q;

  always_ff @(posedge clk) begin
    protect <= protect_all[PORT_W'(end_index)];
    violations <= violations_all[PORT_W'(end_index)];
    tick_q <= tick_left_q == '0;
    tick_left_q <= tick_left_q == '0 ? TICK_W'(TICK - 1) : tick_left_q - 1'b1;
    second_q <= tick_q && second_left_q == '0;
    if (tick_q) begin
      second_left_q <= second_left_q == '0 ? SECOND_W'(SECOND_TICKS - 1) : second_left_q - 1'b1;
    end
    if (rst) begin
      tick_q <= 1'b0;
      second_q <= 1'b0;
      tick_left_q <= TICK_W'(TICK - 1);
      second_left_q <= SECOND_W'(SECOND_TICKS - 1);
    end
  end

  for (genvar p = 0; p <= PORTS; p++) begin : gen_key
    if (SWITCH == (p == 0)) begin : gen_end
      logic mine;
      assign mine = verdict && end_index == 7'(p);
      kumi_ib_m_key u_m_key (
          .clk,
          .rst,
          .set_valid(set_valid && set.block == BLK_PORT_INFO && set.index == 16'(p)),
          .set,
          .bad(mine && key_bad),
          .good(mine && key_good),
          .second(second_q),
          .protect(protect_all[p]),
          .violations(violations_all[p])
      );
    end else begin : gen_none
      assign protect_all[p] = '0;
      assign violations_all[p] = '0;
    end
  end

  if (SWITCH) begin : gen_trap
    kumi_ib_trap #(
        .PORTS  (PORTS),
        .REPEATS(TRAP_REPEATS)
    ) u_trap (
        .clk,
        .rst,
        .tick (tick_q),
        .status,
        .commanded_down,
        .clear(clear_change),
        .own,
        .repress,
        .repress_tid,
        .state_change,
        .trap_valid,
        .trap_ready,
        .tid  (trap_tid)
    );
  end else begin : gen_no_trap
    logic unused;
    assign unused = ^{trap_ready, repress, clear_change, commanded_down, tick_q, status, own,
                      repress_tid};
    assign state_change = 1'b0;
    assign trap_valid = 1'b0;
    assign trap_tid = '0;
  end
endmodule
