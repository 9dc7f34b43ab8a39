// SPDX-License-Identifier: Apache-2.0
//
// Checks and corrects an SW2 flit (code in kumi_sw2_pkg): one wrong bit, wherever, is corrected and
// reported; two are reported as uncorrectable; three and more may pass for either.
//
// in_valid: a flit, {check, information}. out_*: 2 cycles later, a flit per cycle;
//   out_uncorrectable: out_info is not to be used.
module kumi_sw2_ecc_dec
  import kumi_sw2_pkg::*;
(
    input  logic              clk,
    input  logic              rst,
    input  logic              in_valid,
    input  logic [FLIT_W-1:0] in,
    output logic              out_valid,
    output logic [INFO_W-1:0] out_info,
    output logic              out_corrected,
    output logic              out_uncorrectable
);
  // ---- syndrome --------------------------------------------------------------------------------
  logic valid_q;
  logic [INFO_W-1:0] info_q, wrong;
  logic [CHECK_W-1:0] syndrome_q;
  logic in_check;

  always_ff @(posedge clk) begin
    valid_q    <= in_valid && !rst;
    info_q     <= in[INFO_W-1:0];
    syndrome_q <= check_bits(in[INFO_W-1:0]) ^ in[FLIT_W-1:INFO_W];
  end

  // ---- correction ------------------------------------------------------------------------------
  for (genvar i = 0; i < INFO_W; i++) begin : gen_bit
    assign wrong[i] = syndrome_q == COLUMNS[i];
  end
  assign in_check = syndrome_q != '0 && (syndrome_q & (syndrome_q - 1'b1)) == '0;

  always_ff @(posedge clk) begin
    out_valid         <= valid_q && !rst;
    out_info          <= info_q ^ wrong;
    out_corrected     <= (|wrong) || in_check;
    out_uncorrectable <= syndrome_q != '0 && !(|wrong) && !in_check;
  end
endmodule
