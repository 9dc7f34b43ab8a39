// SPDX-License-Identifier: Apache-2.0
//
// Proof top of the 64b/66b code: what XGMII words may follow each other come out of the decoder
// unchanged, five cycles later, from any state of both sides, once two idle words have passed.
// The receiver is assumed to have block lock; the scrambler, proved by itself, is left out.
`include "kumi_assert.svh"
module pcs_10g_formal (
    input logic        clk,
    input logic [63:0] txd,
    input logic [ 7:0] txc
);
  logic rst;
  assign rst = 1'b0;

  logic [65:0] block;
  logic slip, block_lock, hi_ber;
  logic [63:0] rxd;
  logic [7:0] rxc;
  kumi_eth_pkg::pcs_events_t ev;

  kumi_pcs_10g_tx #(
      .SCRAMBLE(0)
  ) tx (
      .clk,
      .rst,
      .xgmii_txd(txd),
      .xgmii_txc(txc),
      .tx_block (block)
  );

  kumi_pcs_10g_rx #(
      .SCRAMBLE(0)
  ) rx (
      .clk,
      .rst,
      .rx_block (block),
      .rx_slip  (slip),
      .xgmii_rxd(rxd),
      .xgmii_rxc(rxc),
      .block_lock,
      .hi_ber,
      .ev
  );

  always_comb assume (block_lock && !hi_ber);

  // The words of the last five cycles, and for how long the line has been in order.
  logic [4:0][63:0] d_q;
  logic [4:0][7:0] c_q;
  logic [2:0][1:0] state_q;  // of the transmitter
  logic [6:0] order_q = '0;
  logic is_idle, was_idle;
  logic started_q = 1'b0;  // d_q[0] is a word that the encoder had
  assign is_idle  = txc == '1 && txd == {8{8'h07}};
  assign was_idle = started_q && c_q[0] == '1 && d_q[0] == {8{8'h07}};

  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    d_q       <= {d_q[3:0], txd};
    c_q       <= {c_q[3:0], txc};
    state_q   <= {state_q[1:0], tx.state_q};
    order_q   <= {order_q[5:0], order_q[0] || (is_idle && was_idle)};
  end

  // From then on only words that may follow each other (figure 49-16).
  always_comb assume (!order_q[1] || tx.state_d != kumi_pcs_10g_pkg::PROC_E);

  `KUMI_ASSERT(a_round_trip, !order_q[4] || (rxd == d_q[4] && rxc == c_q[4]))
  `KUMI_ASSERT(a_no_error, !order_q[5] || !ev.bad_block)
  `KUMI_ASSERT(i_state, !order_q[4] || rx.state_q == state_q[2])
  `KUMI_COVER(c_frame, order_q[4] && rxc == 8'hF8 && d_q[4][7:0] == 8'h5A)

  logic unused;
  assign unused = slip;
endmodule
