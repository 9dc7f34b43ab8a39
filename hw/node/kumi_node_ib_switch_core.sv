// SPDX-License-Identifier: Apache-2.0
//
// Node: an InfiniBand switch of 4 to 8 ports with its management agent (kumi_ib_switch,
// kumi_ib_agent). A subnet manager sets it, by packets.
//
// s_ib, m_ib: ports p1 to p8, as of kumi_node_ib_endpoint_core; those beyond PORTS are silent.
// s_axil: registers; state and counters of the ports at 0x1000 (regs/ib_switch.rdl).
// node_guid, node_description: of the agent, stable from reset on.
// busy: a link trains, or a packet passed less than IDLE cycles ago.
module kumi_node_ib_switch_core
  import kumi_ib_link_pkg::*;
  import kumi_ib_mgmt_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter int PORTS = 8,  // 4 to 8
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle and port, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 64,  // of 64 bytes per port and VL
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int LFT_CAP = 1024,  // LIDs of the forwarding table, a multiple of 64
    parameter int MFT_CAP = 64,  // multicast LIDs, a power of two
    parameter int TICK = 512,  // cycles of 4.096 us
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    output logic [8:1][DATA_W-1:0] m_ib_p_data,
    output logic [8:1][DATA_W/8-1:0] m_ib_p_k,
    output logic [8:1] m_ib_p_quiet,
    input logic [8:1][DATA_W-1:0] s_ib_p_data,
    input logic [8:1][DATA_W/8-1:0] s_ib_p_k,
    input logic [8:1][DATA_W/8-1:0] s_ib_p_err,
    input logic [8:1][LANES-1:0] s_ib_p_signal,

    kumi_axil_if.slv s_axil,

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
  localparam int BUILT = 8;
  localparam int BYTES = DATA_W / 8;
  localparam int IDLE = 1023;  // cycles
  localparam int IDLE_W = $clog2(IDLE + 1);

  if (PORTS < 4 || PORTS > BUILT) begin : gen_check
    $fatal(0, "PORTS must be 4..8 (%m)");
  end

  if (PORTS < BUILT) begin : gen_silent
    assign m_ib_p_data[BUILT:PORTS+1]  = '0;
    assign m_ib_p_k[BUILT:PORTS+1]     = '0;
    assign m_ib_p_quiet[BUILT:PORTS+1] = '1;
    logic unused;
    assign unused = ^{s_ib_p_data[BUILT:PORTS+1], s_ib_p_k[BUILT:PORTS+1],
                      s_ib_p_err[BUILT:PORTS+1], s_ib_p_signal[BUILT:PORTS+1]};
  end

  // ---- switch and agent ---------------------------------------------------------------------
  ib_link_cfg_t [PORTS:1] cfg;
  ib_link_status_t [PORTS:1] status;
  ib_link_events_t [PORTS:1] ev;
  ib_relay_events_t [PORTS:0] relay;
  ib_switch_cfg_t sw_cfg;
  ib_agent_events_t agent_ev;
  logic [PORTS:1][2:0] vl_stall;
  logic [2:0] lmc;
  port_counters_t [PORTS:1] counters;
  port_counters_clear_t [PORTS:1] clear;
  logic [PORTS:1][4:0] hoq_life;
  logic [15:0] lid, lft_lid, mft_lid, mft_mask;
  logic [7:0] lft_port, s2v_in, s2v_out;
  logic [ 3:0] mft_position;
  logic [63:0] s2v_table;
  logic tables_ready, ready, lft_we, mft_we, s2v_we, mgmt_bad, mgmt_refused;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_agent ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_agent ();

  // The switch is cut-through: what comes from the agent with gaps is stored before.
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) whole ();
  logic [1:0] no_drop;

  kumi_node_buffer #(
      .BYTES(1024)
  ) u_whole (
      .clk,
      .rst,
      .s_axis (from_agent),
      .m_axis (whole),
      .ev_full(no_drop[0]),
      .ev_bad (no_drop[1])
  );

  kumi_ib_switch #(
      .PORTS(PORTS),
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP),
      .TICK(TICK)
  ) u_switch (
      .clk,
      .rst,
      .cfg,
      .status,
      .ev,
      .relay,
      .s_mgmt(whole),
      .m_mgmt(to_agent),
      .mgmt_bad,
      .mgmt_refused,
      .own_lid(lid),
      .tables_ready,
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
      .switch_life(sw_cfg.life_time),
      .hoq_life,
      .s_data(s_ib_p_data[PORTS:1]),
      .s_k(s_ib_p_k[PORTS:1]),
      .s_err(s_ib_p_err[PORTS:1]),
      .s_signal(s_ib_p_signal[PORTS:1]),
      .m_data(m_ib_p_data[PORTS:1]),
      .m_k(m_ib_p_k[PORTS:1]),
      .m_quiet(m_ib_p_quiet[PORTS:1])
  );

  kumi_ib_agent #(
      .NODE_TYPE(2),
      .PORTS(PORTS),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .WIDTH(LANES == 4 ? 2 : 1),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP),
      .TICK(TICK)
  ) u_agent (
      .clk,
      .rst,
      .node_guid,
      .description(node_description),
      .is_sm(1'b0),
      .tables_ready,
      .ready,
      .s_mgmt(to_agent),
      .m_mgmt(from_agent),
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
      .ev(agent_ev)
  );

  for (genvar p = 1; p <= PORTS; p++) begin : gen_counters
    kumi_ib_port_counters u_counters (
        .clk,
        .rst,
        .ev(ev[p]),
        .relay_error(relay[p].no_route || relay[p].no_vl || relay[p].loop),
        .relay_discard(relay[p].discard),
        .xmit_constraint(1'b0),
        .rcv_constraint(1'b0),
        .clear(clear[p]),
        .counters(counters[p])
    );
  end

  // ---- registers ----------------------------------------------------------------------------
  kumi_axil_if axil[1] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("ib_switch"),
      .BLOCKS(1),
      .KINDS (kumi_regs_pkg::BLOCK_IB_SWITCH),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  kumi_ib_switch_regs_pkg::kumi_ib_switch_regs__in_t  hwif_in;
  kumi_ib_switch_regs_pkg::kumi_ib_switch_regs__out_t hwif_out;

  kumi_ib_switch_regs u_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .hwif_in,
      .hwif_out
  );

  kumi_event_counters #(
      .N(9)
  ) u_drops (
      .clk,
      .rst,
      .ev({
        agent_ev.no_manager,
        agent_ev.bad_m_key,
        agent_ev.bad_route,
        agent_ev.bad_packet,
        agent_ev.bad_icrc,
        relay[0].discard,
        relay[0].no_route || relay[0].no_vl || relay[0].loop,
        mgmt_refused,
        mgmt_bad
      }),
      .req(hwif_out.drops.req),
      .req_is_wr(hwif_out.drops.req_is_wr),
      .req_index(6'(hwif_out.drops.addr[5:2])),
      .rd_ack(hwif_in.drops.rd_ack),
      .rd_data(hwif_in.drops.rd_data),
      .wr_ack(hwif_in.drops.wr_ack)
  );

  assign hwif_in.shape.ports.next = 8'(PORTS);
  assign hwif_in.shape.lanes.next = 4'(LANES);
  assign hwif_in.shape.data_vls.next = 4'(DATA_VLS);
  assign hwif_in.shape.symbols.next = 4'(BYTES);
  assign hwif_in.shape.ready.next = ready;
  assign hwif_in.lid.lid.next = lid;
  for (genvar i = 0; i < BUILT; i++) begin : gen_state
    if (i < PORTS) begin : gen_port
      port_counters_t c;
      assign c = counters[i+1];
      assign hwif_in.state[i].phys.next = status[i+1].phys_state;
      assign hwif_in.state[i].port.next = status[i+1].port_state;
      assign hwif_in.state[i].present.next = 4'(s_ib_p_signal[i+1]);
      assign hwif_in.symbol_error[i].value.next = 32'(c.symbol_error);
      assign hwif_in.link_downed[i].value.next = 32'(c.link_downed);
      assign hwif_in.rcv_errors[i].value.next = 32'(c.rcv_errors);
      assign hwif_in.rcv_switch_relay_errors[i].value.next = 32'(c.rcv_switch_relay_errors);
      assign hwif_in.xmit_discards[i].value.next = 32'(c.xmit_discards);
      assign hwif_in.xmit_pkts[i].value.next = c.xmit_pkts;
      assign hwif_in.rcv_pkts[i].value.next = c.rcv_pkts;
      logic unused;
      assign unused = ^c;
    end else begin : gen_none
      assign hwif_in.state[i].phys.next = '0;
      assign hwif_in.state[i].port.next = '0;
      assign hwif_in.state[i].present.next = '0;
      assign hwif_in.symbol_error[i].value.next = '0;
      assign hwif_in.link_downed[i].value.next = '0;
      assign hwif_in.rcv_errors[i].value.next = '0;
      assign hwif_in.rcv_switch_relay_errors[i].value.next = '0;
      assign hwif_in.xmit_discards[i].value.next = '0;
      assign hwif_in.xmit_pkts[i].value.next = '0;
      assign hwif_in.rcv_pkts[i].value.next = '0;
    end
  end

  // ---- busy ---------------------------------------------------------------------------------
  logic [IDLE_W-1:0] idle_q;
  logic [PORTS:1] training, moving;

  for (genvar p = 1; p <= PORTS; p++) begin : gen_busy
    assign training[p] = cfg[p].enable && &s_ib_p_signal[p] && status[p].phys_state != PHYS_LINK_UP;
    assign moving[p] = ev[p].rcv_pkt || ev[p].xmit_pkt || ev[p].xmit_wait;
  end
  assign busy = |training || idle_q != '0;
  always_ff @(posedge clk) begin
    if (|moving || to_agent.tvalid || from_agent.tvalid) idle_q <= IDLE_W'(IDLE);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  logic unused;
  assign unused = ^{now, sw_cfg, relay, no_drop, agent_ev, vl_stall, lmc, hwif_out.drops.addr[1:0],
                    hwif_out.drops.wr_data, hwif_out.drops.wr_biten};
endmodule
