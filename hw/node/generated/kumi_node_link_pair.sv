// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_link_pair_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: both ends of a serial link, A with lanes l0_* and B with lanes l1_*, to be joined by
// cables. For benches and for a first look at kumi_serial_link; a board has one end of each link.
//
// s_axis_a to m_axis_b and back: frames, 64 * LANES bits. cfg_*, status_*, ev_*: see kumi_link_pkg.
// Lanes from LANES on are dark.
module kumi_node_link_pair
  import kumi_link_pkg::*;
#(
    parameter int LANES    = 1,    // 1..4
    parameter int RX_BEATS = 1024  // see kumi_serial_link
) (
    input logic clk,
    input logic rst,

    output logic [63:0] m_lane_l0_0_data,
    output logic [ 1:0] m_lane_l0_0_head,
    input  logic [63:0] s_lane_l0_0_data,
    input  logic [ 1:0] s_lane_l0_0_head,
    output logic        s_lane_l0_0_slip,

    output logic [63:0] m_lane_l0_1_data,
    output logic [ 1:0] m_lane_l0_1_head,
    input  logic [63:0] s_lane_l0_1_data,
    input  logic [ 1:0] s_lane_l0_1_head,
    output logic        s_lane_l0_1_slip,

    output logic [63:0] m_lane_l0_2_data,
    output logic [ 1:0] m_lane_l0_2_head,
    input  logic [63:0] s_lane_l0_2_data,
    input  logic [ 1:0] s_lane_l0_2_head,
    output logic        s_lane_l0_2_slip,

    output logic [63:0] m_lane_l0_3_data,
    output logic [ 1:0] m_lane_l0_3_head,
    input  logic [63:0] s_lane_l0_3_data,
    input  logic [ 1:0] s_lane_l0_3_head,
    output logic        s_lane_l0_3_slip,

    output logic [63:0] m_lane_l1_0_data,
    output logic [ 1:0] m_lane_l1_0_head,
    input  logic [63:0] s_lane_l1_0_data,
    input  logic [ 1:0] s_lane_l1_0_head,
    output logic        s_lane_l1_0_slip,

    output logic [63:0] m_lane_l1_1_data,
    output logic [ 1:0] m_lane_l1_1_head,
    input  logic [63:0] s_lane_l1_1_data,
    input  logic [ 1:0] s_lane_l1_1_head,
    output logic        s_lane_l1_1_slip,

    output logic [63:0] m_lane_l1_2_data,
    output logic [ 1:0] m_lane_l1_2_head,
    input  logic [63:0] s_lane_l1_2_data,
    input  logic [ 1:0] s_lane_l1_2_head,
    output logic        s_lane_l1_2_slip,

    output logic [63:0] m_lane_l1_3_data,
    output logic [ 1:0] m_lane_l1_3_head,
    input  logic [63:0] s_lane_l1_3_data,
    input  logic [ 1:0] s_lane_l1_3_head,
    output logic        s_lane_l1_3_slip,

    input logic [64*LANES-1:0] s_axis_a_tdata,
    input logic [64*LANES/8-1:0] s_axis_a_tkeep,
    input logic s_axis_a_tvalid,
    output logic s_axis_a_tready,
    input logic s_axis_a_tlast,
    input logic s_axis_a_tuser,
    output logic [64*LANES-1:0] m_axis_a_tdata,
    output logic [64*LANES/8-1:0] m_axis_a_tkeep,
    output logic m_axis_a_tvalid,
    input logic m_axis_a_tready,
    output logic m_axis_a_tlast,
    output logic m_axis_a_tuser,

    input logic [64*LANES-1:0] s_axis_b_tdata,
    input logic [64*LANES/8-1:0] s_axis_b_tkeep,
    input logic s_axis_b_tvalid,
    output logic s_axis_b_tready,
    input logic s_axis_b_tlast,
    input logic s_axis_b_tuser,
    output logic [64*LANES-1:0] m_axis_b_tdata,
    output logic [64*LANES/8-1:0] m_axis_b_tkeep,
    output logic m_axis_b_tvalid,
    input logic m_axis_b_tready,
    output logic m_axis_b_tlast,
    output logic m_axis_b_tuser,

    input  serial_cfg_t    cfg_a,
    input  serial_cfg_t    cfg_b,
    output serial_status_t status_a,
    output serial_status_t status_b,
    output serial_events_t ev_a,
    output serial_events_t ev_b,

    output logic busy
);
  kumi_axis_if #(.DATA_W(64*LANES)) s_axis_a ();
  assign s_axis_a.tdata = s_axis_a_tdata;
  assign s_axis_a.tkeep = s_axis_a_tkeep;
  assign s_axis_a.tvalid = s_axis_a_tvalid;
  assign s_axis_a_tready = s_axis_a.tready;
  assign s_axis_a.tlast = s_axis_a_tlast;
  assign s_axis_a.tuser = s_axis_a_tuser;
  assign s_axis_a.tid = '0;
  assign s_axis_a.tdest = '0;

  kumi_axis_if #(.DATA_W(64*LANES)) m_axis_a ();
  assign m_axis_a_tdata = m_axis_a.tdata;
  assign m_axis_a_tkeep = m_axis_a.tkeep;
  assign m_axis_a_tvalid = m_axis_a.tvalid;
  assign m_axis_a.tready = m_axis_a_tready;
  assign m_axis_a_tlast = m_axis_a.tlast;
  assign m_axis_a_tuser = m_axis_a.tuser;

  kumi_axis_if #(.DATA_W(64*LANES)) s_axis_b ();
  assign s_axis_b.tdata = s_axis_b_tdata;
  assign s_axis_b.tkeep = s_axis_b_tkeep;
  assign s_axis_b.tvalid = s_axis_b_tvalid;
  assign s_axis_b_tready = s_axis_b.tready;
  assign s_axis_b.tlast = s_axis_b_tlast;
  assign s_axis_b.tuser = s_axis_b_tuser;
  assign s_axis_b.tid = '0;
  assign s_axis_b.tdest = '0;

  kumi_axis_if #(.DATA_W(64*LANES)) m_axis_b ();
  assign m_axis_b_tdata = m_axis_b.tdata;
  assign m_axis_b_tkeep = m_axis_b.tkeep;
  assign m_axis_b_tvalid = m_axis_b.tvalid;
  assign m_axis_b.tready = m_axis_b_tready;
  assign m_axis_b_tlast = m_axis_b.tlast;
  assign m_axis_b_tuser = m_axis_b.tuser;

  kumi_node_link_pair_core #(
      .LANES(LANES),
      .RX_BEATS(RX_BEATS)
  ) u_core (
      .clk,
      .rst,
      .m_lane_l0_0_data,
      .m_lane_l0_0_head,
      .s_lane_l0_0_data,
      .s_lane_l0_0_head,
      .s_lane_l0_0_slip,
      .m_lane_l0_1_data,
      .m_lane_l0_1_head,
      .s_lane_l0_1_data,
      .s_lane_l0_1_head,
      .s_lane_l0_1_slip,
      .m_lane_l0_2_data,
      .m_lane_l0_2_head,
      .s_lane_l0_2_data,
      .s_lane_l0_2_head,
      .s_lane_l0_2_slip,
      .m_lane_l0_3_data,
      .m_lane_l0_3_head,
      .s_lane_l0_3_data,
      .s_lane_l0_3_head,
      .s_lane_l0_3_slip,
      .m_lane_l1_0_data,
      .m_lane_l1_0_head,
      .s_lane_l1_0_data,
      .s_lane_l1_0_head,
      .s_lane_l1_0_slip,
      .m_lane_l1_1_data,
      .m_lane_l1_1_head,
      .s_lane_l1_1_data,
      .s_lane_l1_1_head,
      .s_lane_l1_1_slip,
      .m_lane_l1_2_data,
      .m_lane_l1_2_head,
      .s_lane_l1_2_data,
      .s_lane_l1_2_head,
      .s_lane_l1_2_slip,
      .m_lane_l1_3_data,
      .m_lane_l1_3_head,
      .s_lane_l1_3_data,
      .s_lane_l1_3_head,
      .s_lane_l1_3_slip,
      .s_axis_a,
      .m_axis_a,
      .s_axis_b,
      .m_axis_b,
      .cfg_a,
      .cfg_b,
      .status_a,
      .status_b,
      .ev_a,
      .ev_b,
      .busy
  );
endmodule
