// SPDX-License-Identifier: Apache-2.0
//
// Canonical prefix code (RFC 1951, 3.2.2): takes the code lengths, then decodes.
//
// clear: forget all. len_*: length of symbol len_sym (0: unused), symbols 0 .. n - 1 each once, any
//   order. build: after the last one, with n in build_count; done is high from the end of the work,
//   n + MAX + 3 cycles later, until the next clear, and then the flags count:
//   over: oversubscribed; under: incomplete; single: no code is longer than one bit.
// code: MAX bits, first bit of the stream first (high). out_*, LATENCY (5) cycles later: symbol and
//   length of the code that it begins with; length 0: no such code. One a cycle.
// Bad input: an oversubscribed code decodes to anything; `over` says so.
module kumi_inflate_code #(
    parameter int SYMS = 288,  // symbols
    parameter int MAX  = 15    // bits of the longest code
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      clear,
    input  logic                      len_valid,
    input  logic [  $clog2(SYMS)-1:0] len_sym,
    input  logic [ $clog2(MAX+1)-1:0] len,
    input  logic                      build,
    input  logic [$clog2(SYMS+1)-1:0] build_count,
    output logic                      done,
    output logic                      over,
    output logic                      under,
    output logic                      single,
    input  logic [           MAX-1:0] code,
    output logic [ $clog2(MAX+1)-1:0] out_len,
    output logic [  $clog2(SYMS)-1:0] out_sym
);
  localparam int LEN_W = $clog2(MAX + 1);
  localparam int SYM_W = $clog2(SYMS);
  localparam int NUM_W = $clog2(SYMS + 1);

  // ---- lengths --------------------------------------------------------------------------------
  (* ram_style = "distributed", no_rw_check *) logic [LEN_W-1:0] len_mem[SYMS];
  logic [MAX:0][NUM_W-1:0] num_q;  // [l]: codes of l bits
  logic longer_q;

  always_ff @(posedge clk) begin
    if (len_valid) begin
      len_mem[len_sym] <= len;
      num_q[len] <= num_q[len] + 1'b1;
      if (len > LEN_W'(1)) longer_q <= 1'b1;
    end
    if (clear || rst) begin
      num_q <= '0;
      longer_q <= 1'b0;
    end
  end
  assign single = !longer_q;

  // ---- first codes, then the symbols in the order of their codes ------------------------------
  typedef enum logic [1:0] {
    REST,
    RANGES,
    SORT
  } state_e;

  state_e state_q;
  logic [LEN_W-1:0] l_q;
  logic [MAX:0] first_q, past;  // first code of l_q bits, and one past the last
  logic signed [MAX+1:0] left_q, left;  // codes of l_q bits that are free
  logic [NUM_W-1:0] index_q, sym_q, count_q;
  logic [NUM_W-1:0] num_l_q;  // codes of l_q bits
  logic [MAX:0][MAX:0] limit_q;  // one past the last code of l bits, at MAX bits
  logic [MAX:0][SYM_W-1:0] base_q;  // place of a code of l bits, minus the code
  (* ram_style = "distributed", no_rw_check *) logic [SYM_W-1:0] place_mem[2**LEN_W];
  (* no_rw_check *) logic [SYM_W-1:0] sorted_mem[2**SYM_W];
  logic [LEN_W-1:0] sort_len_q;
  logic [SYM_W-1:0] sort_sym_q, place;
  logic sort_q;

  assign past  = first_q + (MAX + 1)'(num_l_q);
  assign left  = (left_q <<< 1) - (MAX + 2)'(num_l_q);
  assign place = place_mem[sort_len_q];

  always_ff @(posedge clk) begin
    sort_q <= 1'b0;
    sort_sym_q <= sym_q[SYM_W-1:0];
    sort_len_q <= len_mem[sym_q[SYM_W-1:0]];
    case (state_q)
      RANGES: begin
        limit_q[l_q] <= past << (LEN_W'(MAX) - l_q);
        base_q[l_q] <= SYM_W'(index_q) - SYM_W'(first_q);
        index_q <= index_q + num_l_q;
        num_l_q <= num_q[l_q+1'b1];
        first_q <= past << 1;
        if (!over) left_q <= left;
        if (left < 0) over <= 1'b1;
        l_q <= l_q + 1'b1;
        if (l_q == LEN_W'(MAX)) state_q <= SORT;
      end
      SORT: begin
        sort_q <= sym_q != count_q;
        sym_q  <= sym_q + 1'b1;
        if (sym_q == count_q) begin
          state_q <= REST;
          done <= 1'b1;
          under <= left_q != '0;
        end
      end
      default:
      if (build) begin
        state_q <= RANGES;
        l_q <= LEN_W'(1);
        num_l_q <= num_q[1];
        first_q <= '0;
        left_q <= (MAX + 2)'(1);
        index_q <= '0;
        sym_q <= '0;
        count_q <= build_count;
        over <= 1'b0;
      end
    endcase
    if (clear || rst) begin
      state_q <= REST;
      done <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (state_q == RANGES) place_mem[l_q] <= SYM_W'(index_q);
    else if (sort_q) place_mem[sort_len_q] <= place + 1'b1;
    if (sort_q && sort_len_q != '0) sorted_mem[place] <= sort_sym_q;
  end

  // ---- decoding -------------------------------------------------------------------------------
  // Codes of l bits, and those of fewer, lie below limit_q[l].
  logic [MAX:1] beyond_q;
  logic [MAX-1:0] code_a_q, code_b_q;
  logic [LEN_W-1:0] len_b_q, len_c_q, len_d_q, len_b;
  logic [SYM_W-1:0] at_c_q, sym_d_q;

  always_comb begin
    len_b = '0;
    for (int l = MAX; l >= 1; l--) if (!beyond_q[l]) len_b = LEN_W'(l);
  end

  always_ff @(posedge clk) begin
    for (int l = 1; l <= MAX; l++) beyond_q[l] <= {1'b0, code} >= limit_q[l];
    code_a_q <= code;
    code_b_q <= code_a_q;
    len_b_q  <= len_b;
    len_c_q  <= len_b_q;
    at_c_q   <= SYM_W'(code_b_q >> (LEN_W'(MAX) - len_b_q)) + base_q[len_b_q];
    len_d_q  <= len_c_q;
    sym_d_q  <= sorted_mem[at_c_q];
    out_len  <= len_d_q;
    out_sym  <= sym_d_q;
  end
endmodule
