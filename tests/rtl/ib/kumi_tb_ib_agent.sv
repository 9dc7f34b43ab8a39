// SPDX-License-Identifier: Apache-2.0
//
// One management agent with port state machines and counters, and the tables that it writes.
//
// link_up: a bit per port. ev_in: events of port `select`, for its counters. cfg_seen ...: settings of
// port `select`. table_*: entry `at` of the forwarding table, of multicast position `position`, and
// of SL to VL for {in, out} = at.
module kumi_tb_ib_agent
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2,
    parameter int PORTS     = 4,
    parameter bit HOST      = 0,
    parameter int LFT_CAP   = 128,
    parameter int MFT_CAP   = 64
) (
    input  logic                       clk,
    input  logic                       rst,
           kumi_axis_if.snk            s_mgmt,
           kumi_axis_if.src            m_mgmt,
    input  logic             [   63:0] node_guid,
    input  logic                       is_sm,
    output logic                       ready,
    input  logic             [PORTS:1] link_up,
    input  ib_link_events_t            ev_in,
    input  logic             [    6:0] select,
    output ib_link_cfg_t               cfg_seen,
    output ib_link_status_t            status_seen,
    output logic             [    4:0] hoq_life_seen,
    output logic             [    2:0] vl_stall_seen,
    output port_counters_t             counters_seen,
    output logic             [   15:0] lid,
    output logic             [    2:0] lmc,
    output ib_switch_cfg_t             sw_cfg,
    input  logic             [   15:0] at,
    input  logic             [    3:0] position,
    output logic             [    7:0] table_lft,
    output logic             [   15:0] table_mft,
    output logic             [   63:0] table_s2v,
    output ib_agent_events_t           ev
);
  localparam int PORT_W = $clog2(PORTS + 1);

  ib_link_cfg_t [PORTS:1] cfg;
  ib_link_status_t [PORTS:1] status;
  port_counters_t [PORTS:1] counters;
  port_counters_clear_t [PORTS:1] clear;
  logic [PORTS:1][4:0] hoq_life;
  logic [PORTS:1][2:0] vl_stall;
  logic lft_we, mft_we, s2v_we;
  logic [15:0] lft_lid, mft_lid, mft_mask;
  logic [7:0] lft_port, s2v_in, s2v_out;
  logic [3:0] mft_position;
  logic [63:0] s2v_table;

  logic [7:0] lft[LFT_CAP];
  logic [15:0] mft[MFT_CAP * 16];
  logic [63:0] s2v[1<<(2*PORT_W)];

  always_ff @(posedge clk) begin
    if (lft_we) lft[lft_lid] <= lft_port;
    if (mft_we) mft[{mft_position, ($clog2(MFT_CAP))'(mft_lid)}] <= mft_mask;
    if (s2v_we) s2v[{PORT_W'(s2v_in), PORT_W'(s2v_out)}] <= s2v_table;
  end
  assign table_lft = lft[at[$clog2(LFT_CAP)-1:0]];
  assign table_mft = mft[{position, at[$clog2(MFT_CAP)-1:0]}];
  assign table_s2v = s2v[{at[8+:PORT_W], at[0+:PORT_W]}];

  assign cfg_seen = cfg[PORT_W'(select)];
  assign status_seen = status[PORT_W'(select)];
  assign hoq_life_seen = hoq_life[PORT_W'(select)];
  assign vl_stall_seen = vl_stall[PORT_W'(select)];
  assign counters_seen = counters[PORT_W'(select)];

  for (genvar p = 1; p <= PORTS; p++) begin : gen_port
    logic up;
    assign up = link_up[p] && cfg[p].enable;
    assign status[p].phys_state = up ? PHYS_LINK_UP : cfg[p].enable ? PHYS_POLLING : PHYS_DISABLED;
    kumi_ib_port_ctrl u_ctrl (
        .clk,
        .rst,
        .set_state(cfg[p].set_state),
        .phy_errors(cfg[p].phy_errors),
        .overrun_errors(cfg[p].overrun_errors),
        .link_up(up),
        .tx_idle(1'b1),
        .link_downed(!up),
        .data_rcvd(1'b0),
        .good_rcvd(1'b0),
        .bad_rcvd(1'b0),
        .overrun(1'b0),
        .fc_rcvd(1'b1),
        .fc_init_rcvd(1'b0),
        .port_state(status[p].port_state),
        .init(),
        .down(),
        .retrain(),
        .ev_integrity(),
        .ev_overrun()
    );
    kumi_ib_port_counters u_counters (
        .clk,
        .rst,
        .ev(select == 7'(p) ? ev_in : '0),
        .relay_error(1'b0),
        .relay_discard('0),
        .xmit_constraint(1'b0),
        .rcv_constraint(1'b0),
        .clear(clear[p]),
        .counters(counters[p])
    );
  end

  kumi_ib_agent #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP),
      .HOST(HOST),
      .TICK(32),
      .SECOND_TICKS(20),
      .TRAP_REPEATS(4)
  ) u_agent (
      .clk,
      .rst,
      .node_guid,
      .description ({"node under test", 392'd0}),
      .is_sm,
      .tables_ready(1'b1),
      .ready,
      .s_mgmt,
      .m_mgmt,
      .cfg,
      .status,
      .hoq_life,
      .vl_stall,
      .lid,
      .lmc,
      .sw_cfg,
      .lft_we,
      .lft_lid,
      .lft_port,
      .mft_we,
      .mft_lid,
      .mft_position,
      .mft_mask,
      .s2v_we,
      .s2v_in,
      .s2v_out,
      .s2v_table,
      .counters,
      .clear,
      .ev
  );
endmodule
