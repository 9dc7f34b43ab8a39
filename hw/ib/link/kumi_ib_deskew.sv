// SPDX-License-Identifier: Apache-2.0
//
// Receive side of a 4x link: removes SKPs lane by lane, aligns the lanes by their COMs, and gives
// words of one symbol per lane (IBTA volume 2, clauses 5.6 and 5.7).
//
// in_*: SYMBOLS symbols per lane in every cycle, [lane][0] first on the wire. Lanes may lag each
//   other by up to 7 symbols (IBTA: 6), and the number of SKPs may differ between them.
// Alignment: each lane is held at a COM until all lanes are; a lane that has to hold more than
//   DEPTH symbols began at the wrong COM, and the search begins again. Aligned lanes show COM
//   together; after three words with COM on some lanes only, or when a lane runs ahead by more than
//   DEPTH, alignment is lost and searched again. `restart` does so too.
// out_valid[i]: word i, at most SYMBOLS a cycle, [0] first; [1] only with [0]. Latency of the
//   latest lane 2 cycles. A skip set is one word of four COMs.
module kumi_ib_deskew
  import kumi_ib_link_pkg::*;
#(
    parameter int SYMBOLS = 2  // per lane and cycle, 1 or 2
) (
    input  logic                                     clk,
    input  logic                                     rst,
    input  logic                                     restart,
    input  logic     [        3:0][SYMBOLS-1:0][7:0] in_data,
    input  logic     [        3:0][SYMBOLS-1:0]      in_k,
    input  logic     [        3:0][SYMBOLS-1:0]      in_err,
    output logic                                     aligned,
    output logic     [SYMBOLS-1:0]                   out_valid,
    output ib_word_t [SYMBOLS-1:0]                   out_word
);
  if (SYMBOLS < 1 || SYMBOLS > 2) begin : gen_check_symbols
    $fatal(0, "SYMBOLS must be 1 or 2 (%m)");
  end

  // Room for a lane that is 7 symbols early and what comes until it is read; a lane held at the
  // wrong COM, at least 9 symbols early, needs more.
  localparam int DEPTH = 8 + 2 * SYMBOLS;
  localparam int W = 10;  // bits of a symbol with its flags: err, k, data
  localparam logic [W-1:0] COM = {1'b0, 1'b1, SYM_COM};
  localparam logic [W-1:0] SKP = {1'b0, 1'b1, SYM_SKP};

  // A lane's symbols, oldest at [0], as a shift register: all taps are read, few are written.
  logic [3:0][DEPTH-1:0][W-1:0] fifo_q, fifo_d;
  logic [3:0][3:0] count_q, count_d;
  logic [3:0] skip_q, skip_d;  // the last symbol was COM or a SKP behind it
  logic [3:0] at_com, overflow;
  logic [1:0] take;  // words taken by all lanes
  logic [3:0][1:0] drop;  // symbols dropped by a lane in search of COM
  logic aligned_q, lost_q;
  logic [1:0] partial_q;  // words with COM on some lanes since the last one with COM on all

  ib_word_t [SYMBOLS-1:0] word;
  logic [SYMBOLS-1:0] some_com, all_com;

  always_comb begin
    for (int s = 0; s < SYMBOLS; s++) begin
      some_com[s] = 1'b0;
      all_com[s]  = 1'b1;
      for (int l = 0; l < 4; l++) begin
        word[s].data[l] = fifo_q[l][s][7:0];
        word[s].k[l]    = fifo_q[l][s][8];
        word[s].err[l]  = fifo_q[l][s][9];
        if (fifo_q[l][s] == COM) some_com[s] = 1'b1;
        else all_com[s] = 1'b0;
      end
    end
    for (int l = 0; l < 4; l++) at_com[l] = count_q[l] != '0 && fifo_q[l][0] == COM;
    take = 2'(SYMBOLS);
    for (int l = 0; l < 4; l++) begin
      if (count_q[l] < 4'(take)) take = count_q[l][1:0];
    end
    if (!aligned_q) take = '0;
    for (int l = 0; l < 4; l++) begin
      drop[l] = '0;
      if (!aligned_q && count_q[l] != '0 && !at_com[l]) begin
        drop[l] = 2'd1;
        if (SYMBOLS == 2 && count_q[l] > 4'd1 && fifo_q[l][1] != COM) drop[l] = 2'd2;
      end
    end
  end

  always_comb begin
    logic [3:0] at;
    at = '0;
    for (int l = 0; l < 4; l++) begin
      logic [1:0] leave;
      leave = take | drop[l];
      fifo_d[l] = fifo_q[l] >> (leave[1] ? 2 * W : leave[0] ? W : 0);
      at = count_q[l] - 4'(leave);
      skip_d[l] = skip_q[l];
      for (int s = 0; s < SYMBOLS; s++) begin
        logic [W-1:0] symbol;
        symbol = {in_err[l][s], in_k[l][s], in_data[l][s]};
        if (!(symbol == SKP && skip_d[l])) begin
          if (at < 4'(DEPTH)) fifo_d[l][at] = symbol;
          at = at + 1'b1;
          skip_d[l] = symbol == COM;
        end
      end
      overflow[l] = at > 4'(DEPTH);
      count_d[l]  = at;
    end
  end

  assign aligned = aligned_q;

  always_ff @(posedge clk) begin
    fifo_q  <= fifo_d;
    count_q <= count_d;
    skip_q  <= skip_d;
    lost_q  <= !lost_q && (|overflow || partial_q == 2'd3 || restart);
    if (&at_com) aligned_q <= 1'b1;
    for (int s = 0; s < SYMBOLS; s++) begin
      out_valid[s] <= take > 2'(s);
      out_word[s]  <= word[s];
      if (take > 2'(s)) begin
        if (all_com[s]) partial_q <= '0;
        else if (some_com[s] && partial_q != 2'd3) partial_q <= partial_q + 1'b1;
      end
    end
    if (rst || lost_q) begin
      count_q   <= '0;
      aligned_q <= 1'b0;
      partial_q <= '0;
      out_valid <= '0;
    end
    if (rst) begin
      skip_q <= '0;
      lost_q <= 1'b0;
    end
  end
endmodule
