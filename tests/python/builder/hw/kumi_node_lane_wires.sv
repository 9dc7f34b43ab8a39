// SPDX-License-Identifier: Apache-2.0
//
// A node for tests of the lane port: two lanes whose blocks go in and out by pins; lane l0_1 has no
// slip and sends what arrives on it.
module kumi_node_lane_wires (
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

    input  logic [65:0] out,   // what l0_0 sends
    output logic [65:0] seen,  // what it shows
    input  logic        slip
);

  assign {m_lane_l0_0_head, m_lane_l0_0_data} = out;
  assign seen = {s_lane_l0_0_head, s_lane_l0_0_data};
  assign s_lane_l0_0_slip = slip;
  always_ff @(posedge clk) begin
    m_lane_l0_1_head <= rst ? 2'b01 : s_lane_l0_1_head;
    m_lane_l0_1_data <= rst ? '0 : s_lane_l0_1_data;
  end
endmodule
