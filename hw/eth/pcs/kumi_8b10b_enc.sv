// SPDX-License-Identifier: Apache-2.0
//
// 8b/10b encoder of one byte (IEEE 802.3 clause 36.2.4). Combinational; bit 0 of code is first on
// the wire; rd is the running disparity before, rd_next behind the code group (0 negative).
// Bad input: k with a byte that is no special code group gives a code group that is none.
module kumi_8b10b_enc
  import kumi_8b10b_pkg::*;
(
    input  logic [7:0] data,
    input  logic       k,
    input  logic       rd,
    output logic [9:0] code,
    output logic       rd_next
);

  assign code = encode(data, k, rd);
  assign rd_next = rd_behind(code, rd);

endmodule
