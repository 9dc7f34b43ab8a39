// SPDX-License-Identifier: Apache-2.0
//
// Proof top of the 8b/10b code: every byte and special code group comes back at both disparities,
// with no error seen; disparity of the line stays within two of its start; runs of equal bits are
// at most five; a code group of the wrong disparity, where the two differ, is seen.
`include "kumi_assert.svh"
module code_8b10b_formal (
    input logic       clk,
    input logic       rst,
    input logic [7:0] data,
    input logic       k
);
  logic special;
  assign special = data[4:0] == 5'd28 || data == 8'hF7 || data == 8'hFB || data == 8'hFD
      || data == 8'hFE;

  logic rd_q;  // running disparity of a line with any legal content
  logic [9:0] code, other;
  logic rd_next, rd_out, rd_x;
  logic [7:0] back, back_x;
  logic k_back, k_x, bad_code, bad_rd, bad_code_x, bad_rd_x;

  // Both disparities, chosen by the line's.
  logic [9:0] code_minus, code_plus;
  logic rd_minus, rd_plus;

  kumi_8b10b_enc enc_minus (
      .data,
      .k,
      .rd(1'b0),
      .code(code_minus),
      .rd_next(rd_minus)
  );

  kumi_8b10b_enc enc_plus (
      .data,
      .k,
      .rd(1'b1),
      .code(code_plus),
      .rd_next(rd_plus)
  );

  assign code = rd_q ? code_plus : code_minus;
  assign rd_next = rd_q ? rd_plus : rd_minus;
  assign other = rd_q ? code_minus : code_plus;

  kumi_8b10b_dec dec (
      .code,
      .rd(rd_q),
      .data(back),
      .k(k_back),
      .bad_code,
      .bad_rd,
      .rd_out
  );

  kumi_8b10b_dec dec_other (
      .code(other),
      .rd(rd_q),
      .data(back_x),
      .k(k_x),
      .bad_code(bad_code_x),
      .bad_rd(bad_rd_x),
      .rd_out(rd_x)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);
  always_comb assume (!k || special);

  logic signed [4:0] sum;  // ones minus zeros of the code group
  always_comb begin
    sum = '0;
    for (int i = 0; i < 10; i++) sum = code[i] ? sum + 5'sd1 : sum - 5'sd1;
  end

  // The code group before this one: from any legal byte, at the disparity that led to rd_q.
  logic [7:0] data_q;
  logic k_q, rd_qq;
  logic [9:0] code_q;
  logic rd_again;
  kumi_8b10b_enc enc_before (
      .data(data_q),
      .k(k_q),
      .rd(rd_qq),
      .code(code_q),
      .rd_next(rd_again)
  );

  logic special_q;
  assign special_q = data_q[4:0] == 5'd28 || data_q == 8'hF7 || data_q == 8'hFB || data_q == 8'hFD
      || data_q == 8'hFE;

  logic signed [4:0] balance_q;  // of the line since reset
  logic [19:0] window;
  logic long_run, five_run;
  always_comb begin
    window   = {code, code_q};
    long_run = 1'b0;
    five_run = 1'b0;
    for (int i = 0; i < 15; i++) begin
      if (window[i+:6] == '0 || window[i+:6] == '1) long_run = 1'b1;
      if (window[i+:5] == '0 || window[i+:5] == '1) five_run = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    rd_q      <= rd_next;
    balance_q <= balance_q + sum;
    data_q    <= data;
    k_q       <= k;
    rd_qq     <= rd_q;
    if (rst) begin
      rd_q      <= 1'b0;
      balance_q <= '0;
      data_q    <= 8'h23;  // D3.1, balanced
      k_q       <= 1'b0;
      rd_qq     <= 1'b0;
    end
  end

  `KUMI_ASSERT(i_before, rd_again == rd_q && (!k_q || special_q))
  `KUMI_ASSERT(a_round_trip, back == data && k_back == k && !bad_code && !bad_rd)
  `KUMI_ASSERT(a_rd, rd_out == rd_next)
  `KUMI_ASSERT(a_bounded, balance_q == (rd_q ? 5'sd2 : 5'sd0))
  `KUMI_ASSERT(a_sum, sum == 5'sd0 || sum == (rd_q ? -5'sd2 : 5'sd2))
  `KUMI_ASSERT(a_run, !long_run)
  `KUMI_ASSERT(a_wrong_valid, !bad_code_x)
  `KUMI_ASSERT(a_wrong_back, back_x == data && k_x == k)
  `KUMI_ASSERT(a_wrong_rd, bad_rd_x == (other != code))
  `KUMI_COVER(c_comma, k && data == 8'hBC && rd_q)
  `KUMI_COVER(c_run, five_run && rd_q && balance_q == 5'sd2)

  logic unused;
  assign unused = rd_x;
endmodule
