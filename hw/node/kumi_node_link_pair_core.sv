// SPDX-License-Identifier: Apache-2.0
//
// Node: both ends of a serial link, A with lanes l0_* and B with lanes l1_*, to be joined by
// cables. For benches and for a first look at kumi_serial_link; a board has one end of each link.
//
// s_axis_a to m_axis_b and back: frames, 64 * LANES bits. cfg_*, status_*, ev_*: see kumi_link_pkg.
// Lanes from LANES on are dark.
module kumi_node_link_pair_core
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

    kumi_axis_if.snk s_axis_a,  // DATA_W=64*LANES
    kumi_axis_if.src m_axis_a,  // DATA_W=64*LANES

    kumi_axis_if.snk s_axis_b,  // DATA_W=64*LANES
    kumi_axis_if.src m_axis_b,  // DATA_W=64*LANES

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
  logic [3:0][63:0] to_a_data, from_a_data;
  logic [3:0][1:0] to_a_head, from_a_head;
  logic [3:0] slip_a;

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
      .s_axis(s_axis_a),
      .m_axis(m_axis_a),
      .cfg(cfg_a),
      .status(status_a),
      .ev(ev_a)
  );

  // ---- End B, lanes l1_* --------------------------------------------------------------------
  logic [3:0][63:0] to_b_data, from_b_data;
  logic [3:0][1:0] to_b_head, from_b_head;
  logic [3:0] slip_b;

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
      .s_axis(s_axis_b),
      .m_axis(m_axis_b),
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
