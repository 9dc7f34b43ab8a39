// SPDX-License-Identifier: Apache-2.0
//
// Link fault detection of the reconciliation sublayer (IEEE 802.3 clause 46.3.4).
//
// Watches the receive side for sequence ordered sets. Four fault sequences of one kind, none of the
// other kind between them and no gap of 128 columns, set local_fault or remote_fault; 128 columns
// without a fault sequence clear it. A column is four lanes, so a 64-bit word holds two.
// Latency: one cycle. Bad input: other ordered sets are ignored.
module kumi_mac_xgmii_rs
  import kumi_xgmii_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic [63:0] xgmii_rxd,
    input logic [ 7:0] xgmii_rxc,

    output logic local_fault,
    output logic remote_fault
);

  logic [1:0] is_fault;  // column holds a fault sequence
  logic [1:0] is_remote;
  logic any, kind;
  logic [2:0] seen;
  logic [2:0] count_q;  // sequences of kind_q seen, saturates at 4
  logic       kind_q;  // 1: remote
  logic [6:0] quiet_q;  // columns since the last one

  always_comb begin
    for (int c = 0; c < 2; c++) begin
      is_fault[c] = (xgmii_rxc[4*c+:4] == 4'b0001) && (xgmii_rxd[32*c+:24] == {16'h0, XGMII_SEQ})
          && (xgmii_rxd[32*c+24+:8] == 8'h01 || xgmii_rxd[32*c+24+:8] == 8'h02);
      is_remote[c] = xgmii_rxd[32*c+25];
    end
    any  = |is_fault;
    kind = is_fault[1] ? is_remote[1] : is_remote[0];
    seen = (is_fault == 2'b11 && is_remote[0] == is_remote[1]) ? 3'd2 : 3'd1;
    if (kind == kind_q) seen = (count_q + seen > 3'd4) ? 3'd4 : count_q + seen;
  end

  always_ff @(posedge clk) begin
    if (any) begin
      count_q <= seen;
      kind_q  <= kind;
      quiet_q <= '0;
    end else if (quiet_q < 7'd126) begin
      quiet_q <= quiet_q + 7'd2;
    end else begin
      count_q      <= '0;
      local_fault  <= 1'b0;
      remote_fault <= 1'b0;
    end
    if (any && seen == 3'd4) begin
      local_fault  <= !kind;
      remote_fault <= kind;
    end
    if (rst) begin
      count_q      <= '0;
      kind_q       <= 1'b0;
      quiet_q      <= '0;
      local_fault  <= 1'b0;
      remote_fault <= 1'b0;
    end
  end

endmodule
