// SPDX-License-Identifier: Apache-2.0
//
// Primitive decoder: removes ALIGN, and replaces CONT and its scrambled filler by the primitive
// that they repeat.
//
// rx_*: a word in each cycle with rx_valid; rx_error: the PHY could not decode it.
// w_*: the same one cycle later; w_prim is P_DATA for data, P_BAD for an invalid word, which does
//   not end a CONT. No back-pressure.
module kumi_sata_prim_decode
  import kumi_sata_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic  [31:0] rx_data,
    input  logic  [ 3:0] rx_k,
    input  logic         rx_valid,
    input  logic         rx_error,
    output logic         w_valid,
    output prim_e        w_prim,
    output logic  [31:0] w_data
);
  prim_e now, last_q;
  logic cont_q;

  always_comb begin
    if (rx_error) now = P_BAD;
    else if (rx_k == 4'b0000) now = P_DATA;
    else if (rx_k == 4'b0001) now = prim_of(rx_data);
    else now = P_BAD;
  end

  always_ff @(posedge clk) begin
    w_valid <= rx_valid && now != P_ALIGN;
    w_data  <= rx_data;
    w_prim  <= now == P_CONT || (now == P_DATA && cont_q) ? last_q : now;
    if (rx_valid) begin
      if (now == P_CONT) begin
        cont_q <= 1'b1;
      end else if (now != P_DATA && now != P_ALIGN && now != P_BAD) begin
        cont_q <= 1'b0;
        last_q <= now;
      end
    end
    if (rst) begin
      w_valid <= 1'b0;
      cont_q  <= 1'b0;
      last_q  <= P_SYNC;
    end
  end
endmodule
