// SPDX-License-Identifier: Apache-2.0
//
// Codes of a block: reads the code lengths of a dynamic block (RFC 1951, 3.2.7) or takes those of
// the fixed code (3.2.6), builds both codes, and fills the decoding tables.
//
// start: build the codes of a block, fixed or dynamic. done: it is over, with `error`; held until
//   the next start. The fixed code is kept as long as no dynamic block is started.
// ask, need, ok, peek, take: as for kumi_inflate_header; peek does not change in the cycle before
//   ok, so that it can be looked up.
// wr_*: entries of the tables: kumi_inflate_rows and kumi_inflate_symbols.
// code: 15 bits, first one high; litlen_*, dist_*: symbol and length of the code there, 5 cycles
//   later, while nothing is built; length 0: there is none.
// Cycles: 4 a code length or repeat, 2 + count a repeat, 4 each of the first code's lengths, and
//   about 1,500. Fixed: about 1,650.
// Verdicts are zlib's: incomplete codes are errors, but for a literal/length or distance code with
//   no more than one code, of one bit; 286 literal/length and 30 distance codes are the most.
module kumi_inflate_tables
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
(
    input  logic                                     clk,
    input  logic                                     rst,
    input  logic                                     start,
    input  logic                                     fixed,
    input  logic                                     cancel,
    output logic                                     done,
    output gzip_error_e                              error,
    output logic                                     ask,
    output logic                 [              5:0] need,
    input  logic                                     ok,
    input  logic                 [             31:0] peek,
    output logic                 [              5:0] take,
    output logic                                     wr_en,
    output logic                 [   TABLE_BITS-1:0] wr_addr,
    output inflate_litlen_step_t                     wr_litlen_step,
    output inflate_dist_step_t                       wr_dist_step,
    output inflate_litlen_t                          wr_litlen,
    output inflate_dist_t                            wr_dist,
    input  logic                 [MAX_CODE_BITS-1:0] code,
    output logic                 [              3:0] litlen_len,
    output logic                 [              8:0] litlen_sym,
    output logic                 [              3:0] dist_len,
    output logic                 [              4:0] dist_sym
);
  localparam int DECODE = 5;  // latency of kumi_inflate_code
  localparam int CL_BITS = MAX_CODELEN_BITS;

  typedef enum logic [3:0] {
    REST,
    COUNTS,
    CODELENS,
    CODELEN_BUILD,
    CODELEN_FILL,
    LENGTHS,
    REPEAT,
    GIVE,
    FIXED,
    BUILD,
    FILL
  } state_e;

  state_e state_q;
  logic   fixed_q;  // the tables hold the fixed code
  logic [8:0] lits_q, sym_q, total_q;
  logic [5:0] dists_q;
  logic [3:0] codelens_q;
  logic [4:0] order_q;
  logic order_more_q;  // its length is given; as of a cycle ago, since ok comes 4 after bits
  logic [3:0] len_q, given_len;  // the last one given
  logic [7:0] times_q;
  logic eob_q, any_q, filling_q;
  logic alone_q;  // a repeat without a length before: an error when its bits are there, as in zlib
  logic [4:0] repeat_q;
  logic [9:0] fill_q;
  logic [DECODE:0] fill_valid_q;
  logic [DECODE:0][TABLE_BITS-1:0] fill_at_q;

  // ---- codes ----------------------------------------------------------------------------------
  logic give, build_q, clear_q, cl_build_q;
  logic cl_valid, cl_done, cl_over, cl_under, cl_single;
  logic lit_valid, lit_done, lit_over, lit_under, lit_single;
  logic dist_valid, dist_done, dist_over, dist_under, dist_single;
  logic [4:0] cl_sym, cl_out_sym;
  logic [2:0] cl_len, cl_out_len;
  logic [8:0] lit_sym;
  logic [4:0] dist_to;
  logic [CL_BITS-1:0] cl_code;
  logic [MAX_CODE_BITS-1:0] any_code, fill_code;

  assign cl_sym   = CODELEN_ORDER[order_q];
  assign cl_len   = order_more_q ? peek[2:0] : '0;
  assign cl_valid = state_q == CODELENS && (ok || !order_more_q);

  kumi_inflate_code #(
      .SYMS(CODELEN_SYMS),
      .MAX (CL_BITS)
  ) u_codelen (
      .clk,
      .rst,
      .clear(clear_q),
      .len_valid(cl_valid),
      .len_sym(cl_sym),
      .len(cl_len),
      .build(cl_build_q),
      .build_count(5'(CODELEN_SYMS)),
      .done(cl_done),
      .over(cl_over),
      .under(cl_under),
      .single(cl_single),
      .code(cl_code),
      .out_len(cl_out_len),
      .out_sym(cl_out_sym)
  );

  assign give = state_q == GIVE || (state_q == FIXED && !clear_q);
  assign given_len = state_q == FIXED ? fixed_litlen_bits(sym_q) : len_q;
  assign lit_valid = give && sym_q < lits_q;
  assign lit_sym = sym_q;
  // The fixed distance code is given at the same time as the other one.
  assign dist_valid = give && (state_q == FIXED ? sym_q < 9'd32 : sym_q >= lits_q);
  assign dist_to = state_q == FIXED ? sym_q[4:0] : 5'(sym_q - lits_q);

  kumi_inflate_code #(
      .SYMS(288),
      .MAX (MAX_CODE_BITS)
  ) u_litlen (
      .clk,
      .rst,
      .clear(clear_q),
      .len_valid(lit_valid),
      .len_sym(lit_sym),
      .len(given_len),
      .build(build_q),
      .build_count(lits_q),
      .done(lit_done),
      .over(lit_over),
      .under(lit_under),
      .single(lit_single),
      .code(any_code),
      .out_len(litlen_len),
      .out_sym(litlen_sym)
  );

  kumi_inflate_code #(
      .SYMS(32),
      .MAX (MAX_CODE_BITS)
  ) u_dist (
      .clk,
      .rst,
      .clear(clear_q),
      .len_valid(dist_valid),
      .len_sym(dist_to),
      .len(state_q == FIXED ? 4'd5 : len_q),
      .build(build_q),
      .build_count(dists_q),
      .done(dist_done),
      .over(dist_over),
      .under(dist_under),
      .single(dist_single),
      .code(any_code),
      .out_len(dist_len),
      .out_sym(dist_sym)
  );

  // ---- the code of code lengths as a table ----------------------------------------------------
  (* ram_style = "distributed", no_rw_check *) logic [7:0] cl_mem[2**CL_BITS];
  logic [CL_BITS-1:0] cl_index;
  logic [2:0] cl_bits_q;
  logic [4:0] cl_value_q;

  always_comb begin
    for (int i = 0; i < CL_BITS; i++) cl_code[i] = fill_q[CL_BITS-1-i];
    for (int i = 0; i < MAX_CODE_BITS; i++) begin
      fill_code[i] = i >= MAX_CODE_BITS - TABLE_BITS && fill_q[(MAX_CODE_BITS-1-i)%TABLE_BITS];
    end
    any_code = state_q == FILL ? fill_code : code;
  end
  assign cl_index = peek[CL_BITS-1:0];

  always_ff @(posedge clk) begin
    {cl_bits_q, cl_value_q} <= cl_mem[cl_index];
    if (state_q == CODELEN_FILL && fill_valid_q[DECODE-1]) begin
      cl_mem[fill_at_q[DECODE-1][CL_BITS-1:0]] <= {cl_out_len, cl_out_sym};
    end
  end

  // ---- steps ----------------------------------------------------------------------------------
  always_comb begin
    need = '0;
    ask  = 1'b0;
    case (state_q)
      COUNTS: begin
        need = 6'd14;
        ask  = 1'b1;
      end
      CODELENS: begin
        need = 6'd3;
        ask  = order_more_q;
      end
      // A code that is there as a whole is found whatever stands for bits that are not.
      LENGTHS: begin
        need = 6'(cl_bits_q);
        ask  = sym_q != total_q;
      end
      REPEAT: begin
        need = repeat_q == 5'd16 ? 6'd2 : repeat_q == 5'd17 ? 6'd3 : 6'd7;
        ask  = 1'b1;
      end
      default: ;
    endcase
  end
  assign take = need;

  always_ff @(posedge clk) begin
    order_more_q <= state_q == COUNTS || order_q < 5'(codelens_q) + 5'd4;
    build_q <= 1'b0;
    cl_build_q <= 1'b0;
    clear_q <= 1'b0;
    fill_valid_q <= {fill_valid_q[DECODE-1:0], 1'b0};
    fill_at_q <= {fill_at_q[DECODE-1:0], fill_q};
    case (state_q)
      COUNTS:
      if (ok) begin
        lits_q <= 9'd257 + 9'(peek[4:0]);
        dists_q <= 6'd1 + 6'(peek[9:5]);
        total_q <= 9'd258 + 9'(peek[4:0]) + 9'(peek[9:5]);
        codelens_q <= peek[13:10];
        order_q <= '0;
        state_q <= CODELENS;
        if (peek[4:0] > 5'd29 || peek[9:5] > 5'd29) begin
          error   <= GZIP_ERR_CODE_COUNT;
          state_q <= REST;
        end
      end
      CODELENS:
      if (ok || !order_more_q) begin
        order_q <= order_q + 1'b1;
        if (order_q == 5'(CODELEN_SYMS - 1)) begin
          cl_build_q <= 1'b1;
          state_q <= CODELEN_BUILD;
        end
      end
      CODELEN_BUILD: begin
        fill_q <= '0;
        if (cl_done && !cl_build_q) begin
          state_q <= CODELEN_FILL;
          if (cl_over || cl_under) begin
            error   <= GZIP_ERR_CODELEN_CODE;
            state_q <= REST;
          end
        end
      end
      CODELEN_FILL: begin
        fill_q <= fill_q + 1'b1;
        fill_valid_q[0] <= !fill_q[CL_BITS];
        sym_q <= '0;
        any_q <= 1'b0;
        eob_q <= 1'b0;
        if (fill_q[CL_BITS] && fill_valid_q == '0) state_q <= LENGTHS;
      end
      LENGTHS:
      if (sym_q == total_q) begin
        state_q <= BUILD;
        build_q <= 1'b1;
        if (!eob_q) begin
          error   <= GZIP_ERR_NO_END;
          state_q <= REST;
        end
      end else if (ok) begin
        times_q  <= 8'd1;
        repeat_q <= cl_value_q;
        state_q  <= GIVE;
        if (cl_value_q < 5'd16) len_q <= cl_value_q[3:0];
        else begin
          state_q <= REPEAT;
          if (cl_value_q != 5'd16) len_q <= '0;
        end
        any_q   <= 1'b1;
        alone_q <= !any_q && cl_value_q == 5'd16;
      end
      REPEAT:
      if (ok) begin
        times_q <= repeat_q == 5'd16 ? 8'd3 + 8'(peek[1:0]) :
            repeat_q == 5'd17 ? 8'd3 + 8'(peek[2:0]) : 8'd11 + 8'(peek[6:0]);
        state_q <= GIVE;
        if (alone_q) begin
          error   <= GZIP_ERR_REPEAT;
          state_q <= REST;
        end
      end
      GIVE: begin
        sym_q   <= sym_q + 1'b1;
        times_q <= times_q - 1'b1;
        if (sym_q == 9'(END_OF_BLOCK) && len_q != '0) eob_q <= 1'b1;
        if (times_q == 8'd1) state_q <= LENGTHS;
        if (sym_q == total_q) begin
          error   <= GZIP_ERR_REPEAT;
          state_q <= REST;
        end
      end
      FIXED:
      if (!clear_q) begin
        sym_q <= sym_q + 1'b1;
        if (sym_q == 9'd287) begin
          state_q <= BUILD;
          build_q <= 1'b1;
        end
      end
      BUILD: begin
        fill_q <= '0;
        filling_q <= 1'b1;
        if (lit_done && dist_done && !build_q) begin
          state_q <= FILL;
          if (lit_over || (lit_under && !lit_single)) begin
            error   <= GZIP_ERR_LITLEN_CODE;
            state_q <= REST;
          end else if (dist_over || (dist_under && !dist_single)) begin
            error   <= GZIP_ERR_DIST_CODE;
            state_q <= REST;
          end
        end
      end
      FILL: begin
        fill_q <= fill_q + 1'b1;
        filling_q <= filling_q && fill_q != '1;
        fill_valid_q[0] <= filling_q;
        if (!filling_q && fill_valid_q == '0) state_q <= REST;
      end
      default: ;
    endcase
    if (start) begin
      error   <= GZIP_OK;
      sym_q   <= '0;
      fixed_q <= fixed;
      if (!fixed || !fixed_q) begin
        clear_q <= 1'b1;
        state_q <= fixed ? FIXED : COUNTS;
      end
      if (fixed) begin
        lits_q  <= 9'd288;
        dists_q <= 6'd32;
      end
    end
    if (rst || (cancel && state_q != REST)) begin
      state_q <= REST;
      fixed_q <= 1'b0;
      fill_valid_q <= '0;
    end
  end

  assign done = state_q == REST;

  // ---- entries --------------------------------------------------------------------------------
  // A code is decided by the table if it is not longer, whatever follows it.
  logic lit_known, dist_known;
  logic [3:0] lit_len_q, dist_len_q;
  logic [8:0] lit_sym_q;
  logic [4:0] dist_sym_q, len_sym;

  assign lit_known = lit_len_q != '0 && lit_len_q <= 4'(TABLE_BITS);
  assign dist_known = dist_len_q != '0 && dist_len_q <= 4'(TABLE_BITS);
  assign len_sym = 5'(lit_sym_q - 9'd257);

  always_ff @(posedge clk) begin
    {lit_len_q, lit_sym_q} <= {litlen_len, litlen_sym};
    {dist_len_q, dist_sym_q} <= {dist_len, dist_sym};
    wr_en <= state_q == FILL && fill_valid_q[DECODE];
    wr_addr <= fill_at_q[DECODE];
    wr_litlen <= '{bits: lit_len_q, value: lit_sym_q[8] ? 8'(len_sym) : lit_sym_q[7:0]};
    wr_dist <= '{bits: dist_len_q, value: dist_sym_q};
    wr_litlen_step <= '{
        ok: lit_known && lit_sym_q != 9'(END_OF_BLOCK) && lit_sym_q < 9'(LITLEN_SYMS),
        lit: !lit_sym_q[8],
        step: lit_sym_q[8] ? lit_len_q + 4'(length_extra(len_sym)) : lit_len_q
    };
    wr_dist_step <= '{
        ok: dist_known && dist_sym_q < 5'(DIST_SYMS),
        step: 5'(dist_len_q) + 5'(dist_extra(dist_sym_q))
    };
    if (rst) wr_en <= 1'b0;
  end

  logic unused;
  assign unused = ^{cl_single, peek};
endmodule
