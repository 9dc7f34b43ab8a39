// SPDX-License-Identifier: Apache-2.0
//
// 8b/10b encoder of one byte (IEEE 802.3 clause 36.2.4). Combinational.
//
// code: bit 0 first on the wire. rd, rd_next: running disparity before and after it, 0 negative.
// Bad input: `k` with a byte that is not a valid K character yields an invalid code group.
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
