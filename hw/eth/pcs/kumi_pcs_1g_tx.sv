// SPDX-License-Identifier: Apache-2.0
//
// Transmit side of the 1000BASE-X PCS: GMII to 10-bit code groups (IEEE 802.3 clause 36, figures
// 36-5 and 36-6), without auto-negotiation (clause 37).
//
// One GMII cycle in and one code group out per cycle; bit 0 of tx_code is first on the wire. A
//   frame that starts in an odd code group loses its first byte of preamble, as the clause allows:
//   start is sent in even groups only.
// Latency: 2 cycles.
// Bad input: TX_ER inside a frame is sent as /V/; TX_ER outside (carrier extension, half duplex) is
//   ignored.
module kumi_pcs_1g_tx
  import kumi_8b10b_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic [7:0] gmii_txd,
    input logic       gmii_tx_en,
    input logic       gmii_tx_er,

    output logic [9:0] tx_code
);

  localparam logic [7:0] D5_6 = 8'hC5;
  localparam logic [7:0] D16_2 = 8'h50;

  typedef enum logic [1:0] {
    ST_IDLE,
    ST_DATA,
    ST_R1,  // /R/ after /T/
    ST_R2  // a second one, so that idle begins in an even group
  } pcs_1g_tx_state_e;

  pcs_1g_tx_state_e state_q;
  logic even_q;  // the group made now is an even one
  logic rd_q;
  logic [7:0] data_q;
  logic k_q, second_q;
  logic [9:0] code;

  // The byte; the second byte of idle depends on the disparity and is chosen after the register.
  always_ff @(posedge clk) begin
    even_q   <= !even_q;
    k_q      <= 1'b1;
    second_q <= 1'b0;
    unique case (state_q)
      ST_IDLE: begin
        data_q <= K28_5;
        if (!even_q) begin
          k_q      <= 1'b0;
          second_q <= 1'b1;
        end else if (gmii_tx_en) begin
          data_q  <= K27_7;
          state_q <= ST_DATA;
        end
      end
      ST_DATA: begin
        if (!gmii_tx_en) begin
          data_q  <= K29_7;
          state_q <= ST_R1;
        end else if (gmii_tx_er) begin
          data_q <= K30_7;
        end else begin
          data_q <= gmii_txd;
          k_q    <= 1'b0;
        end
      end
      ST_R1: begin
        data_q  <= K23_7;
        state_q <= even_q ? ST_R2 : ST_IDLE;
      end
      default: begin
        data_q  <= K23_7;
        state_q <= ST_IDLE;
      end
    endcase
    if (rst) begin
      state_q  <= ST_IDLE;
      even_q   <= 1'b0;
      data_q   <= K28_5;
      k_q      <= 1'b1;
      second_q <= 1'b0;
    end
  end

  // Behind K28.5, D16.2 turns the disparity negative and D5.6 keeps it so.
  assign code = encode(second_q ? (rd_q ? D16_2 : D5_6) : data_q, k_q, rd_q);

  always_ff @(posedge clk) begin
    tx_code <= code;
    rd_q    <= rd_behind(code, rd_q);
    if (rst) rd_q <= 1'b0;
  end

endmodule
