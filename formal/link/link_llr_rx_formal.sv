// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_link_llr_rx with free input, real CRC, any length: a chunk is taken only with
// a right CRC and the number that is next, so each number once.
`include "kumi_assert.svh"
module link_llr_rx_formal
  import kumi_link_llr_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic [63:0] data,
    input logic        last,
    input logic [ 2:0] pad,
    input logic        bad,
    input logic        valid,
    input logic        ready,
    input logic        open
);
  kumi_link_if #(.LANES(1)) s ();
  kumi_link_if #(.LANES(1)) m ();
  logic got, got_bad, got_in_order, got_duplicate;
  llr_trailer_t trailer;
  logic [7:0] expected_seq, freed_seq;

  assign s.data[0] = data;
  assign s.count   = 3'd1;
  assign s.last    = last;
  assign s.pad     = last ? pad : '0;
  assign s.bad     = last && bad;
  assign s.valid   = valid;
  assign m.ready   = ready;

  kumi_link_llr_rx #(
      .LANES(1)
  ) u_dut (
      .clk,
      .rst,
      .s,
      .m,
      .open,
      .restart(1'b0),
      .got,
      .got_bad,
      .got_in_order,
      .got_duplicate,
      .trailer,
      .expected_seq,
      .freed_seq
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic [7:0] taken_q;  // chunks taken
  always_ff @(posedge clk) begin
    if (got_in_order) taken_q <= taken_q + 8'd1;
    if (rst) taken_q <= '0;
  end

  `KUMI_ASSERT(i_count, taken_q + 8'(got_in_order) == expected_seq)
  `KUMI_ASSERT(a_number, !got_in_order || (got && !got_bad && trailer.seq == taken_q))
  `KUMI_ASSERT(a_kind, !got_in_order || trailer.kind != CHUNK_ABORT)
  `KUMI_ASSERT(a_verdict, !(got && got_bad))
endmodule
