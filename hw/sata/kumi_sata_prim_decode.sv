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
  prim_e prim, last_q;
  logic cont_q;
  logic is_data, is_k, is_align, is_prim, is_cont;  // side by side rather than after `prim`

  assign prim     = prim_of(rx_data[23:8]);
  assign is_data  = !rx_error && rx_k == 4'b0000;
  assign is_k     = !rx_error && rx_k == 4'b0001;
  assign is_align = is_k && rx_data == W_ALIGN;
  assign is_prim  = is_k && prim_known(rx_data);
  assign is_cont  = is_k && rx_data == W_CONT;

  always_ff @(posedge clk) begin
    w_valid <= rx_valid && !is_align;
    w_data  <= rx_data;
    if (is_cont || (is_data && cont_q)) w_prim <= last_q;
    else if (is_data) w_prim <= P_DATA;
    else w_prim <= is_prim ? prim : P_BAD;
    if (rx_valid && is_cont) cont_q <= 1'b1;
    if (rx_valid && is_prim && !is_cont) begin
      cont_q <= 1'b0;
      last_q <= prim;
    end
    if (rst) begin
      w_valid <= 1'b0;
      cont_q  <= 1'b0;
      last_q  <= P_SYNC;
    end
  end
endmodule
