// SPDX-License-Identifier: Apache-2.0
//
// Receive side of the 10GBASE-R PCS: scrambled 66-bit blocks to XGMII words (IEEE 802.3 clauses
// 49.2.9 to 49.2.11, figures 49-14, 49-15 and 49-17).
//
// rx_block: one block per cycle; rx_block[1:0] is the sync header, bit 0 first on the wire. rx_slip
//   asks the SerDes or gearbox to move the block boundary by one bit. One XGMII word out per cycle.
// Latency: 3 cycles.
// Bad input: without block lock, or with a high error rate, local fault ordered sets are output. A
//   block that is invalid, or invalid after its predecessor, becomes eight /E/ and raises an event.
//   A terminate counts only if the following block is valid after it.
module kumi_pcs_10g_rx
  import kumi_eth_pkg::*;
  import kumi_xgmii_pkg::*;
  import kumi_pcs_10g_pkg::*;
#(
    parameter int SLIP_WAIT  = 32,     // cycles until a slip has taken effect
    parameter int BER_WINDOW = 19531,  // cycles of 125 microseconds
    parameter bit SCRAMBLE   = 1       // 0 only for tests of the code
) (
    input logic clk,
    input logic rst,

    input  logic [65:0] rx_block,
    output logic        rx_slip,

    output logic [63:0] xgmii_rxd,
    output logic [ 7:0] xgmii_rxc,

    output logic        block_lock,
    output logic        hi_ber,
    output pcs_events_t ev
);

  // ---- Descramble -------------------------------------------------------------------------------
  logic [63:0] clear, pay_q, pay_qq;
  logic [1:0] sync_q;

  kumi_64b66b_block_lock #(
      .SLIP_WAIT (SLIP_WAIT),
      .BER_WINDOW(BER_WINDOW)
  ) lock (
      .clk,
      .rst,
      .header(rx_block[1:0]),
      .slip(rx_slip),
      .block_lock,
      .hi_ber,
      .bad_header(ev.bad_header),
      .lock_lost(ev.lock_lost)
  );

  kumi_64b66b_descrambler #(
      .W(64)
  ) descrambler (
      .clk,
      .en(1'b1),
      .d (rx_block[65:2]),
      .q (clear)
  );

  // The fields are decoded before the register, so that two blocks can be compared after it.
  typedef struct packed {
    logic [7:0] idle;   // control code of the lane is idle
    logic [1:0] seq;    // ordered set code of the column is sequence
    logic [7:0] term;   // block type is terminate in that lane
    logic       c8;     // the other block types
    logic       c4_o4;
    logic       c4_s4;
    logic       o4_s4;
    logic       o4_o4;
    logic       o4_c4;
    logic       s8;
  } fields_t;

  fields_t f_d, f_q;
  logic [63:0] payload;

  assign payload = SCRAMBLE ? clear : rx_block[65:2];

  always_comb begin
    for (int j = 0; j < 8; j++) f_d.idle[j] = payload[8+7*j+:7] == 7'h00;
    for (int n = 0; n < 8; n++) f_d.term[n] = payload[7:0] == BT_T[n];
    f_d.seq   = {payload[39:36] == 4'h0, payload[35:32] == 4'h0};
    f_d.c8    = payload[7:0] == BT_C8;
    f_d.c4_o4 = payload[7:0] == BT_C4_O4;
    f_d.c4_s4 = payload[7:0] == BT_C4_S4;
    f_d.o4_s4 = payload[7:0] == BT_O4_S4;
    f_d.o4_o4 = payload[7:0] == BT_O4_O4;
    f_d.o4_c4 = payload[7:0] == BT_O4_C4;
    f_d.s8    = payload[7:0] == BT_S8;
  end

  always_ff @(posedge clk) begin
    pay_q  <= payload;
    pay_qq <= pay_q;
    sync_q <= rx_block[1:0];
    f_q    <= f_d;
  end

  // ---- Block classification ---------------------------------------------------------------------
  block_type_e kind, kind_q;
  logic [7:0] from_term;  // lane holds the terminate or follows it
  logic [7:0] term, term_q;
  logic [1:0] col_idle, col_seq, col_start;
  logic [1:0] col_idle_q, col_seq_q, col_start_q;

  always_comb begin
    for (int n = 0; n < 8; n++) begin
      term[n] = f_q.term[n];
      for (int j = 0; j < 8; j++) if (j > n) term[n] = term[n] && f_q.idle[j];
    end
    col_idle[0]  = (f_q.c8 || f_q.c4_o4 || f_q.c4_s4) && (&f_q.idle[3:0]);
    col_idle[1]  = (f_q.c8 || f_q.o4_c4) && (&f_q.idle[7:4]);
    col_seq[0]   = (f_q.o4_s4 || f_q.o4_o4 || f_q.o4_c4) && f_q.seq[0];
    col_seq[1]   = (f_q.c4_o4 || f_q.o4_o4) && f_q.seq[1];
    col_start[0] = f_q.s8;
    col_start[1] = f_q.c4_s4 || f_q.o4_s4;
    kind         = TYPE_E;
    if (sync_q == SYNC_DATA) kind = TYPE_D;
    else if (sync_q == SYNC_CTRL) begin
      if (|term) kind = TYPE_T;
      else if (col_start[0] || (col_start[1] && (col_idle[0] || col_seq[0]))) kind = TYPE_S;
      else if (&(col_idle | col_seq)) kind = TYPE_C;
    end
  end

  always_ff @(posedge clk) begin
    kind_q      <= kind;
    term_q      <= term;
    col_idle_q  <= col_idle;
    col_seq_q   <= col_seq;
    col_start_q <= col_start;
    if (rst) kind_q <= TYPE_E;
  end

  // ---- Sequence check and output ----------------------------------------------------------------
  proc_e state_q, state_d;
  logic [63:0] out_d;
  logic [ 7:0] out_c;

  assign state_d = proc_next(state_q, kind_q, kind == TYPE_C || kind == TYPE_S);

  always_comb begin
    for (int j = 0; j < 8; j++) from_term[j] = 8'(term_q << (7 - j)) != '0;
    out_d = pay_qq;
    out_c = '0;
    if (kind_q == TYPE_T) begin
      for (int j = 0; j < 8; j++) begin
        if (term_q[j]) out_d[8*j+:8] = XGMII_TERM;
        else if (from_term[j]) out_d[8*j+:8] = XGMII_IDLE;
        else out_d[8*j+:8] = pay_qq[8*((j+1)%8)+:8];
        out_c[j] = from_term[j];
      end
    end else if (kind_q != TYPE_D) begin
      for (int c = 0; c < 2; c++) begin
        if (col_idle_q[c]) begin
          out_d[32*c+:32] = {4{XGMII_IDLE}};
          out_c[4*c+:4]   = '1;
        end else if (col_seq_q[c] || col_start_q[c]) begin
          out_d[32*c+:8] = col_seq_q[c] ? XGMII_SEQ : XGMII_START;
          out_c[4*c]     = 1'b1;
        end
      end
    end
    if (state_d == PROC_E) begin
      out_d = {8{XGMII_ERROR}};
      out_c = '1;
    end
  end

  always_ff @(posedge clk) begin
    state_q      <= state_d;
    xgmii_rxd    <= out_d;
    xgmii_rxc    <= out_c;
    ev.bad_block <= (state_d == PROC_E) && block_lock && !hi_ber;
    if (rst || !block_lock || hi_ber) begin
      state_q      <= PROC_C;
      xgmii_rxd    <= {2{24'h010000, XGMII_SEQ}};
      xgmii_rxc    <= 8'h11;
      ev.bad_block <= 1'b0;
    end
  end

endmodule
