// SPDX-License-Identifier: Apache-2.0
//
// A whole network of circuit switches in one model, with sources and sinks at every local port, for
// measurements: `kumi bench stdm`, and tests of many boards.
//
// NEXT says for each board and link (index board * LINKS + link) where it goes: {there is a cable,
//   board (7), link (4)}; cables carry both directions. The lanes are left out: a row arrives DELAY
//   cycles after it was sent, and CC_BLOCKS rows after cc_start are clock compensation.
// cmd, rsp: registers of each board (kumi_stdm_net_cmd).
// on, words, ...: by board * LOCALS * CHANNELS + local port * CHANNELS + channel (kumi_stdm_net_word);
//   best_*: by board * LOCALS + local port. cut, hurt: by board and link, of what comes in there:
//   unplugged, and rows that come as errors.
module kumi_stdm_net
  import kumi_link_pkg::*;
#(
    parameter int BOARDS = 4,
    parameter int P = 3,  // ports of a board
    parameter int LOCALS = 1,  // of them local
    parameter int CHANNELS = 4,  // of a local port
    parameter bit HYBRID = 1'b1,
    parameter int BEST_DEPTH = 512,  // words
    parameter int DELAY = 3,  // cycles of a link, from row to row
    parameter int CC_BLOCKS = 4,
    parameter logic [BOARDS*(P-LOCALS)-1:0][11:0] NEXT = '0,
    localparam int LINKS = P - LOCALS,
    localparam int ENDS = BOARDS * LOCALS * CHANNELS
) (
    input logic clk,
    input logic rst,
    kumi_hdr_if.snk s_cmd[BOARDS],
    kumi_hdr_if.src m_rsp[BOARDS],

    input  logic                   clear,
    input  logic [ENDS-1:0]        on,
    output logic [ENDS-1:0][ 31:0] sent,
    output logic [ENDS-1:0][ 31:0] words,
    output logic [ENDS-1:0][ 15:0] least,
    output logic [ENDS-1:0][ 15:0] most,
    output logic [ENDS-1:0][ 15:0] errors,
    output logic [ENDS-1:0][ 15:0] from,

    input  logic [BOARDS*LOCALS-1:0]       best_on,
    input  logic                           best_scatter,
    input  logic [             11:0]       best_length,
    input  logic [BOARDS*LOCALS-1:0][11:0] best_dest,
    output logic [BOARDS*LOCALS-1:0][31:0] best_sent,
    output logic [BOARDS*LOCALS-1:0][31:0] best_frames,
    output logic [BOARDS*LOCALS-1:0][31:0] best_words,
    output logic [BOARDS*LOCALS-1:0][15:0] best_errors,

    input logic [BOARDS*LINKS-1:0] cut,
    input logic [BOARDS*LINKS-1:0] hurt
);
  logic [31:0] now_q;
  always_ff @(posedge clk) now_q <= rst ? '0 : now_q + 1'b1;

  logic [BOARDS*LINKS-1:0][1:0] tx_kind, rx_kind, far_kind;
  logic [BOARDS*LINKS-1:0][63:0] tx_data, rx_data, far_data;
  logic [BOARDS*LINKS-1:0] up, tx_take, cc_start;

  for (genvar b = 0; b < BOARDS; b++) begin : gen_board
    kumi_axil_if axil ();
    kumi_axis_if #(.DATA_W(64)) src[LOCALS*CHANNELS] ();
    kumi_axis_if #(.DATA_W(64)) snk[LOCALS*CHANNELS] ();
    kumi_axis_if #(.DATA_W(64), .DEST_W(12)) best_src[LOCALS] ();
    kumi_axis_if #(.DATA_W(64), .ID_W(8)) best_snk[LOCALS] ();
    logic busy;

    kumi_stdm_net_cmd u_cmd (
        .clk,
        .rst,
        .s_cmd (s_cmd[b]),
        .m_rsp (m_rsp[b]),
        .m_axil(axil)
    );

    kumi_stdm #(
        .P(P),
        .LOCALS(LOCALS),
        .CHANNELS(CHANNELS),
        .HYBRID(HYBRID),
        .BEST_DEPTH(BEST_DEPTH)
    ) u_stdm (
        .clk,
        .rst,
        .s_axil(axil),
        .s_word(src),
        .m_word(snk),
        .s_best(best_src),
        .m_best(best_snk),
        .up(up[b*LINKS+:LINKS]),
        .tx_take(tx_take[b*LINKS+:LINKS]),
        .tx_kind(tx_kind[b*LINKS+:LINKS]),
        .tx_data(tx_data[b*LINKS+:LINKS]),
        .cc_start(cc_start[b*LINKS+:LINKS]),
        .rx_kind(rx_kind[b*LINKS+:LINKS]),
        .rx_data(rx_data[b*LINKS+:LINKS]),
        .busy
    );

    for (genvar c = 0; c < LOCALS * CHANNELS; c++) begin : gen_end
      localparam int E = b * LOCALS * CHANNELS + c;
      kumi_stdm_net_word u_word (
          .clk,
          .rst,
          .id(16'(E)),
          .on(on[E]),
          .clear,
          .now(now_q),
          .m_axis(src[c]),
          .s_axis(snk[c]),
          .sent(sent[E]),
          .words(words[E]),
          .least(least[E]),
          .most(most[E]),
          .errors(errors[E]),
          .from(from[E])
      );
    end

    for (genvar p = 0; p < LOCALS; p++) begin : gen_best
      localparam int E = b * LOCALS + p;
      kumi_stdm_net_best #(
          .BOARDS(BOARDS)
      ) u_best (
          .clk,
          .rst,
          .id(16'(b)),
          .on(best_on[E]),
          .scatter(best_scatter),
          .length(best_length),
          .dest(best_dest[E]),
          .m_axis(best_src[p]),
          .s_axis(best_snk[p]),
          .sent(best_sent[E]),
          .frames(best_frames[E]),
          .words(best_words[E]),
          .errors(best_errors[E])
      );
    end

    logic unused;
    assign unused = busy;
  end

  for (genvar e = 0; e < BOARDS * LINKS; e++) begin : gen_link
    localparam int PEER = int'(NEXT[e][10:4]) * LINKS + int'(NEXT[e][3:0]);
    logic [3:0] cc_q;
    logic [DELAY-1:0][65:0] line_q;

    assign tx_take[e] = up[e] && cc_q == '0;
    always_ff @(posedge clk) begin
      cc_q <= cc_start[e] ? 4'(CC_BLOCKS) : cc_q != '0 ? cc_q - 1'b1 : '0;
      line_q[0] <= {tx_take[e] ? tx_kind[e] : KIND_IDLE, tx_data[e]};
      for (int d = 1; d < DELAY; d++) line_q[d] <= line_q[d-1];
      if (rst) begin
        cc_q   <= '0;
        line_q <= '0;
      end
    end
    assign {far_kind[e], far_data[e]} = line_q[DELAY-1];

    if (NEXT[e][11]) begin : gen_cable
      assign up[e] = !cut[e] && !cut[PEER];
      assign rx_kind[e] = !up[e] ? KIND_IDLE : hurt[e] ? KIND_ERROR : far_kind[PEER];
      assign rx_data[e] = far_data[PEER];
    end else begin : gen_dark
      assign up[e] = 1'b0;
      assign rx_kind[e] = KIND_IDLE;
      assign rx_data[e] = '0;
      logic unused;
      assign unused = ^{cut[e], hurt[e]};
    end
  end
endmodule
