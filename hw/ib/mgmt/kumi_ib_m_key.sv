// SPDX-License-Identifier: Apache-2.0
//
// M_Key protection of one port with a LID: protection level, lease and violations (IBTA volume 1,
// clause 14.2.4).
//
// set_*: words of its PortInfo. bad: a datagram whose M_Key is wrong where it had to be right,
//   good: one with the right M_Key. A first violation starts the lease; when it has run out,
//   protect becomes 0; a good M_Key stops it. A lease of 0 does not run. second: pulse every
//   second.
module kumi_ib_m_key
  import kumi_ib_mgmt_pkg::*;
(
    input  logic               clk,
    input  logic               rst,
    input  logic               set_valid,
    input  attr_write_t        set,
    input  logic               bad,
    input  logic               good,
    input  logic               second,
    output logic        [ 1:0] protect,
    output logic        [15:0] violations
);
  logic [15:0] lease_q, left_q;

  always_ff @(posedge clk) begin
    if (second && left_q != '0) begin
      left_q <= left_q - 1'b1;
      if (left_q == 16'd1) protect <= '0;
    end
    if (good) left_q <= '0;
    if (bad) begin
      if (violations != '1) violations <= violations + 1'b1;
      if (left_q == '0) left_q <= lease_q;
    end
    if (set_valid) begin
      unique case (set.word)
        4'd6: lease_q <= set.value[15:0];
        4'd8: protect <= set.value[15:14];
        4'd11: violations <= set.value[31:16];
        default: ;
      endcase
    end
    if (rst) begin
      lease_q    <= '0;
      left_q     <= '0;
      protect    <= '0;
      violations <= '0;
    end
  end

  logic unused;
  assign unused = ^{set};
endmodule
