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

  typedef struct packed {
    logic       com;   // a COM without a code violation
    logic       err;
    logic       k;
    logic [7:0] data;
  } lane_symbol_t;

  // A lane's symbols, oldest at [0], as a shift register: all taps are read, few are written. Which
  // places are occupied is kept place by place instead of as a number, so nothing must be added.
  lane_symbol_t [3:0][DEPTH-1:0] fifo_q, fifo_d;
  logic [3:0][DEPTH-1:0] have_q, have_d;
  logic [3:0] skip_q, skip_d;  // the last symbol was COM or a SKP behind it
  logic [3:0] at_com, have_1, have_2, overflow;
  logic [1:0] take;  // words taken by all lanes: [1] two, [0] one
  logic aligned_q, lost_q;
  logic [1:0] partial_q;  // words with COM on some lanes since the last one with COM on all

  ib_word_t [SYMBOLS-1:0] word;
  logic [SYMBOLS-1:0] some_com, all_com;

  // ---- Read: words by all lanes; in search of COM, each lane by itself --------------------------
  always_comb begin
    for (int s = 0; s < SYMBOLS; s++) begin
      some_com[s] = 1'b0;
      all_com[s]  = 1'b1;
      for (int l = 0; l < 4; l++) begin
        word[s].data[l] = fifo_q[l][s].data;
        word[s].k[l]    = fifo_q[l][s].k;
        word[s].err[l]  = fifo_q[l][s].err;
        if (fifo_q[l][s].com) some_com[s] = 1'b1;
        else all_com[s] = 1'b0;
      end
    end
    for (int l = 0; l < 4; l++) begin
      have_1[l] = have_q[l][0];
      have_2[l] = have_q[l][1] && SYMBOLS == 2;
      at_com[l] = have_q[l][0] && fifo_q[l][0].com;
    end
    take = !aligned_q ? 2'd0 : &have_2 ? 2'd2 : &have_1 ? 2'd1 : 2'd0;
  end

  // ---- Write: what is left moves up, and new symbols but for skips go behind it -----------------
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    lane_symbol_t [SYMBOLS-1:0] fresh;
    lane_symbol_t first, second;
    logic [SYMBOLS-1:0] keep;
    logic [1:0] leave;
    logic some, both;
    logic [DEPTH+1:0] left;  // places that stay occupied, [i + 2] place i, two more in front

    always_comb begin
      skip_d[l] = skip_q[l];
      for (int s = 0; s < SYMBOLS; s++) begin
        logic plain;
        plain = in_k[l][s] && !in_err[l][s];
        fresh[s].com = plain && in_data[l][s] == SYM_COM;
        fresh[s].err = in_err[l][s];
        fresh[s].k = in_k[l][s];
        fresh[s].data = in_data[l][s];
        keep[s] = !(plain && in_data[l][s] == SYM_SKP && skip_d[l]);
        skip_d[l] = fresh[s].com || !keep[s];
      end
    end
    assign some   = keep != '0;
    assign both   = &keep && SYMBOLS == 2;
    assign first  = keep[0] ? fresh[0] : fresh[SYMBOLS-1];
    assign second = fresh[SYMBOLS-1];

    always_comb begin
      leave = take;
      if (!aligned_q && have_q[l][0] && !fifo_q[l][0].com) begin
        leave = have_2[l] && !fifo_q[l][1].com ? 2'd2 : 2'd1;
      end
      left[1:0] = '1;
      left[DEPTH+1:2] = leave[1] ? have_q[l] >> 2 : leave[0] ? have_q[l] >> 1 : have_q[l];
      for (int i = 0; i < DEPTH; i++) begin
        have_d[l][i] = left[i+2] || (some && left[i+1]) || (both && left[i]);
        if (!left[i+2]) fifo_d[l][i] = left[i+1] ? first : second;
        else if (leave[1]) fifo_d[l][i] = fifo_q[l][i+2<DEPTH?i+2 : i];
        else if (leave[0]) fifo_d[l][i] = fifo_q[l][i+1<DEPTH?i+1 : i];
        else fifo_d[l][i] = fifo_q[l][i];
      end
      overflow[l] = (some && left[DEPTH+1]) || (both && left[DEPTH]);
    end
  end

  assign aligned = aligned_q;

  always_ff @(posedge clk) begin
    fifo_q <= fifo_d;
    have_q <= have_d;
    skip_q <= skip_d;
    lost_q <= !lost_q && (|overflow || partial_q == 2'd3 || restart);
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
      have_q    <= '0;
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
