// SPDX-License-Identifier: Apache-2.0
//
// Circuit switch with its link ports: everything above the lanes of a board.
//
// s_axil: registers (regs/stdm.rdl). s_word, m_word: words of circuits, channel c of local port p
//   at p * CHANNELS + c. s_be, m_be: best-effort packets of the local ports; tdest of s_be is
//   {local port, board}, 4 and 8 bits, tid of m_be the source board.
// up, tx_*, rx_*, cc_start: upper side of kumi_link_lanes; link l of the board is port LOCALS + l.
//   Lanes must be set to cc_manual and all_lanes, with CC_BLOCKS at most guard - 2.
// Timing, tables, formats: docs/blocks/stdm.md.
module kumi_stdm
  import kumi_stdm_pkg::*;
#(
    parameter int LANES     = 1,     // bundled in a link; a word has 64 bits of each
    parameter int P         = 5,     // ports, 3..17
    parameter int LOCALS    = 1,     // local ports
    parameter int CHANNELS  = 4,     // circuits that end at a local port, each way, 1..64
    parameter bit HYBRID    = 1'b1,  // best-effort packets in free slots
    parameter int IN_DEPTH  = 16,    // input FIFO of a channel in words, a power of two
    parameter int OUT_DEPTH = 16,    // output FIFO of a channel in words, a power of two
    parameter int BE_DEPTH  = 512    // best-effort buffer of an input in words, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.snk s_word[LOCALS*CHANNELS],
    kumi_axis_if.src m_word[LOCALS*CHANNELS],
    kumi_axis_if.snk s_be[LOCALS],
    kumi_axis_if.src m_be[LOCALS],

    input  logic [P-LOCALS-1:0]                  up,
    input  logic [P-LOCALS-1:0]                  tx_take,
    output logic [P-LOCALS-1:0][LANES-1:0][ 1:0] tx_kind,
    output logic [P-LOCALS-1:0][LANES-1:0][63:0] tx_data,
    output logic [P-LOCALS-1:0]                  cc_start,
    input  logic [P-LOCALS-1:0][LANES-1:0][ 1:0] rx_kind,
    input  logic [P-LOCALS-1:0][LANES-1:0][63:0] rx_data,

    output logic [POS_W-1:0] pos,  // position in the TDM frame, at the stage before words cross
    output logic             run,  // a table is active
    output logic             busy
);
  localparam int W = 64 * LANES;
  localparam int LINKS = P - LOCALS;

  stdm_time_t beat;
  stdm_frame_t tdm_frame;
  stdm_link_cfg_t [LINKS-1:0] link_cfg;
  stdm_link_status_t [LINKS-1:0] link_status;
  stdm_link_events_t [LINKS-1:0] link_ev;
  logic [LINKS-1:0] mark, xoff, xoff_seen, be_open;
  logic [LINKS-1:0][POS_W-1:0] mark_away;
  logic [LINKS-1:0][1:0] in_kind, out_kind;
  logic [LINKS-1:0][W-1:0] in_data, out_data;

  kumi_stdm_switch #(
      .LANES(LANES),
      .P(P),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS),
      .HYBRID(HYBRID),
      .IN_DEPTH(IN_DEPTH),
      .OUT_DEPTH(OUT_DEPTH),
      .BE_DEPTH(BE_DEPTH)
  ) u_switch (
      .s_axil(s_axil),
      .s_word(s_word),
      .m_word(m_word),
      .s_be  (s_be),
      .m_be  (m_be),
      .*
  );

  assign pos = beat.pos;
  assign run = beat.run;

  for (genvar l = 0; l < LINKS; l++) begin : gen_link
    kumi_stdm_link_port #(
        .LANES(LANES)
    ) u_port (
        .clk,
        .rst,
        .beat,
        .tdm_frame,
        .cfg(link_cfg[l]),
        .status(link_status[l]),
        .ev(link_ev[l]),
        .mark(mark[l]),
        .mark_away(mark_away[l]),
        .out_kind(out_kind[l]),
        .out_data(out_data[l]),
        .be_open(be_open[l]),
        .xoff(xoff[l]),
        .in_kind(in_kind[l]),
        .in_data(in_data[l]),
        .xoff_seen(xoff_seen[l]),
        .up(up[l]),
        .tx_take(tx_take[l]),
        .tx_kind(tx_kind[l]),
        .tx_data(tx_data[l]),
        .cc_start(cc_start[l]),
        .rx_kind(rx_kind[l]),
        .rx_data(rx_data[l])
    );
  end
endmodule
