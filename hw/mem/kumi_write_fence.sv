// SPDX-License-Identifier: Apache-2.0
//
// Holds records back until the write bursts they describe are in memory.
//
// s_*: a record and its number of bursts (0: order only), in the order of the bursts. It may arrive
//   before or after the bursts themselves.
// b_valid: a burst is in memory: its B was accepted, or, where memory keeps order (kumi_axi_ram),
//   its last data beat was. b_bad: it failed. m_*: records whose bursts, and all earlier ones, are
//   in memory; m_bad: one of its bursts failed. With a second failure before the first one's record
//   has left, all records in between are bad too.
// Latency: 1 cycle from b_valid (FAST: 0, without a register), 2 from s_* (3 with more than 64
//   records). A record a cycle.
module kumi_write_fence #(
    parameter int W       = 8,   // bits of a record
    parameter int BURST_W = 7,   // bits of a number of bursts
    parameter int DEPTH   = 64,  // records, a power of two
    parameter int FAST    = 0    // 1: m_valid follows b_valid in the same cycle; b_bad is not used
) (
    input  logic               clk,
    input  logic               rst,
    input  logic [      W-1:0] s_data,
    input  logic [BURST_W-1:0] s_bursts,
    input  logic               s_valid,
    output logic               s_ready,
    input  logic               b_valid,
    input  logic               b_bad,
    output logic [      W-1:0] m_data,
    output logic               m_bad,
    output logic               m_valid,
    input  logic               m_ready,
    output logic               empty
);
  // Bursts of all records, and of one whose record is still to come.
  localparam int COUNT_W = BURST_W + $clog2(DEPTH) + 2;

  logic head, pop;
  logic [BURST_W-1:0] bursts;
  logic [$clog2(DEPTH):0] depth;
  logic [COUNT_W-1:0] there_q, there, first_q, last_q;  // numbers of bursts from the head on
  logic bad_q;

  kumi_fifo #(
      .W(BURST_W + W),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({s_bursts, s_data}),
      .s_valid,
      .s_ready,
      .m_data ({bursts, m_data}),
      .m_valid(head),
      .m_ready(pop),
      .depth
  );

  assign m_valid = head && (there_q >= COUNT_W'(bursts) ||
      (FAST != 0 && b_valid && there_q + 1'b1 >= COUNT_W'(bursts)));
  assign m_bad = FAST == 0 && bad_q && first_q <= COUNT_W'(bursts);
  assign pop = m_valid && m_ready;
  assign there = there_q - (pop ? COUNT_W'(bursts) : '0) + COUNT_W'(b_valid);

  logic [COUNT_W-1:0] last;
  assign last = last_q - (pop ? COUNT_W'(bursts) : '0);

  always_ff @(posedge clk) begin
    there_q <= there;
    last_q  <= last;
    if (pop) begin
      first_q <= m_bad ? COUNT_W'(1) : first_q - COUNT_W'(bursts);
      if (last_q <= COUNT_W'(bursts)) bad_q <= 1'b0;
    end
    if (b_valid && b_bad) begin
      bad_q  <= 1'b1;
      last_q <= there;
      if (!bad_q || (pop && last_q <= COUNT_W'(bursts))) first_q <= there;
    end
    if (rst) begin
      there_q <= '0;
      bad_q   <= 1'b0;
    end
  end

  logic [$clog2(DEPTH)+1:0] held_q;
  always_ff @(posedge clk) begin
    held_q <= held_q + ($clog2(DEPTH) + 2)'(s_valid && s_ready) - ($clog2(DEPTH) + 2)'(pop);
    if (rst) held_q <= '0;
  end
  assign empty = held_q == '0;

  logic unused;
  assign unused = ^depth;
endmodule
