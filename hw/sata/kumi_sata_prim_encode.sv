// SPDX-License-Identifier: Apache-2.0
//
// Primitive encoder: inserts two ALIGNs per 256 words; a repeated primitive is sent twice, then
// CONT, then scrambled filler.
//
// t_*: each cycle requests a primitive or (P_DATA) t_data; t_take: it is sent. It is low for an
//   ALIGN, and for one cycle when data follows filler: the primitive is repeated first, so that the
//   receiver does not take data for filler.
// t_free, t_data_free: t_take, were t_prim a primitive, or data.
// up: while low, the words of kumi_sata_phy_init are sent and nothing is taken.
// tx_*: one word per cycle. Latency 1 cycle.
module kumi_sata_prim_encode
  import kumi_sata_pkg::*;
#(
    parameter bit CONT = 1'b1  // 0: primitives are repeated without CONT
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         up,
    input  logic  [31:0] init_data,
    input  logic         init_k,
    input  prim_e        t_prim,
    input  logic  [31:0] t_data,
    output logic         t_take,
    output logic         t_free,
    output logic         t_data_free,
    output logic  [31:0] tx_data,
    output logic  [ 3:0] tx_k
);
  logic [7:0] slot_q, slot_next;
  prim_e last_q;  // the repeated primitive, P_DATA: none
  logic  sent_twice_q;  // sent twice
  logic  cont_sent_q;  // CONT sent
  logic  align;  // slot_q is 0 or 1
  logic resend, same, repeatable;
  logic [31:0] filler;

  assign slot_next = up ? slot_q + 1'b1 : '0;
  assign resend = cont_sent_q && t_prim == P_DATA;
  assign t_free = up && !align;
  assign t_data_free = t_free && !cont_sent_q;
  assign t_take = t_free && !resend;
  assign same = t_prim == last_q;
  // SOF, EOF and DMAT are never repeated.
  assign repeatable = CONT && t_prim != P_DATA && t_prim != P_SOF && t_prim != P_EOF
      && t_prim != P_DMAT;

  kumi_sata_scrambler u_filler (
      .clk,
      .rst,
      .init(1'b0),
      .en  (t_free && same && cont_sent_q),
      .word(filler)
  );

  // What is sent: a primitive, data, or filler. That it is CONT is known last.
  logic [31:0] prim;
  logic is_data, is_filler, is_cont;
  assign prim      = prim_word(resend ? last_q : t_prim);
  assign is_data   = !align && !resend && t_prim == P_DATA;
  assign is_filler = !align && t_prim != P_DATA && same && cont_sent_q;
  assign is_cont   = same && sent_twice_q;

  always_ff @(posedge clk) begin
    slot_q <= slot_next;
    align  <= slot_next[7:1] == '0;
    if (align) tx_data <= W_ALIGN;
    else if (is_data) tx_data <= t_data;
    else if (is_filler) tx_data <= filler;
    else tx_data <= is_cont && !resend ? W_CONT : prim;
    tx_k <= {3'b000, !(is_data || is_filler)};
    if (!align) begin
      if (t_prim == P_DATA) begin  // or the primitive before it, once more
        last_q <= P_DATA;
        sent_twice_q <= 1'b0;
        cont_sent_q <= 1'b0;
      end else if (is_cont) begin
        cont_sent_q <= 1'b1;
      end else begin
        last_q <= repeatable ? t_prim : P_DATA;
        sent_twice_q <= same;
        cont_sent_q <= 1'b0;
      end
    end
    if (!up) begin
      tx_data <= init_data;
      tx_k    <= {3'b000, init_k};
      last_q  <= P_DATA;
      sent_twice_q <= 1'b0;
      cont_sent_q  <= 1'b0;
    end
    if (rst) begin
      slot_q  <= '0;
      align   <= 1'b1;
      last_q  <= P_DATA;
      sent_twice_q <= 1'b0;
      cont_sent_q  <= 1'b0;
      tx_data <= W_D10_2;
      tx_k    <= 4'b0000;
    end
  end
endmodule
