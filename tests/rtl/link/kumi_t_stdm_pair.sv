// SPDX-License-Identifier: Apache-2.0
//
// Two boards with circuit switches, joined by all their links, lane for lane, without cable.
module kumi_t_stdm_pair
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,
    parameter bit BUNDLED = 1'b1,
    localparam int SWITCHES = BUNDLED ? 1 : LANES
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil_a[SWITCHES],
    kumi_axil_if.slv s_axil_b[SWITCHES],
    kumi_axis_if.snk s_word_a[SWITCHES],
    kumi_axis_if.src m_word_a[SWITCHES],
    kumi_axis_if.snk s_word_b[SWITCHES],
    kumi_axis_if.src m_word_b[SWITCHES],
    kumi_axis_if.snk s_be_a[SWITCHES],
    kumi_axis_if.src m_be_a[SWITCHES],
    kumi_axis_if.snk s_be_b[SWITCHES],
    kumi_axis_if.src m_be_b[SWITCHES],
    input logic cut,  // of link 0
    output logic [SWITCHES-1:0][1:0] up_a,
    output logic [SWITCHES-1:0][1:0] up_b
);
  logic [1:0][LANES-1:0][63:0] a_data, b_data, to_a_data, to_b_data;
  logic [1:0][LANES-1:0][1:0] a_head, b_head, to_a_head, to_b_head;
  logic [1:0][LANES-1:0] a_slip, b_slip;
  logic busy_a, busy_b;
  lanes_cfg_t [SWITCHES-1:0][1:0] cfg;
  lanes_status_t [SWITCHES-1:0][1:0] status_a, status_b;
  lanes_events_t [SWITCHES-1:0][1:0] ev_a, ev_b;

  always_comb begin
    for (int k = 0; k < SWITCHES; k++) begin
      for (int l = 0; l < 2; l++) begin
        cfg[k][l]  = '{lanes: '1, all_lanes: 1'b1, cc_manual: 1'b1};
        up_a[k][l] = status_a[k][l].up;
        up_b[k][l] = status_b[k][l].up;
      end
    end
  end

  always_comb begin
    to_a_data = b_data;
    to_a_head = b_head;
    to_b_data = a_data;
    to_b_head = a_head;
    if (cut) begin
      to_a_data[0] = '0;
      to_b_data[0] = '0;
      to_a_head[0] = '0;
      to_b_head[0] = '0;
    end
  end

  kumi_stdm_board #(
      .LANES(LANES),
      .BUNDLED(BUNDLED),
      .P(3),
      .CHANNELS(1),
      .TRAIN(64),
      .REJOIN(256)
  ) u_a (
      .clk,
      .rst,
      .s_axil(s_axil_a),
      .s_word(s_word_a),
      .m_word(m_word_a),
      .s_be(s_be_a),
      .m_be(m_be_a),
      .m_lane_data(a_data),
      .m_lane_head(a_head),
      .s_lane_data(to_a_data),
      .s_lane_head(to_a_head),
      .s_lane_slip(a_slip),
      .lanes_cfg(cfg),
      .retrain('0),
      .lanes_status(status_a),
      .lanes_ev(ev_a),
      .busy(busy_a)
  );

  kumi_stdm_board #(
      .LANES(LANES),
      .BUNDLED(BUNDLED),
      .P(3),
      .CHANNELS(1),
      .TRAIN(64),
      .REJOIN(256)
  ) u_b (
      .clk,
      .rst,
      .s_axil(s_axil_b),
      .s_word(s_word_b),
      .m_word(m_word_b),
      .s_be(s_be_b),
      .m_be(m_be_b),
      .m_lane_data(b_data),
      .m_lane_head(b_head),
      .s_lane_data(to_b_data),
      .s_lane_head(to_b_head),
      .s_lane_slip(b_slip),
      .lanes_cfg(cfg),
      .retrain('0),
      .lanes_status(status_b),
      .lanes_ev(ev_b),
      .busy(busy_b)
  );

  logic unused;
  assign unused = ^{a_slip, b_slip, busy_a, busy_b, ev_a, ev_b, status_a, status_b};
endmodule
