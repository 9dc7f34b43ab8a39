// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of a packet the ICRC leaves out (IBTA volume 1, clause 7.8.1): one instance follows a
// stream and gives each word with the variant bits set to one.
//
// Variant: LRH.VL, or the whole LRH if a GRH follows; of the GRH traffic class, flow label and hop
//   limit; of the BTH the reserved byte behind P_Key.
// move: the beat at `data` moves; last: it ends the packet. masked: combinational.
module kumi_ib_icrc_mask
  import kumi_ib_pkg::*;
#(
    parameter int WORDS = 2
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   move,
    input  logic                   last,
    input  logic [WORDS-1:0][31:0] data,
    output logic [WORDS-1:0][31:0] masked
);
  // Words of 4 bytes: LRH 0 and 1, GRH 2 to 11, BTH from 2 or 12 on.
  localparam int GRH = 2;
  localparam int GRH_HOP = 3;
  localparam int BTH_RSV = 1;
  localparam int BTH = 2;
  localparam int BTH_BEHIND_GRH = 12;
  localparam logic [3:0] PAST = 4'd14;  // nothing to mask from here on

  logic [3:0] at_q;
  logic grh_q, grh;

  assign grh = at_q == '0 ? lnh_e'(data[0][9:8]) == LNH_GRH : grh_q;

  always_comb begin
    for (int i = 0; i < WORDS; i++) begin
      logic [3:0] at;
      at = at_q + 4'(i);
      masked[i] = data[i];
      if (at_q != PAST) begin
        if (at == '0) masked[i] |= grh ? '1 : 32'h0000_00F0;
        if (grh) begin
          if (at == 4'd1) masked[i] = '1;
          if (at == 4'(GRH)) masked[i] |= 32'hFFFF_FF0F;
          if (at == 4'(GRH_HOP)) masked[i] |= 32'hFF00_0000;
          if (at == 4'(BTH_BEHIND_GRH + BTH_RSV)) masked[i] |= 32'h0000_00FF;
        end else if (at == 4'(BTH + BTH_RSV)) begin
          masked[i] |= 32'h0000_00FF;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (move) begin
      grh_q <= grh;
      at_q  <= last ? '0 : at_q == PAST ? PAST : at_q + 4'(WORDS);
    end
    if (rst) at_q <= '0;
  end
endmodule
