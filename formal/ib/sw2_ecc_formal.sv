// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_sw2_ecc_enc and kumi_sw2_ecc_dec: whatever the information of a flit, each of
// the 80 single-bit errors is corrected and reported, and each of the 3,160 double-bit errors is
// reported as uncorrectable; a flit without an error passes unchanged.
//
// ANY = 1: for any information (long); ANY = 0: for information that is zero but for its lowest
// byte.
`include "kumi_assert.svh"
module sw2_ecc_formal
  import kumi_sw2_pkg::*;
#(
    parameter bit ANY = 1'b0
) (
    input logic              clk,
    input logic              rst,
    input logic [INFO_W-1:0] info,
    input logic [       6:0] first,  // wrong bits; FLIT_W and above: none
    input logic [       6:0] second
);
  logic [FLIT_W-1:0] coded, error_q, error;
  logic [INFO_W-1:0] out, info1_q, info2_q, info3_q;
  logic [1:0] wrong, wrong1_q, wrong2_q, wrong3_q;  // bits that differ
  logic valid, corrected, uncorrectable, started_q = 1'b0;
  logic [2:0] valid_q;

  assign error = (32'(first) < FLIT_W ? FLIT_W'(1) << first : '0)
      ^ (32'(second) < FLIT_W && second != first ? FLIT_W'(1) << second : '0);

  kumi_sw2_ecc_enc u_enc (
      .clk,
      .info,
      .out(coded)
  );
  kumi_sw2_ecc_dec u_dec (
      .clk,
      .rst,
      .in_valid(valid_q[0]),
      .in(coded ^ error_q),
      .out_valid(valid),
      .out_info(out),
      .out_corrected(corrected),
      .out_uncorrectable(uncorrectable)
  );

  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    error_q   <= error;
    wrong1_q  <= wrong;
    info1_q   <= info;
    info2_q   <= info1_q;
    info3_q   <= info2_q;
    wrong2_q  <= wrong1_q;
    wrong3_q  <= wrong2_q;
    valid_q   <= rst ? '0 : {valid_q[1:0], 1'b1};
  end
  assign wrong = 2'(32'(first) < FLIT_W) + 2'(32'(second) < FLIT_W && second != first);
  always_comb begin
    assume (started_q ? !rst : rst);
    if (!ANY) assume (info[INFO_W-1:8] == '0);
  end

  // The syndrome is that of the error alone: what makes the proof easy.
  logic [FLIT_W-1:0] error2_q;
  always_ff @(posedge clk) error2_q <= error_q;
  `KUMI_ASSERT(i_syndrome, !u_dec.valid_q || u_dec.syndrome_q == (check_bits(error2_q[INFO_W-1:0]
               ) ^ error2_q[FLIT_W-1:INFO_W]))
  `KUMI_ASSERT(i_info, !u_dec.valid_q || u_dec.info_q == (info2_q ^ error2_q[INFO_W-1:0]))

  `KUMI_ASSERT(a_passes,
               !valid || wrong3_q != 2'd0 || (out == info3_q && !corrected && !uncorrectable))
  `KUMI_ASSERT(a_corrects,
               !valid || wrong3_q != 2'd1 || (out == info3_q && corrected && !uncorrectable))
  `KUMI_ASSERT(a_detects, !valid || wrong3_q != 2'd2 || (uncorrectable && !corrected))
  `KUMI_COVER(c_corrected, valid && corrected && info3_q != '0)
  `KUMI_COVER(c_detected, valid && uncorrectable)
endmodule
