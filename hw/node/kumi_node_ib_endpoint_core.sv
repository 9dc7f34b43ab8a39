// SPDX-License-Identifier: Apache-2.0
//
// Node: an InfiniBand endpoint with one port, 1x or 4x, and a mailbox: software sends and receives
// whole packets on every lane, and sets the port by registers.
//
// s_ib, m_ib: port p1, symbols of the 8b/10b code (kumi_ib_link). 4x at 64 bits: 125 MHz is 2.5
//   Gb/s a lane, 250 MHz 5 Gb/s; 4x at 32 bits: 250 MHz 2.5 Gb/s; 1x (32 bits): 62.5 MHz 2.5 Gb/s,
//   125 MHz 5 Gb/s, 250 MHz 10 Gb/s.
// AGENT: 0: registers set the port. 1: a management agent does, at the command of a subnet manager;
//   software sends to it as its local manager with push_option.dest 0x81, and gets what it
//   delivers. node_guid, node_description (first character in the highest byte) are those of its
//   NodeInfo and NodeDescription, stable from reset on.
// s_axil: registers; port at 0x1000 (regs/ib_port.rdl), mailbox at 0x2000 (regs/mmio_fifo.rdl).
// busy: the link trains, the port comes up, or a packet passed less than IDLE cycles ago.
module kumi_node_ib_endpoint_core
  import kumi_ib_link_pkg::*;
#(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int RX_BYTES = 32768,  // receive buffer of the mailbox
    parameter bit AGENT = 1'b0,  // 1: with a management agent
    parameter int TICK = 512,  // of the agent: cycles of 4.096 us
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    output logic [DATA_W-1:0] m_ib_p1_data,
    output logic [DATA_W/8-1:0] m_ib_p1_k,
    output logic m_ib_p1_quiet,
    input logic [DATA_W-1:0] s_ib_p1_data,
    input logic [DATA_W/8-1:0] s_ib_p1_k,
    input logic [DATA_W/8-1:0] s_ib_p1_err,
    input logic [LANES-1:0] s_ib_p1_signal,

    kumi_axil_if.slv s_axil,

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
  localparam int IDLE = 1023;  // cycles
  localparam int IDLE_W = $clog2(IDLE + 1);

  kumi_axil_if axil[2] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("ib_endpoint"),
      .BLOCKS(2),
      .KINDS ({kumi_regs_pkg::BLOCK_MMIO_FIFO, kumi_regs_pkg::BLOCK_IB_PORT}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
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
      .s_data(s_ib_p1_data),
      .s_k(s_ib_p1_k),
      .s_err(s_ib_p1_err),
      .s_signal(s_ib_p1_signal),
      .m_data(m_ib_p1_data),
      .m_k(m_ib_p1_k),
      .m_quiet(m_ib_p1_quiet)
  );

  // ---- software -----------------------------------------------------------------------------
  port_counters_t counters;
  port_counters_clear_t agent_clear;
  logic [15:0] lid, reg_lid, agent_lid;
  logic [2:0] lmc, reg_lmc, agent_lmc;
  logic lid_only, coming_up, is_sm, agent_full;
  kumi_ib_mgmt_pkg::ib_agent_events_t agent_ev;
  logic [3:0] mail_ev;

  kumi_node_ib_port_regs #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .AGENT(AGENT)
  ) u_port_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .status,
      .ev,
      .signal(s_ib_p1_signal),
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

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) mail_tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) mail_rx ();

  kumi_node_ib_mailbox #(
      .DATA_W  (DATA_W),
      .RX_BYTES(RX_BYTES)
  ) u_mailbox (
      .clk,
      .rst,
      .s_axil(axil[1]),
      .lid,
      .lmc,
      .lid_only,
      .m_axis(mail_tx),
      .s_axis(mail_rx),
      .ev(mail_ev)
  );

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
        .s_host(mail_tx),
        .m_host(mail_rx),
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
    assign tx.tdata = mail_tx.tdata;
    assign tx.tkeep = mail_tx.tkeep;
    assign tx.tvalid = mail_tx.tvalid;
    assign tx.tlast = mail_tx.tlast;
    assign tx.tuser = mail_tx.tuser;
    assign tx.tid = mail_tx.tid;
    assign tx.tdest = mail_tx.tdest;
    assign mail_tx.tready = tx.tready;
    assign mail_rx.tdata = rx.tdata;
    assign mail_rx.tkeep = rx.tkeep;
    assign mail_rx.tvalid = rx.tvalid;
    assign mail_rx.tlast = rx.tlast;
    assign mail_rx.tuser = rx.tuser;
    assign mail_rx.tid = rx.tid;
    assign mail_rx.tdest = rx.tdest;
    assign rx.tready = mail_rx.tready;
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

  // ---- busy ---------------------------------------------------------------------------------
  logic [IDLE_W-1:0] idle_q;
  logic training;

  assign training = cfg.enable && &s_ib_p1_signal && status.phys_state != PHYS_LINK_UP;
  assign busy = training || coming_up || idle_q != '0;
  always_ff @(posedge clk) begin
    if (tx.tvalid || rx.tvalid || ev.xmit_wait) idle_q <= IDLE_W'(IDLE);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  logic unused;
  assign unused = ^now;
endmodule
