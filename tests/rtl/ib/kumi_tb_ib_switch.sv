// SPDX-License-Identifier: Apache-2.0
//
// A switch with an endpoint's link at each port, cables of CABLE cycles, and counters.
//
// cfg: settings of all ports and endpoints; set_state_*: commands, a field per port; mtu: of the
// switch's ports, 0: that of cfg; unplug: a bit per port. script: this port of the switch receives
// the symbols of s_axis_line instead of its endpoint's (tuser: K flags, code violations above
// them).
// watch: the port of the switch whose symbols leave at m_axis_line and whose counters are seen.
module kumi_tb_ib_switch
  import kumi_ib_link_pkg::*, kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS    = 4,
    parameter  int LANES    = 4,
    parameter  int DATA_W   = 64,
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,
    parameter  int MTU_CAP  = 4,
    localparam int BYTES    = DATA_W / 8,
    localparam int SYMBOLS  = BYTES / LANES
) (
    input  logic                             clk,
    input  logic                             rst,
    input  ib_link_cfg_t                     cfg,
    input  logic           [PORTS-1:0][ 2:0] set_state_switch,
    input  logic           [PORTS-1:0][ 2:0] set_state_ends,
    input  logic           [PORTS-1:0][ 2:0] mtu,
    input  logic           [PORTS-1:0][ 4:0] hoq_life,
    input  logic           [      4:0]       switch_life,
    output logic           [PORTS-1:0][ 2:0] states_switch,
    output logic           [PORTS-1:0][ 2:0] states_ends,
    input  logic           [PORTS-1:0]       unplug,
    input  logic           [PORTS-1:0][15:0] rx_ready,
    input  logic           [      7:0]       script,
    input  logic           [      7:0]       watch,
    output port_counters_t                   counters,
    output port_counters_t                   counters_end,
    output logic           [  PORTS:0][ 7:0] relay,
    output logic           [      1:0]       mgmt_drops,        // of port 0: bad, refused

    input  logic [15:0] own_lid,
    output logic        tables_ready,
    input  logic        lft_we,
    input  logic [15:0] lft_lid,
    input  logic [ 7:0] lft_port,
    input  logic        mft_we,
    input  logic [15:0] mft_lid,
    input  logic [ 3:0] mft_position,
    input  logic [15:0] mft_mask,
    input  logic        s2v_we,
    input  logic [ 7:0] s2v_in,
    input  logic [ 7:0] s2v_out,
    input  logic [63:0] s2v_table,

    kumi_axis_if.snk s_mgmt,
    kumi_axis_if.src m_mgmt,
    kumi_axis_if.snk s_axis[PORTS],
    kumi_axis_if.src m_axis[PORTS],
    kumi_axis_if.snk s_axis_line,
    kumi_axis_if.src m_axis_line
);
  localparam int CABLE = 2;

  typedef struct packed {
    logic [LANES-1:0][SYMBOLS-1:0][7:0] data;
    logic [LANES-1:0][SYMBOLS-1:0]      k;
    logic                               quiet;
  } line_t;

  ib_link_cfg_t [PORTS-1:0] cfg_switch, cfg_ends;
  ib_link_status_t [PORTS-1:0] status, status_ends;
  ib_link_events_t [PORTS-1:0] ev, ev_ends;
  ib_relay_events_t [PORTS:0] relay_ev;
  port_counters_t [PORTS-1:0] counters_all, counters_ends;
  line_t [PORTS-1:0] tx, tx_ends, rx, rx_ends;
  logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0][7:0] s_data, m_data;
  logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0] s_k, s_err, m_k;
  logic [PORTS-1:0][LANES-1:0] s_signal;
  logic [PORTS-1:0] m_quiet;
  logic [5:0] beat_q;
  logic [7:0] seen;

  assign relay = relay_ev;
  assign seen = watch == '0 ? '0 : watch - 1'b1;
  assign counters = counters_all[seen];
  assign counters_end = counters_ends[seen];

  assign s_axis_line.tready = 1'b1;
  assign m_axis_line.tkeep = '1;
  assign m_axis_line.tvalid = watch != '0 && !tx[seen].quiet;
  assign m_axis_line.tlast = beat_q == '1;
  assign m_axis_line.tid = '0;
  assign m_axis_line.tdest = '0;
  always_comb begin
    for (int i = 0; i < BYTES; i++) begin
      m_axis_line.tdata[8*i+:8] = tx[seen].data[i%LANES][i/LANES];
      m_axis_line.tuser[i] = tx[seen].k[i%LANES][i/LANES];
    end
  end
  always_ff @(posedge clk) begin
    if (m_axis_line.tvalid) beat_q <= beat_q + 1'b1;
    if (rst) beat_q <= '0;
  end

  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    line_t [CABLE-1:0] down_q, up_q;

    always_comb begin
      cfg_switch[p] = cfg;
      cfg_switch[p].set_state = port_state_e'(set_state_switch[p]);
      if (mtu[p] != '0) cfg_switch[p].mtu = mtu[p];
      cfg_ends[p] = cfg;
      cfg_ends[p].set_state = port_state_e'(set_state_ends[p]);
    end
    assign states_switch[p] = status[p].port_state;
    assign states_ends[p] = status_ends[p].port_state;

    assign tx[p] = '{m_data[p], m_k[p], m_quiet[p]};
    assign rx[p] = unplug[p] ? '{quiet: 1'b1, default: '0} : up_q[CABLE-1];
    assign rx_ends[p] = unplug[p] ? '{quiet: 1'b1, default: '0} : down_q[CABLE-1];
    always_ff @(posedge clk) begin
      down_q <= {down_q[CABLE-2:0], tx[p]};
      up_q   <= {up_q[CABLE-2:0], tx_ends[p]};
      if (rst) begin
        for (int i = 0; i < CABLE; i++) begin
          down_q[i].quiet <= 1'b1;
          up_q[i].quiet   <= 1'b1;
        end
      end
    end

    always_comb begin
      s_data[p]   = rx[p].data;
      s_k[p]      = rx[p].k;
      s_err[p]    = '0;
      s_signal[p] = {LANES{!rx[p].quiet}};
      if (script == 8'(p + 1)) begin
        for (int i = 0; i < BYTES; i++) begin
          s_data[p][i%LANES][i/LANES] = s_axis_line.tvalid ? s_axis_line.tdata[8*i+:8] : 8'd0;
          s_k[p][i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[i];
          s_err[p][i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[BYTES+i];
        end
      end
    end

    kumi_ib_link #(
        .LANES(LANES),
        .DATA_W(DATA_W),
        .DATA_VLS(DATA_VLS),
        .BLOCKS(BLOCKS),
        .MTU_CAP(MTU_CAP),
        .TRAIN(8192),
        .FC_PERIOD(1024)
    ) u_end (
        .clk,
        .rst,
        .cfg(cfg_ends[p]),
        .status(status_ends[p]),
        .ev(ev_ends[p]),
        .s_axis(s_axis[p]),
        .m_axis(m_axis[p]),
        .rx_ready(rx_ready[p]),
        .s_data(rx_ends[p].data),
        .s_k(rx_ends[p].k),
        .s_err('0),
        .s_signal({LANES{!rx_ends[p].quiet}}),
        .m_data(tx_ends[p].data),
        .m_k(tx_ends[p].k),
        .m_quiet(tx_ends[p].quiet)
    );

    kumi_ib_port_counters u_counters (
        .clk,
        .rst,
        .ev(ev[p]),
        .relay_error(relay_ev[p+1].no_route || relay_ev[p+1].no_vl || relay_ev[p+1].loop),
        .relay_discard(relay_ev[p+1].discard),
        .xmit_constraint(1'b0),
        .rcv_constraint(1'b0),
        .clear('0),
        .counters(counters_all[p])
    );
    kumi_ib_port_counters u_counters_end (
        .clk,
        .rst,
        .ev(ev_ends[p]),
        .relay_error(1'b0),
        .relay_discard(1'b0),
        .xmit_constraint(1'b0),
        .rcv_constraint(1'b0),
        .clear('0),
        .counters(counters_ends[p])
    );
  end

  kumi_ib_switch #(
      .PORTS(PORTS),
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .LFT_CAP(64),
      .MFT_CAP(16),
      .COPIES(16),
      .TICK(64),
      .TRAIN(8192),
      .FC_PERIOD(1024)
  ) u_switch (
      .clk,
      .rst,
      .cfg(cfg_switch),
      .status,
      .ev,
      .relay(relay_ev),
      .s_mgmt,
      .m_mgmt,
      .mgmt_bad(mgmt_drops[0]),
      .mgmt_refused(mgmt_drops[1]),
      .own_lid,
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
      .switch_life,
      .hoq_life,
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );
endmodule
