// SPDX-License-Identifier: Apache-2.0
//
// Check bits of an SW2 flit (code in kumi_sw2_pkg). Latency 1 cycle, a flit per cycle.
//
// out: {check, information}; bit 0 of the information is bit 0 of the flit.
module kumi_sw2_ecc_enc
  import kumi_sw2_pkg::*;
(
    input  logic              clk,
    input  logic [INFO_W-1:0] info,
    output logic [FLIT_W-1:0] out
);
  always_ff @(posedge clk) out <= {check_bits(info), info};
endmodule
