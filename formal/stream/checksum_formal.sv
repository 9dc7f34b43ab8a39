// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_checksum: the tree, the saved carries and the last fold give what RFC 1071
// defines, for any frames, gaps, seeds and partial last beats.
//
// The reference adds one 16-bit word after the other with end-around carry. After each beat the
// accumulator, folded, must equal it; so the proof holds for frames of any length.
`include "kumi_assert.svh"
module checksum_formal #(
    parameter int DATA_W = 32,
    parameter int LEVELS = 1
) (
    input logic                clk,
    input logic                rst,
    input logic                in_valid,
    input logic                in_last,
    input logic [  DATA_W-1:0] in_data,
    input logic [DATA_W/8-1:0] in_keep,
    input logic [        15:0] in_seed
);
  localparam int KEEP_W = DATA_W / 8;
  logic out_valid;
  logic [15:0] out_sum;

  kumi_checksum #(
      .DATA_W(DATA_W)
  ) u_dut (
      .clk,
      .rst,
      .in_valid,
      .in_last,
      .in_data,
      .in_keep,
      .in_seed,
      .out_valid,
      .out_sum
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // End-around carry.
  function automatic logic [15:0] add(input logic [15:0] a, input logic [15:0] b);
    logic [16:0] s;
    s = {1'b0, a} + {1'b0, b};
    return s[15:0] + 16'(s[16]);
  endfunction

  // Words as RFC 1071 reads them: the first byte of a pair is the high one.
  function automatic logic [15:0] beat_sum(input logic [15:0] start);
    logic [15:0] s;
    s = start;
    for (int i = 0; i < DATA_W / 16; i++) begin
      s = add(s,
              {in_keep[2*i] ? in_data[16*i+:8] : 8'd0, in_keep[2*i+1] ? in_data[16*i+8+:8] : 8'd0});
    end
    return s;
  endfunction

  // The reference follows the circuit's accumulator: it takes a beat LEVELS cycles later.
  logic [15:0] state_q, value_q, folded;
  logic first_q, done_q, out_q;
  logic [LEVELS:0] valid, last;
  logic [LEVELS:0][15:0] seed, words;
  assign valid[0] = in_valid && !rst;
  assign last[0]  = in_last;
  assign seed[0]  = in_seed;
  assign words[0] = beat_sum(16'd0);
  always_ff @(posedge clk) begin
    for (int i = 0; i < LEVELS; i++) begin
      valid[i+1] <= valid[i] && !rst;
      last[i+1]  <= last[i];
      seed[i+1]  <= seed[i];
      words[i+1] <= words[i];
    end
    if (valid[LEVELS]) begin
      state_q <= add(first_q ? seed[LEVELS] : state_q, words[LEVELS]);
      first_q <= last[LEVELS];
    end
    done_q  <= !rst && valid[LEVELS] && last[LEVELS];
    out_q   <= !rst && done_q;
    value_q <= state_q;
    if (rst) first_q <= 1'b1;
  end

  `KUMI_ASSERT(a_when, out_valid == out_q)
  `KUMI_ASSERT(a_value, !out_valid || out_sum == value_q)

  // What makes the induction close. Sums are compared after two folds, bytes swapped.
  function automatic logic [15:0] fold(input logic [31:0] x);
    logic [31:0] y;
    y = {16'd0, x[15:0]} + {16'd0, x[31:16]};
    y = {16'd0, y[15:0]} + {16'd0, y[31:16]};
    return y[15:0];
  endfunction
  function automatic logic [15:0] swap(input logic [15:0] x);
    return {x[7:0], x[15:8]};
  endfunction
  assign folded = swap(fold(32'(u_dut.acc_q)));
  `KUMI_ASSERT(i_state, (first_q && !done_q) || folded == state_q)
  `KUMI_ASSERT(i_first, u_dut.first_q == first_q && u_dut.done_q == done_q)
  `KUMI_ASSERT(i_beside, u_dut.valid[LEVELS:1] == valid[LEVELS:1])
  `KUMI_ASSERT(i_beside2, !valid[1] || (u_dut.last[1] == last[1] && u_dut.seed[1] == seed[1]))
  `KUMI_ASSERT(
      i_beside3,
      !valid[LEVELS] || (u_dut.last[LEVELS] == last[LEVELS] && u_dut.seed[LEVELS] == seed[LEVELS]))
  `KUMI_ASSERT(i_sum, !valid[LEVELS] || swap(fold(32'(u_dut.sum))) == words[LEVELS])
  `KUMI_ASSERT(i_sum_range, !valid[LEVELS] || 32'(u_dut.sum) <= 32'd65535 * (DATA_W / 16))
  `KUMI_ASSERT(i_range,
               (first_q && !done_q) || 32'(u_dut.acc_q) <= 32'd65535 * (DATA_W / 16 + 1) + 32'd8)

  `KUMI_COVER(c_all_ones, out_valid && out_sum == 16'hffff)
  `KUMI_COVER(c_back_to_back, out_valid && done_q)
endmodule
