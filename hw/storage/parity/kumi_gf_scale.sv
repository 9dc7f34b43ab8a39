// SPDX-License-Identifier: Apache-2.0
//
// Multiplies every byte of a word by one factor in GF(2^8), given as its columns (gf_columns).
//
// Combinational: each result bit is the parity of eight masked input bits.
module kumi_gf_scale
  import kumi_gf_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a word, a multiple of 8
) (
    input  gf_columns_t              columns,
    input  logic        [DATA_W-1:0] data,
    output logic        [DATA_W-1:0] product
);
  if (DATA_W < 8 || DATA_W % 8 != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be a multiple of 8 (%m)");
  end
  for (genvar i = 0; i < DATA_W / 8; i++) begin : gen_byte
    assign product[8*i+:8] = gf_apply(columns, data[8*i+:8]);
  end
endmodule
