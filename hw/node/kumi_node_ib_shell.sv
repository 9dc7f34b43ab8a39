// SPDX-License-Identifier: Apache-2.0
//
// What every node with an InfiniBand port has: the link, the port's registers and counters, and a
// management agent.
//
// s_ib, m_ib: symbols of the 8b/10b code (kumi_ib_link). 4x at 64 bits: 125 MHz is 2.5 Gb/s a lane,
//   250 MHz 5 Gb/s; 4x at 32 bits: 250 MHz 2.5 Gb/s; 1x (32 bits): 62.5 MHz 2.5 Gb/s, 125 MHz 5
//   Gb/s, 250 MHz 10 Gb/s.
// AGENT: 0: registers set the port, and packets of all lanes are the host's. 1: an agent sets it at
//   the command of a subnet manager (kumi_node_ib_endpoint_agent). Its local manager sends to it
//   with tdest 0x81, and gets what it delivers with tdest 15. node_guid, node_description (first
//   character in the highest byte) are those of its NodeInfo, stable from reset on.
// s_axil: port registers (regs/ib_port.rdl). lid, lmc: of the port; lid_only: deliver no others.
// s_host, m_host: packets from and to the host, tdest the VL; whole packets, good ones only.
// mail_ev: pulses for the port's counters, see kumi_node_ib_port_regs.
// settling: the link trains, or the port is on its way to Active. moving: a packet passes or waits.
module kumi_node_ib_shell
  import kumi_ib_link_pkg::*;
#(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter bit AGENT = 1'b1,  // 1: with a management agent
    parameter int TICK = 512  // of the agent: cycles of 4.096 us
) (
    input logic clk,
    input logic rst,

    output logic [DATA_W-1:0] m_ib_data,
    output logic [DATA_W/8-1:0] m_ib_k,
    output logic m_ib_quiet,
    input logic [DATA_W-1:0] s_ib_data,
    input logic [DATA_W/8-1:0] s_ib_k,
    input logic [DATA_W/8-1:0] s_ib_err,
    input logic [LANES-1:0] s_ib_signal,

    kumi_axil_if.slv s_axil,
    input logic [63:0] node_guid,
    input logic [511:0] node_description,

    kumi_axis_if.snk s_host,
    kumi_axis_if.src m_host,
    input logic [3:0] mail_ev,
    output logic [15:0] lid,
    output logic [2:0] lmc,
    output logic lid_only,

    output logic settling,
    output logic moving
);
  // ---- link ---------------------------------------------------------------------------------
  ib_link_cfg_t cfg, reg_cfg;
  ib_link_status_t status;
  ib_link_events_t ev;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) rx ();

  kumi_ib_link #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP)
  ) u_link (
      .clk,
      .rst,
      .cfg,
      .status,
      .ev,
      .s_axis(tx),
      .m_axis(rx),
      .rx_ready('1),
      .s_data(s_ib_data),
      .s_k(s_ib_k),
      .s_err(s_ib_err),
      .s_signal(s_ib_signal),
      .m_data(m_ib_data),
      .m_k(m_ib_k),
      .m_quiet(m_ib_quiet)
  );

  // ---- registers ----------------------------------------------------------------------------
  port_counters_t counters;
  port_counters_clear_t agent_clear;
  logic [15:0] reg_lid, agent_lid;
  logic [2:0] reg_lmc, agent_lmc;
  logic coming_up, is_sm, agent_full;
  kumi_ib_mgmt_pkg::ib_agent_events_t agent_ev;

  kumi_node_ib_port_regs #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .AGENT(AGENT)
  ) u_port_regs (
      .clk,
      .rst,
      .s_axil,
      .status,
      .ev,
      .signal(s_ib_signal),
      .mail_ev,
      .agent_full,
      .agent_ev,
      .cfg(reg_cfg),
      .lid(reg_lid),
      .lmc(reg_lmc),
      .lid_only,
      .coming_up,
      .counters,
      .agent_clear,
      .agent_lid,
      .agent_lmc,
      .is_sm
  );

  // ---- management ---------------------------------------------------------------------------
  if (AGENT) begin : gen_agent
    kumi_node_ib_endpoint_agent #(
        .LANES(LANES),
        .DATA_W(DATA_W),
        .DATA_VLS(DATA_VLS),
        .MTU_CAP(MTU_CAP),
        .TICK(TICK)
    ) u_agent (
        .clk,
        .rst,
        .node_guid,
        .description(node_description),
        .is_sm,
        .s_link(rx),
        .m_link(tx),
        .s_host,
        .m_host,
        .cfg,
        .status,
        .counters,
        .clear(agent_clear),
        .lid(agent_lid),
        .lmc(agent_lmc),
        .ev_full(agent_full),
        .ev(agent_ev)
    );
    assign lid = agent_lid;
    assign lmc = agent_lmc;
    logic unused;
    assign unused = ^{reg_cfg, reg_lid, reg_lmc};
  end else begin : gen_registers
    assign tx.tdata = s_host.tdata;
    assign tx.tkeep = s_host.tkeep;
    assign tx.tvalid = s_host.tvalid;
    assign tx.tlast = s_host.tlast;
    assign tx.tuser = s_host.tuser;
    assign tx.tid = s_host.tid;
    assign tx.tdest = s_host.tdest;
    assign s_host.tready = tx.tready;
    assign m_host.tdata = rx.tdata;
    assign m_host.tkeep = rx.tkeep;
    assign m_host.tvalid = rx.tvalid;
    assign m_host.tlast = rx.tlast;
    assign m_host.tuser = rx.tuser;
    assign m_host.tid = rx.tid;
    assign m_host.tdest = rx.tdest;
    assign rx.tready = m_host.tready;
    assign cfg = reg_cfg;
    assign lid = reg_lid;
    assign lmc = reg_lmc;
    assign agent_lid = '0;
    assign agent_lmc = '0;
    assign agent_clear = '0;
    assign agent_full = 1'b0;
    assign agent_ev = '0;
    logic unused;
    assign unused = ^{node_guid, node_description, is_sm, counters, TICK};
  end

  assign settling = coming_up || (cfg.enable && &s_ib_signal && status.phys_state != PHYS_LINK_UP);
  assign moving   = tx.tvalid || rx.tvalid || ev.xmit_wait;
endmodule
