// SPDX-License-Identifier: Apache-2.0
//
// Physical and lowest link layer of an InfiniBand port, 1x or 4x: from packets and link packets to
// the symbols of the lanes (IBTA volume 2, chapter 5; volume 1, clause 7.6).
//
// rx_*: received packets without back-pressure, see kumi_ib_rx_line, while rx_run is high; rx_fc:
//   link packets in order with them. tx_axis, tx_sent, tx_fc*: what is sent, see kumi_ib_tx_line.
//   enable, retrain, down, phys_state: see kumi_ib_training. bad_symbols: code violations in this
//   cycle while the link is up. All events are one-cycle pulses.
// Lanes: [lane][0] first on the wire, 4 * WORDS symbols a cycle in all; s_err: code violation;
//   s_signal: a signal is there; m_quiet: the transmitters are off.
// Latency: beat to symbols 1 cycle; a packet's last symbol to its last beat 4 cycles at 4x, 3 at
// 1x.
module kumi_ib_phy
  import kumi_ib_link_pkg::*;
#(
    parameter  int LANES        = 4,                 // 1 (with one word) or 4
    parameter  int WORDS        = 2,                 // words of 4 symbols per cycle, 1 or 2
    parameter  int SKIP_SYMBOLS = 4608,              // symbols per lane between skip sets
    parameter  int TRAIN        = 65536,             // cycles that training may take
    localparam int SYMBOLS      = 4 * WORDS / LANES
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        enable,
    input  logic        retrain,
    input  logic        down,
    output phys_state_e phys_state,
    output logic        link_up,
    output logic        rx_run,

    // Received.
    output logic                      rx_valid,
    output logic    [WORDS-1:0][31:0] rx_data,
    output logic                      rx_half,
    output logic                      rx_first,
    output logic                      rx_last,
    output logic                      rx_bad,
    output logic                      rx_remote,
    output logic                      rx_fc_valid,
    output fc_pkt_t                   rx_fc,

    // To send.
           kumi_axis_if.snk tx_axis,
    output logic            tx_sent,
    input  logic            tx_fc_valid,
    output logic            tx_fc_ready,
    input  fc_pkt_t         tx_fc,

    // Events.
    output logic       ev_bad_fc,
    output logic       ev_underrun,
    output logic       ev_discard,
    output logic       ev_recovery,
    output logic       ev_downed,
    output logic [3:0] bad_symbols,

    // Lanes.
    input  logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_k,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_err,
    input  logic [LANES-1:0]                   s_signal,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0]      m_k,
    output logic                               m_quiet
);
  if (LANES != 4 && !(LANES == 1 && WORDS == 1)) begin : gen_check_lanes
    $fatal(0, "LANES must be 4, or 1 with one word a cycle (%m)");
  end

  logic [WORDS-1:0] word_valid;
  ib_word_t [WORDS-1:0] word;
  logic aligned, ts_sent;
  line_mode_e mode;

  if (LANES == 1) begin : gen_1x
    kumi_ib_word_align u_align (
        .clk,
        .rst,
        .in_data(s_data[0]),
        .in_k(s_k[0]),
        .in_err(s_err[0]),
        .out_valid(word_valid),
        .out_word(word)
    );
    assign aligned = 1'b1;
  end else begin : gen_4x
    kumi_ib_deskew #(
        .SYMBOLS(SYMBOLS)
    ) u_deskew (
        .clk,
        .rst,
        .restart(1'b0),
        .in_data(s_data),
        .in_k(s_k),
        .in_err(s_err),
        .aligned,
        .out_valid(word_valid),
        .out_word(word)
    );
  end

  kumi_ib_training #(
      .LANES  (LANES),
      .WORDS  (WORDS),
      .TIMEOUT(TRAIN)
  ) u_training (
      .clk,
      .rst,
      .enable,
      .signal(&s_signal),
      .aligned,
      .retrain,
      .down,
      .word_valid,
      .word,
      .ts_sent,
      .mode,
      .phys_state,
      .link_up,
      .rx_run,
      .ev_recovery,
      .ev_downed
  );

  kumi_ib_rx_line #(
      .WORDS(WORDS)
  ) u_rx_line (
      .clk,
      .rst,
      .run(rx_run),
      .word_valid,
      .word,
      .out_valid(rx_valid),
      .out_data(rx_data),
      .out_half(rx_half),
      .out_first(rx_first),
      .out_last(rx_last),
      .out_bad(rx_bad),
      .out_remote(rx_remote),
      .fc_valid(rx_fc_valid),
      .fc_pkt(rx_fc),
      .ev_bad_fc
  );

  kumi_ib_tx_line #(
      .LANES(LANES),
      .WORDS(WORDS),
      .SKIP_SYMBOLS(SKIP_SYMBOLS)
  ) u_tx_line (
      .clk,
      .rst,
      .mode,
      .s_axis(tx_axis),
      .sent(tx_sent),
      .ev_underrun,
      .ev_discard,
      .fc_valid(tx_fc_valid),
      .fc_ready(tx_fc_ready),
      .fc_pkt(tx_fc),
      .ts_sent,
      .m_data,
      .m_k,
      .m_quiet
  );

  always_comb begin
    bad_symbols = '0;
    for (int l = 0; l < LANES; l++) begin
      for (int s = 0; s < SYMBOLS; s++) bad_symbols = bad_symbols + 4'(link_up && s_err[l][s]);
    end
  end
endmodule
