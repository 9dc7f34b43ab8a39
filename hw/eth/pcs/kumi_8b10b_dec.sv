// SPDX-License-Identifier: Apache-2.0
//
// 8b/10b decoder of one code group (IEEE 802.3 clause 36.2.4). Combinational.
//
// code: bit 0 first on the wire. rd, rd_out: running disparity before and after it, 0 negative.
// Bad input: bad_code: in no table; bad_rd: only in the table of the other disparity.
module kumi_8b10b_dec
  import kumi_8b10b_pkg::*;
(
    input  logic [9:0] code,
    input  logic       rd,
    output logic [7:0] data,
    output logic       k,
    output logic       bad_code,
    output logic       bad_rd,
    output logic       rd_out
);

  decoded_t d;

  assign d = decode(code);
  assign data = d.data;
  assign k = d.k;
  assign bad_code = !d.valid;
  assign bad_rd = d.valid && encode(d.data, d.k, rd) != code;
  assign rd_out = rd_behind(code, rd);

endmodule
