// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_copy: for any tokens and any back-pressure no byte is read that was not
// written before in the same member, none beyond the window, and nothing is written after a distance
// that is too far. The properties are in the unit; here are the tokens, and covers.
`include "kumi_assert.svh"
module inflate_copy_formal
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int BYTES = 8
) (
    input logic clk,
    input logic rst,
    input inflate_token_t token,
    input logic valid,
    input logic ready
);
  logic s_ready, m_valid, m_flush, far;
  logic [8*BYTES-1:0] m_data;
  logic [4:0] m_count;
  inflate_token_t m_token;

  kumi_inflate_copy #(
      .BYTES(BYTES)
  ) u_dut (
      .clk,
      .rst,
      .s_token(token),
      .s_valid(valid),
      .s_ready,
      .m_valid,
      .m_data,
      .m_count,
      .m_flush,
      .m_token,
      .m_ready(ready),
      .far
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // As kumi_inflate_symbols and kumi_inflate_ctrl make them.
  `KUMI_ASSUME(a_kind, token.kind <= TOKEN_END)
  `KUMI_ASSUME(a_count, token.count <= 3'd4)

  `KUMI_COVER(c_far, far)
  `KUMI_COVER(c_full, m_valid && m_count == 5'(BYTES))
  `KUMI_COVER(c_end, m_valid && m_flush && m_token.kind == TOKEN_END)
endmodule
