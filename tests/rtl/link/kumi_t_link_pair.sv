// SPDX-License-Identifier: Apache-2.0
//
// Two serial links, A and B, joined by lanes of a cable that a test can spoil. Lane numbers beyond
// the other side's are dark.
module kumi_t_link_pair
  import kumi_link_pkg::*;
#(
    parameter int LANES_A = 1,
    parameter int LANES_B = LANES_A,
    parameter bit RETRY = 1,
    parameter int CC_PERIOD = 1000,
    parameter int RX_BEATS = 128
) (
    input logic clk,
    input logic rst,

    input logic [3:0][9:0] delay_ab,
    input logic [3:0][9:0] delay_ba,
    input logic [3:0][1:0] mode_ab,
    input logic [3:0][1:0] mode_ba,
    input logic [3:0] replug,
    input logic [6:0] boundary,
    input logic [31:0] ber,
    input logic [31:0] seed,

    input  serial_cfg_t    cfg_a,
    input  serial_cfg_t    cfg_b,
    input logic rst_b,
    output serial_status_t status_a,
    output serial_status_t status_b,
    output serial_events_t ev_a,
    output serial_events_t ev_b,

    // What is on the line from A, for an independent decoder.
    output logic [3:0][63:0] line_data,
    output logic [3:0][ 1:0] line_head,

    kumi_axis_if.snk s_axis_a,
    kumi_axis_if.src m_axis_a,
    kumi_axis_if.snk s_axis_b,
    kumi_axis_if.src m_axis_b
);
  logic [LANES_A-1:0][63:0] a_out_data, a_in_data;
  logic [LANES_A-1:0][1:0] a_out_head, a_in_head;
  logic [LANES_A-1:0] a_slip;
  logic [LANES_B-1:0][63:0] b_out_data, b_in_data;
  logic [LANES_B-1:0][1:0] b_out_head, b_in_head;
  logic [LANES_B-1:0] b_slip;

  for (genvar i = 0; i < 4; i++) begin : gen_lane
    if (i < LANES_A) begin : gen_seen
      assign line_data[i] = a_out_data[i];
      assign line_head[i] = a_out_head[i];
    end else begin : gen_unseen
      assign line_data[i] = '0;
      assign line_head[i] = '0;
    end
    if (i < LANES_A && i < LANES_B) begin : gen_cable
      kumi_t_lane_cable u_ab (
          .clk,
          .rst,
          .in_data(a_out_data[i]),
          .in_head(a_out_head[i]),
          .out_data(b_in_data[i]),
          .out_head(b_in_head[i]),
          .slip(b_slip[i]),
          .replug(replug[i]),
          .boundary(boundary),
          .delay(delay_ab[i]),
          .mode(mode_ab[i]),
          .ber,
          .seed(seed + 32'(i))
      );
      kumi_t_lane_cable u_ba (
          .clk,
          .rst,
          .in_data(b_out_data[i]),
          .in_head(b_out_head[i]),
          .out_data(a_in_data[i]),
          .out_head(a_in_head[i]),
          .slip(a_slip[i]),
          .replug(replug[i]),
          .boundary((boundary + 7'd13) % 7'd66),
          .delay(delay_ba[i]),
          .mode(mode_ba[i]),
          .ber,
          .seed(seed + 32'(i) + 32'd100)
      );
    end else if (i < LANES_A) begin : gen_dark_a
      assign a_in_data[i] = '0;
      assign a_in_head[i] = '0;
    end else if (i < LANES_B) begin : gen_dark_b
      assign b_in_data[i] = '0;
      assign b_in_head[i] = '0;
    end
  end

  kumi_serial_link #(
      .LANES(LANES_A),
      .RETRY(RETRY),
      .RX_BEATS(RX_BEATS),
      .CC_PERIOD(CC_PERIOD),
      .SLIP_WAIT(4),
      .TRAIN(1024),
      .REJOIN(1024)
  ) u_a (
      .clk,
      .rst,
      .m_lane_data(a_out_data),
      .m_lane_head(a_out_head),
      .s_lane_data(a_in_data),
      .s_lane_head(a_in_head),
      .s_lane_slip(a_slip),
      .s_axis(s_axis_a),
      .m_axis(m_axis_a),
      .cfg(cfg_a),
      .status(status_a),
      .ev(ev_a)
  );

  kumi_serial_link #(
      .LANES(LANES_B),
      .RETRY(RETRY),
      .RX_BEATS(RX_BEATS),
      .CC_PERIOD(CC_PERIOD),
      .SLIP_WAIT(4),
      .TRAIN(1024),
      .REJOIN(1024)
  ) u_b (
      .clk,
      .rst(rst || rst_b),
      .m_lane_data(b_out_data),
      .m_lane_head(b_out_head),
      .s_lane_data(b_in_data),
      .s_lane_head(b_in_head),
      .s_lane_slip(b_slip),
      .s_axis(s_axis_b),
      .m_axis(m_axis_b),
      .cfg(cfg_b),
      .status(status_b),
      .ev(ev_b)
  );
endmodule
