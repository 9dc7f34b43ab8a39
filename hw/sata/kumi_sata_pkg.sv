// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA: primitives, FIS types, transmit status, and the matrices of CRC and scrambler.
//
// A word has 32 bits; bits 7:0 go first on the wire. A primitive has a K character there (k = 1).
package kumi_sata_pkg;

  typedef enum logic [4:0] {
    P_DATA,  // not a primitive
    P_BAD,  // PHY decoding error, or an unknown K character
    P_ALIGN,
    P_SYNC,
    P_CONT,
    P_XRDY,
    P_RRDY,
    P_SOF,
    P_EOF,
    P_RIP,
    P_ROK,
    P_RERR,
    P_WTRM,
    P_HOLD,
    P_HOLDA,
    P_DMAT,
    P_PMREQP,
    P_PMREQS,
    P_PMACK,
    P_PMNAK
  } prim_e;

  localparam logic [31:0] W_ALIGN = 32'h7b4a_4abc;
  localparam logic [31:0] W_ALIGN_INV = 32'h7bb5_b5bc;  // ALIGN with swapped wires
  localparam logic [31:0] W_CONT = 32'h9999_aa7c;
  localparam logic [31:0] W_D10_2 = 32'h4a4a_4a4a;

  // Encoding of a primitive.
  function automatic logic [31:0] prim_word(input prim_e p);
    case (p)
      P_ALIGN: return W_ALIGN;
      P_CONT: return W_CONT;
      P_XRDY: return 32'h5757_b57c;
      P_RRDY: return 32'h4a4a_957c;
      P_SOF: return 32'h3737_b57c;
      P_EOF: return 32'hd5d5_b57c;
      P_RIP: return 32'h5555_b57c;
      P_ROK: return 32'h3535_b57c;
      P_RERR: return 32'h5656_b57c;
      P_WTRM: return 32'h5858_b57c;
      P_HOLD: return 32'hd5d5_aa7c;
      P_HOLDA: return 32'h9595_aa7c;
      P_DMAT: return 32'h3636_b57c;
      P_PMREQP: return 32'h1717_b57c;
      P_PMREQS: return 32'h7575_957c;
      P_PMACK: return 32'h9595_957c;
      P_PMNAK: return 32'hf5f5_957c;
      default: return 32'hb5b5_957c;  // SYNC
    endcase
  endfunction

  // Is a word with k = 1 a primitive other than ALIGN? These are 7ch, one of three bytes, and a
  // byte twice.
  function automatic logic prim_known(input logic [31:0] w);
    logic good;
    good = 1'b0;
    for (int i = int'(P_SYNC); i <= int'(P_PMNAK); i++)
    if (w[23:8] == 16'(prim_word(prim_e'(i)) >> 8)) good = 1'b1;
    return good && w[7:0] == 8'h7c && w[31:24] == w[23:16];
  endfunction

  // Which one, if it is: of its bytes 2 and 1.
  function automatic prim_e prim_of(input logic [15:0] middle);
    logic [4:0] p;
    p = '0;
    for (int i = int'(P_SYNC); i <= int'(P_PMNAK); i++)
    if (middle == 16'(prim_word(prim_e'(i)) >> 8)) p |= 5'(i);
    return prim_e'(p);
  endfunction

  // FIS types, bits 7:0 of the first word.
  localparam logic [7:0] FIS_REG_H2D = 8'h27;
  localparam logic [7:0] FIS_REG_D2H = 8'h34;
  localparam logic [7:0] FIS_DMA_ACTIVATE = 8'h39;
  localparam logic [7:0] FIS_DMA_SETUP = 8'h41;
  localparam logic [7:0] FIS_DATA = 8'h46;
  localparam logic [7:0] FIS_PIO_SETUP = 8'h5f;
  localparam logic [7:0] FIS_SET_DEVICE_BITS = 8'ha1;
  localparam int DATA_WORDS_MAX = 2049;  // of a Data FIS, header included

  // May a device send a FIS of this type and length, CRC included?
  function automatic logic fis_legal(input logic [7:0] kind, input logic [11:0] words);
    case (kind)
      FIS_REG_D2H, FIS_PIO_SETUP: return words == 12'd6;
      FIS_DMA_ACTIVATE: return words == 12'd2;
      FIS_DMA_SETUP: return words == 12'd8;
      FIS_SET_DEVICE_BITS: return words == 12'd3;
      FIS_DATA: return words >= 12'd3 && words <= 12'(DATA_WORDS_MAX + 1);
      default: return 1'b0;
    endcase
  endfunction

  // Status of a transmitted FIS.
  typedef enum logic [2:0] {
    TX_OK,         // R_OK
    TX_RERR,       // R_ERR
    TX_ABORT,      // aborted by SYNC from the device
    TX_TIMEOUT,    // no progress for WAIT_CYCLES
    TX_LINK_DOWN,  // no link, or lost meanwhile
    TX_BAD,        // marked bad by its source, or of illegal length
    TX_YIELD       // non-data FIS not sent: the device won the collision
  } tx_status_e;

  // Events, one pulse each.
  typedef struct packed {
    logic rx_good;     // FIS received, R_OK
    logic rx_bad;      // FIS received, R_ERR
    logic rx_abort;    // received FIS aborted: SYNC, missing EOF, time-out, link loss
    logic rx_overrun;  // word lost: the device ignored HOLD for too long
    logic bad_word;    // word with a decoding error
    logic timeout;     // link-layer time-out
    logic dead;        // no answer to SYNC escape, the link restarts
  } link_ev_t;

  // Rows of the matrices: bit r of a product is the parity of (row r & vector).
  typedef logic [31:0][31:0] crc_rows_t;
  typedef logic [47:0][15:0] scr_rows_t;

  localparam logic [31:0] CRC_INIT = 32'h5232_5032;
  localparam logic [15:0] SCR_INIT = 16'hffff;

  // Register after 32 zero bits of x^32+x^26+...+1, MSB first.
  function automatic crc_rows_t crc_rows();
    crc_rows_t rows;
    logic [31:0] c;
    for (int i = 0; i < 32; i++) begin
      c = 32'd1 << i;
      for (int b = 0; b < 32; b++) c = {c[30:0], 1'b0} ^ (c[31] ? 32'h04c1_1db7 : 32'd0);
      for (int r = 0; r < 32; r++) rows[r][i] = c[r];
    end
    return rows;
  endfunction

  // x^16+x^15+x^13+x^4+1: rows 0..31 the next 32 bits, rows 32..47 the state behind them.
  function automatic scr_rows_t scr_rows();
    scr_rows_t rows;
    logic [15:0] s;
    for (int i = 0; i < 16; i++) begin
      s = 16'd1 << i;
      for (int b = 0; b < 32; b++) begin
        rows[b][i] = s[15];
        s = {s[14:0], 1'b0} ^ (s[15] ? 16'ha011 : 16'd0);
      end
      for (int r = 0; r < 16; r++) rows[32+r][i] = s[r];
    end
    return rows;
  endfunction
endpackage
