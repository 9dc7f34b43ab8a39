// SPDX-License-Identifier: Apache-2.0
//
// Management of an endpoint's port: kumi_ib_agent between the link and the mailbox of software,
// which is its local manager.
//
// s_link: packets from kumi_ib_link, tdest the VL; those of VL15 and of queue pair 1 go to the
//   agent, the others to m_host. s_host: packets from software; with tdest 0x81 to the agent as
//   from its local manager, else to m_link. m_host: tdest the VL, 15 for what the agent delivers.
//   All tdest have 8 bits.
// cfg, status, counters, clear, lid, lmc: of the port. node_guid, description: see kumi_ib_agent.
// Bad input: a datagram for which the buffer of 2 KiB in front of the agent has no space is
//   dropped, ev_full; see kumi_ib_agent for what it drops, and ev. Latency from link to mailbox 5
//   cycles with 64 bits, 7 with 32, back 2 cycles.
module kumi_node_ib_endpoint_agent
  import kumi_ib_link_pkg::*;
  import kumi_ib_mgmt_pkg::*;
#(
    parameter int LANES    = 4,
    parameter int DATA_W   = 64,
    parameter int DATA_VLS = 4,
    parameter int MTU_CAP  = 4,
    parameter int TICK     = 512  // cycles of 4.096 us
) (
    input logic clk,
    input logic rst,
    input logic [63:0] node_guid,
    input logic [511:0] description,
    input logic is_sm,
    kumi_axis_if.snk s_link,
    kumi_axis_if.src m_link,
    kumi_axis_if.snk s_host,
    kumi_axis_if.src m_host,
    output ib_link_cfg_t cfg,
    input ib_link_status_t status,
    input port_counters_t counters,
    output port_counters_clear_t clear,
    output logic [15:0] lid,
    output logic [2:0] lmc,
    output logic ev_full,
    output ib_agent_events_t ev
);
  localparam int NODE_HCA = 1;
  localparam logic [7:0] VL15 = 8'd15;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_link[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_host[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_agent[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_link[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_host[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_agent[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) arrived ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) s_mgmt ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) m_mgmt ();
  logic [1:0] no_drop;
  logic bad;

  // ---- ways: [0] between link and mailbox, [1] to and from the agent ----------------------------
  kumi_node_ib_mgmt_demux u_link_demux (
      .clk,
      .rst,
      .s_axis(s_link),
      .m_axis(from_link)
  );
  kumi_axis_demux #(
      .N(2)
  ) u_host_demux (
      .clk,
      .rst,
      .select (s_host.tdest[7]),
      .s_axis (s_host),
      .m_axis (from_host),
      .ev_drop(no_drop[0])
  );
  kumi_axis_demux #(
      .N(2)
  ) u_agent_demux (
      .clk,
      .rst,
      .select (m_mgmt.tdest[7]),
      .s_axis (m_mgmt),
      .m_axis (from_agent),
      .ev_drop(no_drop[1])
  );

  // A datagram of the link: from port 1. The agent holds up no lane: what it has no space for is
  // dropped.
  kumi_node_buffer #(
      .BYTES(2048),
      .DROP_FULL(1'b1)
  ) u_buffer (
      .clk,
      .rst,
      .s_axis(from_link[1]),
      .m_axis(arrived),
      .ev_full,
      .ev_bad(bad)
  );

  assign to_agent[0].tdata = arrived.tdata;
  assign to_agent[0].tkeep = arrived.tkeep;
  assign to_agent[0].tvalid = arrived.tvalid;
  assign to_agent[0].tlast = arrived.tlast;
  assign to_agent[0].tuser = arrived.tuser;
  assign to_agent[0].tid = arrived.tid;
  assign to_agent[0].tdest = 8'd1;
  assign arrived.tready = to_agent[0].tready;
  assign to_agent[1].tdata = from_host[1].tdata;
  assign to_agent[1].tkeep = from_host[1].tkeep;
  assign to_agent[1].tvalid = from_host[1].tvalid;
  assign to_agent[1].tlast = from_host[1].tlast;
  assign to_agent[1].tuser = from_host[1].tuser;
  assign to_agent[1].tid = from_host[1].tid;
  assign to_agent[1].tdest = from_host[1].tdest;
  assign from_host[1].tready = to_agent[1].tready;

  assign to_link[0].tdata = from_host[0].tdata;
  assign to_link[0].tkeep = from_host[0].tkeep;
  assign to_link[0].tvalid = from_host[0].tvalid;
  assign to_link[0].tlast = from_host[0].tlast;
  assign to_link[0].tuser = from_host[0].tuser;
  assign to_link[0].tid = from_host[0].tid;
  assign to_link[0].tdest = from_host[0].tdest;
  assign from_host[0].tready = to_link[0].tready;
  assign to_link[1].tdata = from_agent[0].tdata;
  assign to_link[1].tkeep = from_agent[0].tkeep;
  assign to_link[1].tvalid = from_agent[0].tvalid;
  assign to_link[1].tlast = from_agent[0].tlast;
  assign to_link[1].tuser = from_agent[0].tuser;
  assign to_link[1].tid = from_agent[0].tid;
  assign to_link[1].tdest = from_agent[0].tdest;
  assign from_agent[0].tready = to_link[1].tready;

  assign to_host[0].tdata = from_link[0].tdata;
  assign to_host[0].tkeep = from_link[0].tkeep;
  assign to_host[0].tvalid = from_link[0].tvalid;
  assign to_host[0].tlast = from_link[0].tlast;
  assign to_host[0].tuser = from_link[0].tuser;
  assign to_host[0].tid = from_link[0].tid;
  assign to_host[0].tdest = from_link[0].tdest;
  assign from_link[0].tready = to_host[0].tready;
  assign to_host[1].tdata = from_agent[1].tdata;
  assign to_host[1].tkeep = from_agent[1].tkeep;
  assign to_host[1].tvalid = from_agent[1].tvalid;
  assign to_host[1].tlast = from_agent[1].tlast;
  assign to_host[1].tuser = from_agent[1].tuser;
  assign to_host[1].tid = from_agent[1].tid;
  assign to_host[1].tdest = VL15;
  assign from_agent[1].tready = to_host[1].tready;

  kumi_axis_mux #(
      .N(2)
  ) u_agent_mux (
      .clk,
      .rst,
      .s_axis(to_agent),
      .m_axis(s_mgmt)
  );
  kumi_axis_mux #(
      .N(2)
  ) u_link_mux (
      .clk,
      .rst,
      .s_axis(to_link),
      .m_axis(m_link)
  );
  kumi_axis_mux #(
      .N(2)
  ) u_host_mux (
      .clk,
      .rst,
      .s_axis(to_host),
      .m_axis(m_host)
  );

  // ---- agent --------------------------------------------------------------------------------

  // Of a switch, or for software that is not here.
  ib_switch_cfg_t sw_cfg;
  logic [1:1][4:0] hoq_life;
  logic [1:1][2:0] vl_stall;
  logic ready, lft_we, mft_we, s2v_we;
  logic [15:0] lft_lid, mft_lid, mft_mask;
  logic [7:0] lft_port, s2v_in, s2v_out;
  logic [ 3:0] mft_position;
  logic [63:0] s2v_table;

  kumi_ib_agent #(
      .NODE_TYPE(NODE_HCA),
      .PORTS(1),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .WIDTH(LANES == 4 ? 2 : 1),
      .LFT_CAP(64),
      .MFT_CAP(32),
      .HOST(1'b1),
      .TICK(TICK)
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

  logic unused;
  assign unused = ^{no_drop, bad, sw_cfg, hoq_life, vl_stall, ready, lft_we, mft_we, s2v_we,
                    lft_lid, mft_lid, mft_mask, lft_port, s2v_in, s2v_out, mft_position, s2v_table};
endmodule
