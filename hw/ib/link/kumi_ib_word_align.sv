// SPDX-License-Identifier: Apache-2.0
//
// Receive side of a 1x link: finds the words of four symbols in the symbols of the lane and removes
// skip ordered sets (IBTA volume 2, clause 5.6).
//
// A COM begins a word wherever it comes; what was collected before it is dropped. COM and the SKPs
//   behind it, any number, are removed; so a word boundary that was lost returns at the next set.
// in_*: four symbols in every cycle, [0] first on the wire. out_valid: a word, at most one a cycle;
//   latency from its last symbol 1 cycle.
// Bad input: a SKP elsewhere stays in its word; it is a control symbol where none belongs.
module kumi_ib_word_align
  import kumi_ib_link_pkg::*;
(
    input  logic                clk,
    input  logic                rst,
    input  logic     [3:0][7:0] in_data,
    input  logic     [3:0]      in_k,
    input  logic     [3:0]      in_err,
    output logic                out_valid,
    output ib_word_t            out_word
);
  ib_word_t held_q, held_d, word;
  logic [1:0] count_q, count_d;  // symbols of the next word that are held
  logic com_q, com_d;  // the held symbol is a COM and alone
  logic skip_q, skip_d;  // behind a skip set: further SKPs belong to it
  logic whole;

  always_comb begin
    held_d  = held_q;
    count_d = count_q;
    com_d   = com_q;
    skip_d  = skip_q;
    word    = held_q;
    whole   = 1'b0;
    for (int i = 0; i < 4; i++) begin
      if (in_k[i] && !in_err[i] && in_data[i] == SYM_COM) begin
        held_d.data[0] = in_data[i];
        held_d.k[0]    = 1'b1;
        held_d.err[0]  = 1'b0;
        count_d        = 2'd1;
        com_d          = 1'b1;
        skip_d         = 1'b0;
      end else if (in_k[i] && !in_err[i] && in_data[i] == SYM_SKP && com_d) begin
        count_d = 2'd0;
        com_d   = 1'b0;
        skip_d  = 1'b1;
      end else if (!(in_k[i] && !in_err[i] && in_data[i] == SYM_SKP && skip_d)) begin
        held_d.data[count_d] = in_data[i];
        held_d.k[count_d]    = in_k[i];
        held_d.err[count_d]  = in_err[i];
        if (count_d == 2'd3) begin
          word  = held_d;
          whole = 1'b1;
        end
        count_d = count_d + 1'b1;
        com_d   = 1'b0;
        skip_d  = 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    held_q    <= held_d;
    count_q   <= count_d;
    com_q     <= com_d;
    skip_q    <= skip_d;
    out_valid <= whole;
    out_word  <= word;
    if (rst) begin
      count_q   <= '0;
      com_q     <= 1'b0;
      skip_q    <= 1'b0;
      out_valid <= 1'b0;
    end
  end
endmodule
