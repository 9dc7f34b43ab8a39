// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_sata_crc and kumi_sata_scrambler: the matrices equal the bit-serial definitions
// from any state, hence for frames of any length, including gaps and restarts.
//
// Compared for zero and for each single input bit (state or data). Circuit and definition are
// linear, and linear functions that agree on zero and on every unit vector agree everywhere, so
// this covers all states and data without long parity chains for the solver.
`include "kumi_assert.svh"
module sata_crc_formal (
    input logic        clk,
    input logic        rst,
    input logic        init,
    input logic        en,
    input logic [31:0] data
);
  logic [31:0] crc, word;

  kumi_sata_crc u_crc (
      .clk,
      .rst,
      .init,
      .en,
      .data,
      .crc
  );
  kumi_sata_scrambler u_scrambler (
      .clk,
      .rst,
      .init,
      .en,
      .word
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The definitions, one bit a step.
  function automatic logic [31:0] crc_serial(input logic [31:0] start, input logic [31:0] d);
    logic [31:0] c;
    c = start;
    for (int i = 31; i >= 0; i--) c = {c[30:0], 1'b0} ^ (c[31] ^ d[i] ? 32'h04c1_1db7 : 32'd0);
    return c;
  endfunction
  function automatic logic [47:0] scramble_serial(input logic [15:0] start);
    logic [15:0] s;
    logic [31:0] out;
    s = start;
    for (int i = 0; i < 32; i++) begin
      out[i] = s[15];
      s = {s[14:0], 1'b0} ^ (s[15] ? 16'ha011 : 16'd0);
    end
    return {s, out};
  endfunction

  logic past_q, init_q, en_q;
  logic [31:0] crc_q, data_q;
  logic [15:0] state_q;
  logic [ 2:0] nth_q;  // words since init, up to 7

  always_ff @(posedge clk) begin
    past_q  <= !rst;
    init_q  <= init;
    en_q    <= en;
    data_q  <= data;
    crc_q   <= crc;
    state_q <= u_scrambler.state_q;
    if (init || rst) nth_q <= '0;
    else if (en && nth_q != '1) nth_q <= nth_q + 1'b1;
  end

  // Bit 64 stands for zero; 63:32 are the state, 31:0 the data.
  for (genvar i = 0; i <= 64; i++) begin : gen_crc
    localparam logic [63:0] UNIT = i == 64 ? 64'd0 : 64'd1 << i;
    localparam logic [31:0] WANT = crc_serial(UNIT[63:32], UNIT[31:0]);
    `KUMI_ASSERT(a_step, !(past_q && en_q && !init_q && {crc_q, data_q} == UNIT) || crc == WANT)
  end
  for (genvar i = 0; i <= 16; i++) begin : gen_scrambler
    localparam logic [15:0] UNIT = i == 16 ? 16'd0 : 16'd1 << i;
    localparam logic [47:0] WANT = scramble_serial(UNIT);
    `KUMI_ASSERT(a_word, u_scrambler.state_q != UNIT || word == WANT[31:0])
    `KUMI_ASSERT(
        a_step,
        !(past_q && en_q && !init_q && state_q == UNIT) || u_scrambler.state_q == WANT[47:32])
  end
  `KUMI_ASSERT(a_init, !(past_q && init_q) || (crc == 32'h5232_5032 && word == 32'hc2d2_768d))
  `KUMI_ASSERT(a_rest,
               !(past_q && !init_q && !en_q) || (crc == crc_q && u_scrambler.state_q == state_q))
  `KUMI_COVER(c_sixth, nth_q == 3'd5 && word == 32'hbb1a_be1b)
  `KUMI_COVER(c_crc, nth_q == 3'd1 && en_q && data_q == 32'h27 && crc == 32'hb5f0_d3f5)
endmodule
