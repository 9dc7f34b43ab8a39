// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_crc32: the pipelined circuit equals the bit-serial definition for every
// sequence of frames, gaps and partial last beats.
//
// serial() is the definition: one bit a step, low bit of a byte first. The reference register takes
// a whole beat in one step of it; what comes out is compared LATENCY cycles later.
// ONE_BIT = 0: any data, by induction, so for frames of any length. ONE_BIT = 1: at most one data
// bit is high in the whole run, for a bounded run. Circuit and definition are both affine in the
// data once valid, last and keep are given, and affine functions that agree on zero and on every
// unit vector agree everywhere; so this covers all data, and the solver need not undo long
// parities.
`include "kumi_assert.svh"
module crc32_formal #(
    parameter int DATA_W  = 16,
    parameter int LATENCY = 3,
    parameter int EARLY   = 2,    // cycles from a beat to the loop register
    parameter bit ONE_BIT = 1'b0
) (
    input logic                clk,
    input logic                rst,
    input logic                in_valid,
    input logic                in_last,
    input logic [  DATA_W-1:0] in_data,
    input logic [DATA_W/8-1:0] in_keep
);
  localparam int KEEP_W = DATA_W / 8;
  logic out_valid;
  logic [31:0] out_crc;

  kumi_crc32 #(
      .DATA_W(DATA_W)
  ) u_dut (
      .clk,
      .rst,
      .in_valid,
      .in_last,
      .in_data,
      .in_keep,
      .out_valid,
      .out_crc
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);
  `KUMI_ASSUME(in_keep_rule,
               !in_valid || (in_last ? in_keep[0] && (in_keep & (in_keep + 1'b1)) == '0 : &in_keep))

  function automatic logic [31:0] serial(input logic [31:0] start, input logic [DATA_W-1:0] data,
                                         input logic [KEEP_W-1:0] keep);
    logic [31:0] c;
    c = start;
    for (int i = 0; i < DATA_W; i++) begin
      if (keep[i/8]) c = (c >> 1) ^ (c[0] ^ data[i] ? 32'hedb8_8320 : 32'd0);
    end
    return c;
  endfunction

  // Reference: the register after the beat, and the value of a frame that ends with it.
  logic [31:0] state_q, masked_state;
  logic [DATA_W-1:0] masked;
  logic first_q;
  always_comb begin
    for (int i = 0; i < DATA_W; i++) masked[i] = in_data[i] && in_keep[i/8];
    // The circuit runs a partial beat as if it were full of zeros and takes them back later.
    masked_state = serial(first_q ? 32'hffff_ffff : state_q, masked, '1);
  end

  logic [LATENCY:0][31:0] value, full;
  logic [LATENCY:0] valid, last, beat;
  assign value[0] = ~serial(first_q ? 32'hffff_ffff : state_q, in_data, in_keep);
  assign full[0]  = masked_state;
  assign valid[0] = in_valid && in_last && !rst;
  assign beat[0]  = in_valid && !rst;
  assign last[0]  = in_last;
  always_ff @(posedge clk) begin
    if (in_valid) begin
      state_q <= masked_state;
      first_q <= in_last;
    end
    if (rst) first_q <= 1'b1;
    for (int i = 0; i < LATENCY; i++) begin
      value[i+1] <= value[i];
      full[i+1]  <= full[i];
      valid[i+1] <= valid[i] && !rst;
      beat[i+1]  <= beat[i] && !rst;
      last[i+1]  <= last[i];
    end
  end

  if (ONE_BIT) begin : gen_one_bit
    logic seen_q;
    always_ff @(posedge clk) seen_q <= !rst && (seen_q || (in_valid && in_data != '0));
    `KUMI_ASSUME(in_one_bit, (in_data & (in_data - 1'b1)) == '0 && !(seen_q && in_data != '0))
  end else begin : gen_induction
    // What makes the induction close, without a partial last beat.
    logic [31:0] state_late_q;
    logic [DATA_W-1:0] data_q;
    logic first_late_q;
    always_ff @(posedge clk) begin
      state_late_q <= state_q;
      first_late_q <= first_q;
      data_q       <= masked;
      if (rst) first_late_q <= 1'b1;
    end
    `KUMI_ASSERT(i_first, u_dut.first_q == first_late_q)
    `KUMI_ASSERT(i_state, first_late_q || u_dut.state_q == state_late_q)
    `KUMI_ASSERT(i_flags, u_dut.valid_b_q == beat[1] && (!beat[1] || u_dut.last_b_q == last[1]))
    `KUMI_ASSERT(i_parts, !beat[1] || u_dut.parts == serial(32'd0, data_q, '1))
    `KUMI_ASSERT(i_held, !beat[1] || full[1] == state_q)
    `KUMI_ASSERT(i_value, !beat[1] || !last[1] || value[1] == ~full[1])
    `KUMI_ASSERT(i_now, !beat[1] || (first_q == last[1]))
    `KUMI_ASSERT(i_next, !beat[1] || full[1] == serial(
                 first_late_q ? 32'hffff_ffff : state_late_q, data_q, '1))
    `KUMI_ASSERT(i_pipe, !valid[2] || (beat[2] && value[2] == ~full[2]))
    `KUMI_ASSERT(i_idle, beat[1] || first_q || (state_q == state_late_q && first_q == first_late_q))
  end

  `KUMI_ASSERT(a_when, out_valid == valid[LATENCY])
  `KUMI_ASSERT(a_value, !out_valid || out_crc == value[LATENCY])
  `KUMI_ASSERT(a_state, !beat[EARLY] || u_dut.state_q == full[EARLY])
  `KUMI_COVER(c_two, out_valid && valid[LATENCY-1])
endmodule
