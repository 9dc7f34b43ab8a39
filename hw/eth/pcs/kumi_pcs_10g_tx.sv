// SPDX-License-Identifier: Apache-2.0
//
// Transmit side of the 10GBASE-R PCS: XGMII words to scrambled 66-bit blocks (IEEE 802.3 clauses
// 49.2.4 to 49.2.6 and figure 49-16).
//
// One word in and one block out per cycle; tx_block[1:0] is the sync header, bit 0 first on the
//   wire.
// Latency: 2 cycles.
// Bad input: a word without block format, with /E/, or invalid after its predecessor becomes a
//   block of eight /E/. The control characters idle, start, terminate, error and the sequence
//   ordered set are supported; reserved characters and signal ordered sets count as errors.
module kumi_pcs_10g_tx
  import kumi_xgmii_pkg::*;
  import kumi_pcs_10g_pkg::*;
#(
    parameter bit SCRAMBLE = 1  // 0 only for tests of the code
) (
    input logic clk,
    input logic rst,

    input logic [63:0] xgmii_txd,
    input logic [ 7:0] xgmii_txc,

    output logic [65:0] tx_block
);

  // ---- Which block is it ------------------------------------------------------------------------
  logic [7:0] is_data, is_idle, is_term;
  logic [1:0] col_idle, col_start, col_seq;
  logic all_data;
  block_type_e kind;
  logic [7:0] field;
  logic [63:0] payload;

  always_comb begin
    for (int j = 0; j < 8; j++) begin
      is_data[j] = !xgmii_txc[j];
      is_idle[j] = xgmii_txc[j] && (xgmii_txd[8*j+:8] == XGMII_IDLE);
      is_term[j] = xgmii_txc[j] && (xgmii_txd[8*j+:8] == XGMII_TERM);
    end
    for (int c = 0; c < 2; c++) begin
      col_idle[c]  = &is_idle[4*c+:4];
      col_start[c] = xgmii_txc[4*c+:4] == 4'b0001 && xgmii_txd[32*c+:8] == XGMII_START;
      col_seq[c]   = xgmii_txc[4*c+:4] == 4'b0001 && xgmii_txd[32*c+:8] == XGMII_SEQ;
    end
    all_data = &is_data;

    kind = TYPE_E;
    field = BT_C8;
    payload = '0;
    if (all_data) begin
      kind = TYPE_D;
    end else if (col_idle[0] && col_idle[1]) begin
      kind = TYPE_C;
    end else if (col_idle[0] && col_seq[1]) begin
      kind  = TYPE_C;
      field = BT_C4_O4;
    end else if (col_seq[0] && col_idle[1]) begin
      kind  = TYPE_C;
      field = BT_O4_C4;
    end else if (col_seq[0] && col_seq[1]) begin
      kind  = TYPE_C;
      field = BT_O4_O4;
    end else if (col_idle[0] && col_start[1]) begin
      kind  = TYPE_S;
      field = BT_C4_S4;
    end else if (col_seq[0] && col_start[1]) begin
      kind  = TYPE_S;
      field = BT_O4_S4;
    end else if (col_start[0] && (&is_data[7:4])) begin
      kind  = TYPE_S;
      field = BT_S8;
    end
    // A lane's byte keeps its position after start and ordered sets; those of idles are zero.
    for (int j = 1; j < 8; j++) if (is_data[j]) payload[8*j+:8] = xgmii_txd[8*j+:8];

    // Bytes before a terminate move up by one to make room for the type.
    for (int n = 0; n < 8; n++) begin
      automatic logic this_one;
      this_one = is_term[n];
      for (int j = 0; j < 8; j++) begin
        if (j < n) this_one = this_one && is_data[j];
        if (j > n) this_one = this_one && is_idle[j];
      end
      if (this_one) begin
        kind  = TYPE_T;
        field = BT_T[n];
      end
    end
    if (kind == TYPE_T) begin
      for (int j = 1; j < 8; j++) begin
        payload[8*j+:8] = is_data[j-1] ? xgmii_txd[8*(j-1)+:8] : 8'h00;
      end
    end
    payload[7:0] = (kind == TYPE_D) ? xgmii_txd[7:0] : field;
  end

  // ---- May it follow ----------------------------------------------------------------------------
  proc_e state_q, state_d;
  block_type_e kind_q;
  logic [63:0] payload_q, clear, scrambled;
  logic [1:0] sync;

  assign state_d = proc_next(state_q, kind_q, 1'b1);

  always_ff @(posedge clk) begin
    kind_q    <= kind;
    payload_q <= payload;
    state_q   <= state_d;
    if (rst) begin
      kind_q    <= TYPE_C;
      payload_q <= 64'(BT_C8);
      state_q   <= PROC_C;
    end
  end

  always_comb begin
    sync  = (kind_q == TYPE_D) ? SYNC_DATA : SYNC_CTRL;
    clear = payload_q;
    if (state_d == PROC_E) begin
      sync  = SYNC_CTRL;
      clear = {{8{CODE_ERROR}}, BT_C8};
    end
  end

  kumi_64b66b_scrambler #(
      .W(64)
  ) scrambler (
      .clk,
      .rst,
      .en(1'b1),
      .d (clear),
      .q (scrambled)
  );

  always_ff @(posedge clk) tx_block <= {SCRAMBLE ? scrambled : clear, sync};

endmodule
