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

    output logic [DATA_W-1:0] m_ib_p1_data,
    output logic [DATA_W/8-1:0] m_ib_p1_k,
    output logic m_ib_p1_quiet,
    input logic [DATA_W-1:0] s_ib_p1_data,
    input logic [DATA_W/8-1:0] s_ib_p1_k,
    input logic [DATA_W/8-1:0] s_ib_p1_err,
    input logic [LANES-1:0] s_ib_p1_signal,
    output logic [DATA_W-1:0] m_ib_p2_data,
    output logic [DATA_W/8-1:0] m_ib_p2_k,
    output logic m_ib_p2_quiet,
    input logic [DATA_W-1:0] s_ib_p2_data,
    input logic [DATA_W/8-1:0] s_ib_p2_k,
    input logic [DATA_W/8-1:0] s_ib_p2_err,
    input logic [LANES-1:0] s_ib_p2_signal,
    output logic [DATA_W-1:0] m_ib_p3_data,
    output logic [DATA_W/8-1:0] m_ib_p3_k,
    output logic m_ib_p3_quiet,
    input logic [DATA_W-1:0] s_ib_p3_data,
    input logic [DATA_W/8-1:0] s_ib_p3_k,
    input logic [DATA_W/8-1:0] s_ib_p3_err,
    input logic [LANES-1:0] s_ib_p3_signal,
    output logic [DATA_W-1:0] m_ib_p4_data,
    output logic [DATA_W/8-1:0] m_ib_p4_k,
    output logic m_ib_p4_quiet,
    input logic [DATA_W-1:0] s_ib_p4_data,
    input logic [DATA_W/8-1:0] s_ib_p4_k,
    input logic [DATA_W/8-1:0] s_ib_p4_err,
    input logic [LANES-1:0] s_ib_p4_signal,
    output logic [DATA_W-1:0] m_ib_p5_data,
    output logic [DATA_W/8-1:0] m_ib_p5_k,
    output logic m_ib_p5_quiet,
    input logic [DATA_W-1:0] s_ib_p5_data,
    input logic [DATA_W/8-1:0] s_ib_p5_k,
    input logic [DATA_W/8-1:0] s_ib_p5_err,
    input logic [LANES-1:0] s_ib_p5_signal,
    output logic [DATA_W-1:0] m_ib_p6_data,
    output logic [DATA_W/8-1:0] m_ib_p6_k,
    output logic m_ib_p6_quiet,
    input logic [DATA_W-1:0] s_ib_p6_data,
    input logic [DATA_W/8-1:0] s_ib_p6_k,
    input logic [DATA_W/8-1:0] s_ib_p6_err,
    input logic [LANES-1:0] s_ib_p6_signal,
    output logic [DATA_W-1:0] m_ib_p7_data,
    output logic [DATA_W/8-1:0] m_ib_p7_k,
    output logic m_ib_p7_quiet,
    input logic [DATA_W-1:0] s_ib_p7_data,
    input logic [DATA_W/8-1:0] s_ib_p7_k,
    input logic [DATA_W/8-1:0] s_ib_p7_err,
    input logic [LANES-1:0] s_ib_p7_signal,
    output logic [DATA_W-1:0] m_ib_p8_data,
    output logic [DATA_W/8-1:0] m_ib_p8_k,
    output logic m_ib_p8_quiet,
    input logic [DATA_W-1:0] s_ib_p8_data,
    input logic [DATA_W/8-1:0] s_ib_p8_k,
    input logic [DATA_W/8-1:0] s_ib_p8_err,
    input logic [LANES-1:0] s_ib_p8_signal,

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

  // ---- lanes --------------------------------------------------------------------------------
  logic [BUILT-1:0][DATA_W-1:0] rx_data, tx_data;
  logic [BUILT-1:0][BYTES-1:0] rx_k, rx_err, tx_k;
  logic [BUILT-1:0][LANES-1:0] rx_signal;
  logic [BUILT-1:0] tx_quiet;

  assign rx_data[0] = s_ib_p1_data;
  assign rx_k[0] = s_ib_p1_k;
  assign rx_err[0] = s_ib_p1_err;
  assign rx_signal[0] = s_ib_p1_signal;
  assign m_ib_p1_data = tx_data[0];
  assign m_ib_p1_k = tx_k[0];
  assign m_ib_p1_quiet = tx_quiet[0];
  assign rx_data[1] = s_ib_p2_data;
  assign rx_k[1] = s_ib_p2_k;
  assign rx_err[1] = s_ib_p2_err;
  assign rx_signal[1] = s_ib_p2_signal;
  assign m_ib_p2_data = tx_data[1];
  assign m_ib_p2_k = tx_k[1];
  assign m_ib_p2_quiet = tx_quiet[1];
  assign rx_data[2] = s_ib_p3_data;
  assign rx_k[2] = s_ib_p3_k;
  assign rx_err[2] = s_ib_p3_err;
  assign rx_signal[2] = s_ib_p3_signal;
  assign m_ib_p3_data = tx_data[2];
  assign m_ib_p3_k = tx_k[2];
  assign m_ib_p3_quiet = tx_quiet[2];
  assign rx_data[3] = s_ib_p4_data;
  assign rx_k[3] = s_ib_p4_k;
  assign rx_err[3] = s_ib_p4_err;
  assign rx_signal[3] = s_ib_p4_signal;
  assign m_ib_p4_data = tx_data[3];
  assign m_ib_p4_k = tx_k[3];
  assign m_ib_p4_quiet = tx_quiet[3];
  assign rx_data[4] = s_ib_p5_data;
  assign rx_k[4] = s_ib_p5_k;
  assign rx_err[4] = s_ib_p5_err;
  assign rx_signal[4] = s_ib_p5_signal;
  assign m_ib_p5_data = tx_data[4];
  assign m_ib_p5_k = tx_k[4];
  assign m_ib_p5_quiet = tx_quiet[4];
  assign rx_data[5] = s_ib_p6_data;
  assign rx_k[5] = s_ib_p6_k;
  assign rx_err[5] = s_ib_p6_err;
  assign rx_signal[5] = s_ib_p6_signal;
  assign m_ib_p6_data = tx_data[5];
  assign m_ib_p6_k = tx_k[5];
  assign m_ib_p6_quiet = tx_quiet[5];
  assign rx_data[6] = s_ib_p7_data;
  assign rx_k[6] = s_ib_p7_k;
  assign rx_err[6] = s_ib_p7_err;
  assign rx_signal[6] = s_ib_p7_signal;
  assign m_ib_p7_data = tx_data[6];
  assign m_ib_p7_k = tx_k[6];
  assign m_ib_p7_quiet = tx_quiet[6];
  assign rx_data[7] = s_ib_p8_data;
  assign rx_k[7] = s_ib_p8_k;
  assign rx_err[7] = s_ib_p8_err;
  assign rx_signal[7] = s_ib_p8_signal;
  assign m_ib_p8_data = tx_data[7];
  assign m_ib_p8_k = tx_k[7];
  assign m_ib_p8_quiet = tx_quiet[7];
  if (PORTS < BUILT) begin : gen_silent
    assign tx_data[BUILT-1:PORTS]  = '0;
    assign tx_k[BUILT-1:PORTS]     = '0;
    assign tx_quiet[BUILT-1:PORTS] = '1;
    logic unused;
    assign unused = ^{rx_data[BUILT-1:PORTS], rx_k[BUILT-1:PORTS], rx_err[BUILT-1:PORTS],
                      rx_signal[BUILT-1:PORTS]};
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
  port_counters_clear_t cnt_clear;
  logic [PORTS:1][4:0] hoq_life;
  logic [15:0] lid, lft_lid, mft_lid, mft_mask;
  logic [7:0] lft_port, s2v_in, s2v_out;
  logic [ 3:0] mft_position;
  logic [63:0] s2v_table;
  logic [31:0] cnt_data;
  logic [ 6:0] cnt_port;
  logic [ 4:0] cnt_word;
  logic tables_ready, ready, lft_we, mft_we, s2v_we, cnt_clear_valid;

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
      .s_data(rx_data[PORTS-1:0]),
      .s_k(rx_k[PORTS-1:0]),
      .s_err(rx_err[PORTS-1:0]),
      .s_signal(rx_signal[PORTS-1:0]),
      .m_data(tx_data[PORTS-1:0]),
      .m_k(tx_k[PORTS-1:0]),
      .m_quiet(tx_quiet[PORTS-1:0])
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
      .cnt_port,
      .cnt_word,
      .cnt_data,
      .cnt_clear_valid,
      .cnt_clear,
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

  kumi_ib_counter_read #(
      .PORTS(PORTS)
  ) u_counter_read (
      .clk,
      .rst,
      .counters,
      .clear,
      .port(cnt_port),
      .word(cnt_word),
      .data(cnt_data),
      .clear_valid(cnt_clear_valid),
      .clear_mask(cnt_clear)
  );

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

  kumi_ib_switch_regs_pkg::kumi_ib_switch_regs__in_t hwif_in;

  kumi_ib_switch_regs u_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .hwif_in
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
      assign hwif_in.state[i].present.next = 4'(rx_signal[i]);
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
    assign training[p] = cfg[p].enable && &rx_signal[p-1] && status[p].phys_state != PHYS_LINK_UP;
    assign moving[p]   = ev[p].rcv_pkt || ev[p].xmit_pkt || ev[p].xmit_wait;
  end
  assign busy = |training || idle_q != '0;
  always_ff @(posedge clk) begin
    if (|moving || to_agent.tvalid || from_agent.tvalid) idle_q <= IDLE_W'(IDLE);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  logic unused;
  assign unused = ^{now, sw_cfg, relay, no_drop, agent_ev, vl_stall, lmc};
endmodule
