// SPDX-License-Identifier: Apache-2.0
//
// A management agent with port state machines, counters of its packets, and a packet buffer at its
// input, for benches without links.
//
// s_axis[INPUTS]: tdest as at the agent. m_axis: OUTPUTS 1 all, 2: the wire and the manager.
// link_up: a bit per port. lft_port: entry lft_at of its forwarding table.
module kumi_tb_ib_node
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2,
    parameter int PORTS     = 4,
    parameter bit HOST      = 0,
    parameter int INPUTS    = 1,
    parameter int OUTPUTS   = 1,
    parameter int LFT_CAP   = 64
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic            [   63:0] node_guid,
    input  logic            [  511:0] description,
    input  logic                      is_sm,
    output logic                      ready,
    input  logic            [PORTS:1] link_up,
    output logic            [PORTS:1] enabled,
    output logic            [    2:0] first_state,
    output logic            [   15:0] lid,
           kumi_axis_if.snk           s_axis     [ INPUTS],
           kumi_axis_if.src           m_axis     [OUTPUTS],
    input  logic            [   15:0] lft_at,
    output logic            [    7:0] lft_port
);
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) joined ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) s_mgmt ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) m_mgmt ();
  kumi_rec_if #(.W(16)) no_len ();
  assign no_len.ready = 1'b0;

  kumi_axis_mux #(
      .N(INPUTS)
  ) u_mux (
      .clk,
      .rst,
      .s_axis,
      .m_axis(joined)
  );
  kumi_axis_frame_fifo #(
      .DEPTH(256)
  ) u_buffer (
      .clk,
      .rst,
      .s_axis(joined),
      .m_axis(s_mgmt),
      .m_len(no_len),
      .depth(),
      .ev_good(),
      .ev_bad(),
      .ev_full(),
      .ev_oversize()
  );
  kumi_axis_demux #(
      .N(OUTPUTS),
      .SELECT_W(1)
  ) u_demux (
      .clk,
      .rst,
      .select (OUTPUTS > 1 && m_mgmt.tdest[7]),
      .s_axis (m_mgmt),
      .m_axis,
      .ev_drop()
  );

  ib_link_cfg_t [PORTS:1] cfg;
  ib_link_status_t [PORTS:1] status;
  port_counters_t [PORTS:1] counters;
  port_counters_clear_t [PORTS:1] clear;
  logic lft_we;
  logic [15:0] lft_lid;
  logic [7:0] lft_value;
  logic [7:0] lft[LFT_CAP];

  always_ff @(posedge clk) if (lft_we) lft[lft_lid[$clog2(LFT_CAP)-1:0]] <= lft_value;
  assign lft_port = lft[lft_at[$clog2(LFT_CAP)-1:0]];
  assign first_state = status[1].port_state;

  for (genvar p = 1; p <= PORTS; p++) begin : gen_port
    ib_link_events_t events;
    logic last_in, last_out;
    assign enabled[p] = cfg[p].enable;
    assign status[p].phys_state = link_up[p] ? PHYS_LINK_UP
        : cfg[p].enable ? PHYS_POLLING : PHYS_DISABLED;
    assign last_in = s_mgmt.tvalid && s_mgmt.tready && s_mgmt.tlast && s_mgmt.tdest == 8'(p);
    assign last_out = m_mgmt.tvalid && m_mgmt.tready && m_mgmt.tlast && m_mgmt.tdest == 8'(p);
    always_comb begin
      events = '0;
      events.rcv_pkt = last_in;
      events.rcv_words = 11'(PKT_WORDS);
      events.xmit_pkt = last_out;
      events.xmit_words = 11'(PKT_WORDS);
    end
    kumi_ib_port_ctrl u_ctrl (
        .clk,
        .rst,
        .set_state(cfg[p].set_state),
        .phy_errors(cfg[p].phy_errors),
        .overrun_errors(cfg[p].overrun_errors),
        .link_up(link_up[p]),
        .tx_idle(1'b1),
        .link_downed(!link_up[p]),
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
        .ev(events),
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
      .MFT_CAP(32),
      .HOST(HOST)
  ) u_agent (
      .clk,
      .rst,
      .node_guid,
      .description,
      .is_sm,
      .tables_ready(1'b1),
      .ready,
      .s_mgmt,
      .m_mgmt,
      .cfg,
      .status,
      .hoq_life(),
      .vl_stall(),
      .lid,
      .lmc(),
      .sw_cfg(),
      .lft_we,
      .lft_lid,
      .lft_port(lft_value),
      .mft_we(),
      .mft_lid(),
      .mft_position(),
      .mft_mask(),
      .s2v_we(),
      .s2v_in(),
      .s2v_out(),
      .s2v_table(),
      .counters,
      .clear,
      .ev()
  );
endmodule
