// SPDX-License-Identifier: Apache-2.0
//
// All circuit switches of a board with their links, down to the lanes: either one switch for links
// of LANES bonded lanes (BUNDLED = 1), or LANES independent switches, one per lane, each with its
// own tables, length and registers (BUNDLED = 0), as in FiC.
//
// s_axil: one register block per switch. Local ports of switch k follow those of k - 1.
// m_lane_*[l][i], s_lane_*[l][i]: link l, lane i: scrambled blocks, one per cycle.
// lanes_cfg, retrain, lanes_status, lanes_ev: see kumi_link_lanes, one record per link and switch;
//   all_lanes and cc_manual of cfg are ignored.
// Latency: from board to board without cable, crossing to crossing, 6 + margin cycles with one
//   lane, 9 + margin with several.
module kumi_stdm_board
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,  // of a link, 1..4
    parameter bit BUNDLED = 1'b1,  // 1: words of 64 * LANES bits; 0: a switch for each lane
    parameter int P = 5,  // ports of a switch, 3..17
    parameter int LOCALS = 1,  // local ports
    parameter int CHANNELS = 4,  // circuits that end at a local port, each way
    parameter bit HYBRID = 1'b1,  // best-effort packets in free slots
    parameter int BE_DEPTH = 512,  // words
    parameter int CC_BLOCKS = 4,  // rows of a clock compensation; guard is at least 2 more
    parameter int TRAIN = 4096,  // see kumi_link_lanes
    parameter int REJOIN = 4096,
    localparam int SWITCHES = BUNDLED ? 1 : LANES,
    localparam int LINKS = P - LOCALS
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil[SWITCHES],
    kumi_axis_if.snk s_word[SWITCHES*LOCALS*CHANNELS],
    kumi_axis_if.src m_word[SWITCHES*LOCALS*CHANNELS],
    kumi_axis_if.snk s_be[SWITCHES*LOCALS],
    kumi_axis_if.src m_be[SWITCHES*LOCALS],

    output logic [LINKS-1:0][LANES-1:0][63:0] m_lane_data,
    output logic [LINKS-1:0][LANES-1:0][ 1:0] m_lane_head,
    input  logic [LINKS-1:0][LANES-1:0][63:0] s_lane_data,
    input  logic [LINKS-1:0][LANES-1:0][ 1:0] s_lane_head,
    output logic [LINKS-1:0][LANES-1:0]       s_lane_slip,

    input  lanes_cfg_t    [SWITCHES-1:0][LINKS-1:0] lanes_cfg,
    input  logic          [SWITCHES-1:0][LINKS-1:0] retrain,
    output lanes_status_t [SWITCHES-1:0][LINKS-1:0] lanes_status,
    output lanes_events_t [SWITCHES-1:0][LINKS-1:0] lanes_ev,
    output logic                                    busy
);
  localparam int EACH = BUNDLED ? LANES : 1;  // lanes of a switch's link

  logic [SWITCHES-1:0] switch_busy;
  assign busy = |switch_busy;

  for (genvar k = 0; k < SWITCHES; k++) begin : gen_switch
    logic [LINKS-1:0] up, tx_take, cc_start;
    logic [LINKS-1:0][EACH-1:0][1:0] tx_kind, rx_kind;
    logic [LINKS-1:0][EACH-1:0][63:0] tx_data, rx_data;
    logic [kumi_stdm_pkg::POS_W-1:0] pos;
    logic run;

    kumi_stdm #(
        .LANES(EACH),
        .P(P),
        .LOCALS(LOCALS),
        .CHANNELS(CHANNELS),
        .HYBRID(HYBRID),
        .BE_DEPTH(BE_DEPTH)
    ) u_stdm (
        .clk,
        .rst,
        .s_axil(s_axil[k]),
        .s_word(s_word[k*LOCALS*CHANNELS:(k+1)*LOCALS*CHANNELS-1]),
        .m_word(m_word[k*LOCALS*CHANNELS:(k+1)*LOCALS*CHANNELS-1]),
        .s_be  (s_be[k*LOCALS:(k+1)*LOCALS-1]),
        .m_be  (m_be[k*LOCALS:(k+1)*LOCALS-1]),
        .up,
        .tx_take,
        .tx_kind,
        .tx_data,
        .cc_start,
        .rx_kind,
        .rx_data,
        .pos,
        .run,
        .busy  (switch_busy[k])
    );
    logic unused_time;
    assign unused_time = ^{pos, run};

    for (genvar l = 0; l < LINKS; l++) begin : gen_link
      // A switch sends whole words and says itself when clocks may be compensated.
      lanes_cfg_t cfg;
      always_comb begin
        cfg = lanes_cfg[k][l];
        cfg.all_lanes = 1'b1;
        cfg.cc_manual = 1'b1;
      end

      kumi_link_lanes #(
          .LANES(EACH),
          .CC_BLOCKS(CC_BLOCKS),
          .TRAIN(TRAIN),
          .REJOIN(REJOIN)
      ) u_lanes (
          .clk,
          .rst,
          .m_lane_data(m_lane_data[l][k*EACH+:EACH]),
          .m_lane_head(m_lane_head[l][k*EACH+:EACH]),
          .s_lane_data(s_lane_data[l][k*EACH+:EACH]),
          .s_lane_head(s_lane_head[l][k*EACH+:EACH]),
          .s_lane_slip(s_lane_slip[l][k*EACH+:EACH]),
          .tx_take(tx_take[l]),
          .tx_kind(tx_kind[l]),
          .tx_data(tx_data[l]),
          .rx_kind(rx_kind[l]),
          .rx_data(rx_data[l]),
          .cc_start(cc_start[l]),
          .retrain(retrain[k][l]),
          .cfg,
          .status(lanes_status[k][l]),
          .ev(lanes_ev[k][l])
      );
      assign up[l] = lanes_status[k][l].up;
    end
  end
endmodule
