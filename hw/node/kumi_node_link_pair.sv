// SPDX-License-Identifier: Apache-2.0
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

    input  logic [64*LANES-1:0] s_axis_a_tdata,
    input  logic [ 8*LANES-1:0] s_axis_a_tkeep,
    input  logic                s_axis_a_tvalid,
    output logic                s_axis_a_tready,
    input  logic                s_axis_a_tlast,
    input  logic                s_axis_a_tuser,
    output logic [64*LANES-1:0] m_axis_a_tdata,
    output logic [ 8*LANES-1:0] m_axis_a_tkeep,
    output logic                m_axis_a_tvalid,
    input  logic                m_axis_a_tready,
    output logic                m_axis_a_tlast,
    output logic                m_axis_a_tuser,

    input  logic [64*LANES-1:0] s_axis_b_tdata,
    input  logic [ 8*LANES-1:0] s_axis_b_tkeep,
    input  logic                s_axis_b_tvalid,
    output logic                s_axis_b_tready,
    input  logic                s_axis_b_tlast,
    input  logic                s_axis_b_tuser,
    output logic [64*LANES-1:0] m_axis_b_tdata,
    output logic [ 8*LANES-1:0] m_axis_b_tkeep,
    output logic                m_axis_b_tvalid,
    input  logic                m_axis_b_tready,
    output logic                m_axis_b_tlast,
    output logic                m_axis_b_tuser,

    input  serial_cfg_t    cfg_a,
    input  serial_cfg_t    cfg_b,
    output serial_status_t status_a,
    output serial_status_t status_b,
    output serial_events_t ev_a,
    output serial_events_t ev_b,

    output logic busy
);
  assign busy = 1'b1;  // an idle link sends idle blocks

  // ---- End A, lanes l0_* --------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(64 * LANES)) s_a ();
  kumi_axis_if #(.DATA_W(64 * LANES)) m_a ();
  logic [3:0][63:0] to_a_data, from_a_data;
  logic [3:0][1:0] to_a_head, from_a_head;
  logic [3:0] slip_a;

  assign s_a.tdata  = s_axis_a_tdata;
  assign s_a.tkeep  = s_axis_a_tkeep;
  assign s_a.tvalid = s_axis_a_tvalid;
  assign s_a.tlast  = s_axis_a_tlast;
  assign s_a.tuser  = s_axis_a_tuser;
  assign s_a.tid    = '0;
  assign s_a.tdest  = '0;
  assign s_axis_a_tready = s_a.tready;
  assign m_axis_a_tdata  = m_a.tdata;
  assign m_axis_a_tkeep  = m_a.tkeep;
  assign m_axis_a_tvalid = m_a.tvalid;
  assign m_axis_a_tlast  = m_a.tlast;
  assign m_axis_a_tuser  = m_a.tuser;
  assign m_a.tready = m_axis_a_tready;

  assign to_a_data[0] = s_lane_l0_0_data;
  assign to_a_head[0] = s_lane_l0_0_head;
  assign m_lane_l0_0_data = from_a_data[0];
  assign m_lane_l0_0_head = from_a_head[0];
  assign s_lane_l0_0_slip = slip_a[0];
  assign to_a_data[1] = s_lane_l0_1_data;
  assign to_a_head[1] = s_lane_l0_1_head;
  assign m_lane_l0_1_data = from_a_data[1];
  assign m_lane_l0_1_head = from_a_head[1];
  assign s_lane_l0_1_slip = slip_a[1];
  assign to_a_data[2] = s_lane_l0_2_data;
  assign to_a_head[2] = s_lane_l0_2_head;
  assign m_lane_l0_2_data = from_a_data[2];
  assign m_lane_l0_2_head = from_a_head[2];
  assign s_lane_l0_2_slip = slip_a[2];
  assign to_a_data[3] = s_lane_l0_3_data;
  assign to_a_head[3] = s_lane_l0_3_head;
  assign m_lane_l0_3_data = from_a_data[3];
  assign m_lane_l0_3_head = from_a_head[3];
  assign s_lane_l0_3_slip = slip_a[3];

  kumi_serial_link #(
      .LANES(LANES),
      .RX_BEATS(RX_BEATS),
      .SLIP_WAIT(8),
      .TRAIN(1024)
  ) u_a (
      .clk,
      .rst,
      .m_lane_data(from_a_data[LANES-1:0]),
      .m_lane_head(from_a_head[LANES-1:0]),
      .s_lane_data(to_a_data[LANES-1:0]),
      .s_lane_head(to_a_head[LANES-1:0]),
      .s_lane_slip(slip_a[LANES-1:0]),
      .s_axis(s_a),
      .m_axis(m_a),
      .cfg(cfg_a),
      .status(status_a),
      .ev(ev_a)
  );

  // ---- End B, lanes l1_* --------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(64 * LANES)) s_b ();
  kumi_axis_if #(.DATA_W(64 * LANES)) m_b ();
  logic [3:0][63:0] to_b_data, from_b_data;
  logic [3:0][1:0] to_b_head, from_b_head;
  logic [3:0] slip_b;

  assign s_b.tdata  = s_axis_b_tdata;
  assign s_b.tkeep  = s_axis_b_tkeep;
  assign s_b.tvalid = s_axis_b_tvalid;
  assign s_b.tlast  = s_axis_b_tlast;
  assign s_b.tuser  = s_axis_b_tuser;
  assign s_b.tid    = '0;
  assign s_b.tdest  = '0;
  assign s_axis_b_tready = s_b.tready;
  assign m_axis_b_tdata  = m_b.tdata;
  assign m_axis_b_tkeep  = m_b.tkeep;
  assign m_axis_b_tvalid = m_b.tvalid;
  assign m_axis_b_tlast  = m_b.tlast;
  assign m_axis_b_tuser  = m_b.tuser;
  assign m_b.tready = m_axis_b_tready;

  assign to_b_data[0] = s_lane_l1_0_data;
  assign to_b_head[0] = s_lane_l1_0_head;
  assign m_lane_l1_0_data = from_b_data[0];
  assign m_lane_l1_0_head = from_b_head[0];
  assign s_lane_l1_0_slip = slip_b[0];
  assign to_b_data[1] = s_lane_l1_1_data;
  assign to_b_head[1] = s_lane_l1_1_head;
  assign m_lane_l1_1_data = from_b_data[1];
  assign m_lane_l1_1_head = from_b_head[1];
  assign s_lane_l1_1_slip = slip_b[1];
  assign to_b_data[2] = s_lane_l1_2_data;
  assign to_b_head[2] = s_lane_l1_2_head;
  assign m_lane_l1_2_data = from_b_data[2];
  assign m_lane_l1_2_head = from_b_head[2];
  assign s_lane_l1_2_slip = slip_b[2];
  assign to_b_data[3] = s_lane_l1_3_data;
  assign to_b_head[3] = s_lane_l1_3_head;
  assign m_lane_l1_3_data = from_b_data[3];
  assign m_lane_l1_3_head = from_b_head[3];
  assign s_lane_l1_3_slip = slip_b[3];

  kumi_serial_link #(
      .LANES(LANES),
      .RX_BEATS(RX_BEATS),
      .SLIP_WAIT(8),
      .TRAIN(1024)
  ) u_b (
      .clk,
      .rst,
      .m_lane_data(from_b_data[LANES-1:0]),
      .m_lane_head(from_b_head[LANES-1:0]),
      .s_lane_data(to_b_data[LANES-1:0]),
      .s_lane_head(to_b_head[LANES-1:0]),
      .s_lane_slip(slip_b[LANES-1:0]),
      .s_axis(s_b),
      .m_axis(m_b),
      .cfg(cfg_b),
      .status(status_b),
      .ev(ev_b)
  );

  for (genvar i = LANES; i < 4; i++) begin : gen_dark
    logic unused;
    assign from_a_data[i] = '0;
    assign from_a_head[i] = '0;
    assign slip_a[i]      = 1'b0;
    assign from_b_data[i] = '0;
    assign from_b_head[i] = '0;
    assign slip_b[i]      = 1'b0;
    assign unused         = ^{to_a_data[i], to_a_head[i], to_b_data[i], to_b_head[i]};
  end
endmodule
