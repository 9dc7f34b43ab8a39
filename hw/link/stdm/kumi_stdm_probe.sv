// SPDX-License-Identifier: Apache-2.0
//
// A board with a circuit switch, and a source and a sink at every local port: the instrument of
// `kumi bench stdm` and of multi-board tests. It has no lanes: rows are ports, and the driver of
// several boards carries them from one to the other.
//
// s_cmd, m_rsp: register access (kumi_stdm_probe_cmd). up, tx_*, rx_*, cc_start: see kumi_stdm.
// on and the counters of kumi_stdm_probe_word: by local port * CHANNELS + channel. be_*: by local
//   port, see kumi_stdm_probe_be. id: number of the board, in all words. now: common time.
module kumi_stdm_probe #(
    parameter  int P        = 5,                 // ports of the switch
    parameter  int LOCALS   = 1,                 // local ports
    parameter  int CHANNELS = 4,                 // of a local port
    parameter  bit HYBRID   = 1'b1,              // best-effort packets
    parameter  int BE_DEPTH = 512,               // words
    localparam int LINKS    = P - LOCALS,
    localparam int ENDS     = LOCALS * CHANNELS
) (
    input logic                  clk,
    input logic                  rst,
    input logic           [ 7:0] id,
    input logic           [31:0] now,
          kumi_rec_if.snk        s_cmd,
          kumi_rec_if.src        m_rsp,

    input  logic                  clear,
    input  logic [ENDS-1:0]       on,
    output logic [ENDS-1:0][31:0] sent,
    output logic [ENDS-1:0][31:0] words,
    output logic [ENDS-1:0][15:0] least,
    output logic [ENDS-1:0][15:0] most,
    output logic [ENDS-1:0][15:0] errors,
    output logic [ENDS-1:0][15:0] from,

    input  logic [LOCALS-1:0]       be_on,
    input  logic [       7:0]       be_boards,
    input  logic [      11:0]       be_length,
    input  logic [LOCALS-1:0][11:0] be_dest,
    output logic [LOCALS-1:0][31:0] be_sent,
    output logic [LOCALS-1:0][31:0] be_frames,
    output logic [LOCALS-1:0][31:0] be_words,
    output logic [LOCALS-1:0][15:0] be_errors,

    output logic [      8:0]       pos,       // at stage C
    output logic                   run,
    input  logic [LINKS-1:0]       up,
    input  logic [LINKS-1:0]       tx_take,
    output logic [LINKS-1:0][ 1:0] tx_kind,
    output logic [LINKS-1:0][63:0] tx_data,
    output logic [LINKS-1:0]       cc_start,
    input  logic [LINKS-1:0][ 1:0] rx_kind,
    input  logic [LINKS-1:0][63:0] rx_data,
    output logic                   busy
);
  kumi_axis_if #(.DATA_W(64)) src[ENDS] ();
  kumi_axis_if #(.DATA_W(64)) snk[ENDS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(12)
  ) be_src[LOCALS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .ID_W  (8)
  ) be_snk[LOCALS] ();

  kumi_axil_if axil ();
  kumi_stdm_probe_cmd u_cmd (
      .clk,
      .rst,
      .s_cmd (s_cmd),
      .m_rsp (m_rsp),
      .m_axil(axil)
  );

  kumi_stdm #(
      .P(P),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS),
      .HYBRID(HYBRID),
      .BE_DEPTH(BE_DEPTH)
  ) u_stdm (
      .s_axil(axil),
      .s_word(src),
      .m_word(snk),
      .s_be  (be_src),
      .m_be  (be_snk),
      .pos,
      .run,
      .*
  );

  for (genvar c = 0; c < ENDS; c++) begin : gen_end
    kumi_stdm_probe_word u_word (
        .clk,
        .rst,
        .id({id, 8'(c)}),
        .on(on[c]),
        .clear,
        .now,
        .m_axis(src[c]),
        .s_axis(snk[c]),
        .sent(sent[c]),
        .words(words[c]),
        .least(least[c]),
        .most(most[c]),
        .errors(errors[c]),
        .from(from[c])
    );
  end

  for (genvar p = 0; p < LOCALS; p++) begin : gen_be
    kumi_stdm_probe_be u_be (
        .clk,
        .rst,
        .id({8'd0, id}),
        .on(be_on[p]),
        .boards(be_boards),
        .length(be_length),
        .dest(be_dest[p]),
        .m_axis(be_src[p]),
        .s_axis(be_snk[p]),
        .sent(be_sent[p]),
        .frames(be_frames[p]),
        .words(be_words[p]),
        .errors(be_errors[p])
    );
  end
endmodule
