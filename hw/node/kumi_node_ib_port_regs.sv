// SPDX-License-Identifier: Apache-2.0
//
// Register block of an InfiniBand port (regs/ib_port.rdl): settings and commands for kumi_ib_link,
// its state and PortCounters.
//
// cfg: settings, with cfg.set_state for one cycle per command. With ctrl.auto_active a port that
//   has been Init for AUTO_CYCLES is armed, and one that has been Armed for as long is activated.
// mail_ev: pulses of the mailbox, in the order of the counters bad_icrc .. mail_bad, the first in
//   bit 0. agent_full, agent_ev: pulses of the management agent and the buffer before it.
//   coming_up: the port is on its way to Active by itself.
// counters, agent_clear, agent_lid, agent_lmc, is_sm: for the management agent, if AGENT.
module kumi_node_ib_port_regs
  import kumi_ib_link_pkg::*;
  import kumi_ib_mgmt_pkg::ib_agent_events_t;
#(
    parameter int LANES       = 4,
    parameter int DATA_W      = 64,
    parameter int DATA_VLS    = 4,
    parameter int MTU_CAP     = 4,
    parameter bit AGENT       = 1'b0,
    parameter int AUTO_CYCLES = 1024
) (
    input  logic                             clk,
    input  logic                             rst,
           kumi_axil_if.slv                  s_axil,
    input  ib_link_status_t                  status,
    input  ib_link_events_t                  ev,
    input  logic                 [LANES-1:0] signal,
    input  logic                 [      3:0] mail_ev,
    input  logic                             agent_full,
    input  ib_agent_events_t                 agent_ev,
    output ib_link_cfg_t                     cfg,
    output logic                 [     15:0] lid,
    output logic                 [      2:0] lmc,
    output logic                             lid_only,
    output logic                             coming_up,
    output port_counters_t                   counters,
    input  port_counters_clear_t             agent_clear,
    input  logic                 [     15:0] agent_lid,
    input  logic                 [      2:0] agent_lmc,
    output logic                             is_sm
);
  localparam int AUTO_W = $clog2(AUTO_CYCLES + 1);

  kumi_ib_port_regs_pkg::kumi_ib_port_regs__in_t  hwif_in;
  kumi_ib_port_regs_pkg::kumi_ib_port_regs__out_t hwif_out;

  kumi_ib_port_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- settings -----------------------------------------------------------------------------
  logic [AUTO_W-1:0] wait_q;
  port_state_e state_q, auto_state;
  logic auto_due;

  assign coming_up = hwif_out.ctrl.auto_active.value &&
      (status.port_state == PORT_INIT || status.port_state == PORT_ARMED);
  assign auto_due = wait_q == AUTO_W'(AUTO_CYCLES);
  assign auto_state = status.port_state == PORT_INIT ? PORT_ARMED : PORT_ACTIVE;
  always_ff @(posedge clk) begin
    state_q <= status.port_state;
    if (!coming_up || state_q != status.port_state || auto_due) wait_q <= '0;
    else wait_q <= wait_q + 1'b1;
    if (rst) begin
      state_q <= PORT_DOWN;
      wait_q  <= '0;
    end
  end

  always_comb begin
    cfg.enable         = hwif_out.ctrl.enable.value;
    cfg.mtu            = hwif_out.ctrl.mtu.value;
    cfg.oper_vls       = hwif_out.ctrl.oper_vls.value;
    cfg.phy_errors     = hwif_out.ctrl.phy_errors.value;
    cfg.overrun_errors = hwif_out.ctrl.overrun_errors.value;
    cfg.high_limit     = hwif_out.ctrl.high_limit.value;
    cfg.sl2vl          = {hwif_out.sl2vl_hi.value.value, hwif_out.sl2vl_lo.value.value};
    for (int i = 0; i < ARB_ENTRIES; i++) begin
      cfg.arb_high[i].vl     = hwif_out.arb_high[i].vl.value;
      cfg.arb_high[i].weight = hwif_out.arb_high[i].weight.value;
      cfg.arb_low[i].vl      = hwif_out.arb_low[i].vl.value;
      cfg.arb_low[i].weight  = hwif_out.arb_low[i].weight.value;
    end
    cfg.set_state = PORT_NOP;
    if (auto_due && coming_up) cfg.set_state = auto_state;
    if (hwif_out.command.activate.value) cfg.set_state = PORT_ACTIVE;
    if (hwif_out.command.arm.value) cfg.set_state = PORT_ARMED;
    if (hwif_out.command.down.value) cfg.set_state = PORT_DOWN;
  end

  assign lid = hwif_out.lid.lid.value;
  assign lmc = hwif_out.lid.lmc.value;
  assign lid_only = hwif_out.lid.only.value;
  assign is_sm = hwif_out.lid.is_sm.value;
  assign hwif_in.agent.lid.next = agent_lid;
  assign hwif_in.agent.lmc.next = agent_lmc;
  assign hwif_in.agent.present.next = AGENT;

  // ---- state --------------------------------------------------------------------------------
  assign hwif_in.state.phys.next = status.phys_state;
  assign hwif_in.state.port.next = status.port_state;
  assign hwif_in.state.present.next = 4'(signal);
  assign hwif_in.shape.lanes.next = 4'(LANES);
  assign hwif_in.shape.data_vls.next = 4'(DATA_VLS);
  assign hwif_in.shape.mtu_cap.next = 3'(MTU_CAP);
  assign hwif_in.shape.symbols.next = 4'(DATA_W / 8);

  // ---- counters -----------------------------------------------------------------------------
  kumi_ib_port_counters u_counters (
      .clk,
      .rst,
      .ev,
      .relay_error(1'b0),
      .relay_discard(1'b0),
      .xmit_constraint(1'b0),
      .rcv_constraint(1'b0),
      .clear({$bits(port_counters_clear_t) {hwif_out.command.clear.value}} | agent_clear),
      .counters
  );

  assign hwif_in.symbol_error.value.next = 32'(counters.symbol_error);
  assign hwif_in.link_error_recovery.value.next = 32'(counters.link_error_recovery);
  assign hwif_in.link_downed.value.next = 32'(counters.link_downed);
  assign hwif_in.rcv_errors.value.next = 32'(counters.rcv_errors);
  assign hwif_in.rcv_remote_phys_errors.value.next = 32'(counters.rcv_remote_phys_errors);
  assign hwif_in.rcv_switch_relay_errors.value.next = 32'(counters.rcv_switch_relay_errors);
  assign hwif_in.xmit_discards.value.next = 32'(counters.xmit_discards);
  assign hwif_in.xmit_constraint_errors.value.next = 32'(counters.xmit_constraint_errors);
  assign hwif_in.rcv_constraint_errors.value.next = 32'(counters.rcv_constraint_errors);
  assign hwif_in.link_integrity_errors.value.next = 32'(counters.link_integrity_errors);
  assign hwif_in.buffer_overrun_errors.value.next = 32'(counters.buffer_overrun_errors);
  assign hwif_in.vl15_dropped.value.next = 32'(counters.vl15_dropped);
  assign hwif_in.xmit_data.value.next = counters.xmit_data;
  assign hwif_in.rcv_data.value.next = counters.rcv_data;
  assign hwif_in.xmit_pkts.value.next = counters.xmit_pkts;
  assign hwif_in.rcv_pkts.value.next = counters.rcv_pkts;
  assign hwif_in.xmit_wait.value.next = counters.xmit_wait;

  kumi_event_counters #(
      .N(18)
  ) u_drops (
      .clk,
      .rst,
      .ev({
        agent_ev.bad_m_key,
        agent_ev.bad_route,
        agent_ev.bad_packet,
        agent_ev.bad_icrc,
        agent_full,
        mail_ev,
        ev.drops.bad_fc,
        ev.drops.vl15_full,
        ev.drops.overrun,
        ev.drops.wrong_state,
        ev.drops.bad_vl,
        ev.drops.bad_length,
        ev.drops.bad_lver,
        ev.drops.remote_bad,
        ev.drops.bad_packet
      }),
      .req(hwif_out.drops.req),
      .req_is_wr(hwif_out.drops.req_is_wr),
      .req_index(6'(hwif_out.drops.addr[6:2])),
      .rd_ack(hwif_in.drops.rd_ack),
      .rd_data(hwif_in.drops.rd_data),
      .wr_ack(hwif_in.drops.wr_ack)
  );

  logic unused;
  assign unused = ^{counters, agent_ev, hwif_out.drops.addr[1:0], hwif_out.drops.wr_data,
                    hwif_out.drops.wr_biten};
endmodule
