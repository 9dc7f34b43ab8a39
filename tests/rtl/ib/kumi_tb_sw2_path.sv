// SPDX-License-Identifier: Apache-2.0
//
// Two stations (kumi_tb_sw2_station) at ports 1 and 2 of a switch with four, cables of CABLE
//   cycles.
//
// rate: in 1 / 65536 of all cycles a symbol on each InfiniBand cable is wrong: half of the times a
//   code violation, else another byte. sw2_rate: in so many a bit of an SW2 word is wrong.
// stamps: cycles from a pulse of `arm` to the first of each event on the way from station 0 to 1;
//   the switch's, first symbol of a packet in and out, are the last two.
module kumi_tb_sw2_path
  import kumi_ib_link_pkg::*, kumi_ib_switch_pkg::*;
#(
    parameter int LANES  = 4,
    parameter int DATA_W = 64,
    parameter int CABLE  = 3
) (
    input logic clk,
    input logic rst,
    input ib_link_cfg_t cfg,
    input logic [2:0] set_state,
    input logic [15:0] rate,
    input logic [15:0] sw2_rate,
    input logic start,
    input logic arm,
    output logic [3:0][2:0] states,
    output logic tables_ready,
    input logic lft_we,
    input logic [15:0] lft_lid,
    input logic [7:0] lft_port,
    input logic s2v_we,
    input logic [7:0] s2v_in,
    input logic [7:0] s2v_out,
    input logic [63:0] s2v_table,
    output logic [9:0][15:0] stamps,
    output logic [31:0] injected,
    output logic [31:0] sw2_injected,
    output kumi_ib_router_pkg::events_t router_ev_0,
    output kumi_ib_router_pkg::events_t router_ev_1,
    output kumi_sw2_pkg::link_events_t sw2_ev_0,
    output kumi_sw2_pkg::rx_events_t rx_ev_0,
    output kumi_sw2_pkg::rx_events_t rx_ev_1,
    kumi_axis_if.snk s_axis_0,
    kumi_axis_if.snk s_axis_1,
    kumi_axi_if.mst m_axi_0,
    kumi_axi_if.mst m_axi_1
);
  localparam int PORTS = 4;
  localparam int BYTES = DATA_W / 8;
  localparam int SYMBOLS = BYTES / LANES;

  typedef logic [LANES-1:0][SYMBOLS-1:0][7:0] data_t;
  typedef logic [LANES-1:0][SYMBOLS-1:0] flags_t;
  typedef struct packed {
    data_t  data;
    flags_t k;
    logic   quiet;
  } line_t;

  // ---- settings: one command for all ports -----------------------------------------------------
  ib_link_cfg_t own;
  ib_link_cfg_t [PORTS-1:0] cfgs;
  ib_link_status_t [PORTS-1:0] status;
  ib_link_status_t [1:0] status_ends;
  always_comb begin
    own = cfg;
    own.set_state = port_state_e'(set_state);
    for (int p = 0; p < PORTS; p++) begin
      cfgs[p] = own;
      if (p > 1) cfgs[p].enable = 1'b0;
    end
  end
  assign states = {
    status_ends[1].port_state, status_ends[0].port_state, status[1].port_state, status[0].port_state
  };

  // ---- cables ----------------------------------------------------------------------------------
  line_t [1:0] end_tx, switch_tx, end_rx, switch_rx;
  line_t [1:0][CABLE-1:0] up_q, down_q;
  logic [31:0] noise_q;
  logic wrong, violation, sw2_flip;
  logic [1:0] apart_q;  // cycles until the next SW2 error: one a flit at most
  logic [$clog2(BYTES)-1:0] place;

  assign wrong = noise_q[31:16] < rate;
  assign violation = noise_q[15];
  assign place = noise_q[8+:$clog2(BYTES)];
  assign sw2_flip = {noise_q[23:16], noise_q[31:24]} < sw2_rate && apart_q == '0;
  always_ff @(posedge clk) begin
    noise_q <= noise_q * 32'd1664525 + 32'd1013904223;
    if (wrong) injected <= injected + 1'b1;
    if (sw2_flip) sw2_injected <= sw2_injected + 1'b1;
    if (sw2_flip) apart_q <= '1;
    else if (apart_q != '0) apart_q <= apart_q - 1'b1;
    for (int i = 0; i < 2; i++) begin
      up_q[i]   <= {up_q[i][CABLE-2:0], end_tx[i]};
      down_q[i] <= {down_q[i][CABLE-2:0], switch_tx[i]};
    end
    if (rst) begin
      noise_q <= 32'h0BAD_5EED;
      apart_q <= '0;
      injected <= '0;
      sw2_injected <= '0;
      for (int i = 0; i < 2; i++) begin
        for (int j = 0; j < CABLE; j++) begin
          up_q[i][j].quiet   <= 1'b1;
          down_q[i][j].quiet <= 1'b1;
        end
      end
    end
  end
  logic [1:0][LANES-1:0][SYMBOLS-1:0] up_err, down_err;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      switch_rx[i] = up_q[i][CABLE-1];
      end_rx[i] = down_q[i][CABLE-1];
      up_err[i] = '0;
      down_err[i] = '0;
      if (wrong) begin
        switch_rx[i].data[32'(place)%LANES][32'(place)/LANES] ^= 8'h10;
        end_rx[i].data[32'(place)%LANES][32'(place)/LANES] ^= 8'h04;
        up_err[i][32'(place)%LANES][32'(place)/LANES]   = violation;
        down_err[i][32'(place)%LANES][32'(place)/LANES] = violation;
      end
    end
  end

  // ---- stations --------------------------------------------------------------------------------
  logic [7:0] events[2];
  kumi_sw2_pkg::link_events_t sw2_ev_1;

  kumi_tb_sw2_station #(
      .NODE  (0),
      .LANES (LANES),
      .DATA_W(DATA_W)
  ) u_0 (
      .clk,
      .rst,
      .start,
      .cfg(own),
      .status(status_ends[0]),
      .sw2_flip,
      .router_ev(router_ev_0),
      .sw2_ev(sw2_ev_0),
      .rx_ev(rx_ev_0),
      .events(events[0]),
      .s_axis_store(s_axis_0),
      .m_axi(m_axi_0),
      .s_data(end_rx[0].data),
      .s_k(end_rx[0].k),
      .s_err(down_err[0]),
      .s_signal({LANES{!end_rx[0].quiet}}),
      .m_data(end_tx[0].data),
      .m_k(end_tx[0].k),
      .m_quiet(end_tx[0].quiet)
  );
  kumi_tb_sw2_station #(
      .NODE  (1),
      .LANES (LANES),
      .DATA_W(DATA_W)
  ) u_1 (
      .clk,
      .rst,
      .start,
      .cfg(own),
      .status(status_ends[1]),
      .sw2_flip,
      .router_ev(router_ev_1),
      .sw2_ev(sw2_ev_1),
      .rx_ev(rx_ev_1),
      .events(events[1]),
      .s_axis_store(s_axis_1),
      .m_axi(m_axi_1),
      .s_data(end_rx[1].data),
      .s_k(end_rx[1].k),
      .s_err(down_err[1]),
      .s_signal({LANES{!end_rx[1].quiet}}),
      .m_data(end_tx[1].data),
      .m_k(end_tx[1].k),
      .m_quiet(end_tx[1].quiet)
  );

  // ---- switch ----------------------------------------------------------------------------------
  data_t [PORTS-1:0] s_data, m_data;
  flags_t [PORTS-1:0] s_k, s_err, m_k;
  logic [PORTS-1:0][LANES-1:0] s_signal;
  logic [PORTS-1:0] m_quiet;
  ib_link_events_t [PORTS-1:0] ev;
  ib_relay_events_t [PORTS:0] relay;
  logic mgmt_bad, mgmt_refused;
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) s_mgmt ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) m_mgmt ();
  assign s_mgmt.tvalid = 1'b0;
  assign s_mgmt.tdata = '0;
  assign s_mgmt.tkeep = '0;
  assign s_mgmt.tlast = 1'b0;
  assign s_mgmt.tuser = '0;
  assign s_mgmt.tid = '0;
  assign s_mgmt.tdest = '0;
  assign m_mgmt.tready = 1'b1;
  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    if (p < 2) begin : gen_used
      assign s_data[p] = switch_rx[p].data;
      assign s_k[p] = switch_rx[p].k;
      assign s_err[p] = up_err[p];
      assign s_signal[p] = {LANES{!switch_rx[p].quiet}};
      assign switch_tx[p] = '{m_data[p], m_k[p], m_quiet[p]};
    end else begin : gen_open
      assign s_data[p] = '0;
      assign s_k[p] = '0;
      assign s_err[p] = '0;
      assign s_signal[p] = '0;
    end
  end

  kumi_ib_switch #(
      .PORTS (PORTS),
      .LANES (LANES),
      .DATA_W(DATA_W)
  ) u_switch (
      .clk,
      .rst,
      .cfg(cfgs),
      .status,
      .ev,
      .relay,
      .s_mgmt,
      .m_mgmt,
      .mgmt_bad,
      .mgmt_refused,
      .own_lid(16'd9),
      .tables_ready,
      .lft_we,
      .lft_lid,
      .lft_port,
      .mft_we(1'b0),
      .mft_lid('0),
      .mft_position('0),
      .mft_mask('0),
      .s2v_we,
      .s2v_in,
      .s2v_out,
      .s2v_table,
      .switch_life('1),
      .hoq_life('1),
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );

  // ---- times -----------------------------------------------------------------------------------
  logic [9:0] seen, got_q;
  logic [15:0] since_q;
  function automatic logic has_sdp(input data_t data, input flags_t k);
    logic found;
    found = 1'b0;
    for (int i = 0; i < BYTES; i++) begin
      if (k[i%LANES][i/LANES] && data[i%LANES][i/LANES] == SYM_SDP) found = 1'b1;
    end
    return found;
  endfunction
  assign seen = {
    has_sdp(switch_tx[1].data, switch_tx[1].k),
    has_sdp(switch_rx[0].data, switch_rx[0].k),
    events[1][7],
    events[1][6],
    events[1][5],
    events[1][4],
    events[0][3:0]
  };
  always_ff @(posedge clk) begin
    since_q <= arm ? '0 : since_q + 1'b1;
    for (int i = 0; i < 10; i++) begin
      if (seen[i] && !got_q[i]) begin
        stamps[i] <= since_q;
        got_q[i]  <= 1'b1;
      end
    end
    if (arm) got_q <= '0;
    if (rst) got_q <= '1;
  end

  logic unused;
  assign unused = ^{status, ev, relay, mgmt_bad, mgmt_refused, m_data[3:2], m_k[3:2], m_quiet[3:2],
                    events[0][7:4], events[1][3:0], sw2_ev_1};
endmodule
