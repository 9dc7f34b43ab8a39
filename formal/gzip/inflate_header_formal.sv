// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_header: what it makes of a header does not depend on time, nor on bits
// that it has not asked for. Two copies take the same parts at the same time, with any waiting
// between them; bits of peek beyond those that are asked for differ. Their states and answers are
// always equal, nothing changes while a part is awaited, what is asked for is a matter of the state
// alone, and the sum is compared when it is that of all bytes before.
//
// Assumed: parts come at least 3 cycles apart and after a start (inflate_position); a start comes at
// rest.
`include "kumi_assert.svh"
`define KUMI_SAME(NAME, STATE) \
  always_comb assume (started_q || gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE); \
  `KUMI_ASSERT(same_``NAME, gen_copy[0].u_dut.STATE == gen_copy[1].u_dut.STATE) \
  `KUMI_ASSERT(rest_``NAME, !rests_q || $stable(gen_copy[0].u_dut.STATE))
module inflate_header_formal
  import kumi_gzip_pkg::*;
(
    input logic                clk,
    input logic                rst,
    input logic                start,
    input gzip_format_e        format,
    input logic                ok,
    input logic         [31:0] peek,
    input logic         [31:0] beyond
);
  localparam int CRC = 10;
  localparam int CRC_WAIT = 11;
  localparam int EXTRA = 7;
  logic [1:0] done, ask;
  gzip_error_e [1:0] error;
  logic [1:0][5:0] need, take;
  logic [1:0][31:0] seen;
  logic [31:0] asked;
  always_comb begin
    for (int i = 0; i < 32; i++) asked[i] = 6'(i) < need[0];
    seen = {(peek & asked) | (beyond & ~asked), peek};
  end

  for (genvar c = 0; c < 2; c++) begin : gen_copy
    kumi_inflate_header u_dut (
        .clk,
        .rst,
        .start,
        .format,
        .done (done[c]),
        .error(error[c]),
        .ask  (ask[c]),
        .need (need[c]),
        .ok,
        .peek (seen[c]),
        .take (take[c])
    );
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // Cycles since a part was taken or a header begun.
  logic [1:0] since_q = 2'd0;
  logic rests_q;
  always_ff @(posedge clk) begin
    since_q <= ok || start || rst ? 2'd0 : since_q == '1 ? since_q : since_q + 1'b1;
    rests_q <= started_q && !ok && !start && gen_copy[0].u_dut.state_q != CRC_WAIT;
  end
  always_comb assume (!ok || (ask[0] && since_q >= 2'd2));
  always_comb assume (!start || (done[0] && !ok));

  `KUMI_SAME(state, state_q)
  `KUMI_SAME(crc_flag, crc_flag_q)
  `KUMI_SAME(extra, extra_q)
  `KUMI_SAME(name, name_q)
  `KUMI_SAME(comment, comment_q)
  `KUMI_SAME(left, left_q)
  `KUMI_SAME(error, error)
  always_comb assume (started_q || gen_copy[0].u_dut.few_q == gen_copy[1].u_dut.few_q);
  always_comb assume (started_q || gen_copy[0].u_dut.wait_q == gen_copy[1].u_dut.wait_q);
  `KUMI_ASSERT(same_few, gen_copy[0].u_dut.few_q == gen_copy[1].u_dut.few_q)
  `KUMI_ASSERT(same_wait, gen_copy[0].u_dut.wait_q == gen_copy[1].u_dut.wait_q)

  // Sums of what was given: the stand-in keeps them, and gives them 3 cycles later.
  always_comb
    assume (started_q || gen_copy[0].u_dut.u_crc.u_sum.now_q == gen_copy[1].u_dut.u_crc.u_sum.now_q);
  `KUMI_ASSERT(same_sum, gen_copy[0].u_dut.u_crc.u_sum.now_q == gen_copy[1].u_dut.u_crc.u_sum.now_q)

  `KUMI_ASSERT(a_same,
               done[0] == done[1] && ask[0] == ask[1] && need[0] == need[1] && take[0] == take[1])
  `KUMI_ASSERT(
      a_few,
      !ok || gen_copy[0].u_dut.state_q != EXTRA || gen_copy[0].u_dut.few_q == (gen_copy[0].u_dut.left_q[15:2] == '0))
  `KUMI_ASSERT(a_all, !ok || take[0] <= need[0])

  // The sum is awaited: how long the waiting lasts is counted in both.
  logic [2:0] awaited_q;
  always_ff @(posedge clk) begin
    awaited_q <= gen_copy[0].u_dut.state_q == CRC_WAIT ? awaited_q + 1'b1 : '0;
    if (rst) awaited_q <= '0;
  end
  for (genvar c = 0; c < 2; c++) begin : gen_sum
    `KUMI_ASSERT(i_wait,
                 gen_copy[c].u_dut.state_q != CRC_WAIT || gen_copy[c].u_dut.wait_q == awaited_q)
    `KUMI_ASSERT(i_late_0,
                 gen_copy[c].u_dut.state_q != CRC_WAIT || awaited_q < 3'd1
                 || gen_copy[c].u_dut.u_crc.u_sum.late_q[0] == gen_copy[c].u_dut.u_crc.u_sum.now_q)
    `KUMI_ASSERT(i_late_1,
                 gen_copy[c].u_dut.state_q != CRC_WAIT || awaited_q < 3'd2
                 || gen_copy[c].u_dut.u_crc.u_sum.late_q[1] == gen_copy[c].u_dut.u_crc.u_sum.now_q)
    `KUMI_ASSERT(i_late_2,
                 gen_copy[c].u_dut.state_q != CRC_WAIT || awaited_q < 3'd3
                 || gen_copy[c].u_dut.u_crc.u_sum.late_q[2] == gen_copy[c].u_dut.u_crc.u_sum.now_q)
    `KUMI_ASSERT(a_sum,
                 gen_copy[c].u_dut.state_q != CRC
                 || (gen_copy[c].u_dut.u_crc.u_sum.late_q
                     == {3{gen_copy[c].u_dut.u_crc.u_sum.now_q}}))
  end

  `KUMI_COVER(c_sum, ok && gen_copy[0].u_dut.state_q == CRC)
endmodule
